"""Rollouts: one episode, with or without a record."""

from .cast import Cast, PolicySpec, specs_for
from .judging import Judged, judge, judged
from .model import Limits
from .play import Rollout, play, rollout
from .recorded import resume, run
from .rollouts import Episode, rollouts
from .segments import Segment, segments
from .spec import Engine, Outcome, Progress, RunSpec
from .trajectory import Trajectory
from .visit import interview

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
