"""The paper's controlled evaluation by the command line: one life, several conditions, rankings."""

import csv
import json
from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint, always_invalid
from genagents_env.study.judge.kept_answers import read_answers
from tests.cli.conftest import Run

MARIA, KLAUS = "Maria Lopez", "Klaus Mueller"
FOUR = [
    *("full", "no_reflection", "no_reflection_no_planning"),
    "no_observation_no_reflection_no_planning",
]
KEPT = Path("run.interviews.jsonl")


@pytest.fixture
def lived(genagents: Run) -> Run:
    """Return the command line with a finished run of two smallville minds."""
    code, _, err = genagents(
        *("run", "valentines_party", "--people", f"{MARIA},{KLAUS}", "--policy", "smallville"),
        *("--model", "scripted:neighbour", "--embedder", "hashed", "-q"),
        *("--start", "10:00", "--hours", "0.1"),
    )
    assert (code, err) == (0, "")
    return genagents


def test_one_life_answers_25_questions_under_four_conditions_five_with_people(lived: Run) -> None:
    before = Path("run.sqlite").read_bytes()
    code, out, err = lived("interview", "run.sqlite", "--agent", MARIA, "--ablations", "-q")
    assert (code, err) == (0, "")
    for name in FOUR:
        assert f"  {name} (scripted:neighbour): 1 people, 25 questions, 25 answers" in out
    kept = read_answers(KEPT)
    assert [one.said.condition for one in kept] == [name for name in FOUR for _ in range(25)]
    assert Path("run.sqlite").read_bytes() == before
    # Asked again, nobody is: the file has it all.
    code, _, err = lived("interview", "run.sqlite", "--agent", MARIA, "--ablations", "-q")
    assert code == 0
    assert err.count("has these answers under") == 4
    assert read_answers(KEPT) == kept
    lived("interview", "run.sqlite", "--agent", MARIA, "--write-sheet", "people.csv")
    with Path("people.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 26
    for row in rows[1:]:
        row[2] = "synthetic: a test wrote this answer, no person"
    with Path("people.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    code, out, err = lived(
        *("interview", "run.sqlite", "--agent", MARIA, "--read-sheet", "people.csv"),
        *("--author", "synthetic"),
    )
    assert (code, err) == (0, "")
    assert "people (synthetic): 1 people, 25 questions, 25 answers" in out
    assert read_answers(KEPT)[:100] == kept
    # Judges and raters see five answers to each question.
    assert lived("judge", str(KEPT), "--ranks", "--sheet", "ranks.csv")[0] == 0
    with Path("ranks.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *rows = list(csv.reader(file))
    groups = [row[head.index("group")] for row in rows]
    assert {groups.count(group) for group in groups} == {5}
    assert len(rows) == 5 * 25


def test_stored_answers_are_ranked_by_a_judge_and_listed_by_question_without_a_model(
    lived: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived("interview", "run.sqlite", "--question", "Any news?", "--ablations", "-q")
    code, out, err = lived("judge", str(KEPT), "--pairwise", "--model", "scripted", "--json", "-q")
    assert (code, err) == (0, "")
    (ranking,) = json.loads(out)["rankings"]
    assert {*ranking["mean_ranks"]} == {*FOUR}
    monkeypatch.setattr("genagents_env.run.models.open_endpoint", None)
    code, out, err = lived("interview", "run.sqlite", "--list")
    assert (code, err) == (0, "")
    heads = [line for line in out.splitlines() if line.startswith("Q: ")]
    assert heads[0] == "Q: Do you know of a Valentine's Day party?"
    assert heads[-1] == "Q: Any news?"
    assert len(heads) == len({*heads})
    assert f"    Mon 13 Feb 10:06  {MARIA} [condition full, given by scripted:neighbour]: " in out
    told = json.loads(lived("interview", "run.sqlite", "--list", "--json")[1])
    by = {f"condition {name}, given by scripted:neighbour" for name in FOUR}
    assert {row["condition"] for row in told["answers"]} == {"", *by}


def test_what_a_stopped_interview_was_paid_for_is_kept_and_not_asked_again(lived: Run) -> None:
    asking = ("interview", "run.sqlite", "--agent", MARIA, "--ablations", "-q")
    code, _, err = lived(*asking, "--limit", "calls=60")
    assert code == 3
    assert f"{KEPT} has what was answered; the same command asks for the rest" in err
    assert len(read_answers(KEPT)) == 50  # two conditions of 25 questions
    assert lived(*asking, "--limit", "calls=110")[0] == 0  # 60 are spent, and 50 are missing
    assert [one.said.condition for one in read_answers(KEPT)] == [
        n for n in FOUR for _ in range(25)
    ]


def test_conditions_of_ones_own_and_who_asks(lived: Run) -> None:
    asking = ("interview", "run.sqlite", "--agent", MARIA, "--question", "Any news?", "-q")
    code, out, _ = lived(*asking, "--without", "planning,reflection", "--as", KLAUS)
    assert code == 0
    assert "A: " in out
    (one,) = read_answers(KEPT)
    assert (one.said.condition, one.interviewer) == ("no_reflection_no_planning", KLAUS)
    code, _, err = lived(*asking, "--without", "dreams")
    assert code == 2
    assert "'dreams' is not allowed; any of observation, planning, reflection" in err
    assert lived(*asking, "--read-sheet", "none.csv")[2].count("--author") == 1


def test_a_default_answer_is_marked_and_reported(
    lived: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ScriptedEndpoint(always_invalid, model="scripted:neighbour")
    monkeypatch.setattr("genagents_env.run.models.open_endpoint", lambda *_, **__: broken)
    code, out, err = lived("interview", "run.sqlite", "--question", "Any news?", "-q")
    assert code == 4
    assert out.count("(nobody said this: the model gave no usable reply)") == 2
    assert "2 of 2 answers are none" in err
