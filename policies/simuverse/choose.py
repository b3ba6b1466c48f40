"""Choose: one call in which the agent writes what it does next, a tool in brackets before it.

The reply is plain words. Who reads it is `interpret` or the grammar, and what follows `turns`.
"""

from collections.abc import Sequence
from typing import ClassVar

from genagents_env.cognition.prompts import shorten_name, shorten_place
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.llm.schemas import PlainReply

from . import act, interpret, prompt, scope, turns
from .checker import ToolScope, make_triple
from .mind import Handlers, SimuverseMind

CHOOSE = turns.CHOOSE
_SMALL_TOKENS = 40  # a small model goes on for as long as it may


class TurnReply(PlainReply):
    """What the agent writes, a tool in brackets first."""

    wire_name: ClassVar[str] = "Turn"


def make_queries(mind: SimuverseMind, moment: Moment) -> Sequence[Query]:
    """Ask for a tool, where none is under way and a choice is due."""
    if moment.percept.conversation is not None or mind.going or mind.step.kind == "idle":
        return ()
    if mind.plan.kind or act.is_call_due(mind, moment):  # words or a call are tried again
        return ()
    if any(mind.is_busy(faculty) for faculty in ("act", "interpret", "talk")):
        return ()
    waits = moment.now - mind.chosen_at < mind.config.turn_seconds
    if mind.chosen_at >= 0 and waits and not mind.due:
        return ()
    return (Query(CHOOSE, {}),)


async def _prepare(mind: SimuverseMind, data: QueryData, moment: Moment) -> Prepared:
    around = scope.find_scope(mind, moment)
    shown = await prompt.fill_prompt(
        mind,
        "act_choose",
        moment,
        prompt.describe_choices(mind, moment),
        [prompt.describe_input(mind)],
        introduced=mind.introduced,
        tools=", ".join(f"({tool})" for tool in around.tools),
        near=bool(around.near),
        examples=_list_examples(around),
    )
    return mind.ask_filled(shown, {"small": mind.services.prompts.small})


def _list_examples(around: ToolScope) -> list[str]:
    """Return replies that would do here and now, which a small model needs to be shown."""
    away = [place for place in around.places if not scope.is_within(around.here, place)]
    examples = [f"(CONVERSE) {shorten_name(name)}" for name in around.near[:1]]
    examples += [f"(MOVE) {shorten_place(place)}" for place in away[:2]]
    if around.people and around.places:
        called, place = shorten_name(around.people[-1]), shorten_place(around.places[-1])
        examples.append(f"(CALL) {called}, {place}")
    return [*examples, "(SCAN)"]


async def _apply(mind: SimuverseMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Have the reply read; one that never came changes nothing but the time of the next."""
    mind.chosen_at, mind.due = moment.now, False
    text: str = reply.value.text
    if reply.fallback or moment.percept.conversation is not None:
        return ()
    if mind.config.interpreter == "llm" and text.strip():
        return (Query(interpret.TRIPLE, {"text": text}),)
    triple = make_triple(text, scope.find_scope(mind, moment))
    return turns.settle(mind, moment, text, triple)


HANDLERS: Handlers = {
    CHOOSE: handle(
        _prepare,
        _apply,
        TurnReply(text=""),
        lambda data: _SMALL_TOKENS if data.get("small") else 120,
    )
}
