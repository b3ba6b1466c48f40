"""Remember: after a talk a summary of it in the first person, then how much it matters.

Nothing else is remembered. A talk in which nothing was said leaves no memory.
Source: AI Town, agent/memory.ts (January 2026). There it is done only once the agent is in an
activity or another talk, and a summary that fails loses the talk (`lose_failed`); here it is done
as soon as the talk is over.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from genagents_env.cognition.prompts import Section, shorten_names
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Speech
from genagents_env.llm.schemas import ReplyModel
from genagents_env.text import quote

from .mind import AiTownMind, FinishedTalk, Handlers, to_importance
from .prompt import ask_about_talk, fill_prompt

SUMMARY, RATE = "remember.summary", "remember.importance"
_MAX_TOKENS, _FEW_TOKENS = 500, 30  # code: 500


class TalkSummary(ReplyModel):
    """A talk as one remembers it, in the first person."""

    summary: Annotated[Speech, Field(min_length=1)]


class ImportanceReply(ReplyModel):
    """How much a memory matters."""

    wire_name = "Importance"

    importance: Annotated[int, Field(ge=0, le=9)]


def make_queries(mind: AiTownMind, moment: Moment) -> Sequence[Query]:
    """Ask for the summary of the oldest talk that is not remembered yet."""
    if not mind.remembers or mind.is_busy("remember") or moment.percept.me.asleep:
        return ()
    return (Query(SUMMARY, {"ended": mind.remembers[0].ended}),)


async def _prepare_summary(mind: AiTownMind, data: QueryData, moment: Moment) -> Prepared:
    talk = _find_talk(mind, data)
    return None if talk is None else ask_about_talk(mind, "remember_summary", data, moment, talk)


def _find_talk(mind: AiTownMind, data: QueryData) -> FinishedTalk | None:
    return next((talk for talk in mind.remembers if talk.ended == data["ended"]), None)


async def _apply_summary(mind: AiTownMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    talk = _find_talk(mind, reply.data)
    if talk is None:
        return ()
    mind.remembers = [finished for finished in mind.remembers if finished is not talk]
    if reply.fallback and mind.config.lose_failed:
        return ()
    text = _tell_last_words(talk) if reply.fallback else reply.value.summary
    id_ = mind.stream.add(
        "chat",
        text,
        created=talk.ended,
        importance=to_importance(mind.config.default_importance),
        events=sorted({line.event for line in talk.lines if line.event >= 0}),
        about=(mind.name, *talk.others)[:8],
        cause=reply.call,
    )
    return (Query(RATE, {"id": id_}),)


def _tell_last_words(talk: FinishedTalk) -> str:
    """Format the memory of a talk that the model does not sum up: its last words."""
    last = talk.lines[-1]
    others = shorten_names(talk.others)
    return f"I talked with {others}. At last {last.speaker} said: {quote(last.text)}"


async def prepare_rating(mind: AiTownMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask how much a memory matters."""
    lines = Section("memory", [["memory", mind.stream[data["id"]].text]])
    data = {**data, "default": mind.config.default_importance}
    return mind.ask_filled(fill_prompt(mind, "rate", moment, [lines]), data)


def rate(mind: AiTownMind, data: QueryData, reply: QueryReply) -> None:
    """Give a memory the importance that the model rated, or the default."""
    mind.stream.rate(data["id"], to_importance(reply.value.importance))


async def _apply_rating(mind: AiTownMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    rate(mind, reply.data, reply)
    mind.review = True
    return ()


HANDLERS: Handlers = {
    # Of the default only `reply.fallback` is looked at.
    SUMMARY: handle(_prepare_summary, _apply_summary, TalkSummary(summary="-"), _MAX_TOKENS),
    RATE: handle(
        prepare_rating,
        _apply_rating,
        lambda data: ImportanceReply(importance=data["default"]),
        _FEW_TOKENS,
    ),
}
