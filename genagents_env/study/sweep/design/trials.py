"""The trials of an experiment: each cell with each seed."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.study.sweep.design.cells import Condition, build_cells
from genagents_env.study.sweep.design.experiment import Experiment
from genagents_env.study.sweep.design.identity import make_slug

_IDENTITY = 8  # hexadecimal digits of an identity in a file's name


@dataclass(frozen=True)
class Trial:
    """One run of an experiment. Two trials of the same identity are the same run."""

    condition: Condition
    seed: int

    @cached_property
    def identity(self) -> str:
        """64 hexadecimal digits, of its condition and its seed."""
        return sha256(f"{self.condition.identity} {self.seed}".encode()).hexdigest()

    @cached_property
    def name(self) -> str:
        """The name of its run file, without `.sqlite`."""
        return f"{make_slug(self.condition.name)}-{self.suffix}"

    @property
    def suffix(self) -> str:
        """The part of the name that stays when a level is given another name."""
        return f"s{self.seed}-{self.identity[:_IDENTITY]}"


def build_trials(experiment: Experiment, base: Path, *, load: bool = True) -> tuple[Trial, ...]:
    """Return every trial of an experiment; arguments and errors as of `build_cells`."""
    cells = build_cells(experiment, base, load=load)
    return list_trials([cell.condition for cell in cells], experiment.seed_list)


def list_trials(conditions: Iterable[Condition], seeds: Iterable[int]) -> tuple[Trial, ...]:
    """Return every trial, seed by seed: all conditions of the first seed, then of the next.

    Raises:
        ConfigError: two of them would be one file.
    """
    conditions = tuple(conditions)
    trials = tuple(Trial(one, seed) for seed in seeds for one in conditions)
    seen: dict[str, Trial] = {}
    for trial in trials:
        other = seen.setdefault(trial.name, trial)
        if other is not trial:
            names = f"{other.condition.name!r} and {trial.condition.name!r}"
            raise ConfigError(f"{names} have names too alike; rename a level")
    return trials
