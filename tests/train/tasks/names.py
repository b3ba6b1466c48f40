"""The tasks as parameters of tests."""

import pytest

from genagents_env.train.tasks import TASKS

# Those in a large shipped town take long.
EVERY = [
    pytest.param(name, marks=pytest.mark.slow if task.town is not None else ())
    for name, task in TASKS.items()
]
SMALL = [name for name, task in TASKS.items() if task.town is None]
LARGE = [name for name in TASKS if name not in SMALL]
