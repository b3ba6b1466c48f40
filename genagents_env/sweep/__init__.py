"""Sweeps: an experiment file lived into a folder, trial by trial, by several workers."""

from genagents_env.sweep.board import Overview
from genagents_env.sweep.design.experiment import Experiment, load_experiment
from genagents_env.sweep.design.trials import Condition, Trial, trials_of
from genagents_env.sweep.estimate import Forecast, forecasts, pilots
from genagents_env.sweep.folder import Folder, Standing
from genagents_env.sweep.sweep import Settings, Swept, cores, sweep

__all__ = [
    "Condition",
    "Experiment",
    "Folder",
    "Forecast",
    "Overview",
    "Settings",
    "Standing",
    "Swept",
    "Trial",
    "cores",
    "forecasts",
    "load_experiment",
    "pilots",
    "sweep",
    "trials_of",
]
