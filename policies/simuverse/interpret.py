"""The interpreter: a second model that turns a reply into the triple [agent, TOOL, context].

Whom it says the reply is of is not believed. Where it gives no triple, asked twice, that is a fault
of the interpreter and no strike of the agent's.
"""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from genagents_env.cognition.prompts import Section, describe_now, shorten_name
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import SMALL, ReplyModel

from . import scope, turns
from .checker import make_triple
from .grammar import FOUR_TOOLS, IDLE
from .mind import Handlers, SimuverseMind

TRIPLE = "interpret.triple"
ERROR = "ERROR"  # what the interpreter calls a reply without a tool


_Part: TypeAlias = Annotated[str, Field(max_length=400)]
# A small model is held to one of the tools while it writes.
_SMALL_PARTS: list[JsonValue] = [
    {"type": "string", "maxLength": 30},
    {"type": "string", "enum": [*FOUR_TOOLS, IDLE, ERROR]},
    {"type": "string", "maxLength": 60},
]


class InterpretedReply(ReplyModel):
    """Who acts, the tool in capitals, and its context."""

    wire_name = "Triple"

    triple: Annotated[
        list[_Part],
        Field(min_length=3, max_length=3, json_schema_extra={SMALL: {"items": _SMALL_PARTS}}),
    ]


async def _prepare(mind: SimuverseMind, data: QueryData, moment: Moment) -> Prepared:
    around = scope.find_scope(mind, moment)
    places: list[JSONValue] = [["place", place] for place in around.places]
    people: list[JSONValue] = [["person", name] for name in around.people]
    return mind.ask(
        "interpret_triple",
        data,
        [
            describe_now(moment.percept.time, moment.percept.me.place),
            Section("reply", [["reply", data["text"]]]),
            Section("places", places),
            Section("people", people),
        ],
        agent=shorten_name(around.agent),
        tools=", ".join(around.tools),
        error=ERROR,
    )


async def _apply(mind: SimuverseMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    if moment.percept.conversation is not None:
        return ()
    text: str = reply.data["text"]
    if reply.fallback:
        turns.note_fault(mind, text)
        return ()
    _, tool, context = reply.value.triple
    rival = make_triple(text, scope.find_scope(mind, moment))
    return turns.settle(mind, moment, text, (mind.agent, tool, context), rival)


HANDLERS: Handlers = {
    TRIPLE: handle(_prepare, _apply, InterpretedReply(triple=["", ERROR, ""]), 120)
}
