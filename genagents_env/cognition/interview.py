"""What minds with memory share of interviews: the reply, and how its evidence is named."""

from functools import lru_cache
from typing import Annotated, ClassVar, cast

from pydantic import BeforeValidator, Field, create_model

from genagents_env.cognition.replies import list_of_numbers
from genagents_env.llm.schemas import SMALL, ReplyModel
from genagents_env.text import cut_sentences

UNKNOWN = "I do not know."
QUESTION_LIMIT = 1000  # characters of a question that are shown
_ANSWER_LIMIT, _SMALL_LIMIT = 800, 300  # characters of an answer; of a small model's
_NAMED = 8  # numbers it may name


class AnswerReply(ReplyModel):
    """An answer, and the numbers in the prompt of the lines that it rests on."""

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


def make_default_reply() -> AnswerReply:
    """Return the reply of an agent that does not know; it names no evidence."""
    return AnswerReply(answer=UNKNOWN, because=[])


@lru_cache(maxsize=256)
def make_interview_model(shown: int) -> type[AnswerReply]:
    """Return `AnswerReply` with numbers of lines from 1 to `shown`."""
    because = list_of_numbers(_NAMED, shown)
    made = create_model("AnswerReply", __base__=AnswerReply, because=(because, ...))
    return cast(type[AnswerReply], made)
