"""Rollouts: one episode, with or without a record.

Each name is imported when it is asked for: finding a policy loads no town.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genagents_env.llm.budget import Limits
    from genagents_env.run.episodes import Episode, rollouts
    from genagents_env.run.forking import fork
    from genagents_env.run.interviews import interview
    from genagents_env.run.play import Rollout, rollout
    from genagents_env.run.policy_groups import PolicyGroups, PolicySpec, assign_specs
    from genagents_env.run.recorded import resume, run
    from genagents_env.run.spec import Progress, RunOptions, RunResult, RunSpec
    from genagents_env.run.trajectory import Segment, Trajectory, segments

__all__ = [
    "Episode",
    "Limits",
    "PolicyGroups",
    "PolicySpec",
    "Progress",
    "Rollout",
    "RunOptions",
    "RunResult",
    "RunSpec",
    "Segment",
    "Trajectory",
    "assign_specs",
    "fork",
    "interview",
    "resume",
    "rollout",
    "rollouts",
    "run",
    "segments",
]

_NAMES = {
    "genagents_env.llm.budget": ("Limits",),
    "genagents_env.run.episodes": ("Episode", "rollouts"),
    "genagents_env.run.forking": ("fork",),
    "genagents_env.run.interviews": ("interview",),
    "genagents_env.run.play": ("Rollout", "rollout"),
    "genagents_env.run.policy_groups": ("PolicyGroups", "PolicySpec", "assign_specs"),
    "genagents_env.run.recorded": ("resume", "run"),
    "genagents_env.run.spec": ("Progress", "RunOptions", "RunResult", "RunSpec"),
    "genagents_env.run.trajectory": ("Segment", "Trajectory", "segments"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:  # whatever the module has
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
