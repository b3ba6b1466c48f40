"""A town whose answers are judged, and runs of it: no mind, and answers written by hand."""

from collections.abc import Sequence
from pathlib import Path

from genagents_env.record import InterviewRow, RunReader, RunWriter
from genagents_env.run import PolicySpec, run
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import AnswerCheck, PlaceCheck, Question, Value, ValueCheck
from tests.run.towns import make_options, make_spec

ADA, BEN = "Ada Brook", "Ben Carver"
ANSWERS = {
    "Who took the tea?": ("Ben Carver, I think; not Cid.", "I cannot say.", "Cid Dale. Or Ben?"),
    "Is there tea?": ("Yes, in the kitchen.", "No.", "Ada has tea in the Kitchen."),
    "What of Ada Brook?": ("A friend.", "Nobody.", "A foe."),
    "What of Ben Carver?": ("A foe.", "A friend.", "A friend."),
}


def suspicious(repeats: int = 3) -> Scenario:
    """Return the tiny town with questions at both ends, and a check of each kind."""
    questions = (
        Question(id="thief", text="Who took the tea?", when="both"),
        Question(id="tea", text="Is there tea?", to=(BEN,)),
        Question(id="ties", text="What of {person}?", about="everyone"),
        Question(id="idle", text="Anything else?"),
    )
    thief = ValueCheck(
        kind="value",
        id="thief",
        question="thief",
        ask="Whom does the answer name as the thief?",
        values=(Value(value="Ben Carver"), Value(value="Cid Dale")),
        otherwise="nobody",
    )
    friends = ValueCheck(
        kind="value",
        id="friends",
        question="ties",
        ask="Friend or foe?",
        values=(Value(value="friend"), Value(value="foe")),
    )
    knows = AnswerCheck(
        kind="answer", id="knows", question="tea", ask="Does it say tea is in the Kitchen?"
    )
    sure = AnswerCheck(kind="answer", id="sure", question="thief", ask="Is the answer sure?")
    there = PlaceCheck(kind="place", id="there", place="Cottage/kitchen")
    return load_scenario("tiny").model_copy(
        update={
            "questions": questions,
            "checks": (thief, friends, knows, there, sure),
            "interview_repeats": repeats,
        }
    )


def write_run(
    path: Path, scenario: Scenario | None = None, policy: str = "idle"
) -> list[InterviewRow]:
    """Make a finished run with these answers, and return them."""
    run(make_spec(scenario or suspicious(), 3, policy=PolicySpec(policy)), path, make_options())
    rows = make_rows(3)
    with RunWriter.open(path) as writer:
        writer.commit_interviews(rows)
    with RunReader(path) as record:
        assert record.interviews() == rows
    return rows


def make_rows(last: int) -> list[InterviewRow]:
    """Return three answers of everyone to every question put to them, by hand."""
    after = {ADA: ["What of Ben Carver?"], BEN: ["Is there tea?", "What of Ada Brook?"]}
    put: list[tuple[int, str, Sequence[str]]] = [
        *((0, agent, ["Who took the tea?"]) for agent in (ADA, BEN)),
        *((last, agent, ["Who took the tea?", *after[agent]]) for agent in (ADA, BEN)),
    ]
    return [
        InterviewRow(tick, agent, text, ANSWERS[text][repeat], (), repeat)
        for tick in (0, last)
        for repeat in range(3)
        for at, agent, texts in put
        if at == tick
        for text in texts
    ]
