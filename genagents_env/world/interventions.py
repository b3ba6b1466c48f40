"""What a user may do to a running town. Each is applied at the next tick and becomes an event."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Whisper:
    """An inner thought that `agent` has."""

    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class News:
    """Words everyone awake hears, or only those in `place`."""

    text: str
    place: str | None = None


@dataclass(frozen=True, slots=True)
class SetObject:
    """`object` is in `state` from now on, declared or not."""

    object: str
    state: str


@dataclass(frozen=True, slots=True)
class Put:
    """`agent` stands in `place` at once."""

    agent: str
    place: str


@dataclass(frozen=True, slots=True)
class Join:
    """`agent`, one of the scenario's people who is not in town, comes to `place` or their start."""

    agent: str
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """`agent` leaves the town; perceives nothing and cannot act until a Join."""

    agent: str


Intervention: TypeAlias = Whisper | News | SetObject | Put | Join | Part
