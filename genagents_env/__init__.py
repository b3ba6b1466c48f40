"""A town of generative agents as a PettingZoo ParallelEnv.

Importing this package is cheap: it pulls in neither a policy nor a language-model library.
"""

from pathlib import Path as _Path

__version__ = "0.1.0"

# In a wheel, `policies` and `scenarios` lie inside this package. In a source checkout they lie
# beside it, at the top level; extending the package's search path makes
# `genagents_env.policies` mean the same files in both.
_checkout = _Path(__file__).resolve().parent.parent
if (_checkout / "pyproject.toml").is_file() and (_checkout / "policies").is_dir():
    __path__.append(str(_checkout))


def _register() -> None:
    import pettingzoo

    if hasattr(pettingzoo, "register"):  # new in PettingZoo 1.27
        pettingzoo.register("parallel", "genagents/town-v0", "genagents_env.town_v0:parallel_env")
        pettingzoo.register("aec", "genagents/town-v0", "genagents_env.town_v0:env")


_register()
