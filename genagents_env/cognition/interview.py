"""Interviews of minds with memory: the reply, and the numbers that name its evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field

from genagents_env.cognition.mind import Mind
from genagents_env.cognition.prompts import FilledPrompt
from genagents_env.cognition.query import QueryOptions
from genagents_env.cognition.replies import cut_to, list_of_numbers, narrow
from genagents_env.llm.calls import CallKey
from genagents_env.llm.schemas import SMALL, ReplyModel
from genagents_env.policy import INTERVIEW_CALLS, Answer
from genagents_env.text import clean

UNKNOWN = "I do not know."
QUESTION_LIMIT = 1000  # characters of a question that are shown
_ANSWER_LIMIT, _SMALL_LIMIT = 800, 300  # characters of an answer; of a small model's
_NAMED = 8  # numbers it may name
_MAX_TOKENS = 900  # an answer in a script of a token a character, and the numbers


class AnswerReply(ReplyModel):
    """An answer, and the numbers in the prompt of what it rests on."""

    wire_name = "Told"

    answer: Annotated[
        str,
        cut_to(_ANSWER_LIMIT),
        Field(
            min_length=1,
            max_length=_ANSWER_LIMIT,
            json_schema_extra={SMALL: {"maxLength": _SMALL_LIMIT}},
        ),
    ]
    because: list[int]


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A numbered line of the prompt, and the recorded events that it comes from."""

    id: int
    text: str
    events: tuple[int, ...]


TimedEvidence: TypeAlias = tuple[str, EvidenceLine]  # with words for when it was


def number_questions(
    mind: Mind[QueryOptions], questions: Sequence[str], repeat: int
) -> list[tuple[CallKey, str]]:
    """Return each question, cleaned, with the key of its call; each `repeat` has its own numbers.

    The calls are of the moment after the last step, which no other call has had yet.
    """
    return [
        (CallKey(mind.agent, mind.tick + 1, "interview", number), clean(text, QUESTION_LIMIT))
        for number, text in enumerate(questions, repeat * INTERVIEW_CALLS)
    ]


def number_evidence(lines: Iterable[tuple[str, str, Sequence[int]]]) -> list[TimedEvidence]:
    """Number what an answer may rest on: words for when it was, what it says, its events."""
    return [
        (when, EvidenceLine(id_, text, tuple(events)))
        for id_, (when, text, events) in enumerate(lines)
    ]


async def answer_from(
    mind: Mind[QueryOptions], key: CallKey, shown: FilledPrompt, evidence: Sequence[TimedEvidence]
) -> Answer:
    """Return the answer to the question in a prompt whose memories are `evidence`.

    With it the events of the lines that it names; lines that the prompt lost are noted.

    Raises:
        BudgetExceeded: the call does not fit the budget.
        ModelOutage: several calls in a row failed.
    """
    mind.services.notes.add_cuts(key, shown.cuts)
    answered = await mind.services.model.ask(
        key,
        shown.messages,
        make_interview_model(len(shown.memories)),
        fallback=make_default_reply(),
        max_tokens=_MAX_TOKENS,
        temperature=mind.config.temperature,
    )
    named = shown.find_ids(answered.value.because)
    events = {event for id_ in named for event in evidence[id_][1].events}
    return Answer(answered.value.answer, tuple(sorted(events)), answered.fallback)


def make_default_reply() -> AnswerReply:
    """Return the reply of an agent that does not know, without evidence."""
    return AnswerReply(answer=UNKNOWN, because=[])


def make_interview_model(shown: int) -> type[AnswerReply]:
    """Return `AnswerReply` with numbers of lines from 1 to `shown`."""
    return narrow(AnswerReply, because=list_of_numbers(_NAMED, shown))
