import json
from datetime import datetime
from pathlib import Path

import pytest

from benchmarks.appointments import format_appointments, read_begin
from genagents_env.record.rows import CallRow
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    HOME,
    begins,
    does,
    goes,
    record_street,
)

NOW = datetime.fromisoformat("2023-02-13T10:00")


def memo(agent: str, clock: str, *others: str) -> CallRow:
    agreed = {"day": "today", "time": clock, "what": "coffee", "where": "Cafe"}
    reply = json.dumps({"commitments": [agreed | {"with_whom": " and ".join(others)}]})
    row = (agent, 1, "converse.memo", 0, "", "[]", "answered", reply, 1, 1, 1, 0, 0, None, 0.0, 0.0)
    return CallRow(*row)


@pytest.mark.parametrize(
    ("day", "clock", "begin"),
    [
        ("tomorrow", "17:00", "2023-02-14T17:00"),
        ("Tuesday 14 February", "5 pm", "2023-02-14T17:00"),
        ("", "11:30", "2023-02-13T11:30"),
        ("some day", "5 pm", None),
        ("today", "later", None),
    ],
)
def test_a_moment_is_read_from_words(day: str, clock: str, begin: str | None) -> None:
    found = read_begin(day, clock, NOW)
    assert found == (None if begin is None else datetime.fromisoformat(begin))


@pytest.mark.parametrize(("place", "kept"), [(CAFE, True), (HOME, False)])
def test_an_appointment_is_kept_where_both_are_in_one_room_at_its_time(
    tmp_path: Path, place: str, kept: bool
) -> None:
    happenings = [begins(ADA), begins(BEN), goes(5, ADA, CAFE), does(6, ADA, "reading at Cafe")]
    happenings += [goes(7, BEN, place), does(8, BEN, "drinking tea at Cafe")]
    with record_street(tmp_path, happenings, last=60) as data:
        clock = f"{data.reader.time(10):%H:%M}"
        data.__dict__["calls"] = (memo(ADA, clock, "Ben"), memo(BEN, clock, "Ada"))
        lines = list(format_appointments(data))
    assert sum(line.strip().startswith("also noted") for line in lines) == 2
    assert sum(line.strip().startswith("kept" if kept else "NOT kept") for line in lines) == 2
    assert sum(line.startswith(f"{0 if kept else 1} acts") for line in lines) == 1
