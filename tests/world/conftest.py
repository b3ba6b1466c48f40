"""Small worlds with chosen rules, and a driver that acts by name."""

import json
from collections.abc import Callable
from typing import Unpack

import pytest

from genagents_env.actions import Action, Idle
from genagents_env.config import TownConfig, TownOptions
from genagents_env.env import TownEnv
from genagents_env.percept import Conversation, Percept
from genagents_env.scenario import Scenario
from genagents_env.world.events import Event

MakeTown = Callable[..., "TownDriver"]


class TownDriver:
    """An environment driven by dataclass actions, with what each person perceives."""

    def __init__(self, scenario: Scenario, **options: Unpack[TownOptions]) -> None:
        self.env = TownEnv(TownConfig(scenario, percepts=True), **options)
        self.world = self.env.world
        _, self.infos = self.env.reset(seed=3)

    def step(self, **actions: Action) -> None:
        """Advance one tick; people are named by first name, all others do nothing."""
        given = {self.full(name): action for name, action in actions.items()}
        everyone = {agent: given.get(agent, Idle()) for agent in self.env.agents}
        *_, self.infos = self.env.step(everyone)

    def full(self, first: str) -> str:
        return next(n for n in self.world.names if n.split()[0] == first)

    def percept(self, first: str) -> Percept:
        percept: Percept = self.infos[self.full(first)]["percept"]
        return percept

    def conversation(self, first: str) -> Conversation:
        talk = self.percept(first).conversation
        assert talk is not None
        return talk

    def heard(self, first: str) -> list[str]:
        return [h.text for h in self.percept(first).heard]

    def events(self, kind: str) -> list[Event]:
        return [e for e in self.env.events if e.kind == kind]

    def place(self, first: str, x: int, y: int) -> None:
        """Stand someone on a tile before the next tick."""
        i = self.world.town.people.index[self.full(first)]
        self.world.state.put(i, self.world.town.ground.tile(x, y))
        self.world.look()


MAP = """\
#####################
#aaaaaaa#bbbbbbb#ccc#
#aaaaaaa#bbbbbbb#ccc#
#aaaaaaa+bbbbbbb+ccc#
#aaaaaaa#bbbbbbb#ccc#
####+####bbbbbbb#####
....................#
.....................
"""


def scenario(**changes: object) -> Scenario:
    """Return a house of three rooms with Ann, Bob, Cem and Dee in its hall."""
    people = [
        {"name": f"{name}", "persona": "Lives here; likes it.", "home": "House", "start": start}
        for name, start in (
            ("Ann Ash", "House/hall"),
            ("Bob Birch", "House/hall"),
            ("Cem Cedar", "House/hall"),
            ("Dee Dogwood", "House/den"),
        )
    ]
    hall = {
        "name": "hall",
        "symbol": "a",
        "objects": [
            {"name": "stove", "state": "off", "states": ["off", "on"], "at": [2, 2]},
            {"name": "note", "state": "blank", "free_text": True, "at": [6, 1]},
            {
                "name": "bed",
                "state": "made",
                "states": ["made", "slept in"],
                "sleep_state": "slept in",
                "at": [1, 4],
            },
        ],
    }
    den = {"name": "den", "symbol": "b", "objects": []}
    closet = {"name": "closet", "symbol": "c", "capacity": 1, "objects": []}
    data: dict[str, object] = {
        "name": "town",
        "title": "A town",
        "town": "Testville",
        "start": "2023-02-13T09:00:00",
        "hours": 24.0,
        "sectors": [{"name": "House", "common": True, "arenas": [hall, den, closet]}],
        "people": people,
        "facts": [
            {
                "id": "party",
                "statement": "There is a party tonight.",
                "known_by": ["Ann Ash"],
                "patterns": ["party"],
            }
        ],
        "map": MAP,
    }
    data.update(changes)
    return Scenario.model_validate_json(json.dumps(data))


@pytest.fixture
def make_town() -> MakeTown:
    """Return a function that builds a town: `make_town(rules={...}, **scenario changes)`."""

    def build(**changes: object) -> TownDriver:
        return TownDriver(scenario(**changes))

    return build
