"""The columns of the observation vector: each says what it is said to say, and no more."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.observe.columns import (
    PORTABLE_SIZE,
    SIZE,
    describe_columns,
    format_columns,
)
from genagents_env.observe.plain_columns import SIZE as PLAIN_SIZE
from genagents_env.observe.plain_columns import describe_plain_columns
from genagents_env.observe.spaces import Floats
from genagents_env.scenario.schema import Goal
from genagents_env.world.interventions import Put
from tests.goal_towns import ADA, BEN, change_lamp, make_fact, make_tiny

DOCS = Path(__file__).resolve().parents[2] / "docs"
INDEX = {column.name: column.index for column in describe_columns("portable")}


def make_env(*goals: Goal, **options: Any) -> TownEnv:
    facts = options.pop("facts", None)
    return TownEnv(make_tiny(*goals, facts=facts), actions="menu", **options)


def read(vector: Floats, name: str) -> float:
    return float(vector[INDEX[name]])


def look(env: TownEnv, agent: str = ADA, **actions: int) -> Floats:
    """Step once, with actions by first name, and return what `agent` then observes."""
    chosen = {a: actions.get(a.split()[0], 0) for a in env.agents}
    vector: Floats = env.step(chosen)[0][agent]["observation"]
    return vector


def find_choice(env: TownEnv, words: str) -> int:
    size = env.parts.menu.size
    return next(k for k in range(size) if env.describe_choice(k) == words)


def test_the_page_is_made_of_the_columns() -> None:
    assert (DOCS / "columns.md").read_text().endswith(format_columns())


def test_columns_of_the_plain_menu_are_its_own() -> None:
    assert [c.index for c in describe_plain_columns()] == list(range(PLAIN_SIZE))
    for menu in ("plain", "x"):
        with pytest.raises(ConfigError, match="describe_plain_columns"):
            describe_columns(menu)


@pytest.mark.parametrize(("menu", "size"), [("town", SIZE), ("portable", PORTABLE_SIZE)])
def test_every_number_of_an_observation_is_described(menu: str, size: int) -> None:
    columns = describe_columns(menu)
    assert [c.index for c in columns] == list(range(size))
    assert len({c.name for c in columns}) == size
    for scenario in ("tiny", "medicine", "murder_mystery"):
        env = TownEnv(scenario, actions="menu", menu=menu, max_cycles=30)
        seen, _ = env.reset(seed=1)
        rng = np.random.default_rng(2)
        while env.agents:
            for own in seen.values():
                assert own["observation"].shape == (size,)
                for column, value in zip(columns, own["observation"].tolist(), strict=True):
                    low, high = (
                        float(v) for v in column.range.replace(" or ", " to ").split(" to ")
                    )
                    assert low <= value <= high, (column, value)
                    assert "or" not in column.range or value in (low, high), (column, value)
            draw = {a: rng.choice(np.flatnonzero(o["action_mask"])) for a, o in seen.items()}
            seen = env.step(draw)[0]


def test_one_sees_what_one_is_to_achieve_and_whether_it_is() -> None:
    env = TownEnv("tiny", actions="menu")  # its errands are goals
    ada = env.reset(seed=0)[0][ADA]["observation"]
    kinds = ("use", "be", "meet", "bring", "tell", "keep", "accuse")
    assert [read(ada, f"goal_1.{kind}") for kind in kinds] == [1, 0, 0, 0, 0, 0, 0]
    assert [read(ada, f"goal_2.{kind}") for kind in kinds] == [0] * 7
    assert read(ada, "goal_1.state") == 1.0  # lit, the second of two
    assert (read(ada, "goal_1.located"), read(ada, "goal_1.at_place")) == (1, 0)
    assert read(ada, "goal_1.x") > 0 < read(ada, "goal_1.distance")
    assert (read(ada, "goal_1.start"), read(ada, "goal_1.end")) == (0, 1)
    assert read(ada, "goal_1.done") == 0
    assert not any(read(ada, f"object_{k}.of_goal_1") for k in range(1, 5))  # another room
    env.intervene(Put(ADA, "Cottage/study"))
    ada = look(env)
    assert read(ada, "goal_1.at_place") == 1
    slot = next(k for k in range(1, 5) if read(ada, f"object_{k}.of_goal_1"))
    assert read(ada, f"object_{slot}.as_goal_1") == 0
    assert [read(ada, f"object_{slot}.next_{s}_wanted") for s in range(1, 5)] == [1, 0, 0, 0]
    for _ in range(30):
        if read(ada, f"object_{slot}.in_reach"):
            break
        ada = look(env, Ada=find_choice(env, f"go to object {slot} in sight"))
        slot = next(k for k in range(1, 5) if read(ada, f"object_{k}.of_goal_1"))
    ada = look(env, Ada=find_choice(env, f"put object {slot} into its next state 1"))
    assert read(ada, "goal_1.done") == 1
    assert read(ada, f"object_{slot}.as_goal_1") == 1
    assert not any(read(ada, f"object_{slot}.next_{s}_wanted") for s in range(1, 5))


def test_a_person_is_where_one_saw_them_last_and_nowhere_before() -> None:
    env = make_env(Goal(agent=ADA, kind="meet", person=BEN))
    ada = env.reset(seed=0)[0][ADA]["observation"]
    parts = ("located", "x", "y", "distance", "person_seen", "person_x", "person_y")
    assert read(ada, "goal_1.person") == 1.0
    assert not any(read(ada, f"goal_1.{part}") for part in parts)
    env.intervene(Put(BEN, "Cottage/kitchen"))
    ada = look(env)
    assert read(ada, "person_1.of_goal_1") == 1
    assert read(ada, "person_1.index") == 1.0
    assert read(ada, "goal_1.located") == read(ada, "goal_1.person_seen") == 1
    width = env.world.plan.width - 1
    apart = (env.world.positions[1] - env.world.positions[0]).tolist()
    assert read(ada, "goal_1.x") == pytest.approx(apart[0] / width)
    env.intervene(Put(BEN, "Cottage/study"))
    ada = look(env)
    assert read(ada, "person_1.there") == 0
    assert read(ada, "goal_1.person_x") == pytest.approx(apart[0] / width)  # where he was


def test_facts_are_told_apart_and_say_whom_they_are_about_to_those_who_know() -> None:
    facts = (make_fact(1), make_fact(2, BEN, ADA), make_fact(3, ADA, BEN))
    env = make_env(Goal(agent=ADA, kind="tell", person=BEN, fact="fact_2"), facts=facts)
    seen, _ = env.reset(seed=0)
    ada, ben = (seen[a]["observation"] for a in (ADA, BEN))
    assert [read(ada, f"fact_{f}.known") for f in range(1, 9)] == [0, 1, 0, 0, 0, 0, 0, 0]
    assert [read(ada, f"fact_{f}.about") for f in range(1, 4)] == [0, 1.0, 0]
    assert [read(ben, f"fact_{f}.about") for f in range(1, 4)] == [0, 0, 0.5]
    assert [read(ada, f"fact_{f}.of_goal_1") for f in range(1, 4)] == [0, 1, 0]
    assert read(ada, "goal_1.fact") == pytest.approx(2 / 3)
    assert read(ada, "goal_1.fact_known") == 1
    env.intervene(Put(BEN, "Cottage/kitchen"))
    ada = look(env)
    assert (read(ada, "person_1.in_a_fact"), read(ada, "person_1.told_goal_1")) == (1, 0)
    ada = look(env, Ada=find_choice(env, "talk to person 1 in sight"))
    assert read(ada, "person_1.told_goal_1") == 1
    ben = look(env, BEN)
    assert read(ben, "fact_2.known") == 1
    assert read(ben, "person_1.told_goal_1") == 0


def test_whom_one_told_is_not_shown_where_people_hear_farther_than_one_sees() -> None:
    goal = Goal(agent=ADA, kind="tell", person=BEN, fact="fact_1")
    scenario = make_tiny(goal, facts=(make_fact(1, None, ADA),))
    rules = scenario.rules.model_copy(update={"hearing_radius": 9})
    for seen, town in ((1, scenario), (0, scenario.model_copy(update={"rules": rules}))):
        env = TownEnv(town, actions="menu")
        env.reset(seed=0)
        env.intervene(Put(BEN, "Cottage/kitchen"))
        look(env)
        ada = look(env, Ada=find_choice(env, "talk to person 1 in sight"))
        assert env.world.state.facts[1] == 1
        assert read(ada, "person_1.told_goal_1") == seen


def test_an_accusation_shows_which_state_names_whom_one_knows_a_fact_about() -> None:
    accuse = Goal(agent=ADA, kind="accuse", object="Cottage/study/lamp", person=ADA)
    scenario = make_tiny(accuse, facts=(make_fact(1, BEN, ADA),))
    env = TownEnv(change_lamp(scenario, states=("dark", ADA, BEN)), actions="menu")
    env.reset(seed=0)
    env.intervene(Put(ADA, "Cottage/study"))
    ada = look(env)
    slot = next(k for k in range(1, 5) if read(ada, f"object_{k}.of_goal_1"))
    # Not the right name, but the one of whom she knows something.
    assert [read(ada, f"object_{slot}.next_{s}_wanted") for s in range(1, 5)] == [0, 1, 0, 0]
    assert read(ada, "goal_1.person") == 0
