"""The interview: one call a question, from what it brings to mind and the last messages."""

from collections.abc import Sequence

from genagents_env.cognition.here_and_now import describe_now, format_moment
from genagents_env.cognition.interview import (
    QUESTION_LIMIT,
    AnswerReply,
    EvidenceLine,
    ask_answer,
)
from genagents_env.cognition.mind import list_known_texts
from genagents_env.cognition.policy import gather_all
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import CallKey
from genagents_env.policy import INTERVIEW_CALLS, Answer, RecalledMemory
from genagents_env.text import clean

from .memory import recall
from .mind import SimuverseMind
from .prompt import describe_history, describe_purpose

_RECALLED = 20  # memories that a question brings to mind
_ANYTHING = -1.0  # the least cosine of them


async def answer_questions(
    mind: SimuverseMind, questions: Sequence[str], repeat: int = 0
) -> list[Answer]:
    """Return an answer to each question, each asked by itself; the mind stays as it is."""
    numbered = enumerate(questions, repeat * INTERVIEW_CALLS)
    return await gather_all(_answer(mind, number, text) for number, text in numbered)


def list_memories(mind: SimuverseMind) -> list[RecalledMemory]:
    """Return what the agent remembers, or the last messages where it has no memory."""
    if mind.config.memory == "rag":
        return [RecalledMemory(item.text, item.events) for item in mind.memory]
    return [
        RecalledMemory(line.text, (line.event,) if line.event >= 0 else ()) for line in mind.history
    ]


async def _answer(mind: SimuverseMind, number: int, question: str) -> Answer:
    asked = clean(question, QUESTION_LIMIT)
    grounds = await _find_grounds(mind, asked)
    tick = mind.tick + 1
    now = mind.services.to_time(tick * mind.services.seconds_per_tick)
    shown = mind.services.prompts.fill(
        "interview",
        mind.profile,
        [
            describe_now(now, ""),
            Section("question", [["question", asked]]),
            *describe_purpose(mind),
            *([describe_history(mind)] if mind.config.memory == "rag" else []),
        ],
        memories=grounds,
    )
    key = CallKey(mind.agent, tick, "interview", number)
    answered = await ask_answer(mind, key, shown)
    reply: AnswerReply = answered.value
    events = {e for id_ in shown.find_ids(reply.because) for e in grounds[id_][1].events}
    return Answer(reply.answer, tuple(sorted(events)), answered.fallback)


async def _find_grounds(mind: SimuverseMind, question: str) -> list[tuple[str, EvidenceLine]]:
    """Return what an answer may rest on, best first, each with words for when it was."""
    if mind.config.memory == "rag":
        recalled = await recall(mind, question, _RECALLED, _ANYTHING)
        return [
            (when, EvidenceLine(id_, item.text, item.events))
            for id_, (when, item) in enumerate(recalled)
        ]
    lines = [(line.head, line.text, line.event) for line in mind.history[::-1]]
    past = [(format_moment(one.time), one.text, -1) for one in mind.profile.dated[::-1]]
    always = [("always", text, -1) for text in list_known_texts(mind.profile)]
    return [
        (when, EvidenceLine(id_, text, (event,) if event >= 0 else ()))
        for id_, (when, text, event) in enumerate([*lines, *past, *always])
    ]
