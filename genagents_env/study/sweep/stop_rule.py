"""Why a sweep starts no further trials: the budget, the endpoint, or a signal."""

from collections.abc import Callable

from genagents_env.errors import BudgetExceeded, ModelOutage
from genagents_env.record.degradation import DEGRADED_EXIT
from genagents_env.study.sweep.progress import TrialCounts
from genagents_env.study.sweep.worker import TrialResult

_OUTAGES = 3  # trials in a row that no model answered, after which no further one asks


class StopRule:
    """Decides from signals and results whether trials may start, and the exit code in the end.

    Args:
        exhausted: gives the kind of limit of the whole sweep that is reached, or None.
        signalled: gives the signal that the sweep got, or None.
    """

    def __init__(
        self, exhausted: Callable[[], str | None], signalled: Callable[[], int | None]
    ) -> None:
        self._exhausted, self._signalled = exhausted, signalled
        self._outages = 0
        self._ends: set[str] = set()

    def note(self, result: TrialResult, needs_model: bool) -> None:
        """Register how a trial ended."""
        self._ends.add(result.status)
        if result.status == "paused":
            self._outages += 1
        elif result.state == "finished" and needs_model and not self._is_down:
            self._outages = 0

    def allows(self, needs_model: bool) -> bool:
        """Return whether a trial may start now; what is refused once stays refused."""
        kind = self._exhausted()
        if self._signalled() is not None or kind == "seconds":
            return False
        return not (needs_model and (self._is_down or kind is not None))

    @property
    def _is_down(self) -> bool:
        return self._outages >= _OUTAGES

    def conclude(self, counts: TrialCounts) -> tuple[int, str]:
        """Return the exit code and why trials are left, in words; of several reasons the first."""
        left = counts.total - counts.finished - counts.failed
        if not left:
            return (1 if counts.failed else DEGRADED_EXIT if counts.degraded else 0), ""
        if (signal := self._signalled()) is not None:
            return 128 + signal, "stopped by a signal"
        if self._is_down or "paused" in self._ends:
            return ModelOutage.exit_code, "the model gave no answers, or none that can be used"
        if (kind := self._exhausted()) is not None:
            what = f"the sweep's budget is used up ({kind}); raise `total`"
        elif "budget_exhausted" in self._ends:
            what = "the budget of a run is used up; raise `run`"
        else:
            return 1, ""
        return BudgetExceeded.exit_code, f"{what} in [budget] of its experiment.toml"
