"""Interviews, memories of facts and verdicts in a run file."""

from dataclasses import replace
from pathlib import Path

from genagents_env.llm.calls import CallKey
from genagents_env.record import (
    FaultRow,
    InterviewRow,
    JudgementRow,
    NoteRow,
    RememberedRow,
    RunMeta,
    RunReader,
    RunWriter,
    canonical_hash,
)
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
    path: Path, meta: RunMeta, rows: list[InterviewRow], memories: list[RememberedRow]
) -> str:
    with RunWriter.create(path, meta, force=True) as writer:
        live(writer, 2)
        writer.commit_interviews(rows, remembered=memories)
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


def test_the_hash_covers_answers_evidence_repeats_and_memories(path: Path, meta: RunMeta) -> None:
    first = hash_of(path, meta, [make_row(2), make_row(2, 1)], [make_memory_row(2)])
    assert hash_of(path, meta, [make_row(2, 1), make_row(2)], [make_memory_row(2)]) == first
    others = [
        ([make_row(2)], [make_memory_row(2)]),
        ([make_row(2, 1)], [make_memory_row(2)]),
        ([make_row(2), make_row(2, 2)], [make_memory_row(2)]),
        ([make_row(2), make_row(2, 1, "Tea.")], [make_memory_row(2)]),
        ([], [make_memory_row(2)]),
        ([make_row(2, evidence=()), make_row(2, 1)], [make_memory_row(2)]),
        ([make_row(2), make_row(2, 1)], []),
        ([make_row(2), make_row(2, 1)], [make_memory_row(2, "Tea is on.", 1)]),
        ([make_row(2), make_row(2, 1)], [make_memory_row(0)]),
    ]
    assert len({first, *(hash_of(path, meta, rows, memories) for rows, memories in others)}) == 10


def test_the_hash_leaves_out_verdicts(path: Path, meta: RunMeta) -> None:
    before = hash_of(path, meta, [make_row(2)], [])
    with RunWriter.open(path) as writer:
        writer.commit_judgement(make_judgement(2))
        assert canonical_hash(path) == before
    assert canonical_hash(path) == before


def test_a_longer_run_drops_all_that_was_asked_and_judged_at_its_old_end(
    path: Path, meta: RunMeta
) -> None:
    with RunWriter.create(path, meta) as writer:
        for tick, purpose in [(0, "interview"), (7, "interview"), (7, "interview.again")]:
            key, recorded = call(tick)
            writer.cassette.put(CallKey(key.agent, tick, purpose, 0), recorded)
        writer.cassette.put(*call(7))
        live(writer, 7)
        notes = [
            NoteRow(tick, tick, ADA, purpose, 0, "cut", '{"talk": 1}')
            for tick, purpose in ((0, "interview"), (7, "interview"), (7, "interview.answer"))
        ]
        memories = [make_memory_row(0), make_memory_row(7)]
        writer.commit_interviews([make_row(0), make_row(7)], remembered=memories, notes=notes)
        for tick in (0, 7):
            writer.commit_judgement(make_judgement(tick))
        writer.set_status("finished")
        writer.extend_horizon(meta.with_hours(2.0))
        assert writer.status == "running"
    with RunReader(path) as run:
        assert run.meta.arguments["hours"] == 2.0
        assert (run.interviews(), run.notes()) == ([make_row(0)], notes[:1])
        assert (run.memories(), run.judgements()) == (memories[:1], [make_judgement(0)])
        assert [(c.tick, c.purpose) for c in run.calls()] == [(0, "interview"), (7, "decide")]


def test_a_rewind_drops_later_answers_memories_and_verdicts_and_keeps_calls(
    path: Path, meta: RunMeta
) -> None:
    with RunWriter.create(path, meta) as writer:
        key, recorded = call(7)
        writer.cassette.put(CallKey(key.agent, 7, "interview", 0), recorded)
        live(writer, 7)
        for tick in (0, 7):
            writer.commit_interviews([make_row(tick)], remembered=[make_memory_row(tick)])
            writer.commit_judgement(make_judgement(tick))
        writer.rewind()
    with RunReader(path) as run:
        assert (run.interviews(), run.memories()) == ([make_row(0)], [make_memory_row(0)])
        assert run.judgements() == [make_judgement(0)]
        assert len(list(run.calls())) == 1
