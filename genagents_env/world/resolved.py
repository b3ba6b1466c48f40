"""What an agent attempts in one tick, with all names resolved to indices."""

from typing import NamedTuple, TypeAlias


class ResolvedMove(NamedTuple):
    """Walk towards the nearest of `targets` (tiles); `label` is the place in words.

    `going` and `there`: what one is seen doing on the way and at its end, in words and as emoji.
    See `movement.make_move`.
    """

    targets: tuple[int, ...]
    label: str
    going: tuple[str, str]
    there: tuple[str, str]


class ResolvedSpeak(NamedTuple):
    """Speak to person `to`, or to all in earshot; then perhaps leave the conversation."""

    to: int | None
    text: str
    leave: bool = False
    doing: str | None = None
    emoji: str | None = None


class ResolvedUse(NamedTuple):
    """Put object `item` into `state`."""

    item: int
    state: str
    doing: str | None = None
    emoji: str | None = None


class ResolvedStay(NamedTuple):
    """Do something where one is."""

    doing: str | None = None
    emoji: str | None = None


class ResolvedRestart(NamedTuple):
    """Return to the starting tile at once."""

    doing: str | None = None
    emoji: str | None = None


class RefusedAct(NamedTuple):
    """An action that was impossible: the body idles and its owner perceives `reason`."""

    action: str
    reason: str


ResolvedAct: TypeAlias = (
    ResolvedMove | ResolvedSpeak | ResolvedUse | ResolvedStay | ResolvedRestart | RefusedAct
)
