"""Reflect: one call for a thought about what goes on, after a talk or by choice."""

from collections.abc import Sequence
from typing import cast

from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Sentence
from genagents_env.llm.schemas import ReplyModel

from . import narrative, options, outlook, senses, states
from .mind import Handlers, LyfeMind, OptionKind
from .prompt import fill_prompt


class Reflection(ReplyModel):
    """What one makes of it, in at most twenty words or so (release)."""

    thought: Sentence


def make_queries(mind: LyfeMind, moment: Moment) -> Sequence[Query]:
    """Ask for the thought that the agent has stopped for."""
    if mind.option.kind != "reflect" or mind.is_busy("reflect") or moment.percept.me.asleep:
        return ()
    return (Query("reflect.think", {"begun": mind.option.begun}),)


async def _prepare(mind: LyfeMind, data: QueryData, moment: Moment) -> Prepared:
    company = [states.describe_company(mind)]
    shown, made_of = await fill_prompt(mind, "reflect_think", moment, company)
    return mind.ask_filled(shown, {**data, "grounds": made_of})


async def _apply(mind: LyfeMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    option = mind.option
    if option.kind != "reflect" or option.begun != reply.data["begun"]:
        return ()
    if not reply.fallback:
        thought = reply.value.thought
        behind = await narrative.find_events(mind, thought, reply.data["grounds"])
        senses.notice_oneself(mind, thought, moment.now, behind=behind)
    mind.unthought = 0
    ended = cast(OptionKind, option.ended or "reflect")
    options.end(mind, moment.now, ended=ended, outcome=option.outcome or "You stopped to think.")
    return () if reply.fallback else outlook.make_queries(mind, moment)


HANDLERS: Handlers = {"reflect.think": handle(_prepare, _apply, Reflection(thought="-"), 160)}
