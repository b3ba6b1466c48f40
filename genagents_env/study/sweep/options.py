"""How a sweep is carried out: by how many workers, where, and watched by whom."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from genagents_env.errors import ConfigError
from genagents_env.study.sweep.progress import SweepProgress


@dataclass(frozen=True)
class SweepOptions:
    """How a sweep is carried out; nothing here changes what happens in runs that finish.

    Attributes:
        workers: processes at once; None is one for each core.
        backend: `loky` (processes of this machine) or `ray` (a cluster).
        watch: called with how far it is, at most five times a second, and from two threads in turn.
        trials: names of those to be run; None is all.
        preflight: ask each model server one small question before the first run, see
            `run.preflight`; it counts against the budget of all runs. With a budget, that is not
            asked again once the sweep has asked a model anything.
        strict: a run stops, as failed, at the first error of a policy.
        anyway: go on where levels lead equal lives, and run again what was paid for under other
            code.
    """

    workers: int | None = None
    backend: str = "loky"
    watch: Callable[[SweepProgress], None] | None = None
    trials: Collection[str] | None = None
    preflight: bool = False
    strict: bool = False
    anyway: bool = False

    def count_workers(self) -> int:
        """Return how many processes run at once, or raise ConfigError."""
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"workers: {self.workers} is not allowed; 1 or more")
        return self.workers if self.workers is not None else count_cores()


def count_cores() -> int:
    """Return how many cores this process may use, which may be fewer than the machine has."""
    from joblib import cpu_count

    return int(cpu_count())
