"""A town as a film: pictures at equal distances of time, and words that stay to be read."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.closeup import Closeup
from genagents_env.show.render.motion import Floats, Motion
from genagents_env.show.render.picture import Picture

Pixels = npt.NDArray[np.uint8]
WORDS_A_MINUTE = 238  # silent reading of English: Brysbaert 2019, J. Mem. Lang. 109
SHORTEST, LONGEST = 1.5, 15.0  # seconds a bubble stays
FEWEST, MOST = 2, 8  # bubbles at once
ROOM = 120_000  # pixels of the picture for each


@dataclass(frozen=True, slots=True)
class FilmPace:
    """The pace of a film.

    Attributes:
        fps: pictures a second; about, where a tick does not hold a whole number of them.
        speed: seconds of the town for each second of the film.
        wait: whether it stands still until what is said in the picture can be read.
        words_a_minute: that are read.
        words: whether they are shown at all.
    """

    fps: int = 12
    speed: float = 60.0
    wait: bool = False
    words_a_minute: float = WORDS_A_MINUTE
    words: bool = True

    def count_frames(self, ticks: int, seconds_per_tick: int) -> int:
        """Count the frames of so many ticks at most, without waits for words."""
        if self.count_per_tick(seconds_per_tick) > 1:
            return ticks * self.count_per_tick(seconds_per_tick) + 1
        return min(ticks, ceil(ticks * seconds_per_tick / self.speed * self.fps)) + 1

    def count_per_tick(self, seconds_per_tick: int) -> int:
        """Count the pictures that are drawn of a tick."""
        return max(1, round(self.fps * seconds_per_tick / self.speed))


class FilmFrame(NamedTuple):
    """A picture of a film and how long it is shown; `tick` is the last that has ended in it."""

    pixels: Pixels
    seconds: float
    tick: int


class WordsPainter:
    """Draws the frames of a film; words stay on while the town goes on, or the town waits.

    Where ticks come faster than frames, some are left out, and what is said then is shown in the
    next.

    Args:
        painter: of each picture.
        pace: of the film.
        seconds_per_tick: simulated.
    """

    def __init__(self, painter: Picture | Closeup, pace: FilmPace, seconds_per_tick: int) -> None:
        self._painter, self._pace = painter, pace
        rate = pace.count_per_tick(seconds_per_tick)
        self._step = seconds_per_tick / pace.speed / rate  # seconds of the film
        self._shortest = 0.999 / pace.fps if rate == 1 else 0.0
        wide, high = painter.size
        self._most = max(FEWEST, min(MOST, wide * high // ROOM))
        self._now = self._due = 0.0  # seconds of the film
        self._tick = -1
        self._fresh: list[tuple[int, str]] = []  # words since the last frame
        self._shown: dict[int, tuple[float, str]] = {}  # until when, by speaker

    def draw(self, snapshot: RenderSnapshot, positions: Floats) -> FilmFrame | None:
        """Return the frame; None where it is left out and its time is that of the next."""
        if snapshot.tick != self._tick:
            self._fresh += snapshot.spoken if self._pace.words else ()
        self._tick = snapshot.tick
        self._due += self._step
        if self._due < self._shortest and not (self._pace.wait and self._fresh):
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
            seconds = measure_reading(words, self._pace.words_a_minute)
            total += seconds
            self._shown.pop(who, None)
            self._shown[who] = (self._now + (total if self._pace.wait else seconds), words)
        return total if self._pace.wait else 0.0


def measure_reading(words: str, words_a_minute: float = WORDS_A_MINUTE) -> float:
    """Return the seconds that it takes to read words in a bubble."""
    return min(LONGEST, max(SHORTEST, len(words.split()) * 60 / words_a_minute))


def find_moments(
    snapshots: Iterable[RenderSnapshot], motion: Motion, rate: int
) -> Iterator[tuple[RenderSnapshot, Floats]]:
    """Yield the moments of a film: the snapshot of the tick, and where people are by then.

    Where people are on their way is known a step later, so moments may come with a later tick.

    Args:
        snapshots: of consecutive ticks.
        motion: of the same town and people; nothing has been noted yet.
        rate: moments a tick.
    """
    ahead: deque[RenderSnapshot] = deque()
    first = drawn = 0
    for snapshot in chain(snapshots, (None,)):
        if snapshot is None:  # whoever walks stands there
            until = float(motion.last_tick)
        else:
            first = first if ahead else snapshot.tick
            ahead.append(snapshot)
            motion.note(snapshot.tick, np.stack([snapshot.x, snapshot.y], axis=1))
            until = min(motion.known_until, float(snapshot.tick))
        while ahead and (time := first + drawn / rate) <= until:
            while len(ahead) > 1 and ahead[1].tick <= time:
                ahead.popleft()
            drawn += 1
            yield ahead[0], motion.find_positions(time)
