"""Interviews of minds with memory: the reply, and the numbers that name its evidence."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, cast

from pydantic import BeforeValidator, Field, create_model

from genagents_env.cognition.mind import Mind
from genagents_env.cognition.prompts import FilledPrompt
from genagents_env.cognition.query import QueryOptions
from genagents_env.cognition.replies import list_of_numbers
from genagents_env.llm.calls import CallKey
from genagents_env.llm.client import ModelAnswer
from genagents_env.llm.schemas import SMALL, ReplyModel
from genagents_env.text import cut_sentences

UNKNOWN = "I do not know."
QUESTION_LIMIT = 1000  # characters of a question that are shown
_ANSWER_LIMIT, _SMALL_LIMIT = 800, 300  # characters of an answer; of a small model's
_NAMED = 8  # numbers it may name
_MAX_TOKENS = 900  # an answer in a script of a token a character, and the numbers


class AnswerReply(ReplyModel):
    """An answer, and the numbers of the prompt's lines that it rests on."""

    wire_name: ClassVar[str] = "Told"
    wire_description: ClassVar[str] = (
        "An answer, and the numbers in the prompt of what it rests on."
    )

    answer: Annotated[
        str,
        BeforeValidator(lambda v: cut_sentences(v, _ANSWER_LIMIT) if isinstance(v, str) else v),
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


async def ask_answer(
    mind: Mind[QueryOptions], key: CallKey, shown: FilledPrompt
) -> ModelAnswer[AnswerReply]:
    """Ask the question in a prompt, and note the lines that the prompt lost.

    Raises:
        BudgetExceeded: the call does not fit the budget.
        ModelOutage: several calls in a row failed.
    """
    mind.services.notes.add_cuts(key, shown.cuts)
    return await mind.services.model.ask(
        key,
        shown.messages,
        make_interview_model(len(shown.memories)),
        fallback=make_default_reply(),
        max_tokens=_MAX_TOKENS,
        temperature=mind.config.temperature,
    )


def make_default_reply() -> AnswerReply:
    """Return the reply of an agent that does not know, without evidence."""
    return AnswerReply(answer=UNKNOWN, because=[])


@lru_cache(maxsize=256)
def make_interview_model(shown: int) -> type[AnswerReply]:
    """Return `AnswerReply` with numbers of lines from 1 to `shown`."""
    because = list_of_numbers(_NAMED, shown)
    made = create_model("AnswerReply", __base__=AnswerReply, because=(because, ...))
    return cast(type[AnswerReply], made)
