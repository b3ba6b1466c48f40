"""What people answered after a run stands among their interviews, where it is of this very run."""

import json
from pathlib import Path
from typing import Any

import pytest

from genagents_env.judge.kept_answers import find_kept_file
from genagents_env.record import RunReader
from genagents_env.show.view.mind import add_later_interviews
from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.resources import make_resource, parse_key

NO_MIND = {"interviews": [], "note": ""}


@pytest.fixture
def kept(valentines_run: Path) -> Path:
    return find_kept_file(valentines_run)


def add(path: Path, kept: Path | None, number: int = 0) -> Any:
    with RunReader(path) as run:
        return add_later_interviews(NO_MIND, run, number, kept)


def test_a_page_has_what_was_answered_after_a_shipped_run(valentines_run: Path) -> None:
    opened = OpenRun(valentines_run)
    try:
        with opened.look() as view:
            mind = json.loads(make_resource(view, parse_key("person/2")))
            last, events = view.run.last_tick, view.run.measure().events
    finally:
        opened.close()
    assert len(mind["interviews"]) == 5
    for one in mind["interviews"]:
        assert one["tick"] == last
        assert one["question"]
        assert one["answer"]
        assert all(0 <= id_ < events for id_ in one["evidence"])
        assert one["note"] == "asked after the run, answered by by-hand"
    assert any(one["evidence"] for one in mind["interviews"])


def test_answers_of_another_run_are_left_out_and_it_is_said(
    valentines_run: Path, kept: Path, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    own = sum(line["said"]["agent"] == "Isabella Rodriguez" for line in lines)
    lines[[line["said"]["agent"] for line in lines].index("Isabella Rodriguez")]["source"] = "0"
    other = tmp_path / "other.interviews.jsonl"
    other.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    mind = add(valentines_run, other)
    assert len(mind["interviews"]) == own - 1
    assert "of another run" in mind["note"]


def test_a_file_that_is_none_of_answers_is_said(valentines_run: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.interviews.jsonl"
    broken.write_text("no answer\n", "utf-8")
    mind = add(valentines_run, broken)
    assert mind["interviews"] == []
    assert "broken.interviews.jsonl, line 1" in mind["note"]


@pytest.mark.parametrize("name", [None, "missing.interviews.jsonl"])
def test_without_kept_answers_a_mind_is_what_it_was(
    name: str | None, valentines_run: Path, tmp_path: Path
) -> None:
    assert add(valentines_run, None if name is None else tmp_path / name) == NO_MIND
