"""Interviews, memories of facts, verdicts and notes of minds in a run file."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genagents_env.errors import RecordError
from genagents_env.llm.calls import CallKey
from genagents_env.policy import NoteKind
from genagents_env.record import (
    FaultRow,
    InterviewRow,
    JudgementRow,
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
from tests.record.lived import call, live

ADA = "Ada Brook"


def make_row(
    tick: int, repeat: int = 0, answer: str = "None.", evidence: tuple[int, ...] = (1,)
) -> InterviewRow:
    return InterviewRow(tick, ADA, "News?", answer, evidence, repeat)


def make_memory_row(tick: int, text: str = "Tea is on.", *events: int) -> RememberedRow:
    return RememberedRow(tick, ADA, "tea", text, events)


def make_judgement(
    tick: int, verdict: str | None = "yes", judge: str = "m", repeat: int = 0
) -> JudgementRow:
    return JudgementRow(judge, "knows", tick, ADA, "News?", repeat, verdict, "{}", 10, 2)


def hash_of(
    path: Path,
    meta: RunMeta,
    rows: list[InterviewRow],
    memories: list[RememberedRow],
    *notes: NoteRow,
) -> str:
    with RunWriter.create(path, meta, force=True) as writer:
        live(writer, 2)
        writer.commit_interviews(rows, remembered=memories)
        commit(writer, *notes)
    return canonical_hash(path)


def test_answers_memories_verdicts_and_faults_are_read_as_written(
    path: Path, meta: RunMeta
) -> None:
    fault = FaultRow(0, "Ben Carver", "idle", "raised", "mute")
    rows = [
        InterviewRow(0, ADA, "Z?", "é", (3, 1)),
        make_row(0),
        make_row(0, 1, "Tea."),
        make_row(2),
        make_row(2, 1),
    ]
    memories = [make_memory_row(0), make_memory_row(2, "Tea at five.", 1, 3), make_memory_row(2)]
    verdicts = [make_judgement(0, judge="a"), make_judgement(2, None, "a", 1), make_judgement(2)]
    with RunWriter.create(path, meta) as writer:
        live(writer, 2)
        writer.commit_interviews(rows, [fault], remembered=memories)
        for verdict in reversed(verdicts):
            writer.commit_judgement(verdict)
        with RunReader(path) as run:
            assert (run.interviews(), run.memories()) == (rows, memories)
            assert (run.judgements(), run.policy_faults()) == (verdicts, [fault])
        writer.commit_judgement(replace(verdicts[1], verdict="no", reply="{'x'}"))
    with RunReader(path) as run:
        assert [row.verdict for row in run.judgements()] == ["yes", "no", "yes"]


def test_the_hash_covers_answers_evidence_repeats_and_memories_and_no_verdict(
    path: Path, meta: RunMeta
) -> None:
    both, known = [make_row(2), make_row(2, 1)], [make_memory_row(2)]
    first = hash_of(path, meta, both, known)
    with RunWriter.open(path) as writer:
        writer.commit_judgement(make_judgement(2))
    assert canonical_hash(path) == first
    assert hash_of(path, meta, both[::-1], known) == first
    others = [
        *((rows, known) for rows in ([], both[:1], both[1:], [both[0], make_row(2, 2)])),
        ([both[0], make_row(2, 1, "Tea.")], known),
        ([make_row(2, evidence=()), both[1]], known),
        (both, []),
        (both, [make_memory_row(2, "Tea is on.", 1)]),
        (both, [make_memory_row(0)]),
    ]
    hashes = {first, *(hash_of(path, meta, rows, memories) for rows, memories in others)}
    hashes |= {hash_of(path, meta, both, known, *[note(3)] * count) for count in (1, 2)}
    assert len(hashes) == 12


def test_a_longer_run_and_a_rewind_drop_all_that_was_asked_and_judged_at_the_old_end(
    path: Path, meta: RunMeta
) -> None:
    with RunWriter.create(path, meta) as writer:
        for tick, purpose in [(0, "interview"), (7, "interview"), (7, "interview.again")]:
            key, recorded = call(tick)
            writer.cassette.put(CallKey(key.agent, tick, purpose, 0), recorded)
        writer.cassette.put(*call(7))
        live(writer, 7)
        asked = ((0, "interview"), (7, "interview"), (7, "interview.answer"))
        notes = [NoteRow(t, t, ADA, purpose, 0, "cut", '{"talk": 1}') for t, purpose in asked]
        rows, memories = [make_row(0), make_row(7)], [make_memory_row(0), make_memory_row(7)]
        writer.commit_interviews(rows, remembered=memories, notes=notes)
        for tick in (0, 7):
            writer.commit_judgement(make_judgement(tick))
        commit(writer, note(8))
        writer.set_status("finished")
    rewound = path.with_name("rewound.sqlite")
    rewound.write_bytes(path.read_bytes())
    with RunWriter.open(path) as writer:
        writer.extend_horizon(meta.with_hours(2.0))
        assert (writer.status, writer.meta.arguments["hours"]) == ("running", 2.0)
    with RunWriter.open(rewound) as writer:
        writer.rewind()
    for file, calls, lived in ((path, 2, [note(8)]), (rewound, 4, [])):  # what was paid for stays
        with RunReader(file) as run:
            assert (run.interviews(), run.notes()) == (rows[:1], [*notes[:1], *lived])
            assert (run.memories(), run.judgements()) == (memories[:1], [make_judgement(0)])
            assert len(list(run.calls())) == calls


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
