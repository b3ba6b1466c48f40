"""The page of a run while it runs, served by a process beside it; and people who play in it.

The process reads the run file, as `genagents view` does; so it neither slows the run down nor ends
it where it fails. It is started at once, to be ready, and shown when there is a first tick: a
mistake in the request is reported before any page.
"""

import json
import os
import secrets
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Lock, Thread
from time import sleep
from typing import Any

from genagents_env.actions import Action, Idle, Move, parse_action
from genagents_env.cli.live_relay import PLAYED, STEERED, LiveRelay
from genagents_env.cli.options import LOOPBACK
from genagents_env.cli.screen import open_browser, say, warn
from genagents_env.config import TownConfig
from genagents_env.percept import Percept
from genagents_env.run import PolicySpec
from genagents_env.run.people import ActionQueue
from genagents_env.run.policy_groups import match_specs
from genagents_env.run.spec import Progress, RunOptions

OnProgress = Callable[[Progress], None]
_MODULE = "genagents_env.show.view.live"
_GRACE = 5.0  # seconds in which the process ends
HUMAN = "human"
_LONGEST_WALK = 100_000  # ticks
_POLL = 0.01  # seconds between two looks at whose turn it is
_HELP = (
    "(MOVE) PLACE · (TALK) NAME: words · (TALK) words to all · (INTERACT) THING -> STATE · "
    "(IDLE) what you do · (LEAVE) · an empty line waits a tick"
)


