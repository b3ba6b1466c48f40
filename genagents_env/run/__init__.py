"""Rollouts: one episode, with or without a record."""

from genagents_env.llm.budget import Limits
from genagents_env.run.play import Rollout, play, rollout
from genagents_env.run.policy_groups import PolicyGroups, PolicySpec, assign_specs
from genagents_env.run.recorded import resume, run
from genagents_env.run.replay_interview import interview
from genagents_env.run.rollouts import Episode, rollouts
from genagents_env.run.segments import Segment, segments
from genagents_env.run.spec import Progress, RunOptions, RunResult, RunSpec
from genagents_env.run.trajectory import Trajectory

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
    "interview",
    "play",
    "resume",
    "rollout",
    "rollouts",
    "run",
    "segments",
]
