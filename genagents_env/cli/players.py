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
    "(MOVE) park · (TALK) Maria: hello · (TALK) hello all · (INTERACT) stove -> on · "
    "(IDLE) reading · (LEAVE) · an empty line waits a tick"
)


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
    return tuple(name for name in names if specs[name].name == HUMAN)


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
        say(f"{' and '.join(players)}: you play. {_HELP}")
        Thread(target=self._read, daemon=True).start()

    def _show(self, agent: str, percept: Percept, asked: bool) -> None:
        if asked:
            if agent not in self._turns:
                self._turns.append(agent)
            say(f"\n{percept.text}\n{agent}>")
            sys.stdout.flush()

    def _read(self) -> None:
        for line in sys.stdin:
            text = line.strip()
            action = parse_action(text) if text else Idle()
            if action is None:
                say(_HELP)
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
