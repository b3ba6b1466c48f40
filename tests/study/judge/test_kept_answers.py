"""Answers kept beside a run: added, never changed; read by judges; written by people, too."""

from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError, FileError
from genagents_env.record import RunReader
from genagents_env.study.judge.kept_answers import (
    PEOPLE,
    KeptAnswer,
    WordedAnswer,
    add_answers,
    load_kept_texts,
    make_answers,
    read_answers,
)
from genagents_env.study.judge.sheets import read_written_answers, write_question_sheet
from tests.run.towns import run_town

ADA, BEN = "Ada Brook", "Ben Carver"
PUT = {ADA: ["Who?", "=Where?"], BEN: ["Who?"]}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[KeptAnswer]:
    path = tmp_path_factory.mktemp("kept") / "run.sqlite"
    run_town(path, 10)
    given = {ADA: [WordedAnswer("Who?", "Me.", 0, (3,))], BEN: [WordedAnswer("Who?", "He.")]}
    with RunReader(path) as record:
        return make_answers(record, 10, "full", given, source="hash", by="model")


def test_what_is_kept_is_read_again_and_never_replaced(
    answers: list[KeptAnswer], tmp_path: Path
) -> None:
    file = tmp_path / "run.interviews.jsonl"
    assert read_answers(file) == []
    assert add_answers(file, answers) == 2
    assert read_answers(file) == answers
    said = answers[0].said
    assert (said.run, said.condition, said.agent, said.when) == ("run", "full", ADA, "after")
    assert said.person.startswith(f"{ADA}, ")
    assert said.day
    before = file.read_bytes()
    changed = [replace(one, said=replace(one.said, text="Nobody.")) for one in answers]
    assert add_answers(file, changed) == 0
    assert file.read_bytes() == before
    other = [replace(one, said=replace(one.said, condition="no_reflection")) for one in changed]
    assert add_answers(file, other) == 2
    assert file.read_bytes().startswith(before)
    file.write_bytes(b"{}\n" + before)
    with pytest.raises(FileError, match="line 1: this is no answer"):
        read_answers(file)


def test_several_models_and_authors_are_told_apart(
    answers: list[KeptAnswer], tmp_path: Path
) -> None:
    file = tmp_path / "kept.jsonl"
    with pytest.raises(FileError, match="no answers in it"):
        load_kept_texts(file)
    written = [replace(one, said=replace(one.said, condition=PEOPLE), by="Ana") for one in answers]
    add_answers(file, [*answers, *written])
    assert {text.condition for text in load_kept_texts(file)} == {"full", "people"}
    add_answers(file, [replace(one, by="other") for one in answers])
    assert {text.condition for text in load_kept_texts(file)} == {
        *("full / model", "full / other", "people")
    }


def test_another_moment_and_another_asker_are_compared_apart(tmp_path: Path) -> None:
    run_town(tmp_path / "run.sqlite", 10)
    given = {ADA: [WordedAnswer("Who?", "Me.")]}
    blocks = []
    with RunReader(tmp_path / "run.sqlite") as record:
        for tick, asker in ((10, ""), (6, ""), (10, "Tom")):
            (one,) = make_answers(
                *(record, tick, "full", given), source="s", by="m", interviewer=asker
            )
            blocks.append(one.said.block)
    assert blocks == ["tiny", "tiny, 2023-02-13 09:01:00", "tiny, asked by Tom"]


def test_a_sheet_that_a_person_filled_in_is_taken_in(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    assert write_question_sheet(sheet, PUT) == 3
    rows = [line.split(",") for line in sheet.read_text(encoding="utf-8-sig").splitlines()]
    # Synthetic: written by this test, not by a person.
    for row, text in zip(rows[1:], ("Ada, of course.", "Here.", ""), strict=True):
        row[2] = text
    sheet.write_text("\n".join(map(";".join, rows)), encoding="utf-8")
    assert read_written_answers(sheet, PUT) == {
        ADA: [WordedAnswer("Who?", "Ada, of course."), WordedAnswer("=Where?", "Here.")]
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("agent,question\n", "row 1: one column of each name is wanted: answer"),
        ("agent,question,answer\nAda Brook,What?,This.\n", "row 2: 'Ada Brook' is not asked"),
        ("agent,question,answer\nBob,Who?,This.\n", "row 2: 'Bob' is not asked 'Who"),
        ("agent,question,answer\nAda Brook,Who?,\n", "nothing is answered"),
        ("agent,question,answer\nAda Brook,Who?,I\nAda Brook,Who?,We\n", "row 3: a second answer"),
    ],
)
def test_faults_of_a_filled_sheet_are_named(tmp_path: Path, text: str, says: str) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(text)
    with pytest.raises(ConfigError, match=says.replace("?", r"\?")):
        read_written_answers(sheet, PUT)
