"""The page of a town that goes on: commands to it, and a page for each person who plays an agent.

The town runs in another process, which begins this one: `python -m genagents_env.show.view.live
RUN` reads a line of JSON (the token of who may look and give commands, the agents that people play
by the token of each, the host), prints the address of the page and those of the players, a line
each, and ends when nobody can write to its input any more. The run file may come later. From then
on commands are printed as lines of JSON, and further lines of the input are news of the town. A
person's page is given what that agent perceives and knows of itself, and nothing else.
"""

import hmac
import itertools
import json
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import closing, contextmanager
from http import HTTPStatus
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any

from genagents_env.errors import ConfigError
from genagents_env.show.view.admission import Admission, Refusal
from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.server import PageHandler, ViewServer, join_headers, receive
from genagents_env.text import clean

MOST_BODY = 8_192  # bytes of a command
PATIENCE = 600.0  # seconds that a question to a mind may take
POLL = 15.0  # seconds that a person's page waits for its next turn
GONE = 8.0  # seconds after the last poll of a person's page, after which its person is away
RATE, BURST = 20.0, 60.0  # commands a second, and at once
_NICE = 10  # the run comes first
_LOOK_EVERY = 2.0  # seconds between two words to the town that somebody looks
_JSON = "application/json"
_TURN = re.compile(r"turn/([0-9]{1,9})")
_PLAY_FILES = {"": "play.html", "play.js": "play.js", "play.css": "play.css"}


class LiveLink:
    """The town in the other process.

    Args:
        seats: the agents that people play, by the token of each.
        send: takes a line of JSON to the town; safe to be called in any thread.
    """

    def __init__(self, seats: Mapping[str, str], send: Callable[[str], None]) -> None:
        self.seats, self._send = seats, send
        self.state: dict[str, Any] = {}
        self._news = Condition()
        self._turns: dict[str, dict[str, Any]] = {}
        self._asked: dict[int, Future[dict[str, Any]]] = {}
        self._numbers = itertools.count()
        self._looked = 0.0
        self._polls: dict[str, tuple[int, float]] = {}  # open ones, and when the last one ended
        self._here: set[str] = set()
        self._tokens, self._filled, self._lock = BURST, time.monotonic(), Lock()

    def find_agent(self, token: str) -> str | None:
        """Return the agent that the holder of a token plays; takes as long for any token."""
        found = None
        for own, agent in self.seats.items():
            if hmac.compare_digest(own.encode(), token.encode()):
                found = agent
        return found

    def take(self, line: str) -> None:
        """Take a line from the town: its state, a turn of an agent, or the reply to a command."""
        news = json.loads(line)
        if "reply" in news:
            with self._lock:
                asked = self._asked.pop(news["reply"], None)
            if asked is not None:
                asked.set_result(news)
            return
        with self._news:
            if "state" in news:
                self.state = news["state"]
            elif "turn" in news:
                self._turns[news["turn"]] = news
            self._news.notify_all()

    def command(self, order: Mapping[str, Any], seconds: float = PATIENCE) -> dict[str, Any]:
        """Send a command, and return the reply of the town: `said`, or `fault`."""
        number, asked = next(self._numbers), Future[dict[str, Any]]()
        with self._lock:
            self._asked[number] = asked
        self._tell({**order, "number": number})
        try:
            return asked.result(seconds)
        except TimeoutError:
            return {"fault": "the town did not answer; the run may have ended"}
        finally:
            with self._lock:
                self._asked.pop(number, None)

    def look(self) -> None:
        """Let the town know that somebody looks."""
        now = time.monotonic()
        if now - self._looked > _LOOK_EVERY:
            self._looked = now
            self._tell({"do": "look"})

    def has_room(self) -> bool:
        """Return True unless commands come too fast."""
        with self._lock:
            now = time.monotonic()
            self._tokens = min(BURST, self._tokens + RATE * (now - self._filled))
            self._filled = now
            has_room = self._tokens >= 1
            self._tokens -= has_room
            return has_room

    def await_turn(self, agent: str, seen: int) -> dict[str, Any] | None:
        """Return the turn of an agent once it is not the one `seen`; None if there is no other."""
        until = time.monotonic() + POLL
        with self._be_here(agent), self._news:
            while True:
                turn = self._turns.get(agent)
                left = until - time.monotonic()
                if turn is not None and turn["count"] != seen:
                    return turn
                if left <= 0:
                    return None
                self._news.wait(left)

    def note_absent(self) -> None:
        """Let the town know who went away; call it every second."""
        now = time.monotonic()
        with self._lock:
            gone = [
                a for a in self._here if not self._polls[a][0] and now - self._polls[a][1] > GONE
            ]
            self._here.difference_update(gone)
        for agent in gone:
            self._tell({"do": "here", "agent": agent, "here": False})

    @contextmanager
    def _be_here(self, agent: str) -> Any:
        with self._lock:
            polls, ended = self._polls.get(agent, (0, 0.0))
            self._polls[agent] = (polls + 1, ended)
            came = agent not in self._here
            self._here.add(agent)
        if came:
            self._tell({"do": "here", "agent": agent, "here": True})
        try:
            yield
        finally:
            with self._lock:
                polls, _ = self._polls[agent]
                self._polls[agent] = (polls - 1, time.monotonic())

    def _tell(self, order: Mapping[str, Any]) -> None:
        self._send(json.dumps(order))


