"""A saved town that somebody made up is refused by name, and never crashes later."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest

from genagents_env import town_v0
from genagents_env.actions import Idle, Talk
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.world.interventions import News, Put, Whisper

Saved: TypeAlias = Any  # JSON
_VALUES: tuple[Saved, ...] = (
    *(None, True, -1, 1, 10**9, 2**62, 10**400, -(2**63), 0.5, float("nan")),
    *("", "x", "\ud800", "f" * 99, [], {}, [[]], [0], [-1], [10**9]),
)


def _live(env: TownEnv, ticks: int) -> None:
    for tick in range(ticks):
        if env.agents:
            first, second = env.agents[:2]
            env.step({first: Idle("reading"), second: Talk(first, f"Hello {tick}")})


@pytest.fixture(scope="module")
def saved() -> Saved:
    """Return the state of a town in which people talk, wait for news and walk."""
    env = town_v0.parallel_env("tiny")
    env.reset(seed=1)
    place = env.world.town.places.ids[1]
    for agent in env.possible_agents:
        env.intervene(Put(agent, place))
    _live(env, 5)
    for change in (News("The mill burns."), Whisper(agent, "Go home."), Put(agent, place)):
        env.intervene(change)
    state = json.loads(json.dumps(env.save_state()))
    for part in ("talks", "spoken", "heard", "sightings", "pending"):
        assert state["world"][part]
    return state


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tick", -1),
        ("tick", 2**62),
        ("seed", "1"),
        ("tile", [10**9, 0]),
        ("tile", [0]),
        ("tile", [-1, 0]),
        ("bed", [99, -1]),
        ("shown", [10**6, 0]),
        ("known", ["-1", "0"]),
        ("facts", ["ffffffff", "0"]),
        ("present", [1, 0]),
        ("doing", ["\ud800", "x"]),
        ("doing_event", [-1, 0]),
        ("sightings", [[0], [5], [0]]),
        ("sightings", [[0], [1], [10**9]]),
        ("pending", [["Whisper", {"agent": "Nobody", "text": "x"}]]),
        ("pending", [["Put", {"agent": "Ada Brook", "place": "the moon"}]]),
        ("pending", [["Exit", {}]]),
        ("things", {"states": [], "events": []}),
        ("talks", {"open": [[0, False, 1, 1, 7, 1, [0, 1], [1, 1]]], "until": [], "next": 1}),
        ("talks", {"open": [[0, False, 1, 1, 0, 1, [0, 0], [1, 1]]], "until": [], "next": 1}),
        ("talks", {"open": [], "until": [[0, 9, 1]], "next": 1}),
        ("told", [[0, 1, 99]]),
        ("heard", [[5, []]]),
        ("heard", [[0, [["shout", None, "x", True, False, [], 1]]]]),
        ("outcomes", [[0, [True]]]),
        ("spoken", [[9, "x"]]),
        ("next_event", "x"),
        ("events", [[1, 1, "say", None]]),
    ],
)
def test_a_forged_index_of_a_saved_town_is_refused_and_its_value_named(
    saved: Saved, name: str, value: Saved
) -> None:
    env = town_v0.parallel_env("tiny")
    with pytest.raises(ConfigError, match=f"saved state of the town: {name} "):
        env.load_state({**saved, "world": {**saved["world"], name: value}})


def test_a_saved_town_without_one_of_its_values_is_refused(saved: Saved) -> None:
    env = town_v0.parallel_env("tiny")
    for name in saved["world"]:
        short = {key: value for key, value in saved["world"].items() if key != name}
        with pytest.raises(ConfigError, match=f"has no {name}"):
            env.load_state({**saved, "world": short})
    others: list[Saved] = [{}, {**saved, "episode": [1]}, {**saved, "reward": [[]]}, []]
    for other in others:
        with pytest.raises(ConfigError, match="no saved state"):
            env.load_state(other)


def test_forged_towns_that_load_can_be_stepped(saved: Saved) -> None:
    draw = random.Random(3)  # noqa: S311 (no secret)
    env, refused = town_v0.parallel_env("tiny"), 0
    for _ in range(150):
        forged = copy.deepcopy(saved)
        holder, key = draw.choice(list(_list_places(forged)))
        holder[key] = draw.choice(_VALUES)
        try:
            env.load_state(forged)
        except ConfigError:
            refused += 1
            continue
        _live(env, 5)
    assert 75 < refused < 150


def _list_places(value: Saved) -> Iterator[tuple[Saved, Saved]]:
    """Yield every place in nested JSON as the object and the key in it."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from _list_places(part)
