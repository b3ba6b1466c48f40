"""Sweeps: an experiment file lived into a folder, trial by trial, by several workers."""

from .board import Overview
from .design.experiment import Experiment, load_experiment
from .design.trials import Condition, Trial, trials_of
from .estimate import Forecast, forecasts, pilots
from .folder import Folder, Standing
from .sweep import Settings, Swept, cores, sweep

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
