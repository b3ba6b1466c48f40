"""Between the page of a run that goes on and the run: commands in, news out, as lines of JSON."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from threading import Event, Thread
from typing import Any

from pydantic_core import to_jsonable_python

from genagents_env.cli.options import LOOPBACK
from genagents_env.errors import ConfigError, GenagentsError, RunLocked
from genagents_env.percept import Percept
from genagents_env.profile import Profile
from genagents_env.record import RunReader
from genagents_env.run import RunOptions, interview
from genagents_env.run.live import LiveControl
from genagents_env.run.people import ActionQueue, make_action
from genagents_env.run.signals import GRACE
from genagents_env.text import clean

PLAYED = " is played at "  # between a player and the address of their page
STEERED = "watch and steer it"  # begins the line with the address of a page
_EVERY = 0.2  # seconds between two words to the page on how the town is
_MOST_TICKS = 100_000  # for which an entered action goes on
_SEEN = (
    *("agent", "tick", "time", "me", "exits", "people", "objects", "heard", "result"),
    *("conversation", "known", "goals", "text"),
)

_log = logging.getLogger(__name__)


@dataclass
class LiveRelay:
    """Obeys the page of a run, and tells it what happens.

    Attributes:
        path: of the run file.
        players: the agents that people play.
        control: of the run.
        turn_seconds: as of `ActionQueue`.
        host: on which its page listens, and the pages of its forks.
    """

    path: Path
    players: tuple[str, ...] = ()
    turn_seconds: float | None = None
    host: str = LOOPBACK
    control: LiveControl = field(default_factory=LiveControl)

    def __post_init__(self) -> None:
        self.queue = ActionQueue(self.turn_seconds, self._tell_turn)
        self.options = RunOptions()
        self._turns: dict[str, dict[str, Any]] = {}  # the last of each player
        self._here: dict[str, bool] = {}
        self._send: Callable[[str], None] | None = None
        self._ended = Event()
        self._forks: list[subprocess.Popen[str]] = []

    def begin(self, send: Callable[[str], None]) -> None:
        """Tell the page through `send`, which takes a line, how the town is from now on."""
        self._send = send
        for turn in list(self._turns.values()):
            self._tell(turn)
        Thread(target=self._tell_states, daemon=True).start()

    def end(self) -> None:
        """Refuse commands from now on: the run is over."""
        self._ended.set()
        self._tell({"state": self._describe()})

    def obey(self, line: str) -> None:
        """Do what a line of the page says, and answer it; questions are answered later."""
        order = json.loads(line)
        if order["do"] in ("ask", "event", "fork"):  # take their time
            Thread(target=self._answer, args=[order], daemon=True).start()
        else:
            self._answer(order)

    def _answer(self, order: Mapping[str, Any]) -> None:
        try:
            said = {"said": self._do(order)}
        except GenagentsError as error:
            said = {"fault": clean(str(error), 400)}
        except (KeyError, TypeError, ValueError) as error:
            said = {"fault": f"this is no command: {clean(str(error), 100)}"}
        except Exception:  # the page waits for an answer
            _log.exception("the page's command %s failed", clean(str(order.get("do")), 40))
            said = {"fault": "a fault of the program; the log has it"}
        if "number" in order:
            self._tell({"reply": order["number"], **said})

    def _do(self, order: Mapping[str, Any]) -> str:
        do, control = order["do"], self.control
        if do == "ask":
            return self._ask(str(order["agent"]), clean(str(order["question"]), 500))
        if do == "fork":
            return self._fork(str(order["at"]))
        if do == "look":
            control.look()
            return ""
        if do == "here":
            self._here[order["agent"]] = order["here"]
            self.queue.set_here(order["agent"], order["here"])
            return ""
        if self._ended.is_set():
            raise ConfigError("the run is over")
        if do == "act":
            entered = dict(order["action"])
            ticks = entered.pop("ticks", 1)
            if type(ticks) is not int or not 1 <= ticks <= _MOST_TICKS:
                raise ConfigError(f"ticks: a whole number from 1 to {_MOST_TICKS}")
            self.queue.put(order["agent"], make_action(entered), ticks)
        elif do == "clear":
            self.queue.clear(order["agent"])
        elif do == "event":
            return control.add_event(order["event"]).result()
        elif do == "speed":
            speed = order["speed"]
            control.set_speed(None if speed is None else float(speed))
        elif do in ("pause", "go", "step"):
            {"pause": control.pause, "go": control.go, "step": control.step}[do]()
        else:
            raise ConfigError(f"do: there is no command {clean(str(do), 40)!r}")
        return ""

    def _ask(self, agent: str, question: str) -> str:
        if not question:
            raise ConfigError("question: there are no words in it")
        try:
            answers = interview(self.path, [agent], [question], None, self.options)
        except RunLocked:  # to note what the answer cost, the file would have to be written
            raise ConfigError(
                "this run has limits, beside which a question would be spent; ask when it is over"
            ) from None
        return answers[agent][0][1].text

    def _fork(self, at: str) -> str:
        """Fork the run in a process of its own; return its address, and a line for each player."""
        name, number = self.path.name.removesuffix(self.path.suffix), 1
        while (out := self.path.with_name(f"{name}.fork{number}.sqlite")).exists():
            number += 1
        words = ["fork", str(self.path), f"--at={at}", f"--out={out}", "--live", "--quiet"]
        words += [f"--host={self.host}", "--trust=unchanged"]  # they run here already
        words += self._list_limits_left()
        if self.turn_seconds is not None:
            words.append(f"--turn-seconds={self.turn_seconds:g}")
        process = subprocess.Popen(  # noqa: S603 (this package)
            [sys.executable, "-P", "-m", "genagents_env", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,
        )
        self._forks.append(process)
        told, played = "", []
        for line in process.stderr or ():
            if PLAYED in line:
                agent, _, place = line.removeprefix("genagents: ").strip().partition(PLAYED)
                played.append(f"{place} {agent}")
            told = line.removeprefix("genagents: ").strip() or told
            if STEERED in line:
                Thread(target=process.communicate, daemon=True).start()
                return "\n".join((line.rpartition(" ")[2].strip(), *played))
        raise ConfigError(told or "the fork did not begin")

    def _list_limits_left(self) -> list[str]:
        """Return what is left of the run's limits, as options of a fork."""
        with RunReader(self.path) as run:
            limits, spending = run.meta.limits, run.spending
        if spending is not None:
            limits = limits.subtract(spending.total, spending.seconds)
        left = {kind: value for kind, value in vars(limits).items() if value is not None}
        if used_up := [kind for kind, value in left.items() if not value]:
            raise ConfigError(f"the run's limit of {used_up[0]} is used up: a fork would stop")
        return [f"--limit={kind}={Decimal(value):f}" for kind, value in left.items()]

    def end_forks(self) -> None:
        """Stop the forks that were begun from the page; each can be resumed."""
        for process in self._forks:
            process.terminate()
        for process in self._forks:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)

    def _tell_turn(self, agent: str, percept: Percept, asked: bool) -> None:
        count = self._turns.get(agent, {"count": 0})["count"] + 1
        seen = describe_percept(percept)
        who = describe_profile(self.queue.profiles[agent])
        own = {"turn": agent, "count": count, "asked": asked}
        self._turns[agent] = {**own, "percept": seen, "who": who}
        self._tell(self._turns[agent])

    def _tell_states(self) -> None:
        told: dict[str, Any] = {}
        while not self._ended.wait(_EVERY):
            if (state := self._describe()) != told:
                self._tell({"state": state})
                told = state

    def _describe(self) -> dict[str, Any]:
        away = [agent for agent in self.players if self._here.get(agent) is False]
        return {
            **asdict(self.control.pace),
            "over": self._ended.is_set(),
            "asked": self.queue.list_asked(),
            "away": away,
            "path": str(self.path),
        }

    def _tell(self, news: Mapping[str, Any]) -> None:
        if self._send is not None:
            self._send(json.dumps(news))


def describe_percept(percept: Percept) -> dict[str, Any]:
    """Return a percept as JSON values."""
    seen: dict[str, Any] = to_jsonable_python({name: getattr(percept, name) for name in _SEEN})
    return seen


def describe_profile(profile: Profile) -> dict[str, Any]:
    """Return what an agent knows of itself at the start, as JSON values."""
    return {
        "about": list(filter(None, (", ".join(profile.traits), profile.persona))),
        "currently": profile.currently,
        "goal": profile.goal,
        "home": profile.home,
        "people": dict(profile.relationships),
        "facts": [fact.statement for fact in profile.facts],
    }
