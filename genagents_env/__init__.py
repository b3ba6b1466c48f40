"""A town of generative agents as a PettingZoo ParallelEnv.

Importing this package is cheap: it pulls in neither a policy nor a language-model library.
"""

__version__ = "0.1.0"


def _register() -> None:
    import pettingzoo

    if hasattr(pettingzoo, "register"):  # new in PettingZoo 1.27
        pettingzoo.register("parallel", "genagents/town-v0", "genagents_env.town_v0:parallel_env")
        pettingzoo.register("aec", "genagents/town-v0", "genagents_env.town_v0:env")


_register()
