import subprocess
import sys
from datetime import datetime

import numpy as np
import pytest

from genagents_env import town_v0
from genagents_env.actions import Move, Talk
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.ansi import draw_ansi
from genagents_env.show.render.canvas import list_around
from genagents_env.show.render.fonts import Fonts
from genagents_env.show.render.picture import Picture
from genagents_env.show.render.symbols import find_emoji
from genagents_env.show.snapshots import RecordedTown
from genagents_env.world.interventions import Intervention, Join, Part, Put, SetObject
from tests.show.render.towns import FRAME, NAMES, check_same, town


@pytest.fixture(scope="module", params=[True, False], ids=["noto", "plain"])
def picture(request: pytest.FixtureRequest) -> Picture:
    return Picture(town(), NAMES, title="Tiny", fonts=Fonts(request.param))


def test_the_same_tick_gives_the_same_picture(picture: Picture) -> None:
    assert (picture.draw(FRAME) == picture.draw(FRAME)).all()
    other = Picture(town(), NAMES, title="Tiny", fonts=picture.fonts)
    assert (picture.draw(FRAME) == other.draw(FRAME)).all()


def test_people_things_and_words_change_the_picture(picture: Picture) -> None:
    plain = picture.draw(FRAME)
    for change in (
        {"x": np.array([3, 9, 9])},
        {"asleep": np.array([True, False, True])},
        {"doing": ("sweeping", "watering the roses", "")},
        {"present": np.array([True, True, False])},
        {"spoken": ((0, "Good night, Ben!"),)},
        {"time": datetime.fromisoformat("2023-02-13T23:00")},
    ):
        assert (picture.draw(FRAME._replace(**change)) != plain).any(), change


def test_strange_text_is_drawn(picture: Picture) -> None:
    words = ((0, "漢字 " * 60 + "W" * 400), (1, "👩‍🎨 مرحبا"), (2, ""))
    picture.draw(FRAME._replace(spoken=words, emoji=("👩‍🎨", "�", "ab")))


def test_the_text_frame_does_not_import_pillow() -> None:
    code = "import sys, genagents_env.show.render.ansi; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_frame_shows_people_and_words() -> None:
    frame = draw_ansi(town(), NAMES, FRAME, title="Tiny")
    assert frame.startswith("Tiny · Mon 13 Feb 2023, 09:01:00 · tick 6")
    assert frame.splitlines()[1].split() == ["Ada", "Brook", "Inn/hall", "cooking", "🍳"]
    assert "Green" in frame
    assert "asleep" in frame
    assert "\nAda Brook: “Good morning, Ben!”" in frame


@pytest.mark.parametrize("width", [40, 60, 100])
def test_lines_keep_the_width_and_have_no_escape_codes(width: int) -> None:
    long = FRAME._replace(doing=("x" * 300,) * 3, spoken=((1, "word " * 90),))
    lines = draw_ansi(town(), NAMES, long, title="T" * 200, width=width).split("\n")
    assert all(len(line) <= width for line in lines)
    assert not any("\x1b" in line for line in lines)


ADA, BEN = "Ada Brook", "Ben Carver"
SUDDEN: dict[int, Intervention] = {
    3: Part(ADA),
    6: Put(BEN, "Cottage/study"),
    9: Join(ADA, "Cottage/kitchen"),
    12: SetObject("Cottage/kitchen/stove", "on"),
    13: SetObject("Cottage/kitchen/stove", "on fire"),
}


def test_whatever_happens_the_events_tell_what_is_drawn() -> None:
    env = town_v0.parallel_env(scenario="tiny")
    env.reset(seed=2)
    shown, seen = RecordedTown(env.world.plan, env.world.names), set()
    pairs: list[tuple[RenderSnapshot, RenderSnapshot]] = []
    while env.agents:
        world = env.world
        shown.advance(env.events)
        drawn = shown.take_snapshot(world.tick, world.time, world.positions)
        pairs.append((drawn, world.snapshot))
        seen |= {event.kind for event in env.events}
        if world.tick in SUDDEN:
            env.intervene(SUDDEN[world.tick])
        env.step({ADA: Talk(BEN, f"It is {world.tick}!"), BEN: Move("Cottage/kitchen")})
    for taken, true in pairs:  # what was taken has not changed since
        check_same(taken, true)
    assert {"start", "object", "part", "put", "join", "say", "doing", "arrive"} <= seen


def test_who_stands_beyond_the_map_is_at_its_edge() -> None:
    """A file may have it so."""
    at = np.array([[-5, 99], [3, 3], [99, -1]])
    shown = RecordedTown(town(), NAMES).take_snapshot(6, FRAME.time, at)
    assert (shown.x.tolist(), shown.y.tolist()) == ([0, 3, 13], [5, 3, 0])


def test_a_label_has_four_places_around_its_point() -> None:
    assert list_around(50, 40, (6, 8), 20, 10) == [
        *((40, 46, 60, 56), (40, 24, 60, 34)),
        *((58, 35, 78, 45), (22, 35, 42, 45)),
    ]


def test_a_thing_has_the_emoji_of_the_first_word_that_fits() -> None:
    things = {"Espresso machine": "☕", "bedside table": "💡", "bed": "🛏", "oddity": ""}
    assert {name: find_emoji(name) for name in things} == things
