"""The town's entry in PettingZoo's registry, made as soon as somebody imports PettingZoo.

Importing PettingZoo for the entry alone would double the time of `genagents --help`.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

_NAME = "pettingzoo"


def register_town() -> None:
    """Enter the town where PettingZoo is imported already, else once it will be."""
    if _NAME in sys.modules:
        _enter(sys.modules[_NAME])
    else:
        sys.meta_path.insert(0, _Watch())


def _enter(pettingzoo: ModuleType) -> None:
    if hasattr(pettingzoo, "register"):  # new in PettingZoo 1.27
        pettingzoo.register("parallel", "genagents/town-v0", "genagents_env.town_v0:parallel_env")
        pettingzoo.register("aec", "genagents/town-v0", "genagents_env.town_v0:env")


class _Watch(MetaPathFinder):
    """Finds nothing itself, but sees that PettingZoo is looked for."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where others find PettingZoo, with a loader that enters the town afterwards."""
        if fullname != _NAME:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(_NAME)
        if spec is not None and spec.loader is not None:
            spec.loader = _EnteringLoader(spec.loader)
        return spec


class _EnteringLoader(Loader):
    """Loads PettingZoo as `loader` does, and enters the town."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return what the loader makes, None for the usual module."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module; from then on all is as if there had been no other loader."""
        spec = module.__spec__
        if spec is not None:
            spec.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _enter(module)
