"""Rollouts: one episode, with or without a record."""

from genagents_env.run.cast import Cast, PolicySpec, specs_for
from genagents_env.run.judging import Judged, judge, judged
from genagents_env.run.model import Limits
from genagents_env.run.play import Rollout, play, rollout
from genagents_env.run.recorded import resume, run
from genagents_env.run.rollouts import Episode, rollouts
from genagents_env.run.segments import Segment, segments
from genagents_env.run.spec import Engine, Outcome, Progress, RunSpec
from genagents_env.run.trajectory import Trajectory
from genagents_env.run.visit import interview

__all__ = [
    "Cast",
    "Engine",
    "Episode",
    "Judged",
    "Limits",
    "Outcome",
    "PolicySpec",
    "Progress",
    "Rollout",
    "RunSpec",
    "Segment",
    "Trajectory",
    "interview",
    "judge",
    "judged",
    "play",
    "resume",
    "rollout",
    "rollouts",
    "run",
    "segments",
    "specs_for",
]
