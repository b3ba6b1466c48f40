"""The words of a film stay until they can be read, or the film waits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.film import (
    LONGEST,
    SHORTEST,
    FilmFrame,
    FilmPace,
    WordsPainter,
    measure_reading,
)
from genagents_env.show.render.picture import Picture
from tests.show.render.towns import FRAME

HELLO, LONG = "Good morning, Ben!", "I tell you " * 10
NOWHERE = np.zeros((3, 2))
PACE = FilmPace(fps=4, speed=20)  # two pictures a tick
FAST = FilmPace(fps=10, speed=500)  # five ticks a picture


class Noting(Picture):
    """Notes what it is to draw; those of `seen` are in its pictures."""

    def __init__(self, *seen: int) -> None:
        self.size = (1000, 1000)
        self.seen, self.spoken = set(seen), list[Sequence[tuple[int, str]]]()

    def find_seen(self, snapshot: RenderSnapshot, positions: object = None) -> set[int]:
        return self.seen

    def draw(
        self,
        snapshot: RenderSnapshot,
        positions: object = None,
        spoken: Sequence[tuple[int, str]] | None = None,
    ) -> npt.NDArray[np.uint8]:
        assert spoken is not None
        self.spoken.append(spoken)
        return np.zeros((1, 1, 3), np.uint8)


def play(
    noting: Noting, pace: FilmPace, ticks: Mapping[int, Sequence[tuple[int, str]]], count: int
) -> list[FilmFrame]:
    """Draw two pictures a tick of ten seconds."""
    painter, frames = WordsPainter(noting, pace, 10), []
    for tick in range(count):
        shown = FRAME._replace(tick=tick, spoken=tuple(ticks.get(tick, ())))
        frames += [painter.draw(shown, NOWHERE) for _ in range(2)]
    return [frame for frame in frames if frame is not None]


def test_it_takes_longer_to_read_more() -> None:
    assert measure_reading("Yes.") == SHORTEST
    assert measure_reading("word " * 24) == pytest.approx(24 / 238 * 60)
    assert measure_reading("word " * 300) == LONGEST
    assert measure_reading(LONG, 476) == measure_reading(LONG) / 2


def test_words_stay_while_the_town_goes_on() -> None:
    noting = Noting(0, 1, 2)
    frames = play(noting, PACE, {1: [(0, HELLO)]}, 8)
    assert [frame.seconds for frame in frames] == [0.25] * 16
    assert [frame.tick for frame in frames] == [tick for tick in range(8) for _ in range(2)]
    shown = [bool(spoken) for spoken in noting.spoken]
    assert shown == [False] * 2 + [True] * 6 + [False] * 8  # SHORTEST are six pictures
    assert noting.spoken[2] == [(0, HELLO)]


def test_new_words_take_the_place_of_the_speakers_last() -> None:
    noting = Noting(0, 1, 2)
    play(noting, PACE, {0: [(0, LONG), (1, HELLO)], 1: [(0, HELLO)]}, 2)
    assert noting.spoken == [[(0, LONG), (1, HELLO)]] * 2 + [[(1, HELLO), (0, HELLO)]] * 2


def test_the_film_waits_for_words_that_are_in_the_picture() -> None:
    noting = Noting(0, 1)
    spoken = {1: [(0, HELLO), (1, LONG), (2, LONG)]}
    frames = play(noting, replace(PACE, wait=True), spoken, 3)
    waits = measure_reading(HELLO) + measure_reading(LONG)
    assert [frame.seconds for frame in frames] == [0.25, 0.25, 0.25 + waits, 0.25, 0.25, 0.25]
    assert noting.spoken == [[], [], [(0, HELLO), (1, LONG)], [], [], []]


def test_where_time_flies_pictures_are_left_out_but_no_words() -> None:
    noting = Noting(0)
    frames = play(noting, FAST, {6: [(0, HELLO)]}, 10)
    assert [frame.seconds for frame in frames] == pytest.approx([0.1] * 4)
    assert [frame.tick for frame in frames] == [2, 4, 7, 9]
    assert [bool(spoken) for spoken in noting.spoken] == [False, False, True, True]
    waiting = Noting(0)
    frames = play(waiting, replace(FAST, wait=True), {6: [(0, HELLO)]}, 10)
    assert [frame.tick for frame in frames] == [2, 4, 6, 8]
    assert frames[2].seconds == pytest.approx(0.06 + measure_reading(HELLO))


def test_a_picture_holds_as_many_words_as_it_has_room_for() -> None:
    everybody = {0: [(who, HELLO) for who in range(20)]}
    for size, most in (((300, 200), 2), ((900, 600), 4), ((2000, 2000), 8)):
        noting = Noting(*range(20))
        noting.size = size
        play(noting, PACE, everybody, 1)
        assert [who for who, _ in noting.spoken[0]] == list(range(20 - most, 20))


def test_a_silent_film_shows_no_words_and_waits_for_none() -> None:
    noting = Noting(0)
    frames = play(noting, replace(PACE, wait=True, words=False), {1: [(0, HELLO)]}, 3)
    assert noting.spoken == [[]] * 6
    assert {frame.seconds for frame in frames} == {0.25}
