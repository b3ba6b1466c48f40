from pathlib import Path

import numpy as np

from genagents_env.record import InterviewRow, RunReader, RunWriter
from genagents_env.show.evidence import find_evidence_lines, find_rested_answers
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event
from tests.study.report.planted import ADA, ASKED, BEN, cake, make_utterance, meta, plant


def test_answers_come_with_the_verdicts_on_them(tmp_path: Path) -> None:
    with RunReader(cake(tmp_path / "a")) as run:
        found = find_rested_answers(RunData(run))
    told = {(one.tick, one.agent, one.repeat): one for one in found}
    assert told[60, ADA, 0].verdicts == ("suspect: Ben (arbiter)",)
    assert told[60, ADA, 1].verdicts == ("suspect: Ada (arbiter)",)
    assert told[0, ADA, 0].verdicts == ()
    assert told[60, BEN, 1].text == "Ben."
    assert told[60, BEN, 1].question == ASKED


def test_events_are_lines_with_day_and_time_and_the_unknown_and_the_later_say_so(
    tmp_path: Path,
) -> None:
    path = plant(tmp_path / "a", 9, [make_utterance(5, ADA, "Hello \x1b[2Jthere")])
    with RunReader(path) as run:
        said, early, missing = find_evidence_lines(run, (2, 0, 99), tick=5)
        (later,) = find_evidence_lines(run, (2,), tick=4)
    assert said.line == f'Mon 08:00:50  {ADA} to {BEN}: "Hello there"'
    assert said.known
    assert early.line.startswith(f"Mon 08:00:00  {ADA} is at Cottage/kitchen")
    assert (missing.line, missing.known) == ("event 99, which is not in the record", False)
    assert (later.line, later.known) == (said.line, False)


def test_the_evidence_of_a_stored_answer_is_read(tmp_path: Path) -> None:
    with RunWriter.create(tmp_path / "a", meta()) as writer:
        writer.commit_tick(
            0, np.zeros((2, 2), np.int16), [Event(0, 0, "whisper", ADA, {"text": "x"})]
        )
        writer.commit_interviews([InterviewRow(0, ADA, "Q?", "A.", (0,))])
    with RunReader(tmp_path / "a") as run:
        (answer,) = find_rested_answers(RunData(run))
    assert [one.line for one in answer.evidence] == [f'Mon 08:00:00  {ADA} thinks: "x"']
