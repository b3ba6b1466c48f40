"""The interview: one call a question, from what it brings to mind and the last messages."""

from collections.abc import Sequence

from genagents_env.cognition.interview import (
    TimedEvidence,
    answer_from,
    number_evidence,
    number_questions,
)
from genagents_env.cognition.mind import list_known_texts
from genagents_env.cognition.policy import gather_all
from genagents_env.cognition.prompts import Section, describe_now
from genagents_env.llm.calls import CallKey
from genagents_env.policy import Answer, RecalledMemory

from .memory import recall
from .mind import SimuverseMind
from .prompt import describe_history, describe_purpose

_RECALLED = 20  # memories that a question brings to mind
_ANYTHING = -1.0  # the least cosine of them


async def answer_questions(
    mind: SimuverseMind, questions: Sequence[str], repeat: int = 0
) -> list[Answer]:
    """Return an answer to each question, each asked by itself; the mind stays as it is."""
    numbered = number_questions(mind, questions, repeat)
    return await gather_all(_answer(mind, key, question) for key, question in numbered)


def list_memories(mind: SimuverseMind) -> list[RecalledMemory]:
    """List what the agent remembers, or the last messages where it has no memory."""
    if mind.config.memory == "rag":
        return [RecalledMemory(item.text, item.events) for item in mind.memory]
    return [
        RecalledMemory(line.text, (line.event,) if line.event >= 0 else ()) for line in mind.history
    ]


async def _answer(mind: SimuverseMind, key: CallKey, question: str) -> Answer:
    evidence = await _list_evidence(mind, question)
    now = mind.services.to_time(key.tick * mind.services.seconds_per_tick)
    sections = [
        describe_now(now, ""),
        Section("question", [["question", question]]),
        *describe_purpose(mind),
        *([describe_history(mind)] if mind.config.memory == "rag" else []),
    ]
    return await answer_from(mind, key, mind.fill("interview", sections, evidence), evidence)


async def _list_evidence(mind: SimuverseMind, question: str) -> list[TimedEvidence]:
    """List what an answer may rest on, best first, each with words for when it was."""
    if mind.config.memory == "rag":
        recalled = await recall(mind, question, _RECALLED, _ANYTHING)
        return number_evidence((when, item.text, item.events) for when, item in recalled)
    lines = [
        (line.head, line.text, (line.event,) if line.event >= 0 else ())
        for line in mind.history[::-1]
    ]
    services = mind.services
    past = [
        (services.format_moment(services.to_second(each.time)), each.text, ())
        for each in mind.profile.dated[::-1]
    ]
    always = [("always", text, ()) for text in list_known_texts(mind.profile)]
    return number_evidence([*lines, *past, *always])
