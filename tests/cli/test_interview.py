import json
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.record.canonical import canonical_hash
from genagents_env.study.evaluate.questions import make_standard_questions
from genagents_env.study.judge.kept_answers import (
    WordedAnswer,
    add_answers,
    find_kept_file,
    make_answers,
)
from tests.cli.conftest import Run
from tests.run.towns import FOUR, WITNESS

ADA, BEN = "Ada Brook", "Ben Carver"
TEA = "Is there anything in the kitchen?"


@pytest.fixture
def lived(genagents: Run) -> Run:
    """Return the command line with a finished run.sqlite of two scripted people."""
    code, _, err = genagents("run", "tiny", "--policy", "scripted", "--quiet")
    assert (code, err) == (0, "")
    return genagents


def test_answers_come_with_the_events_they_rest_on_and_of_the_moment_asked_for(lived: Run) -> None:
    code, out, err = lived("interview", "run.sqlite", "--question", TEA, "--quiet")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"{ADA}, Monday 09:0")
    answered = "    A: Yes. There is tea in the kitchen at five past nine."
    assert lines[1:3] == [f"    Q: {TEA}", answered]
    assert lines[3].startswith(BEN)
    assert lines[6].startswith(f"        Mon 09:00:30  {ADA} to {BEN}: ")
    asked = ("interview", "run.sqlite", "--agent", BEN, "--question", TEA, "-q")
    assert "A: No, I have not heard of that." in lived(*asked, "--at", "09:00:10")[1]
    assert "A: Yes." in lived(*asked, "--at", "09:01")[1]
    out = lived(*asked, "--question", "plans", "--question", "memory")[1]
    assert out.count("Q: ") == 11
    assert out.index(TEA) < out.index("tomorrow at noon") < out.index(f"Who is {ADA}?")


def test_json_is_one_object_and_the_file_stays_as_it_is(lived: Run) -> None:
    before = Path("run.sqlite").read_bytes()
    code, out, err = lived("interview", "run.sqlite", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    with RunReader("run.sqlite") as record:
        last = record.last_tick
        questions = make_standard_questions(ADA, record.meta.scenario)
        said = {event.id for event in record.events() if event.kind == "say"}
    assert (told["run"], told["tick"]) == ("run.sqlite", last)
    assert list(told["agents"]) == [ADA, BEN]
    asked = [answer["question"] for answer in told["agents"][ADA]]
    assert asked == [text for texts in questions.values() for text in texts]
    assert len(asked) == 25
    named = {e["event"] for answer in told["agents"][BEN] for e in answer["evidence"]}
    assert named
    assert named <= said
    assert Path("run.sqlite").read_bytes() == before
    assert [file.name for file in Path().iterdir()] == ["run.sqlite"]


def test_a_mind_with_a_model_is_asked_with_the_stored_replies(genagents: Run) -> None:
    arguments = ("--people", ",".join(FOUR), "--hours", "0.05", "--model", "scripted", "-q")
    assert genagents("run", "valentines_party", "--policy", WITNESS, *arguments)[0] == 0
    before = Path("run.sqlite").read_bytes()
    asking = ("interview", "run.sqlite", "--question", "Any news?", "--trust", "unchanged")
    code, out, _ = genagents(*asking)
    assert code == 0
    assert out.count("A: ") == 4
    assert Path("run.sqlite").read_bytes() == before
    assert genagents(*asking, "--limit", "calls=3")[0] == 3
    assert genagents("run", "tiny", "--interviews", "0", "--force", "-q")[0] == 0
    with RunReader("run.sqlite") as record:
        assert record.interviews() == []


def test_who_remembers_nothing_is_not_asked(genagents: Run) -> None:
    arguments = ("run", "tiny", "--policy", "idle", "--hours", "0.01", "-q")
    genagents(*arguments)
    code, _, err = genagents("interview", "run.sqlite")
    assert (code, "nobody in this run" in err) == (2, True)
    genagents(*arguments, "--force", "--policy", f"{ADA}=scripted")
    assert genagents("interview", "run.sqlite", "-q")[1].count(" Q: ") == 25
    code, _, err = genagents("interview", "run.sqlite", "--agent", BEN)
    assert (code, f"the policy of {BEN} remembers nothing" in err) == (2, True)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("own", "Ada Brook [condition full, given by toy, asked by Ben Carver]: Tea.\n"),
        ("another run's", "1 of 1 answers are left out; they are of another run"),
        ("nonsense", "Answers kept beside a run are left out"),
    ],
)
def test_answers_kept_beside_a_run_are_listed_with_what_they_rest_on(
    lived: Run, kept: str, told: str
) -> None:
    run = Path("run.sqlite")
    path = find_kept_file(run)
    with RunReader(run) as record:
        (said, *_) = (event.id for event in record.events() if event.kind == "say")
        source = canonical_hash(run) if kept == "own" else "f" * 64
        given = {ADA: [WordedAnswer(TEA, "Tea.", evidence=(said, 9999))]}
        one = make_answers(
            record, record.last_tick, "full", given, source=source, by="toy", interviewer=BEN
        )
    if kept == "nonsense":
        path.write_text("nonsense\nmore\n")
    else:
        add_answers(path, one)
    code, out, err = lived("interview", "run.sqlite", "--list")
    assert (code, told in out + err) == (0, True)
    assert ("event 9999, which is not in the record" in out) == (kept == "own")
