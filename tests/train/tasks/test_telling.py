"""The tasks of telling: what is said is recognised; who has to know does, and others do not."""

import re

import numpy as np
import pytest

from genagents_env.actions import Idle, Interact, Move, Talk
from genagents_env.run.play import rollout
from genagents_env.scenario.patterns import compile_any, prepare
from genagents_env.train.tasks import HELD_OUT, TASKS, TaskEnv
from genagents_env.train.tasks.keep_secret import SECRETS
from genagents_env.train.tasks.spread import NEWS
from genagents_env.train.tasks.telling import draw_fact

SEEDS = (0, 1, HELD_OUT[0])


def play_solution(name: str, seed: int) -> tuple[TaskEnv, dict[str, float]]:
    env = TaskEnv(TASKS[name], actions="words", goal_line=True)
    return env, dict(rollout(env, TASKS[name].make_solution(), seed=seed).returns)


@pytest.mark.parametrize("said", [NEWS, SECRETS])
def test_a_paraphrase_is_the_fact_and_a_list_of_words_is_not(
    said: tuple[tuple[str, str], ...],
) -> None:
    fact = draw_fact(np.random.default_rng(0), *said[0])
    time, number = re.findall(r"\d\d:\d\d|\b\d{3}\b", fact["statement"])
    if ":" not in time:
        time, number = number, time
    pattern, key = compile_any(fact["patterns"]), said[0][1]
    assert pattern.is_in(prepare(fact["statement"]))
    assert pattern.is_in(prepare(f"At {time.replace(':', '.')}, number {number}: the {key}!"))
    assert not pattern.is_in(prepare(f"The {key} is at {time}."))
    keys = " ".join(word for _, word in said)
    times = " ".join(f"{hour:02d}:{minute:02d}" for hour in (9, 10) for minute in range(0, 60, 5))
    assert not pattern.is_in(prepare(f"{keys} {times} {' '.join(map(str, range(100, 120)))}"))


@pytest.mark.parametrize("name", ["spread", "keep_secret", "invite", "culprit"])
def test_each_fact_of_a_town_is_recognised_as_itself_alone(name: str) -> None:
    for seed in range(6):
        facts = TASKS[name].draw(seed).facts
        patterns = [compile_any(fact.patterns) for fact in facts]
        for k, fact in enumerate(facts):
            said = prepare(fact.statement)
            assert [j for j, one in enumerate(patterns) if one.is_in(said)] == [k]


@pytest.mark.parametrize("seed", SEEDS)
def test_outsider_hears_no_secret_and_each_pair_does(seed: int) -> None:
    env, _ = play_solution("keep_secret", seed)
    facts = env.world.state.facts
    assert facts[-1] == 0
    assert [own >> (i ^ 1) & 1 for i, own in enumerate(facts[:-1])] == [1, 1, 1, 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_innocent_all_name_the_culprit_and_to_guess_costs(seed: int) -> None:
    env, _ = play_solution("culprit", seed)
    accused = [event for event in env.world.state.log.events if event.kind == "object"]
    assert len(accused) <= 3
    env.reset(seed=seed)
    board = env.parts.reward.board
    goal = next(goals[0] for goals in board.goals if goals[0].kind == "accuse")
    i = env.world.names.index(goal.agent)
    agent, wrong = env.possible_agents[i], goal.agent
    thing = goal.object or ""
    for _ in range(60):
        env.step({agent: Move(thing)})
    rewards = env.step({agent: Interact(thing, wrong)})[1]
    assert rewards[agent] < -0.9
    culprit = next(k for k, goals in enumerate(board.goals) if goals[0].kind == "escape")
    assert rewards[env.possible_agents[culprit]] == pytest.approx(1 / 3)


def test_who_says_what_they_do_not_know_makes_a_claim() -> None:
    env = TaskEnv(TASKS["spread"], actions="words")
    env.reset(seed=0)
    fact, world = env.world.scenario.facts[0], env.world
    knower = world.names.index(fact.known_by[0])
    liar = (knower + 1) % world.count
    host = env.possible_agents[knower]
    for _ in range(60):  # all come to who has the news, and the liar says them all the time
        env.step(
            {
                a: Talk(None, fact.statement) if a == env.possible_agents[liar] else Move(host)
                for a in env.agents
                if a != host
            }
            | {host: Idle()}
        )
    assert [bits & 1 for bits in world.state.facts].count(1) == 1
    said = [e for e in env.events if e.kind == "say"]
    assert {tuple(e.data["facts"]) for e in said} == {()}
    assert {tuple(e.data["claims"]) for e in said} == {("news",)}
