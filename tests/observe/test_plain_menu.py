"""The plain menu: slots that mean nothing by themselves, and columns that say enough, no more."""

from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.observe.plain_columns import (
    CHOICES,
    PLACE,
    PLACES,
    SIZE,
    describe_plain_columns,
    format_plain_columns,
    list_parts,
    list_plain_choices,
)
from genagents_env.observe.plain_slots import PLACE_SLOTS, THING_SLOTS
from genagents_env.train.tasks import HELD_OUT, LAYOUTS, TASKS, TaskEnv
from genagents_env.world.interventions import Put
from tests.goal_towns import ADA, BEN, give_goals

DOCS = Path(__file__).resolve().parents[2] / "docs"
COLUMNS = list(describe_plain_columns())
INDEX = {column.name: column.index for column in COLUMNS}
PARTS = list_parts()
Numbers = npt.NDArray[np.float32]


def read(row: Numbers, name: str) -> float:
    return float(row[INDEX[name]])


def find_goal_slots(row: Numbers, kind: str, count: int, goal: int = 1) -> list[int]:
    """Return the slots of a kind that hold what a goal is about."""
    return [k for k in range(count) if read(row, f"{kind}_{k + 1}.of_goal_{goal}")]


def test_every_column_and_choice_has_a_name_of_its_own() -> None:
    env = town_v0.rl_env("errand")
    words = {env.describe_choice(choice) for choice in range(CHOICES)}
    assert len(words) == CHOICES == len(list_plain_choices())
    assert len(INDEX) == len(COLUMNS) == SIZE
    assert INDEX["place_1.there"] == PLACES
    assert INDEX["person_1.there"] == PLACES + PLACE_SLOTS * PLACE
    assert format_plain_columns() in (DOCS / "columns.md").read_text()


def test_slots_differ_by_agent_and_episode_and_stay_for_it() -> None:
    env = town_v0.rl_env("share")
    found = []
    for seed in (0, 128, 0):  # one layout
        observations, _ = env.reset(seed=seed)
        slots = {a: find_goal_slots(o["observation"], "place", 32) for a, o in observations.items()}
        for _ in range(5):
            observations = env.step({})[0]
            again = {
                a: find_goal_slots(o["observation"], "place", 32) for a, o in observations.items()
            }
            assert again == slots
        found.append(slots)
    assert found[0] == found[2] != found[1]
    assert len({tuple(own) for own in found[0].values()}) > 1


def test_every_slot_is_as_likely_to_hold_the_goal() -> None:
    env, counts = town_v0.rl_env("errand"), Counter[int]()
    for seed in (layout + LAYOUTS * k for layout in range(20) for k in range(10)):
        observations, _ = env.reset(seed=seed)
        for own in observations.values():
            counts.update(find_goal_slots(own["observation"], "thing", THING_SLOTS))
    assert counts.total() == 600
    expected = 600 / THING_SLOTS
    spread = sum((counts[k] - expected) ** 2 / expected for k in range(THING_SLOTS))
    assert spread < 50  # chi-square with 23 degrees of freedom: 1 in 1,000 is above 49.7


def choose_by_columns(row: Numbers, mask: npt.NDArray[np.int8]) -> int:
    """Return the choice by which an errand is run, from nothing but the columns."""
    place: int = PARTS["place"].start + find_goal_slots(row, "place", PLACE_SLOTS)[0]
    thing = find_goal_slots(row, "thing", THING_SLOTS)[0]
    if not read(row, f"thing_{thing + 1}.there"):
        return place
    wanted = next(s for s in range(4) if read(row, f"goal_1.state_{s + 1}"))
    uses: int = PARTS["use"].start + 4 * thing
    if mask[uses + wanted]:
        return uses + wanted
    if mask[uses : uses + 4].any():  # by way of another state
        return uses + int(mask[uses : uses + 4].argmax())
    return int(PARTS["reach"].start) + thing


def test_the_columns_are_enough_for_an_errand() -> None:
    env = town_v0.rl_env("errand")
    for seed in HELD_OUT[:6]:
        observations, _ = env.reset(seed=seed)
        best = TASKS["errand"].find_optimum(env.town)  # type: ignore[misc]  # it is known
        earned = dict.fromkeys(env.possible_agents, 0.0)
        while env.agents:
            actions = {
                a: choose_by_columns(o["observation"], o["action_mask"])
                for a, o in observations.items()
            }
            observations, rewards, *_ = env.step(actions)
            for agent, reward in rewards.items():
                earned[agent] += reward
        assert np.mean(list(earned.values())) > np.mean(list(best.values())) - 0.1


def test_nothing_is_told_of_where_somebody_was() -> None:
    """Two episodes that differ in where the other was seen last look the same."""
    seen = []
    for place in ("Cottage/study", "Cottage/kitchen"):
        env = TownEnv(give_goals("tiny"), actions="menu", menu="plain")
        env.reset(seed=0)
        env.intervene(Put(BEN, place))
        env.intervene(Put(ADA, place))
        env.step({})
        env.intervene(Put(ADA, "Cottage/kitchen"))
        env.intervene(Put(BEN, "Cottage/study"))
        env.step({})
        seen.append(env.step({})[0][ADA]["observation"])
    np.testing.assert_array_equal(*seen)


def test_what_a_goal_is_about_has_a_slot_in_a_town_of_many_places() -> None:
    env = TaskEnv(TASKS["errand"], "valentines_party", actions="menu")
    for seed in HELD_OUT[:2]:
        observations, _ = env.reset(seed=seed)
        assert len(env.world.town.places.all) > PLACE_SLOTS
        for own in observations.values():
            row = own["observation"]
            assert len(find_goal_slots(row, "place", PLACE_SLOTS)) == 1
            assert len(find_goal_slots(row, "thing", THING_SLOTS)) == 1
            assert sum(read(row, f"place_{k + 1}.x") > 0 for k in range(PLACE_SLOTS)) >= 30
