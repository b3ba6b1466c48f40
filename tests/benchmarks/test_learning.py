"""What can be learned: the tables are those of the figures, and these would come out the same."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import blind, learning, plain
from benchmarks.maskable import SEEDS, load_maskable
from genagents_env.observe.plain_columns import CHOICES
from genagents_env.policies.learned import LearnedPolicy
from genagents_env.train.tasks import HELD_OUT, get_task

KNOWN = learning.load_learning()


@pytest.mark.parametrize("path", learning.DOCUMENTS, ids=lambda path: path.name)
def test_a_document_shows_the_figures(path: Path) -> None:
    """If it does not: `python -m benchmarks.learning --write`."""
    text = path.read_text()
    assert learning.fill_blocks(text, KNOWN) == text


@pytest.mark.parametrize("name", KNOWN)
def test_what_needs_no_training_would_come_out_the_same_today(name: str) -> None:
    """If it does not: `python -m benchmarks.learning --again NAME`."""
    task, figures = get_task(name), KNOWN[name]
    assert (figures["horizon"], figures["people"]) == (task.horizon, task.people)
    assert figures["bounds"] == list(task.bounds)
    now = learning.measure_baselines(task, HELD_OUT[:1])
    for kind, played in now.items():
        assert figures[kind] is None if played is None else figures[kind][:1] == played


@pytest.mark.parametrize("name", KNOWN)
def test_the_shipped_weights_are_those_that_were_measured(name: str) -> None:
    """If they are not: `python -m benchmarks.learning`."""
    assert KNOWN[name]["learned"]["weights"] == LearnedPolicy().network.digest


def test_the_recipe_reached_the_optimum_for_every_agent_in_every_seed() -> None:
    known = load_maskable()
    assert list(known) == [str(seed) for seed in SEEDS]
    for found in known.values():
        assert min(found["parts"]) >= 0.95
        assert found["seconds"] <= 300


TASKS = list(enumerate(blind.list_tasks()[1:]))


@pytest.mark.parametrize(
    "task", ["errand", *(pytest.param(t, marks=pytest.mark.slow) for k, t in TASKS if k % 2)]
)
def test_the_best_list_earns_what_it_did(task: str) -> None:
    """If it does not: `python -m benchmarks.blind NAME`."""
    found = blind.load_blind()[task]
    assert blind.score(get_task(task), found["choices"], blind.MENU) == found["list"]


@pytest.mark.parametrize(
    "task", ["errand", *(pytest.param(t, marks=pytest.mark.slow) for k, t in TASKS if k % 2 == 0)]
)
def test_what_the_plain_menu_gives_would_come_out_the_same_today(task: str) -> None:
    """If it does not: `python -m benchmarks.plain --again NAME`."""
    found, few = plain.load_plain()[task], HELD_OUT[:2]
    assert blind.score(get_task(task), found["blind"]["choices"], "plain") == found["blind"]["list"]
    known = found["places"]["held_out"]
    assert known["idle"][:2] == plain.play_idle(get_task(task), few, None)
    assert known["solution"][:2] == plain.play_solution(get_task(task), few, None)


@pytest.mark.parametrize("task", plain.load_plain())
def test_who_does_not_look_earns_at_most_a_third_or_the_page_says_why(task: str) -> None:
    share = plain.find_unseeing(plain.load_plain()[task])
    assert (share > plain.THIRD) == (task in plain.EXCEPTIONS)
    assert max(plain.load_plain()[task]["blind"]["choices"], default=0) < CHOICES


def test_a_list_takes_the_first_that_is_possible() -> None:
    masks = np.array([[1, 0, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0]], dtype=np.int8)
    lists = np.array([[1, 3, 2, 0]] * 3)
    assert blind.choose(lists, masks).tolist() == [3, 0, 1]