class LivePage:
    """The page of a run, and the people who play in it; use it in a `with` block.

    Args:
        path: of the run file.
        players: the agents that people play: each in a page of their own, or all in the terminal.
        live: else no page is started, and nothing listens.
        host: on which the page listens.
        turn_seconds: as of `ActionQueue`.
    """

    def __init__(
        self,
        path: Path,
        players: tuple[str, ...] = (),
        *,
        live: bool,
        host: str = LOOPBACK,
        turn_seconds: float | None = None,
    ) -> None:
        self._relay = LiveRelay(path, players, turn_seconds, host) if live else None
        self._terminal = None
        if players and not live:
            self._terminal = TerminalPlayers(players, turn_seconds)
        self._address = ""
        self._process: subprocess.Popen[str] | None = None
        self._begun, self._ended, self._turn = Event(), False, Lock()
        if self._relay is not None:  # of a resumed run, before a tick that waits for a player
            self._relay.control.on_steer = self._begun.set
        self._reader = Thread(target=self._read, daemon=True)

    @property
    def in_terminal(self) -> bool:
        """Whether people play in the terminal, which a progress bar would disturb."""
        return self._terminal is not None

    def list_options(self, watch: OnProgress | None) -> dict[str, Any]:
        """Return the options of the run that belong to the page, with `watch` among them."""
        if self._terminal is not None:
            return {"watch": watch, "people": self._terminal.queue}
        if self._relay is None:
            return {"watch": watch}
        people = self._relay.queue if self._relay.players else None
        own = {"live": self._relay.control, "people": people, "on_phase": self._begin}
        return {"watch": watch, **own}

    def keep_options(self, options: RunOptions) -> None:
        """Keep the options of the run for the page's questions; its policies run here already."""
        if self._relay is not None:
            self._relay.options = replace(
                options, live=None, people=None, on_phase=None, watch=None, trust_policies=True
            )

    def _begin(self, phase: str, tick: int) -> None:
        """Show the page once there is a tick."""
        self._begun.set()

    def keep(self) -> None:
        """Keep the page until Ctrl-C, where somebody sits at a terminal to press it."""
        if self._relay is not None:
            self._relay.end()
        if self._process is None or not self._begun.is_set() or not sys.stdin.isatty():
            return
        if self._address:
            say(f"The page stays open: {self._address}  (Ctrl-C ends)", error=True)
            with suppress(KeyboardInterrupt):
                self._process.wait()

    def __enter__(self) -> "LivePage":
        if self._relay is not None:
            self._process = subprocess.Popen(  # noqa: S603 (this package)
                [sys.executable, "-P", "-m", _MODULE, str(self._relay.path.absolute())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                process_group=0,  # Ctrl-C is for the run
            )
            seats = {secrets.token_urlsafe(18): agent for agent in self._relay.players}
            setting = {"token": secrets.token_urlsafe(24), "seats": seats, "host": self._relay.host}
            self._send(json.dumps(setting))
            self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._relay is not None:
            self._relay.end_forks()
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return
        self._ended = not self._begun.is_set()
        self._begun.set()
        with suppress(OSError), self._turn:
            process.stdin.close()
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._reader.join()
        process.stdout.close()

    def _send(self, line: str) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        with suppress(OSError, ValueError), self._turn:  # the page is gone, the run goes on
            process.stdin.write(f"{line}\n")
            process.stdin.flush()

    def _read(self) -> None:
        """Show the page once the run has begun; then do what it says, until it ends."""
        process, relay = self._process, self._relay
        if process is None or process.stdout is None or relay is None:
            return
        address = process.stdout.readline().strip()
        places = [process.stdout.readline().strip() for _ in relay.players]
        self._begun.wait()
        if self._ended:
            return
        self._address = address
        if not address:
            warn("its page is not served")
            return
        relay.begin(self._send)
        for agent, place in zip(relay.players, places, strict=True):
            warn(f"{agent}{PLAYED}{place}")
        opened = open_browser(address)
        warn(f"{STEERED}{'' if opened else ' in a browser'}: {address}")
        for line in process.stdout:
            relay.obey(line)


def list_players(policies: Mapping[str, str]) -> tuple[str, ...]:
    """Return the agents whose policy, by name, is that of people."""
    return tuple(agent for agent, policy in policies.items() if policy == HUMAN)


def find_players(town: TownConfig, policy: str, own: Mapping[str, str]) -> tuple[str, ...]:
    """Return the people of a town whom somebody plays.

    Raises:
        ConfigError: `own` names an unknown person.
        ScenarioError: the scenario has faults.
    """
    if HUMAN not in (policy, *own.values()):
        return ()
    names = [person.name for person in town.load_scenario().people]
    specs = match_specs(names, PolicySpec(policy), own)
    return list_players({name: specs[name].name for name in names})


class TerminalPlayers:
    """People who play in the terminal: they read what their agents perceive, and write actions.

    Args:
        players: the agents.
        turn_seconds: as of `ActionQueue`.
    """

    def __init__(self, players: tuple[str, ...], turn_seconds: float | None) -> None:
        self._players = players
        self._turns: deque[str] = deque()  # who was asked, and has entered nothing since
        self.queue = ActionQueue(turn_seconds, self._show)
        self._reader = Thread(target=self._read, daemon=True)

    def _show(self, agent: str, percept: Percept, asked: bool) -> None:
        if self._reader.ident is None:  # not started: the run has just begun
            say(f"{' and '.join(self._players)}: you play. {_HELP}")
            for own in self.queue.profiles.values():
                known = (own.persona, own.currently, own.goal, *(f.statement for f in own.facts))
                told = (part.rstrip(".;") for part in known if part)
                say(f"{own.name}: {'. '.join(told)}.")
            self._reader.start()
        if asked and self.queue.turn_seconds != 0:
            if agent not in self._turns:
                self._turns.append(agent)
            say(f"\n{percept.text}\n{agent}>")
            sys.stdout.flush()

    def _read(self) -> None:
        for line in sys.stdin:
            text = line.strip()
            action = parse_action(text) if text else Idle()
            if action is None:
                say(f"That is no action. {_HELP}")
            else:
                self._enter(action)
        warn(f"nothing is entered any more, so from here on away: {', '.join(self._players)}")
        self.queue.turn_seconds = 0  # nobody is waited for

    def _enter(self, action: Action) -> None:
        """Enter an action for whose turn it is, once it is somebody's."""
        while not self._turns:
            sleep(_POLL)
        walks = isinstance(action, Move)
        self.queue.put(self._turns.popleft(), action, _LONGEST_WALK if walks else 1)
