"""A town as a film: pictures at equal distances of time, in which people walk smoothly."""

from collections import deque
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.motion import Motion

Frame = TypeVar("Frame", covariant=True)


class FramePainter(Protocol[Frame]):
    """Draws the pictures of a film, such as a `Picture`."""

    def draw(self, snapshot: RenderSnapshot, positions: npt.NDArray[np.floating], /) -> Frame:
        """Return the picture of people who do what the snapshot says, standing at `positions`."""


class Film(Generic[Frame]):
    """Draws several pictures a tick.

    Where people are on their way is known a step later, so pictures may come with a later tick.

    Args:
        picture: draws them.
        motion: of the same town and people; nothing has been noted yet.
        frames_per_tick: at least 1.
    """

    def __init__(
        self, picture: FramePainter[Frame], motion: Motion, frames_per_tick: int = 10
    ) -> None:
        if frames_per_tick < 1:
            raise ValueError(f"{frames_per_tick} frames a tick; at least 1")
        self._picture, self._motion, self._rate = picture, motion, frames_per_tick
        self._snapshots: deque[RenderSnapshot] = deque()
        self._first: int | None = None
        self._drawn = 0

    def add(self, snapshot: RenderSnapshot) -> Iterator[Frame]:
        """Yield the pictures that can be drawn once the next tick is known."""
        if self._first is None:
            self._first = snapshot.tick
        self._snapshots.append(snapshot)
        self._motion.note(snapshot.tick, np.stack([snapshot.x, snapshot.y], axis=1))
        yield from self._draw(min(self._motion.known_until, float(snapshot.tick)))

    def finish(self) -> Iterator[Frame]:
        """Yield the remaining pictures, up to that of the last tick; whoever walks stands there."""
        if self._first is not None:
            yield from self._draw(float(self._motion.last_tick))

    def _draw(self, until: float) -> Iterator[Frame]:
        while (time := (self._first or 0) + self._drawn / self._rate) <= until:
            while len(self._snapshots) > 1 and self._snapshots[1].tick <= time:
                self._snapshots.popleft()
            self._drawn += 1
            yield self._picture.draw(self._snapshots[0], self._motion.find_positions(time))
