from pathlib import Path

import numpy as np
import pytest

from benchmarks.days import FIGURES, count_refused_openings, measure_days, share_unspoken
from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import RecordedReply
from genagents_env.policy import NoteKind
from genagents_env.record import Checkpoint, NoteRow, RunReader, RunWriter
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event
from tests.study.report.planted import (
    ADA,
    BEN,
    Happening,
    make_join,
    make_utterance,
    meta,
    plant,
    start,
)

KINDS: tuple[NoteKind, ...] = ("cut", "wish")


def test_only_words_refused_as_a_talk_opens_are_refused_together(tmp_path: Path) -> None:
    """Ben's are in the tick in which both talk for the first time; Ada's come later."""
    refusal = {"action": "talk", "reason": "someone else was speaking"}
    happenings: list[Happening] = [
        (2, "converse", ADA, {"conversation": 0, "members": [ADA, BEN]}),
        (2, "fail", BEN, refusal),
        (2, "fail", BEN, {"action": "talk", "reason": "nobody is near"}),
        (5, "fail", ADA, refusal),
    ]
    with RunReader(plant(tmp_path / "run.sqlite", 10, happenings)) as run:
        assert count_refused_openings(RunData(run)) == 1


def plan_calls(path: Path, said: dict[int, str]) -> Path:
    """Write a run in which Ada is asked for words at these ticks, and speaks at ticks 3 and 9."""
    heard = (make_join(2, ADA), make_utterance(3, ADA, "Hello."), make_utterance(9, ADA, "Bye."))
    events = [Event(id_, *one) for id_, one in enumerate((start(ADA), start(BEN), *heard))]
    with RunWriter.create(path, meta()) as writer:
        for tick in range(13):
            own = [event for event in events if event.tick == tick]
            writer.commit_tick(tick, np.zeros((2, 2), dtype=np.int16), own)
        for tick, reply in said.items():
            key = CallKey(ADA, tick, "converse.speak", 0)
            writer.cassette.put(key, RecordedReply("hash", "reply", reply, 1, 1, 1, 0))
        writer.set_status("finished")
    return path


def test_a_call_for_words_that_were_never_said_is_lost(tmp_path: Path) -> None:
    """The words of tick 5 are given up before the next were asked for; to pass is no loss."""
    said = {
        2: '{"say": "Hello.", "end": false}',
        5: '{"say": "How are you?", "end": false}',
        7: '{"say": "", "end": false}',
        8: '{"say": "Bye.", "end": true}',
        11: '{"say": "Wait!", "end": false}',
    }
    with RunReader(plan_calls(tmp_path / "run.sqlite", said)) as run:
        data = RunData(run)
        assert share_unspoken(data, data.calls) == pytest.approx(2 / 4)


def test_idle_things_and_other_days_are_no_events_of_the_run(tmp_path: Path) -> None:
    stream = {
        "kind": ["event", "event", "event", "thought"],
        "text": ["Ben is baking", "the stove is idle", "Ben went away", "I like Ben"],
        "cause": ["", "", "seed", ""],
    }
    with RunWriter.create(tmp_path / "run.sqlite", meta()) as writer:
        for tick in range(361):
            own = [Event(0, 0, *start(ADA)[1:]), Event(1, 0, *start(BEN)[1:])] if not tick else []
            wishes = [
                NoteRow(tick, 3, ADA, "ground.pieces", k, kind, '{"talk": 1}')
                for k, kind in enumerate(KINDS)
            ]
            at = np.zeros((2, 2), dtype=np.int16)
            writer.commit_tick(tick, at, own, notes=wishes if tick == 4 else ())
        writer.checkpoint(Checkpoint(360, {}, [{ADA: {"stream": stream}, BEN: {}}]))
        writer.set_status("finished")
    with RunReader(tmp_path / "run.sqlite") as run:
        values = measure_days(RunData(run))
    assert values["remembered"] == pytest.approx(1 / 2)
    assert values["wishes"] == 1
    assert set(values) == {figure.name for figure in FIGURES}


def test_a_figure_holds_within_its_bounds_and_fails_without_a_value() -> None:
    turns = next(figure for figure in FIGURES if figure.name == "turns")
    assert [turns.judge(value) for value in (3.9, 4, 16, 16.1, None)] == [
        *("FAILS", "holds", "holds", "FAILS", "FAILS"),
    ]
    assert next(figure for figure in FIGURES if figure.name == "calls").judge(9) == ""
