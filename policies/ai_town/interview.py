"""The interview: questions answered from memory at any moment, leaving no trace.

AI Town has none. An answer names the memories, and the words of the talk under way, that it rests
on; their events in the record are its evidence.
"""

from collections.abc import Sequence

from genagents_env.cognition.interview import (
    TimedEvidence,
    answer_from,
    number_evidence,
    number_questions,
)
from genagents_env.cognition.policy import gather_all
from genagents_env.cognition.prompts import Section, describe_now
from genagents_env.llm.calls import CallKey
from genagents_env.policy import Answer, InterviewTerms
from genagents_env.text import clean

from .mind import AiTownMind
from .prompt import describe_plan
from .retrieve import recall

_NAME = 60  # characters of the interviewer's name


async def answer_questions(
    mind: AiTownMind, questions: Sequence[str], *, repeat: int, terms: InterviewTerms
) -> list[Answer]:
    """Return an answer to each question, asked together; `mind.state()` stays as it is.

    Args:
        mind: who is asked.
        questions: the words of the interviewer.
        repeat: which of several interviews at this moment.
        terms: who asks, and what the answers have no access to.

    Raises:
        BudgetExceeded: a call does not fit the budget.
        ModelOutage: several calls in a row failed.
    """
    numbered = number_questions(mind, questions, repeat)
    return await gather_all(_answer(mind, key, question, terms) for key, question in numbered)


async def _answer(mind: AiTownMind, key: CallKey, question: str, terms: InterviewTerms) -> Answer:
    now = key.tick * mind.services.seconds_per_tick
    asker = clean(terms.interviewer, _NAME)
    evidence = await _list_evidence(mind, question, now, terms)
    sections = [
        describe_now(mind.services.to_time(now), ""),
        Section("question", [[f"{asker} asks you" if asker else "question", question]]),
        describe_plan(mind),
    ]
    shown = mind.fill("interview_answer", sections, evidence)
    return await answer_from(mind, key, shown, evidence)


async def _list_evidence(
    mind: AiTownMind, question: str, now: int, terms: InterviewTerms
) -> list[TimedEvidence]:
    """List the words of talks not remembered yet, then what the question brings to mind."""
    talks = [mind.talk.lines] if mind.talk is not None else []
    talks += [talk.lines for talk in mind.remembers]
    lines = [line for several in talks for line in several]
    if "observation" in terms.without:
        lines = []
    said = [
        (
            "you just said" if line.speaker == mind.name else f"{line.speaker} just said",
            line.text,
            (line.event,) if line.event >= 0 else (),
        )
        for line in lines
    ]
    count = mind.config.recall * mind.config.overfetch
    recalled = await recall(
        mind, question or mind.name, now, count=count, touch=False, without=terms.without
    )
    known = [(when, memory.text, mind.stream.sources([memory.id])) for when, memory in recalled]
    return number_evidence([*said, *known])
