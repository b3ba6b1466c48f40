"""Rollouts: one episode, with or without a record."""

from genagents_env.run.judging import JudgingResult, judge_finished_run, judge_run
from genagents_env.run.model import Limits
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
    "JudgingResult",
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
    "judge_finished_run",
    "judge_run",
    "play",
    "resume",
    "rollout",
    "rollouts",
    "run",
    "segments",
]
