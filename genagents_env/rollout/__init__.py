"""Rollouts: one episode, with or without a record."""

from .cast import Cast, PolicySpec, specs_for
from .judging import Judged, judge, judged
from .model import Limits
from .play import Rollout, play, rollout
from .recorded import resume, run
from .spec import Engine, Outcome, Progress, RunSpec
from .visit import interview

__all__ = [
    "Cast",
    "Engine",
    "Judged",
    "Limits",
    "Outcome",
    "PolicySpec",
    "Progress",
    "Rollout",
    "RunSpec",
    "interview",
    "judge",
    "judged",
    "play",
    "resume",
    "rollout",
    "run",
    "specs_for",
]
