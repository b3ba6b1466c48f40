"""The scenario's questions, put to one person at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from genagents_env.scenario.schema import Question, Scenario

PERSON = "{person}"  # in a question about everyone: replaced by a name

When = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class PosedQuestion:
    """A question as `agent` hears it; `person` is whom it is about, if anybody."""

    agent: str
    question_id: str
    text: str
    person: str | None


def list_questions(scenario: Scenario, names: Sequence[str], when: When) -> list[PosedQuestion]:
    """List the questions to `names` at this end of a run.

    In the order of `names`, then of the scenario's questions, then of `names` again for those
    asked about everyone. The texts put to one person all differ (the loader sees to it), so agent
    and text find a question again.

    Args:
        scenario: of the run.
        names: the people of the run; only they are asked, and asked about.
        when: before it begins or after it ends.
    """
    due = [question for question in scenario.questions if question.when in (when, "both")]
    return [
        PosedQuestion(agent, question.id, text, person)
        for agent in names
        for question in due
        if not question.to or agent in question.to
        for person, text in _texts(question, agent, names)
    ]


def _texts(
    question: Question, agent: str, names: Sequence[str]
) -> Iterator[tuple[str | None, str]]:
    if question.about == "nobody":
        yield None, question.text
        return
    for name in names:
        if name != agent:
            yield name, question.text.replace(PERSON, name)
