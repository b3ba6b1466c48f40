"""A town of generative agents as a PettingZoo ParallelEnv.

Importing this package is cheap: it pulls in no policy, no language-model library, nor PettingZoo.

It logs under the name `genagents_env`, and to nowhere unless somebody adds a handler.

`load_policy(name)` finds a policy; see `run.policies`. `load_run(path)` opens a recorded run as
data frames and pictures; see `show.loaded_run`.
"""

import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genagents_env.run.policies import load_policy
    from genagents_env.show.loaded_run import load_run

__all__ = ["__version__", "load_policy", "load_run"]

__version__ = "0.1.0"
# Imported when asked for, by name: what they import is no part of importing the package.
_LATER = {
    "load_policy": "genagents_env.run.policies",
    "load_run": "genagents_env.show.loaded_run",
}
_ZOO = "pettingzoo"
# Those of `genagents_env.train.tasks`, which is not loaded for their names.
_TASKS = (
    "errand",
    "meet",
    "find",
    "spread",
    "keep_secret",
    "invite",
    "gather",
    "queue",
    "share",
    "culprit",
    "valentines_evening",
    "election_afternoon",
)


def __getattr__(name: str) -> Any:  # whatever the module has
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


class _ZooWatch(MetaPathFinder):
    """Enters the town in PettingZoo's registry once somebody imports PettingZoo.

    Importing PettingZoo for the entry alone would double the time of `genagents --help`.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module as others find it, with a loader that enters the town afterwards."""
        if fullname != _ZOO:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            loader = spec.loader

            def load(module: ModuleType) -> None:
                del loader.exec_module  # from now on all is as if nobody had waited
                loader.exec_module(module)
                _enter_town(module)

            loader.exec_module = load  # type: ignore[method-assign]
        return spec


def _enter_town(pettingzoo: ModuleType) -> None:
    if hasattr(pettingzoo, "register"):  # new in PettingZoo 1.27
        pettingzoo.register("parallel", "genagents/town-v0", "genagents_env.town_v0:parallel_env")
        pettingzoo.register("aec", "genagents/town-v0", "genagents_env.town_v0:env")
        for task in _TASKS:
            make, given = "genagents_env.town_v0:rl_env", {"task": task}
            pettingzoo.register("parallel", f"genagents/{task}-v0", make, kwargs=given)


logging.getLogger(__name__).addHandler(logging.NullHandler())
if _ZOO in sys.modules:
    _enter_town(sys.modules[_ZOO])
else:
    sys.meta_path.insert(0, _ZooWatch())
