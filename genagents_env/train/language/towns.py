"""The town of an episode to learn from: a scenario's, or a task's, drawn from the seed."""

from pathlib import Path
from typing import TypeAlias, TypeGuard

from genagents_env.config import TownConfig
from genagents_env.env import TownEnv
from genagents_env.policy import AgentID, Policy
from genagents_env.run.play import rollout
from genagents_env.scenario import Scenario
from genagents_env.train.tasks import TASKS, Task, TaskEnv, get_task

TownChoice: TypeAlias = str | Path | Scenario | TownConfig | Task


def open_town(choice: TownChoice) -> TownEnv | TaskEnv:
    """Open the town of a scenario or a task, with actions in words, percepts and goals in its text.

    Raises:
        ScenarioError: there is no such scenario, or it has faults.
    """
    if is_task(choice):
        return TaskEnv(get_task(choice), actions="words", text=True, goal_line=True, percepts=True)
    assert not isinstance(choice, Task)  # noqa: S101 - for the types' sake
    return TownEnv(choice, percepts=True)


def find_town(env: TownEnv | TaskEnv) -> TownEnv:
    """Return the town of the present episode."""
    return env.town if isinstance(env, TaskEnv) else env


def is_task(choice: TownChoice) -> TypeGuard[str | Task]:
    """Return True for a task or the name of one."""
    return isinstance(choice, Task) or (isinstance(choice, str) and choice in TASKS)


def solve_town(choice: TownChoice) -> str:
    """Return the policy that others follow by default: in a task `solution`, else `scripted`."""
    return "solution" if is_task(choice) else "scripted"


def play_town(choice: TownChoice, policy: Policy | str, seed: int) -> dict[AgentID, float]:
    """Return each agent's return in the episode of `seed` where all follow `policy`."""
    return rollout(open_town(choice), policy, seed).returns
