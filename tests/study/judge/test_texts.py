import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.record import InterviewRow, RunReader, RunWriter
from genagents_env.run import PolicySpec, run
from genagents_env.study.evaluate.questions import make_standard_questions
from genagents_env.study.judge import load_rubric, load_texts
from genagents_env.study.judge.prompting import make_pair_messages, make_rating_messages
from tests.run.asked import ADA, BEN, suspicious, write_run
from tests.run.towns import FOUR, make_spec
from tests.study.judge.planted import answer

CONTEXT = 2048 - 200 - 64  # tokens of the embedded model, without the reply and the schema's words


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "run.sqlite"
    write_run(path)
    return path


def test_answers_of_both_ends_are_read_with_what_a_judge_needs(path: Path) -> None:
    found = load_texts(path, "idle", "trial-1", block="tiny")
    assert Counter((one.when, one.question_id) for one in found) == {
        ("before", "thief"): 6,
        ("after", "thief"): 6,
        ("after", "tea"): 3,
        ("after", "ties"): 6,
    }
    one = next(one for one in found if one.when == "after" and one.agent == BEN)
    assert (one.run, one.condition, one.seed, one.block) == ("trial-1", "idle", 3, "tiny")
    assert one.person.startswith(f"{BEN}, ")
    assert all(bool(one.day) == (one.when == "after") for one in found)
    assert len({one.id for one in found}) == len(found)


def test_interviews_in_between_are_left_out_and_standard_ones_have_their_kind(path: Path) -> None:
    question = make_standard_questions(ADA, suspicious())["plans"][0]
    with RunWriter.open(path) as writer:
        rows = [InterviewRow(1, ADA, "Now?", "No.", ()), InterviewRow(3, ADA, question, "Hm.", ())]
        writer.commit_interviews(rows)
    found = load_texts(path, "idle", "run")
    assert [one.question_id for one in found if one.text == "Hm."] == ["plans"]
    assert not any(one.question == "Now?" for one in found)


def test_what_people_wrote_is_cleaned(path: Path) -> None:
    with RunWriter.open(path) as writer:
        writer.commit_interviews([InterviewRow(3, ADA, "Odd?", "a\x1b[31mb\u202ec\n" * 900, ())])
    (odd,) = (one for one in load_texts(path, "idle", "run") if one.question == "Odd?")
    assert odd.text.startswith("abc abc")
    assert len(odd.text) <= 2000


def test_an_id_changes_with_whatever_was_said_and_tells_nothing() -> None:
    one = answer()
    changes: list[dict[str, object]] = [
        {"run": "b"}, {"condition": "b"}, {"seed": 7}, {"agent": "b"}, {"when": "before"},
        {"question": "b"}, {"repeat": 7}, {"text": "b"}, {"block": "b"},
    ]  # fmt: skip
    ids = {answer(**{"run": one.run, **change}).id for change in changes}  # type: ignore[arg-type]  # see `answer`
    assert len(ids | {one.id}) == 10
    assert one.id[0] == "a"
    assert len(one.id) == 13


def test_conversations_and_days_can_be_judged(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    policy = PolicySpec("scripted")
    run(make_spec("valentines_party", 40, people=FOUR[:3], place="Hobbs Cafe", policy=policy), path)
    with RunReader(path) as record:
        names = record.meta.names
        lines = [e.data["text"] for e in record.events() if e.kind == "say"]
    days = load_texts(path, "scripted", "run", about="day")
    assert [one.agent for one in days] == list(names)
    talks = load_texts(path, "scripted", "run", about="conversation")
    assert lines
    assert talks
    for one in talks:
        assert set(one.agent.split(", ")) <= set(names)
        assert any(line in one.text for line in lines)
        prompt = make_rating_messages(one, load_rubric("dialogue_formality"))[1].content
        assert json.dumps(one.person, ensure_ascii=False)[:60] in prompt


@pytest.mark.parametrize("char", ["word ", "字", "😀 ", '"<>\\ ', "7 "])
def test_every_prompt_fits_a_small_context(char: str) -> None:
    text = char * 2000
    one = answer(text=text, day="\n".join([text[:500]] * 9), person=text, question=text[:300])
    for name in ("believability", "persona"):
        assert bound_prompt_tokens(make_rating_messages(one, load_rubric(name))) < CONTEXT
        assert bound_prompt_tokens(make_pair_messages([one, one], load_rubric(name))) < CONTEXT
    day = replace(one, text=one.day, question="day")
    assert (
        bound_prompt_tokens(make_rating_messages(day, load_rubric("dialogue_formality"))) < CONTEXT
    )
