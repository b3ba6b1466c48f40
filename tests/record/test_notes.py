"""Notes of minds: written with their tick or not at all, and dropped by a rewind."""

from pathlib import Path

import numpy as np
import pytest

from genagents_env.errors import RecordError
from genagents_env.policy import NoteKind
from genagents_env.record import (
    InterviewRow,
    NoteRow,
    PromptCuts,
    RememberedRow,
    RunMeta,
    RunReader,
    RunWriter,
    canonical_hash,
    verify,
)
from genagents_env.record.notes import SectionCut, check_note, count_cuts, parse_cuts, parse_turn
from tests.record.lived import live


def note(tick: int, kind: NoteKind = "wish", purpose: str = "plan.day") -> NoteRow:
    text = '{"memories": 2, "talk": 1}' if kind == "cut" else "a boat; allowed: sea, shore"
    return NoteRow(tick, max(0, tick - 1), "Ada Brook", purpose, 1, kind, text)


def commit(writer: RunWriter, *notes: NoteRow) -> None:
    people = len(writer.meta.names)
    writer.commit_tick(writer.tick + 1, np.zeros((people, 2), int), [], notes=notes)


def test_notes_are_read_in_the_order_of_their_ticks_and_of_writing(
    path: Path, meta: RunMeta
) -> None:
    with RunWriter.create(path, meta) as writer:
        commit(writer)
        writer.commit_interviews([], notes=[note(0, "cut", "interview")])
        commit(writer, note(1), note(1, "cut"), note(1))
        with RunReader(path) as run:
            found = run.notes()
    assert found == [note(0, "cut", "interview"), note(1), note(1, "cut"), note(1)]
    assert parse_cuts(found[0].text) == {"memories": 2, "talk": 1}
    assert {part.name: part.rows for part in verify(path).parts}["notes"] == 4


def test_notes_answers_and_memories_are_there_with_their_tick_or_not_at_all(
    path: Path, meta: RunMeta
) -> None:
    def stop(phase: str, tick: int) -> None:
        if (phase, tick) in {("mid-write", 1), ("mid-interview", 0)}:
            raise KeyboardInterrupt

    answered = [InterviewRow(0, "Ada Brook", "News?", "None.", ())]
    known = [RememberedRow(0, "Ada Brook", "tea", "Tea is on.", ())]
    with RunWriter.create(path, meta, on_phase=stop) as writer:
        commit(writer, note(0))
        with pytest.raises(KeyboardInterrupt):
            writer.commit_interviews(answered, remembered=known, notes=[note(0, "cut")])
        with pytest.raises(KeyboardInterrupt):
            commit(writer, note(1))
        with RunReader(path) as run:
            assert (run.last_tick, run.notes()) == (0, [note(0)])
            assert (run.interviews(), run.memories()) == ([], [])


def test_a_rewind_drops_later_notes_and_the_hash_covers_them(tmp_path: Path, meta: RunMeta) -> None:
    broken, without = tmp_path / "broken", tmp_path / "without"
    with RunWriter.create(broken, meta) as writer:
        live(writer, 5)
        commit(writer, note(6))
    with RunWriter.open(broken) as writer:
        writer.rewind()
        with RunReader(broken) as run:
            assert run.notes() == []
        live(writer, 6)
        commit(writer, note(7), note(7, "cut"))
    with RunWriter.create(without, meta) as writer:
        live(writer, 6)
        commit(writer, note(7))
    assert canonical_hash(broken) != canonical_hash(without)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"talk": 0}', '{"talk": "1"}', '{"talk": true}'])
def test_a_cut_without_lines_by_section_is_damage(path: Path, meta: RunMeta, text: str) -> None:
    with RunWriter.create(path, meta) as writer:
        commit(writer)
        commit(writer, make_cut(text))
    with RunReader(path) as run, pytest.raises(RecordError, match=r"run\.sqlite is damaged"):
        run.notes()
    assert not verify(path).whole


def test_only_cuts_are_counted_the_section_that_most_lost_first_and_one_in_a_hundred_is_none() -> (
    None
):
    notes = [make_cut('{"talk": 1}'), make_cut('{"plan": 9, "talk": 2}'), note(1)]
    found = count_cuts(notes, 10)
    assert found == PromptCuts(10, 2, (SectionCut("talk", 2, 3), SectionCut("plan", 1, 9)))
    (told,) = found.describe()
    assert "2 of 10 prompts had no room for all lines of a section: talk (2), plan (1)" in told
    few = count_cuts(notes[:1], 100)
    assert (few.matters, list(few.describe())) == (False, [])
    assert count_cuts(notes[:1], 99).matters


def make_cut(text: str) -> NoteRow:
    return NoteRow(1, 0, "Ada Brook", "plan.day", 0, "cut", text)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"verdict": 3}', '{"text": "(MOVE) park"}'])
def test_a_turn_without_a_verdict_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_note(NoteRow(1, 0, "Ada Brook", "act.choose", 0, "turn", text))
    assert parse_turn('{"verdict": "MOVE park"}') == {"verdict": "MOVE park"}
