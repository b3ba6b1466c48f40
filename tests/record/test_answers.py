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
    assert len({first, *(hash_of(path, meta, rows, memories) for rows, memories in others)}) == 10


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
        writer.set_status("finished")
    rewound = path.with_name("rewound.sqlite")
    rewound.write_bytes(path.read_bytes())
    with RunWriter.open(path) as writer:
        writer.extend_horizon(meta.with_hours(2.0))
        assert (writer.status, writer.meta.arguments["hours"]) == ("running", 2.0)
    with RunWriter.open(rewound) as writer:
        writer.rewind()
    for file, calls in ((path, 2), (rewound, 4)):  # a rewind keeps what was paid for
        with RunReader(file) as run:
            assert (run.interviews(), run.notes()) == (rows[:1], notes[:1])
            assert (run.memories(), run.judgements()) == (memories[:1], [make_judgement(0)])
            assert len(list(run.calls())) == calls
