"""Sweeps: every trial of an experiment file run into a folder, by several workers."""

from genagents_env.sweep.design.cells import Condition
from genagents_env.sweep.design.experiment import Experiment, load_experiment
from genagents_env.sweep.design.trials import Trial, build_trials
from genagents_env.sweep.estimate import Forecast, choose_pilots, forecast_conditions
from genagents_env.sweep.folder import SweepFolder
from genagents_env.sweep.options import SweepOptions, count_cores
from genagents_env.sweep.progress import SweepProgress
from genagents_env.sweep.result import SweepResult
from genagents_env.sweep.session import sweep
from genagents_env.sweep.trial_status import TrialStatus

__all__ = [
    "Condition",
    "Experiment",
    "Forecast",
    "SweepFolder",
    "SweepOptions",
    "SweepProgress",
    "SweepResult",
    "Trial",
    "TrialStatus",
    "build_trials",
    "choose_pilots",
    "count_cores",
    "forecast_conditions",
    "load_experiment",
    "sweep",
]
