"""A town of generative agents as a PettingZoo ParallelEnv.

Importing this package is cheap: it pulls in no policy, no language-model library, nor PettingZoo.

It logs under the name `genagents_env`, and to nowhere unless somebody adds a handler.

`load_run(path)` opens a recorded run as data frames and pictures; see `report.loaded_run`.
"""

import logging
from importlib import import_module
from typing import Any

from genagents_env.registration import register_town

__version__ = "0.1.0"
# Imported when asked for, by name: what they import is no part of importing the package.
_LATER = {"load_run": "genagents_env.report.loaded_run"}

logging.getLogger(__name__).addHandler(logging.NullHandler())
register_town()


def __getattr__(name: str) -> Any:  # whatever the module has
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
