"""What the model replies: a flat object whose first field can only be one of the options."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from genagents_env.cognition.replies import narrow, one_of
from genagents_env.llm.schemas import ReplyModel
from genagents_env.text import clean, set_apart

SAY_LIMIT, DOING_LIMIT = 160, 48


def _cut(limit: int) -> BeforeValidator:
    return BeforeValidator(lambda v: clean(v, limit) if isinstance(v, str) else v)


def _set_apart(value: object) -> object:
    return set_apart(clean(value, DOING_LIMIT - 2)) if isinstance(value, str) else value


class Decision(ReplyModel):
    """One decision. Texts too long are cut, since few endpoints enforce a length."""

    do: str
    say: Annotated[str, _cut(SAY_LIMIT), Field(max_length=SAY_LIMIT)]
    doing: Annotated[str, BeforeValidator(_set_apart), Field(max_length=DOING_LIMIT)]
    minutes: Annotated[int, Field(ge=1, le=60)]


def make_decision_model(options: tuple[str, ...]) -> type[Decision]:
    """Return `Decision` with `do` limited to `options`, of which there is at least one."""
    return narrow(Decision, do=one_of(options))
