"""A rate: so much a minute, as a bucket of tokens that fills evenly."""

from collections.abc import Callable

from genagents_env.errors import ConfigError

_MINUTE = 60.0
_ROUNDING = 1e-6  # of float seconds times amounts


class Bucket:
    """Holds at most one minute's amount, and is full at first.

    An ask for more than that waits for a full bucket and leaves it in debt. So over any time no
    more is taken beyond the rate than one minute's amount, or the largest ask where that is more.

    Args:
        per_minute: the rate; None is no limit.
        clock: monotonic seconds.
        name: of the rate, for the error.

    Raises:
        ConfigError: the rate is below 1.
    """

    def __init__(self, per_minute: int | None, clock: Callable[[], float], name: str) -> None:
        if per_minute is not None and not per_minute >= 1:
            raise ConfigError(f"rate: {name} is {per_minute}, must be 1 or more")
        self.size = float("inf") if per_minute is None else float(per_minute)
        self._level, self._clock, self._filled = self.size, clock, clock()

    def wait(self, amount: int) -> float:
        """Return the seconds until `amount` may be taken, 0 when it may be now."""
        self._fill()
        missing = min(float(amount), self.size) - self._level
        return missing * _MINUTE / self.size if missing > _ROUNDING else 0.0

    def take(self, amount: int) -> None:
        """Take `amount`, whether it may be taken or not; below 0 it is given back."""
        self._fill()
        self._level = min(self.size, self._level - amount)

    def _fill(self) -> None:
        now = self._clock()
        gained = (now - self._filled) * self.size / _MINUTE if now > self._filled else 0.0
        self._level, self._filled = min(self.size, self._level + gained), now
