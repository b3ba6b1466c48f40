"""What minds hold of time, of their calls, and how their state becomes JSON and back."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter

from genagents_env.cognition.thought import PendingQuery


class GameClock:
    """Town time and game seconds, for a dataclass with these two fields.

    Attributes:
        start: town time of the episode's start.
        seconds_per_tick: of game time.
    """

    start: datetime
    seconds_per_tick: int

    def to_time(self, second: int) -> datetime:
        """Return the town time of a second of game time."""
        return self.start + timedelta(seconds=second)

    def to_second(self, time: datetime) -> int:
        """Return the second of game time of a town time; negative before the start."""
        return int((time - self.start).total_seconds())


class Calls:
    """The calls of one mind, told apart by numbers, for a dataclass with these three fields.

    Attributes:
        pending: those under way.
        counted: the tick whose calls are being numbered.
        numbers: how often each purpose was asked at that tick.
    """

    pending: list[PendingQuery]
    counted: int
    numbers: dict[str, int]

    def next_number(self, purpose: str, tick: int) -> int:
        """Return the number of the next call for `purpose` at `tick`, counting from 0."""
        if tick != self.counted:
            self.counted, self.numbers = tick, {}
        number = self.numbers.get(purpose, 0)
        self.numbers[purpose] = number + 1
        return number

    def is_busy(self, prefix: str) -> bool:
        """Return whether a call is under way whose purpose begins with `prefix`."""
        return any(pending.purpose.startswith(prefix) for pending in self.pending)


def dump_fields(mind: Any, apart: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON values, but for those named in `apart`."""
    adapters = _adapters(mind.__class__, apart)
    return {name: one.dump_python(getattr(mind, name), mode="json") for name, one in adapters}


def load_fields(mind: Any, state: Mapping[str, Any], apart: tuple[str, ...]) -> None:
    """Set the fields of a dataclass to what `dumped` returned."""
    for name, adapter in _adapters(mind.__class__, apart):
        setattr(mind, name, adapter.validate_python(state[name]))


@cache
def _adapters(kind: Any, apart: tuple[str, ...]) -> tuple[tuple[str, TypeAdapter[Any]], ...]:
    parts = (part for part in fields(kind) if part.name not in apart)
    return tuple((part.name, TypeAdapter(cast(Any, part.type))) for part in parts)
