import pytest

from genagents_env.show.render.ansi import assign_letters, draw_ansi
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


def test_every_person_has_a_letter_of_their_own() -> None:
    letters = assign_letters([f"Anna Abel {k}" for k in range(60)])
    assert letters[0] == "A"
    assert len(set(letters)) == 60
    assert len(assign_letters([f"A {k}" for k in range(100)])) == 100
