"""queue and share are social dilemmas: who defects earns more, and all together earn less."""

import pytest

from genagents_env.errors import PolicyError
from genagents_env.policy import Policy
from genagents_env.run.play import rollout
from genagents_env.run.policies import load_policy
from genagents_env.train.tasks import TASKS, TaskEnv

SEEDS = range(3)


def play(name: str, defectors: int) -> tuple[float, float, float]:
    """Return what defectors earn, what the others earn, and what all earn together, on average."""
    env = TaskEnv(TASKS[name], actions="words")
    selfish, others = list[float](), list[float]()
    for seed in SEEDS:
        policies: dict[str, Policy] = {
            agent: load_policy("solution", selfish=i < defectors)
            for i, agent in enumerate(env.possible_agents)
        }
        returns = list(rollout(env, policies, seed=seed).returns.values())
        selfish += returns[:defectors]
        others += returns[defectors:]
    total = sum(selfish) + sum(others)
    return average(selfish), average(others), total / len(SEEDS)


def average(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@pytest.mark.parametrize("name", ["queue", "share"])
def test_defection_pays_and_harms_all(name: str) -> None:
    everybody = TASKS[name].people
    _, fair, together = play(name, 0)
    alone, exploited, less = play(name, 1)
    selfish, _, least = play(name, everybody)
    assert alone > 1.1 * fair  # whoever defects alone gains by it
    assert exploited < 0.9 * fair
    assert least < less < together
    assert selfish < 0.7 * fair  # and all lose when all do


def test_an_option_that_a_tasks_solution_lacks_is_refused() -> None:
    env = TaskEnv(TASKS["meet"], actions="words")
    with pytest.raises(PolicyError, match="takes no arguments; docs/tasks"):
        rollout(env, load_policy("solution", selfish=True), seed=1)
