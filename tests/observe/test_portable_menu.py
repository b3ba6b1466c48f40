"""The portable menu: as many choices in every town, each possible exactly when the mask says so."""

import copy

import numpy as np
import numpy.typing as npt
import pytest

from genagents_env.actions import Talk
from genagents_env.env import TownEnv
from genagents_env.observe.columns import PLACE_ROLES, PLACE_SLOTS
from genagents_env.observe.portable_menu import PortableMenu
from genagents_env.scenario.schema import Goal
from genagents_env.world.interventions import Put
from tests.goal_towns import ADA, BEN, change_lamp, give_goals, make_fact, make_tiny
from tests.observe.test_columns import find_choice, make_env, read

Mask = npt.NDArray[np.int8]
SIZE = 70


def make_mask(env: TownEnv, agent: str = ADA, **actions: int) -> Mask:
    chosen = {a: actions.get(a.split()[0], 0) for a in env.agents}
    mask: Mask = env.step(chosen)[0][agent]["action_mask"]
    return mask


@pytest.mark.parametrize("name", ["tiny", "medicine", "murder_mystery"])
def test_it_has_as_many_choices_in_every_town(name: str) -> None:
    env = TownEnv(name, actions="menu", menu="portable")
    words = [env.describe_choice(k) for k in range(SIZE)]
    assert len(set(words)) == SIZE == env.parts.menu.size
    assert words[:4] == ["idle", *(f"go to {role}" for role in PLACE_ROLES[:3])]


@pytest.mark.parametrize("name", ["tiny", "valentines_party", "murder_mystery"])
def test_allowed_choices_succeed_when_nobody_else_acts(name: str) -> None:
    env = TownEnv(give_goals(name), actions="menu", menu="portable", max_cycles=120)
    rng, kinds = np.random.default_rng(3), set[str]()
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        while env.agents:
            actor = env.agents[int(rng.integers(len(env.agents)))]
            for _ in range(6):  # a few ticks each, so that somebody gets somewhere
                mask = seen[actor]["action_mask"]
                possible = np.flatnonzero(mask)
                choice = int(rng.choice(possible))
                kinds.add(env.parts.menu.choices[choice].kind)
                actions = dict.fromkeys(env.agents, 0) | {actor: choice}
                seen, _, _, _, infos = env.step(actions)
                assert infos[actor]["illegal"] == 0
                failed = [e.data for e in env.events if e.kind == "fail" and e.agent == actor]
                assert not failed, (env.describe_choice(choice), failed)
                if not env.agents:
                    break
    assert {"idle", "place", "reach_own", "approach", "talk", "reach", "use"} <= kinds


