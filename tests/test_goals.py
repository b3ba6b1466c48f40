"""The goals of a scenario on a board: dealt by the seed, located by what is known, told in text."""

from typing import Any

import pytest

from genagents_env.actions import Interact, Move
from genagents_env.env import TownEnv
from genagents_env.scenario.schema import Goal, Reward
from genagents_env.train.tasks import TASKS
from genagents_env.world.goals import GoalBoard, describe_goal
from tests.goal_towns import ADA, BEN, make_fact, make_tiny

LAMP, STOVE = "Cottage/study/lamp", "Cottage/kitchen/stove"
KITCHEN = "Cottage/kitchen"
HEAR = make_fact(1, None, ADA)


def make_env(*goals: Goal, **options: Any) -> TownEnv:
    town = make_tiny(facts=(HEAR,))
    deal = options.pop("deal", False)
    paid = Reward(name="goals", goals=goals, deal=deal)
    env = TownEnv(town.model_copy(update={"reward": paid}), **options)
    env.reset(seed=0)
    return env


def get_board(env: TownEnv) -> GoalBoard:
    return env.parts.reward.board


def test_goals_are_dealt_anew_by_the_seed() -> None:
    goals = (
        Goal(agent=ADA, kind="use", object=LAMP, state="lit"),
        Goal(agent=BEN, kind="be", place=KITCHEN),
        Goal(agent=BEN, kind="use", object=STOVE, state="on"),
    )
    env = make_env(*goals, deal=True)
    seen: dict[int, list[int]] = {}
    for seed in range(12):
        env.reset(seed=seed)
        board = get_board(env)
        assert sorted(map(len, board.goals)) == [1, 2]
        short = [len(own) for own in board.goals].index(1)
        assert (board.kind[short, 1], board.place[short, 1], board.object[short, 1]) == (0, -1, -1)
        seen[seed] = board.kind.tolist()[0]
    assert {tuple(kinds) for kinds in seen.values()} == {(1, 0), (2, 1)}
    for seed in (3, 5, 3):
        env.reset(seed=seed)
        assert get_board(env).kind.tolist()[0] == seen[seed]
    fixed = make_env(*goals)
    for seed in range(6):
        fixed.reset(seed=seed)
        assert [len(own) for own in get_board(fixed).goals] == [1, 2]


def test_a_reset_forgets_what_was_done_and_a_load_brings_it_back() -> None:
    env = make_env(Goal(agent=BEN, kind="use", object=LAMP, state="lit"), max_cycles=40)
    for _ in range(12):
        env.step({BEN: Move(LAMP)})
    env.step({BEN: Interact(LAMP, "lit")})
    board, saved = get_board(env), env.save_state()
    assert board.done[1, 0]
    assert board.list_own()[1][0].done
    env.reset(seed=0)
    assert not board.done.any()
    assert not board.list_own()[1][0].done
    env.load_state(saved)
    assert get_board(env).list_own()[1][0].done


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ({"kind": "use", "object": LAMP, "state": "lit"}, f'put {LAMP} into the state "lit"'),
        ({"kind": "be", "place": KITCHEN}, f"be at {KITCHEN}"),
        ({"kind": "meet", "person": ADA}, f"stand beside {ADA}"),
        (
            {"kind": "meet", "person": ADA, "place": KITCHEN},
            f"stand beside {ADA}, who is to be found at {KITCHEN}",
        ),
        ({"kind": "bring", "person": ADA, "place": KITCHEN}, f"bring {ADA} to {KITCHEN}"),
        (
            {"kind": "tell", "fact": HEAR.id},
            "see to it that everybody knows what there is to tell",
        ),
        (
            {"kind": "keep", "fact": HEAR.id, "person": ADA},
            f"keep from {ADA} what there is to tell",
        ),
        (
            {"kind": "accuse", "object": LAMP, "person": BEN},
            f"find out who it was and put {LAMP} into the state of that name, once",
        ),
    ],
)
def test_the_text_tells_goals_where_it_is_asked_for(goal: dict[str, Any], text: str) -> None:
    env = make_env(Goal(agent=BEN, **goal), goal_line=True)
    observations, _ = env.reset(seed=0)
    assert observations[BEN]["text"].startswith(f"Your goals: {text}.\n")
    assert "Your goals" not in observations[ADA]["text"]
    plain = make_env(Goal(agent=BEN, **goal))
    assert "Your goals" not in plain.reset(seed=0)[0][BEN]["text"]


def test_a_goal_is_told_to_be_over_a_fact_to_those_who_know_it_and_a_culprit_to_nobody() -> None:
    env = make_env(Goal(agent=ADA, kind="be", place=KITCHEN), goal_line=True)
    observations, *_ = env.step({})
    assert observations[ADA]["text"].startswith(f"Your goals: be at {KITCHEN} (over).\n")
    env = make_env(Goal(agent=ADA, kind="tell", fact=HEAR.id, person=BEN))
    text = describe_goal(env.world, get_board(env), 0, 0)
    assert text == f'see to it that {BEN} knows that "{HEAR.statement}"'
    board = get_board(make_env(Goal(agent=ADA, kind="accuse", object=LAMP, person=BEN)))
    assert board.person[0, 0] == -1
    assert board.list_own()[0][0].person is None


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("gather", ", where the others are; one of your places is enough"),
        ("queue", " for 20 ticks, longer for little"),
        ("share", ", for the good of all"),
        ("share", ", for your own good"),
    ],
)
def test_terms_of_being_somewhere_are_told(task: str, words: str) -> None:
    env = TownEnv(TASKS[task].draw(0), goal_line=True)
    observations, _ = env.reset(seed=0)
    for seen in observations.values():
        assert words in seen["text"].splitlines()[0]
