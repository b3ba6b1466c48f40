"""People who play agents: who they are, and how they do in a terminal."""

import sys
from threading import Thread
from typing import TYPE_CHECKING

from genagents_env.actions import Idle, Move, parse_action
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
        self.queue = ActionQueue(turn_seconds, self._show)
        say(f"{' and '.join(players)}: you play. {_HELP}")
        Thread(target=self._read, daemon=True).start()

    def _show(self, agent: str, percept: Percept, asked: bool) -> None:
        if asked:
            say(f"\n{percept.text}\n{agent}>")
            sys.stdout.flush()

    def _read(self) -> None:
        for line in sys.stdin:
            asked = self.queue.list_asked()
            text = line.strip()
            action = Idle() if not text else parse_action(text)
            if action is None:
                say(_HELP)
            elif asked:
                walks = isinstance(action, Move)
                self.queue.put(asked[0], action, _LONGEST_WALK if walks else 1)
        warn(f"nothing is entered any more: {' and '.join(self._players)} are away from here on")
        for agent in self._players:
            self.queue.set_here(agent, False)
