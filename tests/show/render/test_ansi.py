from dataclasses import replace

import numpy as np
import pytest

from genagents_env.show.render.ansi import THING, assign_letters, draw_ansi
from tests.show.render.towns import FRAME, NAMES, town


def test_a_frame_shows_map_people_and_words() -> None:
    frame = draw_ansi(town(), NAMES, FRAME, title="Tiny")
    assert frame.startswith("Tiny · Mon 13 Feb 2023, 09:01:00 · tick 6")
    assert "█A" in frame
    assert "Green" in frame
    assert "A Ada Brook" in frame
    assert "Inn/hall" in frame
    assert "cooking 🍳" in frame
    assert "asleep" in frame
    assert "A Ada Brook: “Good morning, Ben!”" in frame


@pytest.mark.parametrize("width", [40, 60, 100])
def test_lines_keep_the_width_and_have_no_escape_codes(width: int) -> None:
    long = FRAME._replace(doing=("x" * 300,) * 3, spoken=((1, "word " * 90),))
    lines = draw_ansi(town(), NAMES, long, title="T" * 200, width=width).split("\n")
    assert all(len(line) <= width for line in lines)
    assert not any("\x1b" in line for line in lines)


def test_a_wide_town_is_squeezed() -> None:
    plan = town()
    wide = replace(
        plan,
        width=140,
        blocked=np.tile(plan.blocked, 10),
        arena=np.tile(plan.arena, 10),
    )
    rows = draw_ansi(wide, NAMES, FRAME, width=40).split("\n")[1:4]
    assert all(len(row) <= 40 for row in rows)


def test_a_thing_is_shown_on_all_its_tiles() -> None:
    plan = town()
    longer = replace(plan.objects[1], tiles=((8, 2), (9, 2)))
    rows = [
        draw_ansi(one, NAMES, FRAME, width=100)
        for one in (plan, replace(plan, objects=(plan.objects[0], longer)))
    ]
    assert [row.count(THING) for row in rows] == [rows[0].count(THING), rows[0].count(THING) + 1]


def test_the_absent_are_not_shown() -> None:
    gone = FRAME._replace(present=np.array([True, False, True]))
    assert "Ben Carver" not in draw_ansi(town(), NAMES, gone)


def test_every_person_has_a_letter_of_their_own() -> None:
    letters = assign_letters([f"Anna Abel {k}" for k in range(60)])
    assert letters[0] == "A"
    assert len(set(letters)) == 60
    assert len(assign_letters([f"A {k}" for k in range(100)])) == 100
