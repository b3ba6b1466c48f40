"""The interview: questions answered from memory at any moment, leaving no trace.

AI Town has none. An answer names the memories, and the words of the talk under way, that it rests
on; their events in the record are its evidence.
"""

from collections.abc import Sequence

from genagents_env.cognition.here_and_now import describe_now
from genagents_env.cognition.interview import (
    QUESTION_LIMIT,
    EvidenceLine,
    ask_answer,
)
from genagents_env.cognition.policy import gather_all
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import CallKey
from genagents_env.policy import INTERVIEW_CALLS, Answer, InterviewTerms
from genagents_env.text import clean

from .mind import AiTownMind
from .prompt import describe_plan
from .retrieve import recall

PURPOSE = "interview"
_NAME = 60  # characters of the interviewer's name


async def answer_questions(
    mind: AiTownMind, questions: Sequence[str], *, repeat: int, terms: InterviewTerms
) -> list[Answer]:
    """Return an answer to each question, asked together; `mind.state()` stays as it is.

    Args:
        mind: who is asked.
        questions: the words of the interviewer; they are data to the mind, like all others' words.
        repeat: which of several interviews at this moment; each has numbers of its own for calls.
        terms: who asks, and what the answers have no access to.

    Raises:
        BudgetExceeded: a call does not fit the budget.
        ModelOutage: several calls in a row failed.
    """
    tick = mind.tick + 1  # the moment after the last step, which no other call has had yet
    return await gather_all(
        _answer(mind, clean(question, QUESTION_LIMIT), CallKey(mind.agent, tick, PURPOSE, n), terms)
        for n, question in enumerate(questions, repeat * INTERVIEW_CALLS)
    )


async def _answer(mind: AiTownMind, question: str, key: CallKey, terms: InterviewTerms) -> Answer:
    now = key.tick * mind.services.seconds_per_tick
    asker = clean(terms.interviewer, _NAME)
    grounds = await _list_grounds(mind, question, now, terms)
    shown = mind.services.prompts.fill(
        "interview_answer",
        mind.profile,
        [
            describe_now(mind.services.to_time(now), ""),
            Section("question", [[f"{asker} asks you" if asker else "question", question]]),
            describe_plan(mind),
        ],
        memories=grounds,
    )
    answered = await ask_answer(mind, key, shown)
    found = [grounds[id_][1].events for id_ in shown.find_ids(answered.value.because)]
    events = sorted({event for several in found for event in several})
    return Answer(answered.value.answer, tuple(events), answered.fallback)


async def _list_grounds(
    mind: AiTownMind, question: str, now: int, terms: InterviewTerms
) -> list[tuple[str, EvidenceLine]]:
    """Return the words of talks not remembered yet, then what the question brings to mind."""
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
    found = await recall(
        mind, question or mind.name, now, count=count, touch=False, without=terms.without
    )
    known = [(when, memory.text, mind.stream.sources([memory.id])) for when, memory in found]
    return [
        (when, EvidenceLine(id_, text, events))
        for id_, (when, text, events) in enumerate([*said, *known])
    ]
