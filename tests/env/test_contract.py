"""The promises of the action and observation contract that PettingZoo does not ask about."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.actions import Action, Idle, Interact, Move, Restart, Talk, parse_action
from genagents_env.config import TownConfig, TownOptions
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.percept import Percept
from genagents_env.policy import Infos, Observations, get_percept
from genagents_env.run import rollout
from genagents_env.run.policies import load_policy
from genagents_env.scenario import load_scenario
from genagents_env.testing import sample_legal
from genagents_env.train.wrappers import VectorTown
from genagents_env.world.events import Event

Tick = tuple[Observations, Infos, dict[str, str]]
DAY: TownOptions = {"start": "08:00", "hours": 2.0, "percepts": True}


def test_masked_choices_are_refused_with_a_reason() -> None:
    env = town_v0.parallel_env(scenario="tiny", actions="menu")
    observations, _ = env.reset(seed=1)
    agent = env.agents[0]
    for choice in np.flatnonzero(observations[agent]["action_mask"] == 0).tolist():
        env.reset(seed=1)
        before = env.world.positions.copy()
        after, *_, infos = env.step({a: choice if a == agent else 0 for a in env.agents})
        assert infos[agent]["illegal"] == 1
        assert "not possible" in after[agent]["text"]
        assert (env.world.positions == before).all()


NOT_TEXT: Any = 5
BAD: list[object] = [
    None, -1, 10**9, 1.5, True, "go", b"x", [], {}, (1,), np.array([1, 2]), float("nan"), object(),
    {"choice": "x", "message": 3}, {"choice": -5}, {"message": "hi"}, {"choice": None},
    Move(NOT_TEXT), Talk(NOT_TEXT, "x"), Talk("Ben Carver", NOT_TEXT), Interact(NOT_TEXT, NOT_TEXT),
    Move(""),
    Move("\x00\ud800"), Talk(None, "\x00"), Interact("stove", "\u202e"),
]  # fmt: skip


@pytest.mark.parametrize("actions", ["words", "menu"])
@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_step_is_total_and_a_bad_action_is_idling(bad: object, actions: str) -> None:
    worlds = []
    for value in (bad, Idle()):
        env = town_v0.parallel_env(scenario="tiny", actions=actions)
        env.reset(seed=2)
        first, second = env.agents
        *_, infos = env.step({first: value, second: Move("Cottage/kitchen")})
        worlds.append((env.world.positions.tolist(), env.world.snapshot.object_states))
        if value is bad:
            assert infos[first]["illegal"] == 1
            assert not env.world.snapshot.outcomes[0].ok
    assert worlds[0] == worlds[1]


def test_stepping_after_the_end_is_empty() -> None:
    env = town_v0.parallel_env(scenario="tiny", max_cycles=1)
    env.reset(seed=0)
    *_, truncations, _ = env.step({a: Idle() for a in env.agents})
    assert all(truncations.values())
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_copies_pickles_and_saved_states_go_on_identically() -> None:
    env, rng = town_v0.parallel_env("valentines_party", **DAY), np.random.default_rng(11)
    observations, infos = env.reset(seed=1)
    for _ in range(40):
        actions = sample_legal(env, observations, infos, rng)
        observations, *_, infos = env.step(actions)
    loaded = town_v0.parallel_env("valentines_party", **DAY)
    loaded.load_state(json.loads(json.dumps(env.save_state())))
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), loaded]  # noqa: S301
    for _ in range(40):
        actions = sample_legal(env, observations, infos, rng)
        observations, *_, infos = env.step(actions)
        for other in others:
            theirs, *_, their_infos = other.step(actions)
            assert other.events == env.events
            for agent in env.agents:
                assert theirs[agent]["text"] == observations[agent]["text"]
                numbers = theirs[agent]["observation"], observations[agent]["observation"]
                assert (numbers[0] == numbers[1]).all()
                assert their_infos[agent]["percept"] == infos[agent]["percept"]


@pytest.fixture(scope="module")
def lived() -> tuple[list[Tick], dict[int, Event]]:
    """Ticks: what was observed, told, and the percepts as they were; and all events by number."""
    env, rng = town_v0.parallel_env("valentines_party", **DAY), np.random.default_rng(11)
    observations, infos = env.reset(seed=4)
    events = {e.id: e for e in env.events}
    ticks: list[Tick] = []
    for _ in range(60):
        kept = {agent: write(infos[agent]["percept"]) for agent in env.agents[:4]}
        ticks.append((observations, infos, kept))
        actions = sample_legal(env, observations, infos, rng)
        observations, *_, infos = env.step(actions)
        events |= {e.id: e for e in env.events}
    return ticks, events


def write(percept: Percept) -> str:
    return json.dumps(percept.data(), default=str)  # type: ignore[attr-defined]


def test_kept_percepts_stay_as_they_were(lived: Any) -> None:
    for _, infos, kept in lived[0]:
        assert {agent: write(infos[agent]["percept"]) for agent in kept} == kept


def test_the_text_and_the_percept_tell_the_same(lived: Any) -> None:
    for observations, infos, _ in lived[0]:
        for agent, seen in observations.items():
            percept, text = infos[agent]["percept"], seen["text"]
            assert percept.text == text
            for person in percept.people:
                assert f"{person.name} ({person.doing}" in text
            for heard in percept.heard:
                assert heard.text in text
            for item in percept.objects:
                assert f"{item.name} ({item.state}" in text


def test_every_item_of_a_percept_points_at_an_event_that_says_so(lived: Any) -> None:
    ticks, events = lived
    for observations, infos, _ in ticks:
        for agent in observations:
            percept = infos[agent]["percept"]
            for person in percept.people:
                assert events[person.event_id].data["doing"] == person.doing
                assert events[person.event_id].agent == person.name
            for item in percept.objects:
                assert events[item.event_id].data["state"] == item.state
            for heard in percept.heard:
                if heard.kind == "speech":
                    assert events[heard.event_id].data["text"] == heard.text
    assert sorted(events) == list(range(len(events)))


def test_rewards_by_name_and_by_callable() -> None:
    env = town_v0.parallel_env(scenario="tiny", reward=lambda world, events: {"Ada Brook": 2})
    env.reset(seed=0)
    _, rewards, *_ = env.step({a: Idle() for a in env.agents})
    assert rewards == {"Ada Brook": 2.0, "Ben Carver": 0.0}
    assert all(type(r) is float for r in rewards.values())


@pytest.mark.parametrize("earned", [{"Ada": 1.0}, None])
def test_a_reward_that_pays_nobody_who_is_here_is_refused_in_a_vector_too(earned: Any) -> None:
    town = TownConfig("tiny", actions="menu", text=False, reward=lambda world, events: earned)
    env, vector = TownEnv(town), VectorTown(town, 2)
    env.reset(seed=0)
    vector.reset(seed=0)
    with pytest.raises(ConfigError, match=r"reward: it (pays 'Ada'; the people|gives None)"):
        env.step({})
    with pytest.raises(ConfigError, match=r"reward: it (pays 'Ada'; the people|gives None)"):
        vector.step(np.zeros(4, dtype=np.int64))


@pytest.mark.parametrize("actions", ["words", "menu"])
def test_percepts_are_in_infos_where_they_are_asked_for(actions: str) -> None:
    env = town_v0.parallel_env("tiny", actions=actions)
    _, infos = env.reset(seed=0)
    assert "percept" not in infos["Ada Brook"]
    env = town_v0.parallel_env("tiny", ids="indexed", actions=actions, percepts=True)
    observations, infos = env.reset(seed=0)
    for agent, name in zip(env.agents, env.world.names, strict=True):
        percept = get_percept(infos, agent)
        assert (percept.agent, percept.me.name) == (agent, name)
        assert percept.text == observations[agent]["text"]
    assert get_percept(env.step({})[4], "resident_0").tick == 1


def test_a_policy_without_its_percepts_says_what_to_write() -> None:
    env = town_v0.parallel_env("tiny")
    policy = load_policy("scripted")
    policy.reset(env.profiles(), 0, env.context())
    with pytest.raises(ConfigError, match=r"Ada Brook.*percepts=True"):
        policy.act(*env.reset(seed=0))


def test_an_episode_of_policies_asks_for_percepts() -> None:
    env = town_v0.parallel_env("tiny")
    asked = town_v0.parallel_env("tiny", percepts=True)
    assert rollout(env, "scripted") == rollout(asked, "scripted")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("(MOVE) park", Move("park")),
        ("I think... ( move ) the park", Move("the park")),
        ("(TALK) Maria: hello there", Talk("Maria", "hello there")),
        ("(CONVERSE) hello all", Talk(None, "hello all")),
        ("(INTERACT) stove -> on", Interact("stove", "on")),
        ("(IDLE) reading", Idle("reading")),
        ("(WAIT)", Idle(None)),
        ("(LEAVE CONVERSATION)", Talk(None, "", leave=True)),
        ("(RESET)", Restart()),
        ("(MOVE) a (TALK) b", Move("a")),
        ("(MOVE)", None),
        ("(TALK) to Maria: hello", Talk("Maria", "hello")),
        ("(TALK) to: hello", Talk("to", "hello")),
        ("(TALK) " + "a" * 61 + ": x", Talk(None, "a" * 61 + ": x")),
        ("(USE) stove = on", Interact("stove", "on")),
        ("(USE) =on", None),
        ("(USE) stove:", None),
        ("(?) ( ) (MOVE) park", Move("park")),
        ("dance", None),
        ("(FLY) home", None),
        ("", None),
    ],
)
def test_actions_are_read_from_text(text: str, action: Action | None) -> None:
    assert parse_action(text) == action


def test_a_text_of_a_crowd_keeps_ones_result_and_places_and_counts_the_rest() -> None:
    env = town_v0.parallel_env("valentines_party", place="Johnson Park/lawn", percepts=True)
    env.reset(seed=0)
    first, *others = env.agents
    for said in ("word " * 90, "word " * 90):
        acts: dict[str, Action] = {agent: Talk(None, said) for agent in others}
        seen, *_, infos = env.step({**acts, first: Move("nowhere")})
    text = seen[first]["text"]
    told, heard = text.count(" say "), len(infos[first]["percept"].heard)
    assert 0 < told < heard
    assert f"You hear {heard - told} more at once" in text
    assert "That did not work: there is no place called 'nowhere'" in text
    assert text.endswith(").\n")
    assert len(text) <= 4000


def test_a_text_of_many_in_sight_says_of_how_many_and_a_cut_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = town_v0.parallel_env("valentines_party", place="Johnson Park/lawn")
    whole = env.reset(seed=0)[0][env.agents[0]]["text"]
    line = next(line for line in whole.splitlines() if line.startswith("You see "))
    for limit in (len(whole) - 300, 200):
        monkeypatch.setattr("genagents_env.observe.text_obs.TEXT_LIMIT", limit)
        text = env.reset(seed=0)[0][env.agents[0]]["text"]
        assert len(text) <= limit
        if limit == 200:
            assert text.endswith("…")
            continue
        (shown,) = (line for line in text.splitlines() if line.startswith("You see "))
        told, _, more = shown.removesuffix(" more.").rpartition("; and ")
        assert told.count("; ") + int(more) == line.count("; ")
        assert text.splitlines()[-1] == whole.splitlines()[-1]


PEOPLE = ["Isabella Rodriguez", "Klaus Mueller"]


def _evening_in_the_cafe() -> TownEnv:
    scenario = load_scenario("valentines_party", people=PEOPLE, place="Hobbs Cafe")
    return town_v0.parallel_env(scenario, start="20:30", hours=4, seconds_per_tick=60)


def test_reset_ignores_the_hour_of_the_last_episode() -> None:
    env, new = _evening_in_the_cafe(), _evening_in_the_cafe()
    env.reset(seed=0)
    while env.agents:  # until half past midnight, when all shops are closed
        env.step({})
    first, again = new.reset(seed=5)[0], env.reset(seed=5)[0]
    assert [first[a]["text"] for a in PEOPLE] == [again[a]["text"] for a in PEOPLE]
    np.testing.assert_array_equal(env.state(), new.state())
    assert new.save_state()["world"] == env.save_state()["world"]
