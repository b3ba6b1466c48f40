"""What people of the benchmarks do: drawn beforehand, since the town is measured and not this."""

from collections.abc import Iterable
from itertools import cycle

import numpy as np

from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.env import TownEnv

_MOST = 200  # places that people go to
_REST = 5  # ticks
_EMOJI = ("📖", "☕", "🧹", "🎨")
_WORDS = (
    "Good morning! How are you today?",
    "I heard that Klaus is giving a party at Hobbs Cafe tonight.",
    "Did you see the élan of that café's new façade?",
    "The mayor speaks in the park at five o'clock; shall we go together?",
)


class Errands:
    """Sends everyone to random places (of 200 at most); a new errand for whoever has arrived."""

    def __init__(self, env: TownEnv, *, words: bool) -> None:
        self._env, self._words = env, words
        self._random = np.random.default_rng(0)
        places = 1 + self._random.permutation(len(env.world.town.places.all))[:_MOST]
        self._errands = cycle(self._random.choice(places, 100_000).tolist())
        self._actions: dict[str, object] = {}
        self._send(range(env.world.count))

    def actions(self) -> dict[str, object]:
        """Return everyone's action for the next step."""
        arrived = self._env.world.state.arrived.nonzero()[0].tolist()
        if arrived:
            self._send(arrived)
        return self._actions

    def _send(self, who: Iterable[int]) -> None:
        ids = self._env.possible_agents
        for i, choice in zip(who, self._errands, strict=False):
            value: object = {"choice": choice, "message": ""} if self._words else choice
            self._actions[ids[i]] = value


class Deeds:
    """The same errands as minds do them: everyone goes somewhere by its name, and acts there.

    They walk to rooms and to things by turns. Who has arrived uses the thing, says something to
    those around, rests some ticks, and goes on.
    """

    def __init__(self, env: TownEnv) -> None:
        self._env = env
        random = np.random.default_rng(0)
        town = env.world.town
        rooms = random.permutation(town.places.ids)[: _MOST // 2].tolist()
        things = random.permutation(town.places.object_ids)[: len(rooms)].tolist()
        trips: list[list[Action]] = []
        for k, (room, thing) in enumerate(zip(rooms, things, strict=True)):
            here = [Talk(None, _WORDS[k % 4])]
            rest = [Idle("resting for a while", _EMOJI[k % 4])] * _REST
            trips.append([Move(room, "on the way to somebody", "🚶"), *here, *rest])
            use = Interact(thing, ("on", "off")[k % 2])
            trips.append([Move(thing), use, *here, *rest])
        drawn = random.integers(0, len(trips), 100_000).tolist()
        self._trips = cycle([trips[k] for k in drawn])
        self._todo: list[list[Action]] = []
        self._actions: dict[str, Action] = {}
        self._busy: dict[int, int] = {}  # who does not walk, and what they do next
        for agent in env.possible_agents:
            self._todo.append(next(self._trips))
            self._actions[agent] = self._todo[-1][0]

    def actions(self) -> dict[str, Action]:
        """Return everyone's action for the next step."""
        ids, todo, busy = self._env.possible_agents, self._todo, self._busy
        for i in self._env.world.state.arrived.nonzero()[0].tolist():
            busy[i] = 1
        for i, k in list(busy.items()):
            if k < len(todo[i]):
                self._actions[ids[i]], busy[i] = todo[i][k], k + 1
            else:
                todo[i] = next(self._trips)
                self._actions[ids[i]] = todo[i][0]
                del busy[i]
        return self._actions


class Chatter:
    """Everyone says something to all around, at every tick."""

    def __init__(self, env: TownEnv) -> None:
        count = len(env.possible_agents)
        self._ticks = cycle(
            [
                {a: Talk(None, _WORDS[(i + k) % 4]) for i, a in enumerate(env.possible_agents)}
                for k in range(count)
            ]
        )

    def actions(self) -> dict[str, Talk]:
        """Return everyone's action for the next step."""
        return next(self._ticks)
