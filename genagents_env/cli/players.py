"""People who play agents: who they are, and how they do in a terminal."""

import sys
from collections import deque
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING

from genagents_env.actions import Action, Idle, Move, parse_action
from genagents_env.cli.screen import say, warn
from genagents_env.config import TownConfig
from genagents_env.percept import Percept
from genagents_env.run import PolicySpec
from genagents_env.run.people import ActionQueue
from genagents_env.run.policy_groups import match_specs

if TYPE_CHECKING:
    from collections.abc import Mapping

HUMAN = "human"
_LONGEST_WALK = 100_000  # ticks
_POLL = 0.01  # seconds between two looks at whose turn it is
_HELP = (
    "(MOVE) PLACE · (TALK) NAME: words · (TALK) words to all · (INTERACT) THING -> STATE · "
    "(IDLE) what you do · (LEAVE) · an empty line waits a tick"
)


def list_players(policies: "Mapping[str, str]") -> tuple[str, ...]:
    """Return the agents whose policy, by name, is that of people."""
    return tuple(agent for agent, policy in policies.items() if policy == HUMAN)


def find_players(town: TownConfig, policy: str, own: "Mapping[str, str]") -> tuple[str, ...]:
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
                say(f"{own.name}: {' '.join(filter(None, known))}")
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
