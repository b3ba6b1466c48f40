"""Sweeps: every trial of an experiment file run into a folder, by several workers."""

from genagents_env.study.sweep.design.cells import Condition, Trial
from genagents_env.study.sweep.design.experiment import Experiment, load_experiment
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.pool import count_cores
from genagents_env.study.sweep.progress import SweepProgress, SweepResult
from genagents_env.study.sweep.session import SweepOptions, sweep
from genagents_env.study.sweep.trial_status import StudyRun

__all__ = [
    "Condition",
    "Experiment",
    "StudyRun",
    "SweepFolder",
    "SweepOptions",
    "SweepProgress",
    "SweepResult",
    "Trial",
    "count_cores",
    "load_experiment",
    "sweep",
]
