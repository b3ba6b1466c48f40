from datetime import datetime

import pytest

from genagents_env.show.transcript import format_transcript
from genagents_env.world.events import Event

EVENTS = [
    Event(1, 0, "detour", "Ann", {"around": "Bob", "longer": 2}),
    Event(2, 0, "swap", "Ann", {"with": "Bob", "waited": 10}),
    Event(3, 0, "aside", "Ann", {"moved": ["Bob", "Cem"], "waited": 10}),
]
ROUND = "Ann goes round Bob"
PLACES = "Ann and Bob change places"
IN = "Ann is let in and the others move up"


@pytest.mark.parametrize(
    ("agent", "lines"),
    [
        (None, [ROUND, PLACES, IN]),
        ("Ann", [ROUND, PLACES, IN]),
        ("Bob", [PLACES, IN]),
        ("Cem", [IN]),
        ("Dee", []),
    ],
)
def test_passing_is_shown_to_all_who_moved(agent: str | None, lines: list[str]) -> None:
    told = format_transcript(EVENTS, lambda tick: datetime(2023, 2, 13, 9), agent)  # noqa: DTZ001
    assert [line.split("  ")[1] for line in told if "  " in line] == lines
