"""A town that goes on, in a browser: steered, played in by people, and answered by minds."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, Response

from genagents_env.cli.live_relay import describe_percept, describe_profile
from genagents_env.config import TownConfig
from genagents_env.errors import RecordError
from genagents_env.llm.event_loop import run_sync
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, RunSpec, fork, resume, run
from genagents_env.run.replay import make_town, open_replay
from tests.show.view.browser import PHONE, OpenPage
from tests.show.view.processes import start, wait_for

pytestmark = pytest.mark.slow
ISABELLA, MARIA, KLAUS = "Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"
CAFE = "Hobbs Cafe"
PLACES = re.compile(r"(\S+ \S+) is played at (\S+)")
STEERED = re.compile(r"steer it in a browser: (\S+)")


@dataclass
class Live:
    """A run that goes on, its file, and the addresses that it told."""

    process: "subprocess.Popen[str]"
    path: Path
    told: list[str]

    @property
    def address(self) -> str:
        wait_for(lambda: STEERED.search("".join(self.told)))
        found = STEERED.search("".join(self.told))
        assert found is not None
        return found[1]

    @property
    def places(self) -> dict[str, str]:
        assert self.address
        return dict(PLACES.findall("".join(self.told)))

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 130


@contextmanager
def go_live(folder: Path, *words: str, command: str = "run") -> Iterator[Live]:
    path = folder / f"{command}.sqlite"
    with start(command, *words, "--live", "--out", str(path), "--quiet", folder=folder) as process:
        live = Live(process, path, [])

        def listen() -> None:
            assert process.stderr is not None
            live.told.extend(process.stderr)

        Thread(target=listen, daemon=True).start()
        yield live


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def act(page: Page, kind: str, **fields: str) -> str:
    press(page, "Ask or act …")
    page.get_by_label("What to do").select_option(kind)
    for label, value in fields.items():
        field = page.locator("dialog.deeds").get_by_label(label.replace("_", " ").capitalize())
        if field.evaluate("(one) => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    said = page.locator("dialog.deeds .said")
    press(page, "Do it")
    page.wait_for_function(
        "() => !document.querySelector('dialog.deeds button[type=submit]').disabled",
        timeout=60_000,  # a fork starts two processes
    )
    text = said.inner_text()
    page.locator("dialog.deeds").get_by_label("Close").click()
    return text


def tell(page: Page, words: str, to: str, other: Page) -> None:
    """Say something until the other person hears it: while somebody else speaks, nobody does."""
    heard = other.locator(".log li:not(.own)").get_by_text(words)
    for _ in range(10):
        page.wait_for_selector("body.asked")
        press(page, f"to {to}")
        page.get_by_label("What you say").fill(words)
        press(page, "Say")
        wait_ticks(other, 1)
        page.wait_for_selector("body.asked")
        other.wait_for_selector("body.asked")
        if heard.count():
            return
    raise AssertionError(f"{words!r} was not heard")


def wait_ticks(page: Page, ticks: int) -> None:
    for _ in range(ticks):
        page.wait_for_selector("body.asked")
        before = page.evaluate("() => document.querySelector('.where').textContent")
        press(page, "Wait a tick")
        page.wait_for_function(
            "(old) => document.querySelector('.where').textContent !== old || "
            "document.body.classList.contains('asked')",
            arg=before,
        )


def test_a_town_is_paused_asked_whispered_to_and_forked(
    open_page: OpenPage, tmp_path: Path
) -> None:
    town = ("valentines_party", "--people", f"{ISABELLA},{MARIA}", "--start", "10:00", "--hours")
    mind = ("--policy", "reactive", "--model", "scripted:neighbour")
    with go_live(tmp_path, *town, "46", "--place", CAFE, *mind) as live:
        watched = open_page(live.address)
        page = watched.page
        press(page, "Pause the town")
        page.get_by_text("The town stands still.").wait_for()
        said = act(page, "ask", person=ISABELLA, question="Do you know of a Valentine's Day party?")
        assert said.startswith(("Yes", "No, I have not heard"))
        told = act(page, "whisper", person=MARIA, thought="I could ask Isabella for tea.")
        assert told.startswith("It happens at 2023-02-13")
        assert "nobody is called" not in act(page, "news", news="The mill is closed today.")
        assert "no state" in act(page, "object", state_from_now_on="flying")
        assert act(page, "fork") == "Open the fork"
        forked = open_page(str(page.locator("dialog.deeds a").get_attribute("href")))
        forked.page.wait_for_function("() => window.town.at(1e9).tick > 5")
        forked.check()
        press(page, "One tick")
        press(page, "Let it go on")
        page.get_by_text("The town stands still.").wait_for(state="hidden")
        page.wait_for_function("() => window.town.at(1e9).tick > 20")
        watched.check()
        live.end()
    with RunReader(live.path) as record:
        given = [event.kind for event in record.meta.scenario.events]
        assert given == ["whisper", "news"]
        assert {"whisper", "news"} <= {event.kind for event in record.events()}


def test_two_people_and_a_mind_talk_in_one_group(open_page: OpenPage, tmp_path: Path) -> None:
    town = (
        "valentines_party",
        "--people",
        f"{ISABELLA},{MARIA},{KLAUS}",
        "--place",
        f"{CAFE}/cafe",
    )
    when = ("--start", "10:00", "--hours", "0.5")
    played = ("--policy", f"{MARIA},{KLAUS}=human", "--policy", "reactive")
    with go_live(tmp_path, *town, *when, *played, "--model", "scripted:neighbour") as live:
        maria = open_page(live.places[MARIA], size=PHONE, ready=False)
        klaus = open_page(live.places[KLAUS], ready=False)
        given: dict[str, list[dict[str, Any]]] = {MARIA: [], KLAUS: []}
        for agent, watched in ((MARIA, maria), (KLAUS, klaus)):
            watched.page.on("response", partial(keep_turn, given[agent]))
            watched.page.reload()
        tell(maria.page, "Good morning, you two!", ISABELLA, klaus.page)
        tell(klaus.page, "Good morning, Maria! Is there news?", MARIA, maria.page)
        for _ in range(10):
            wait_ticks(maria.page, 1)
            wait_ticks(klaus.page, 1)
        maria.page.locator(".log").get_by_text(f"{ISABELLA}:").first.wait_for()
        for watched in (maria, klaus):
            watched.check()
        live.end()
    talks = [turn["percept"]["conversation"] for turn in given[KLAUS] if turn]
    assert any({ISABELLA, MARIA, KLAUS} <= set(talk["members"]) for talk in talks if talk)
    compare_with_percepts(live.path, given)
    options = RunOptions(interviews=False)
    forked = fork(live.path, tmp_path / "fork.sqlite", 5, options=options)
    assert forked.status == "finished"


def keep_turn(turns: list[dict[str, Any]], answer: Response) -> None:
    """Keep what a person's page is given, other than its own files."""
    if "/turn/" in answer.url:
        turns.append(answer.json())
    else:
        assert answer.url.endswith(("/", "/play.js", "/play.css", "/act"))


