"""The server of a town that goes on: who may command it, and what a person's page is given."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from genagents_env.show.view import live
from genagents_env.show.view.admission import Admission
from genagents_env.show.view.live import LiveLink, LiveServer
from genagents_env.show.view.open_run import OpenRun
from tests.show.view.processes import wait_for
from tests.show.view.requests import TOKEN, Answer, Page, run_server

SEAT, OTHER = "seat-of-ada-brook-alone", "seat-of-ben-carver-alone"
ADA, BEN = "Ada Brook", "Ben Carver"


@dataclass
class Town:
    """A server, and what a town in another process would get from it."""

    page: Page
    link: LiveLink
    orders: list[dict[str, Any]] = field(default_factory=list)

    def post(self, target: str, body: object, **headers: str | None) -> Answer:
        """Send a command as the page does, but for `headers`."""
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        given: dict[str, str | None] = {
            "Origin": f"http://{self.page.host}",
            "Cookie": f"genagents-view={TOKEN}",
            "Content_Type": "application/json",
            "Content_Length": str(len(text)),
            **headers,
        }
        return self.page.get(target, "POST", text, **given)

    def read(self, target: str) -> dict[str, Any]:
        answer = self.page.get(target)
        assert answer.status == 200, answer.body
        return dict(json.loads(answer.body))


@contextmanager
def serve_town(path: Path) -> Iterator[Town]:
    orders: list[dict[str, Any]] = []

    def obey(line: str) -> None:
        order = json.loads(line)
        orders.append(order)
        if "number" in order:
            link.take(json.dumps({"reply": order["number"], "said": order["do"]}))

    link = LiveLink({SEAT: ADA, OTHER: BEN}, obey)
    with (
        closing(OpenRun(path, steered=True)) as run,
        run_server(LiveServer(run, Admission("127.0.0.1", TOKEN), link)) as page,
    ):
        yield Town(page, link, orders)


@pytest.fixture
def town(short_run: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Town]:
    monkeypatch.setattr(live, "POLL", 0.05)
    monkeypatch.setattr(live, "GONE", 0.1)
    with serve_town(short_run) as given:
        yield given


def take_turn(town: Town, agent: str, count: int, **percept: object) -> None:
    town.link.take(json.dumps({"turn": agent, "count": count, "asked": True, "percept": percept}))


def test_a_command_of_the_page_reaches_the_town(town: Town) -> None:
    answer = town.post("/live/do", {"do": "pause"})
    assert (answer.status, json.loads(answer.body)["said"]) == (200, "pause")
    assert town.orders[-1]["do"] == "pause"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Cookie": None}, 401),
        ({"Cookie": "genagents-view=a-token-of-somebody-else"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": None}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Transfer_Encoding": "chunked"}, 415),
        ({"Content_Length": "-1"}, 400),
        ({"Content_Length": "9000"}, 400),
        ({"Content_Length": "9" * 4000}, 400),
    ],
)
def test_a_strangers_command_is_refused(
    town: Town, headers: dict[str, str | None], status: int
) -> None:
    assert town.post("/live/do", {"do": "pause"}, **headers).status == status
    assert town.orders == []


@pytest.mark.parametrize("body", [b"", b"[]", b"5", b"{", b'"x"', b"\xff\xfe", b"[" * 4000])
def test_what_is_no_object_is_refused(town: Town, body: bytes) -> None:
    assert town.post("/live/do", body).status == 400
    assert town.orders == []


def test_commands_that_come_too_fast_are_refused(town: Town) -> None:
    statuses = [town.post("/live/do", {"do": "step"}).status for _ in range(int(live.BURST) + 40)]
    assert statuses[0] == 200
    assert 429 in statuses
    assert town.page.get("/live/state", Cookie=f"genagents-view={TOKEN}").status == 200


def test_a_flood_of_rubbish_stops_nothing(town: Town) -> None:
    random = Random(3)  # noqa: S311 (no secret)
    for _ in range(300):
        noise = random.randbytes(random.randrange(1, 400))
        with suppress(OSError, ValueError, IndexError):  # closed without a word, or unreadable
            town.page.send(b"POST /play/" + noise + b" HTTP/1.1\r\n\r\n")
    assert [order for order in town.orders if order["do"] != "here"] == []
    take_turn(town, ADA, 1, text="You are here.")
    assert town.read(f"/play/{SEAT}/turn/0")["percept"] == {"text": "You are here."}


def test_a_person_is_given_the_turns_of_their_agent_alone(town: Town) -> None:
    take_turn(town, BEN, 1, text="Ben sees this.")
    assert town.read(f"/play/{SEAT}/turn/0") == {}
    take_turn(town, ADA, 1, text="Ada sees this.")
    assert town.read(f"/play/{SEAT}/turn/0")["turn"] == ADA
    assert town.read(f"/play/{SEAT}/turn/1") == {}
    for target in ("/data/head", "/live/state", "/", "/data/events/0"):
        assert town.page.get(target).status == 401
        assert town.page.get(target, Cookie=f"genagents-view={SEAT}").status == 401
    files = {name: town.page.get(f"/play/{SEAT}/{name}") for name in ("", "play.js", "play.css")}
    assert {answer.status for answer in files.values()} == {200}


@pytest.mark.parametrize(
    "target",
    [
        "/play/",
        "/play/nobody/",
        f"/play/{SEAT}x/",
        f"/play/{SEAT}/data/head",
        f"/play/{SEAT}/turn/x",
        f"/play/{SEAT}/turn/-1",
        f"/play/{SEAT}/turn/99999999999",
        f"/play/{SEAT}/../live/state",
        f"/play/{SEAT}/index.html",
    ],
)
def test_a_persons_link_opens_nothing_else(town: Town, target: str) -> None:
    assert town.page.get(target).status == 404


def test_a_person_acts_for_their_agent_whatever_is_in_the_body(town: Town) -> None:
    body = {"do": "move", "place": "park", "agent": BEN}
    assert town.post(f"/play/{SEAT}/act", body, Cookie=None).status == 200
    assert town.orders[-1] == {"do": "act", "agent": ADA, "action": body, "number": 0}
    for target in (f"/play/{SEAT}/pause", "/play/nobody/act", f"/play/{SEAT}/act/x"):
        assert town.post(target, body, Cookie=None).status == 404


def test_a_person_is_here_while_the_page_asks_and_away_a_while_after(town: Town) -> None:
    def list_here(value: bool) -> list[str]:
        told = (order for order in town.orders if order["do"] == "here")
        return [order["agent"] for order in told if order["here"] is value]

    town.read(f"/play/{SEAT}/turn/0")
    assert list_here(True) == [ADA]
    wait_for(lambda: list_here(False) == [ADA])
    town.read(f"/play/{SEAT}/turn/0")
    assert list_here(True) == [ADA, ADA]


def test_somebody_looks_where_a_page_asks_how_far_the_run_is(town: Town) -> None:
    for _ in range(3):
        town.page.get("/data/status", Cookie=f"genagents-view={TOKEN}")
    assert [order["do"] for order in town.orders] == ["look"]


def test_a_town_that_does_not_answer_is_said(town: Town) -> None:
    silent: Callable[[str], None] = lambda line: None  # noqa: E731 (a stand-in)
    town.link._send = silent
    assert "did not answer" in town.link.command({"do": "pause"}, 0.05)["fault"]
