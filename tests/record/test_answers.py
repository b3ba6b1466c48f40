"""Interviews held several times, memories of facts and verdicts, in files of every format."""

from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import RecordError
from genagents_env.record import (
    InterviewRow,
    JudgementRow,
    RememberedRow,
    RunMeta,
    RunReader,
    RunWriter,
    canonical_hash,
)
from tests.record.lived import live
from tests.record.test_damage import _execute

ADA = "Ada Brook"


def make_row(
    tick: int, repeat: int = 0, answer: str = "None.", question: str = "News?"
) -> InterviewRow:
    return InterviewRow(tick, ADA, question, answer, (1,), repeat)


def make_memory_row(tick: int, text: str = "Tea is on.", *events: int) -> RememberedRow:
    return RememberedRow(tick, ADA, "tea", text, events)


def make_judgement(
    tick: int, verdict: str | None = "yes", judge: str = "m", repeat: int = 0
) -> JudgementRow:
    return JudgementRow(judge, "knows", tick, ADA, "News?", repeat, verdict, "{}", 10, 2)


def hash_of(
    path: Path, meta: RunMeta, rows: list[InterviewRow], memories: list[RememberedRow]
) -> str:
    with RunWriter.create(path, meta, force=True) as writer:
        live(writer, 2)
        writer.commit_interviews(rows, remembered=memories)
    return canonical_hash(path)


def test_repeats_memories_and_verdicts_are_read_as_written(path: Path, meta: RunMeta) -> None:
    rows = [make_row(0), make_row(0, 1, "Tea."), make_row(2), make_row(2, 1)]
    memories = [make_memory_row(0), make_memory_row(2, "Tea at five.", 1, 3), make_memory_row(2)]
    verdicts = [make_judgement(0, judge="a"), make_judgement(2, None, "a", 1), make_judgement(2)]
    with RunWriter.create(path, meta) as writer:
        live(writer, 2)
        writer.commit_interviews(rows, remembered=memories)
        for verdict in reversed(verdicts):
            writer.commit_judgement(verdict)
        with RunReader(path) as run:
            assert (run.interviews(), run.memories()) == (rows, memories)
            assert run.judgements() == verdicts
        writer.commit_judgement(replace(verdicts[1], verdict="no", reply="{'x'}"))
    with RunReader(path) as run:
        assert [row.verdict for row in run.judgements()] == ["yes", "no", "yes"]


def test_the_hash_sees_repeats_and_memories(path: Path, meta: RunMeta) -> None:
    first = hash_of(path, meta, [make_row(2), make_row(2, 1)], [make_memory_row(2)])
    assert hash_of(path, meta, [make_row(2, 1), make_row(2)], [make_memory_row(2)]) == first
    others = [
        ([make_row(2)], [make_memory_row(2)]),
        ([make_row(2, 1)], [make_memory_row(2)]),
        ([make_row(2), make_row(2, 2)], [make_memory_row(2)]),
        ([make_row(2), make_row(2, 1, "Tea.")], [make_memory_row(2)]),
        ([make_row(2), make_row(2, 1)], []),
        ([make_row(2), make_row(2, 1)], [make_memory_row(2, "Tea is on.", 1)]),
        ([make_row(2), make_row(2, 1)], [make_memory_row(0)]),
    ]
    assert len({first, *(hash_of(path, meta, rows, told) for rows, told in others)}) == 8


def test_the_hash_does_not_see_verdicts(path: Path, meta: RunMeta) -> None:
    before = hash_of(path, meta, [make_row(2)], [])
    with RunWriter.open(path) as writer:
        writer.commit_judgement(make_judgement(2))
        assert canonical_hash(path) == before
    assert canonical_hash(path) == before


def test_answers_and_memories_are_in_the_file_all_or_none(path: Path, meta: RunMeta) -> None:
    class Killed(BaseException):
        pass

    def die(phase: str, tick: int) -> None:
        if phase == "mid-interview":
            raise Killed

    with RunWriter.create(path, meta, on_phase=die) as writer:
        live(writer, 0)
        with pytest.raises(Killed):
            writer.commit_interviews([make_row(0)], remembered=[make_memory_row(0)])
        with RunReader(path) as run:
            assert (run.interviews(), run.memories()) == ([], [])


def test_a_rewind_and_a_longer_run_take_back_what_was_found_later(
    path: Path, meta: RunMeta
) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 7)
        for _ in range(2):
            for tick in (0, 7):
                writer.commit_interviews(
                    [make_row(tick), make_row(tick, 1)], remembered=[make_memory_row(tick)]
                )
                writer.commit_judgement(make_judgement(tick))
            if writer.tick == 7:
                writer.rewind()
            else:
                writer.extend_horizon(meta.with_hours(2.0))
            with RunReader(path) as run:
                assert run.interviews() == [make_row(0), make_row(0, 1)]
                assert (run.memories(), run.judgements()) == (
                    [make_memory_row(0)],
                    [make_judgement(0)],
                )


def test_a_note_is_read(path: Path, meta: RunMeta) -> None:
    with RunWriter.create(path, meta) as writer:
        writer.note("hint", "{}")
    with RunReader(path) as run:
        assert (run.find_note("hint"), run.find_note("lost")) == ("{}", None)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE remembered SET events = '7'",
        "UPDATE remembered SET events = 'x'",
        "DROP TABLE judgements",
    ],
)
def test_what_is_not_as_it_was_written_is_damage(path: Path, meta: RunMeta, sql: str) -> None:
    with RunWriter.create(path, meta) as writer:
        live(writer, 0)
        writer.commit_interviews([], remembered=[make_memory_row(0)])
    _execute(path, sql)
    with pytest.raises(RecordError, match="damaged"), RunReader(path) as run:
        _ = run.memories(), run.judgements()