def compare_with_percepts(path: Path, given: dict[str, list[dict[str, Any]]]) -> None:
    """Compare all that two people's pages were given with what their agents perceived."""
    seen: dict[tuple[str, int], object] = {}

    def look(actions: object, step: Any) -> None:
        for agent in given:
            percept = step[4][agent]["percept"]
            seen[agent, percept.tick] = json.loads(json.dumps(describe_percept(percept)))

    async def replay(run: RunReader) -> None:
        with open_replay(run, RunOptions()) as replayed:
            async with replayed.open_at(run.last_tick, look):
                pass

    with RunReader(path) as run:
        run_sync(replay(run))
    with RunReader(path) as run:
        profiles = make_town(run.meta).profiles()
    known = {agent: json.loads(json.dumps(describe_profile(profiles[agent]))) for agent in given}
    for agent, turns in given.items():
        told = [turn for turn in turns if turn]
        assert len(told) >= 10
        for turn in told:
            assert set(turn) == {"turn", "count", "asked", "percept", "who"}
            assert turn["who"] == known[agent]
            assert turn["turn"] == agent
            if turn["percept"]["tick"] > 0:
                assert turn["percept"] == seen[agent, turn["percept"]["tick"]]


def post(address: str, target: str, body: object) -> dict[str, Any]:
    """Send a command as the page or a person does, without a browser."""
    parts = urlsplit(address)
    token = parts.query.removeprefix("token=")
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    where = f"http://{parts.netloc}{target or parts.path + 'act'}"
    asked = Request(where, json.dumps(body).encode(), headers)
    with urlopen(asked, timeout=30) as answer:  # noqa: S310
        return dict(json.load(answer))


