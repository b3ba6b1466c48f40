"""Tasks to train on: towns, people, goals and rewards that are drawn from a seed."""

from genagents_env.errors import ConfigError
from genagents_env.name_search import suggest_names
from genagents_env.train.tasks import (
    culprit,
    errand,
    evening,
    find,
    gather,
    invite,
    keep_secret,
    meet,
    queue,
    share,
    spread,
)
from genagents_env.train.tasks.task import (
    ELSEWHERE,
    HELD_OUT,
    LAYOUTS,
    SEEDS,
    TRAINING,
    Task,
    find_layout,
)
from genagents_env.train.tasks.task_env import TaskEnv

__all__ = [
    "ELSEWHERE",
    "HELD_OUT",
    "LAYOUTS",
    "SEEDS",
    "TASKS",
    "TRAINING",
    "Task",
    "TaskEnv",
    "find_layout",
    "get_task",
]

_MODULES = (errand, meet, find, spread, keep_secret, invite, gather, queue, share, culprit)
TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        *(module.TASK for module in _MODULES),
        evening.VALENTINES_EVENING,
        evening.ELECTION_AFTERNOON,
    )
}


def get_task(name: str | Task) -> Task:
    """Return a task by its name; a `Task` is returned as it is.

    Raises:
        ConfigError: there is no task of that name.
    """
    if isinstance(name, Task):
        return name
    if name not in TASKS:
        hint = suggest_names(name, TASKS, "tasks")
        raise ConfigError(f"task: no {name!r}; {hint} (`genagents list tasks` lists them)")
    return TASKS[name]
