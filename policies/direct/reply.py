"""What the model replies: one action, by one schema, whatever is possible at the moment."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from genagents_env.llm.schemas import ReplyModel
from genagents_env.text import clean

PURPOSE = "act"
TARGET_LIMIT, WORDS_LIMIT = 200, 480


def _cut(limit: int) -> BeforeValidator:
    # Few endpoints enforce a length, and words too long are still words.
    return BeforeValidator(lambda v: clean(v, limit) if isinstance(v, str) else v)


class DirectReply(ReplyModel):
    """One action; fields that it does not need are left empty.

    Attributes:
        do: what is done; `interact` walks to the object first, `leave` ends a conversation.
        target: of `move` a place or person, of `interact` an object, of `talk` a person, or
            nobody for all in earshot.
        words: of `talk` what is said, of `interact` the state to put the object into.
        minutes: of `wait` how long, unless somebody speaks to one before.
    """

    wire_name: ClassVar[str] = "Act"
    wire_description: ClassVar[str] = "One action; fields that it does not need are empty."
    verbatim: ClassVar[bool] = True

    do: Literal["move", "talk", "interact", "leave", "wait"]
    target: Annotated[str, _cut(TARGET_LIMIT), Field(max_length=TARGET_LIMIT)] = ""
    words: Annotated[str, _cut(WORDS_LIMIT), Field(max_length=WORDS_LIMIT)] = ""
    minutes: Annotated[int, Field(ge=1, le=60)] = 1