def test_who_is_to_play_a_fork_is_told_where_before_the_town_waits_for_them(tmp_path: Path) -> None:
    run(RunSpec(TownConfig("tiny", hours=0.03), policy=PolicySpec("idle")), tmp_path / "a.sqlite")
    words = ("a.sqlite", "--at", "09:01", "--policy", "Ben=human")
    with go_live(tmp_path, *words, command="fork") as live:
        assert list(live.places) == ["Ben Carver"]
        live.end()


def test_a_killed_town_goes_on_with_all_that_was_done_in_it(tmp_path: Path) -> None:
    played = ("--policy", "idle", "--policy", "Ada=human", "--turn-seconds", "0.05")
    with go_live(tmp_path, "tiny", "--hours", "0.3", *played) as live:
        (place,) = live.places.values()
        assert "said" in post(place, "", {"do": "talk", "to": None, "text": "I was here."})
        event = {"kind": "whisper", "agent": "Ben Carver", "text": "Somebody was here."}
        assert "said" in post(live.address, "/live/do", {"do": "event", "event": event})
        wait_for(lambda: find_said(live.path) == {"I was here.", "Somebody was here."})
        live.process.kill()
        live.process.wait()
    before = find_said(live.path)
    assert resume(live.path, RunOptions(interviews=False)).status == "finished"
    assert find_said(live.path) == before
    whole = fork(live.path, tmp_path / "fork.sqlite", 0, options=RunOptions(interviews=False))
    assert canonical_hash(whole.path) == canonical_hash(live.path)


def find_said(path: Path) -> set[str]:
    """Return what was said and whispered so far."""
    with RunReader(path) as record:
        kinds = ("say", "whisper")
        return {e.data["text"] for e in record.events() if e.kind in kinds}


HORIZON = 2160  # ticks: three hours
FIRST, SECOND = 60, 240


def find_last(path: Path) -> int:
    try:
        with RunReader(path) as reader:
            return reader.last_tick
    except RecordError:  # it is just being made
        return -1


@pytest.mark.slow
def test_the_page_follows_a_run_that_is_killed_and_resumed(
    open_page: OpenPage, tmp_path: Path
) -> None:
    path = tmp_path / "run.sqlite"
    town = ("murder_mystery", "--policy", "scripted", "--hours", "3")
    with start("run", *town, "--out", str(path), "--quiet", folder=tmp_path) as writer:
        wait_for(lambda: find_last(path) >= FIRST)
        writer.send_signal(signal.SIGSTOP)  # so that it is not over before the page is open
        watched = open_page(path)
        page = watched.page
        shown = page.evaluate("() => window.town.at(1e9).tick")
        assert FIRST <= shown <= find_last(path) < HORIZON
        page.wait_for_function(
            f"() => window.town.look().time === {shown}"
        )  # from ten seconds back
        writer.send_signal(signal.SIGCONT)
        page.wait_for_function(f"() => window.town.at(1e9).tick >= {SECOND}", polling=20)
        writer.kill()
        writer.wait()
    killed = find_last(path)
    assert SECOND <= killed < HORIZON
    page.wait_for_function(f"() => window.town.at(1e9).tick >= {killed}")
    told = page.evaluate("() => fetch('data/status').then((one) => one.json())")
    assert told["state"] == "killed"

    with start("resume", str(path), "--quiet", folder=tmp_path) as writer:
        page.wait_for_function(f"() => window.town.at(1e9).tick === {HORIZON}")
        assert writer.wait(60) == 0
    page.wait_for_function("() => window.town.ready === true")
    with RunReader(path) as reader:
        assert reader.status == "finished"
        for tick in (FIRST, killed - 3, killed + 3, HORIZON):
            expected = reader.positions(tick).tolist()
            page.wait_for_function("(tick) => window.town.at(tick).positions[0][0] >= 0", arg=tick)
            assert page.evaluate("(tick) => window.town.at(tick).positions", tick) == expected
    watched.check()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
