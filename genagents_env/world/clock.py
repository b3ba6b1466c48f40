"""The town's clock: tick `t` is `start + t * seconds_per_tick`, in local time without zones."""

import datetime as dt
from dataclasses import dataclass
from datetime import datetime, timedelta

DAY = 86_400


def second_of_day(at: dt.time) -> int:
    """Return seconds since midnight."""
    return at.hour * 3600 + at.minute * 60 + at.second


@dataclass(frozen=True, slots=True)
class Clock:
    """Turns ticks into town time and back. Every rule counts in simulated seconds."""

    start: datetime
    seconds_per_tick: int

    def time(self, tick: int) -> datetime:
        """Return the town time at `tick`."""
        return self.start + timedelta(seconds=tick * self.seconds_per_tick)

    def second(self, tick: int) -> int:
        """Return the second of the day at `tick`, 0 to 86,399."""
        return (second_of_day(self.start.time()) + tick * self.seconds_per_tick) % DAY

    def tick_at(self, when: datetime) -> int:
        """Return the first tick at or after `when` (negative before the start)."""
        return -int((self.start - when).total_seconds() // self.seconds_per_tick)

    def ticks(self, seconds: float) -> int:
        """Return how many ticks `seconds` last, rounded up."""
        return -int(-seconds // self.seconds_per_tick)