def test_places_come_by_role_and_then_by_nearness() -> None:
    env = TownEnv("valentines_party", actions="menu", menu="portable", start="09:00")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    town, menu = env.world.town, env.parts.menu
    assert isinstance(menu, PortableMenu)
    middle, width = env.parts.town.middle, town.ground.width
    for _ in range(40):
        seen = env.step({a: int(rng.integers(1, 13)) for a in env.agents})[0]
        for i, agent in enumerate(env.agents):
            own = [menu.find_goals(np.full(len(env.agents), 1 + k))[i] for k in range(PLACE_SLOTS)]
            person = env.world.scenario.people[i]
            roles = [-1, -1, town.places.index.get(person.home, -1)]
            roles += [town.places.index.get(person.workplace or "", -1)]
            allowed = {p for p in range(len(middle)) if menu.allowed[i, p]}
            assert own[: len(roles)] == [p if p in allowed else -1 for p in roles]
            x, y = env.world.positions[i].tolist()
            near = sorted(
                (abs(int(middle[p]) % width - x) + abs(int(middle[p]) // width - y), p)
                for p in allowed - set(roles)
            )
            others = [p for _, p in near[: PLACE_SLOTS - len(roles)]]
            assert own[len(roles) :] == others + [-1] * (PLACE_SLOTS - len(roles) - len(others))
            mask = seen[agent]["action_mask"][1 : 1 + PLACE_SLOTS]
            assert mask.tolist() == [int(p >= 0) for p in own]


@pytest.mark.parametrize(
    ("changes", "usable"),
    [
        ({}, [ADA, BEN]),
        ({"users": (BEN,)}, [BEN]),
        ({"next": {"dark": ("warm",)}, "states": ("dark", "warm", "lit")}, []),
    ],
)
def test_mask_excludes_foreign_and_impossible_uses(
    changes: dict[str, object], usable: list[str]
) -> None:
    goals = [
        Goal(agent=who, kind="use", object="Cottage/study/lamp", state="lit") for who in (ADA, BEN)
    ]
    town = change_lamp(make_tiny(*goals), **changes)
    env = TownEnv(town, actions="menu", menu="portable")
    seen, _ = env.reset(seed=0)
    use = find_choice(env, "put the object of goal 1 into the state that it wants")
    reach = find_choice(env, "go to the object of goal 1")
    assert not any(o["action_mask"][use] for o in seen.values())  # out of reach
    for _ in range(25):
        seen = env.step(dict.fromkeys(env.agents, reach))[0]
    assert [a for a, o in seen.items() if o["action_mask"][use]] == usable


def test_two_may_talk_exactly_when_words_would_do() -> None:
    env = make_env(menu="portable")
    env.reset(seed=0)
    talk, leave = (
        find_choice(env, w) for w in ("talk to person 1 in sight", "leave the conversation")
    )
    env.intervene(Put(BEN, "Cottage/kitchen"))
    env.step({})
    possible: list[int] = []
    for tick in range(24):
        mask = env.step({ADA: {0: talk, 3: leave}.get(tick, 0), BEN: 0})[0][ADA]["action_mask"]
        other = copy.deepcopy(env)
        other.step({ADA: Talk(text="Hello.", to=BEN), BEN: 0})
        failed = any(e.kind == "fail" and e.agent == ADA for e in other.events)
        assert mask[talk] != failed, tick
        possible.append(int(mask[talk]))
    assert 0 < possible[3:].index(1) < 12  # the cool-down begins, and ends


def test_tell_spreads_facts_and_secrets() -> None:
    facts = (
        make_fact(1, None, ADA),
        make_fact(2, None, ADA, BEN),
        make_fact(3, None, ADA).model_copy(update={"secret": True}),
        make_fact(4, None, BEN),
    )
    goal = Goal(agent=ADA, kind="tell", person=BEN, fact="fact_3")
    env = make_env(goal, facts=facts, menu="portable")
    env.reset(seed=0)
    words = "tell person 1 in sight fact {} of those one can tell"
    tells = [find_choice(env, words.format(f)) for f in (1, 2, 3, 4)]
    env.intervene(Put(BEN, "Cottage/kitchen"))
    seen = env.step({ADA: 0, BEN: 0})[0]
    assert seen[ADA]["action_mask"][tells].tolist() == [1, 1, 1, 0]
    assert seen[BEN]["action_mask"][tells].tolist() == [1, 1, 0, 0]
    own = seen[ADA]["observation"]
    assert [read(own, f"tell_{f}.of_goal_1") for f in (1, 2, 3, 4)] == [1, 0, 0, 0]
    seen, rewards, _, _, _ = env.step({ADA: tells[0], BEN: 0})
    assert "There are 3 cups." in seen[BEN]["text"]
    assert rewards[ADA] == 1.0
    assert [bits >> 2 & 1 for bits in env.world.state.facts] == [1, 1]
    assert read(seen[ADA]["observation"], "person_1.told_goal_1") == 1


def test_one_looks_for_somebody_where_one_saw_them_last_and_then_no_more() -> None:
    env = make_env(Goal(agent=ADA, kind="meet", person=BEN), menu="portable")
    mask = env.reset(seed=0)[0][ADA]["action_mask"]
    seek = find_choice(env, "go to the person of goal 1")
    assert (mask[seek], mask[1]) == (0, 0)  # never seen
    env.intervene(Put(BEN, "Cottage/kitchen"))
    mask = make_mask(env)
    assert (mask[seek], mask[1]) == (1, 1)
    env.intervene(Put(BEN, "Cottage/study"))
    env.intervene(Put(ADA, "Cottage/study"))
    assert make_mask(env)[seek] == 1
    env.intervene(Put(ADA, "Cottage/kitchen"))
    assert make_mask(env)[seek] == 1  # last seen in the study
    env.intervene(Put(BEN, "Cottage/kitchen"))
    assert make_mask(env)[seek] == 1
    env.intervene(Put(BEN, "Cottage/study"))
    mask = make_mask(env)
    assert (mask[seek], mask[1]) == (0, 1)  # not there any more; the room still is
