"""A town as a film: pictures at equal distances of time, and words that stay to be read."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.motion import Motion

Pixels = npt.NDArray[np.uint8]
WORDS_A_MINUTE = 238  # silent reading of English: Brysbaert 2019, J. Mem. Lang. 109
SHORTEST, LONGEST = 1.5, 15.0  # seconds a bubble stays
FEWEST, MOST = 2, 8  # bubbles at once
ROOM = 120_000  # pixels of the picture for each


class FilmFrame(NamedTuple):
    """A picture of a film and how long it is shown; `tick` is the last that has ended in it."""

    pixels: Pixels
    seconds: float
    tick: int


class TownPainter(Protocol):
    """Draws the pictures: a `Picture` or a `Closeup`."""

    @property
    def size(self) -> tuple[int, int]:
        """Pixels across and down."""

    def draw(
        self,
        snapshot: RenderSnapshot,
        positions: npt.NDArray[np.floating] | None = None,
        spoken: Sequence[tuple[int, str]] | None = None,
    ) -> Pixels:
        """Return the picture, shape (height, width, 3)."""

    def find_seen(
        self, snapshot: RenderSnapshot, positions: npt.NDArray[np.floating] | None = None
    ) -> set[int]:
        """Return the indices of those in it."""


class WordsPainter:
    """Draws the frames of a film; words stay on while the town goes on, or the town waits.

    Args:
        painter: of each picture.
        step: seconds of the film from one time that is to be drawn to the next.
        shortest: seconds that a frame is shown at least; times that come sooner are left out, and
            what is said then is shown in the next.
        wait: whether the film stands still until what is said in the picture can be read.
        words_a_minute: that are read.
        words: whether they are shown at all.
    """

    def __init__(
        self,
        painter: TownPainter,
        step: float,
        *,
        shortest: float = 0.0,
        wait: bool = False,
        words_a_minute: float = WORDS_A_MINUTE,
        words: bool = True,
    ) -> None:
        self._painter, self._step, self._shortest, self._wait = painter, step, shortest, wait
        self._words_a_minute, self._words = words_a_minute, words
        wide, high = painter.size
        self._most = max(FEWEST, min(MOST, wide * high // ROOM))
        self._now = self._due = 0.0  # seconds of the film
        self._tick = -1
        self._fresh: list[tuple[int, str]] = []  # words since the last frame
        self._shown: dict[int, tuple[float, str]] = {}  # until when, by speaker

    def draw(
        self, snapshot: RenderSnapshot, positions: npt.NDArray[np.floating]
    ) -> FilmFrame | None:
        """Return the frame; None where it is left out and its time is that of the next."""
        if snapshot.tick != self._tick:
            self._fresh += snapshot.spoken if self._words else ()
        self._tick = snapshot.tick
        self._due += self._step
        if self._due < self._shortest and not (self._wait and self._fresh):
            return None
        visible = self._painter.find_seen(snapshot, positions)
        waits = self._add_words([(who, words) for who, words in self._fresh if who in visible])
        self._fresh = []
        shown = [(who, words) for who, (until, words) in self._shown.items() if until > self._now]
        seconds, self._due = self._due + waits, 0.0
        self._now += seconds
        pixels = self._painter.draw(snapshot, positions, shown[-self._most :])
        return FilmFrame(pixels, seconds, snapshot.tick)

    def _add_words(self, fresh: Sequence[tuple[int, str]]) -> float:
        """Show new words; return how long the film waits for them to be read."""
        total = 0.0
        for who, words in fresh:
            seconds = measure_reading(words, self._words_a_minute)
            total += seconds
            self._shown.pop(who, None)
            self._shown[who] = (self._now + (total if self._wait else seconds), words)
        return total if self._wait else 0.0


def measure_reading(words: str, words_a_minute: float = WORDS_A_MINUTE) -> float:
    """Return the seconds that it takes to read words in a bubble."""
    return min(LONGEST, max(SHORTEST, len(words.split()) * 60 / words_a_minute))


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
