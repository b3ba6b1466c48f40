"""What a body attempts in one tick, with all names resolved to indices."""

from typing import NamedTuple, TypeAlias


class Go(NamedTuple):
    """Walk towards the nearest of `targets` (tiles); `label` is the place in words."""

    targets: tuple[int, ...]
    label: str
    doing: str | None = None
    emoji: str | None = None


class Say(NamedTuple):
    """Speak to person `to`, or to all in earshot; then perhaps leave the conversation."""

    to: int | None
    text: str
    leave: bool = False
    doing: str | None = None
    emoji: str | None = None


class Use(NamedTuple):
    """Put object `item` into `state`."""

    item: int
    state: str
    doing: str | None = None
    emoji: str | None = None


class Stay(NamedTuple):
    """Do something where one is."""

    doing: str | None = None
    emoji: str | None = None


class Back(NamedTuple):
    """Return to the starting tile at once."""

    doing: str | None = None
    emoji: str | None = None


class Refused(NamedTuple):
    """An action that was impossible: the body idles and its owner is told `reason`."""

    action: str
    reason: str


Act: TypeAlias = Go | Say | Use | Stay | Back | Refused