class LiveHandler(PageHandler):
    """Answers for a town that goes on, too."""

    server: "LiveServer"

    def do_GET(self) -> None:
        """Answer with a file of a page, a resource, the town's state or a person's turn."""
        path = self.requestline.split()[1]
        if path.startswith("/play/"):
            self._play(*path.removeprefix("/play/").partition("/")[::2])
        elif path == "/live/state":
            self.check(document=False)
            self._send_json(self.server.link.state)
        else:
            if path.startswith("/data/status"):
                self.server.link.look()
            super().do_GET()

    def do_POST(self) -> None:
        """Take a command of the page, or an action of a person."""
        path = self.requestline.split()[1]
        link, agent = self.server.link, None
        if path.startswith("/play/"):
            token, _, what = path.removeprefix("/play/").partition("/")
            agent = link.find_agent(token)
            if agent is None or what not in ("act", "clear"):
                raise Refusal(HTTPStatus.NOT_FOUND, "there is no such link")
        elif path != "/live/do":
            raise Refusal(HTTPStatus.NOT_FOUND, "there is no such page")
        self._check_command(secret=agent is not None)
        order = self._read_order()
        if order is None:
            raise Refusal(HTTPStatus.BAD_REQUEST, f"a JSON object of {MOST_BODY} bytes at most")
        if agent is not None:
            order = {"do": what, "agent": agent, "action": order}
        self._send_json(link.command(order))

    def _play(self, token: str, what: str) -> None:
        link = self.server.link
        self.check(document=not what, secret=True)
        agent = link.find_agent(token)
        if agent is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "there is no such link")
        turn = _TURN.fullmatch(what)
        if turn is None:
            self.send_file(_PLAY_FILES.get(what))
            return
        link.look()
        self._send_json(link.await_turn(agent, int(turn[1])) or {})

    def _check_command(self, *, secret: bool) -> None:
        if not self.server.link.has_room():
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, "too many commands; wait a moment")
        headers = join_headers(self.headers)
        if headers.get("Origin") is None and headers.get("Authorization") is None and not secret:
            raise Refusal(HTTPStatus.FORBIDDEN, "a command comes from the page")
        if headers.get("Content-Type") != _JSON or "Transfer-Encoding" in headers:
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a command is JSON")
        self.server.admission.check(headers, document=False, secret=secret)

    def _read_order(self) -> dict[str, Any] | None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or not 0 < int(length[:6]) <= MOST_BODY:
            return None
        size = int(length)
        body = receive(self.connection, lambda come: len(come) >= size, self.rfile.read())
        try:
            order = json.loads((body or b"")[:size])
        except (ValueError, RecursionError):
            return None
        return order if isinstance(order, dict) else None

    def _send_json(self, value: object) -> None:
        self.send(HTTPStatus.OK, json.dumps(value).encode(), _JSON)


class LiveServer(ViewServer):
    """Serves the page of a town that goes on, and a page for each person who plays in it.

    Args:
        run: what is shown.
        admission: who may look and give commands; it has a token.
        link: to the town.
    """

    handler = LiveHandler

    def __init__(self, run: OpenRun, admission: Admission, link: LiveLink) -> None:
        self.link = link
        super().__init__(run, admission)

    def find_place(self, token: str) -> str:
        """Return the address at which the holder of a seat's token plays."""
        return f"{self.address.partition('?')[0]}play/{token}/"

    def service_actions(self) -> None:
        """Note who went away; called twice a second."""
        super().service_actions()
        self.link.note_absent()


def serve_beside(path: Path, setting: Mapping[str, Any]) -> None:
    """Serve the page of the run in `path` until the input ends; `setting` is the first line."""
    turn, seats = Lock(), setting["seats"]

    def send(line: str) -> None:
        with turn:
            print(line, flush=True)

    link, admission = LiveLink(seats, send), Admission(setting["host"], setting["token"])
    with (
        closing(OpenRun(path, wait=True, steered=True)) as run,
        LiveServer(run, admission, link) as server,
    ):
        for address in (server.address, *map(server.find_place, seats)):
            send(address)
        Thread(target=_listen, args=[server], daemon=True).start()
        server.serve_forever()


def _listen(server: LiveServer) -> None:
    """Take news of the town until there are no more."""
    for line in sys.stdin:
        server.link.take(line)
    server.shutdown()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(_NICE)
    try:
        serve_beside(Path(sys.argv[1]), json.loads(sys.stdin.readline()))
    except ConfigError as error:
        sys.exit(clean(str(error)))
