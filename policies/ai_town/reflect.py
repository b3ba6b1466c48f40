"""Reflect: once what is new matters enough, three insights from the latest memories.

It is looked at whether it is time after a talk is remembered, and when one sets out with nobody
near. An insight is kept with the memories it rests on; one that names none is dropped.
Source: AI Town, agent/memory.ts (January 2026); reflection by oneself: agent.ts (September 2023).
"""

from collections.abc import Sequence

from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Sentence, list_of_numbers, list_up_to, narrow
from genagents_env.llm.schemas import ReplyModel

from . import pursue
from .mind import SEED, AiTownMind, Handlers, to_importance, to_rating
from .prompt import fill_prompt
from .remember import ImportanceReply, prepare_rating, rate
from .retrieve import format_time

INSIGHTS, RATE = "reflect.insights", "reflect.importance"
_NAMED = 8  # numbers of memories an insight may name
_ITEM, _FRAME, _FEW_TOKENS = 200, 32, 30  # tokens: of an insight, around them, of a number


class ReflectedInsight(ReplyModel):
    """A conclusion, and the numbers of the lines it rests on."""

    wire_name = "DrawnInsight"

    insight: Sentence
    because: list[int]


class ReflectedInsights(ReplyModel):
    """What one concludes from one's latest memories."""

    wire_name = "DrawnInsights"

    insights: list[ReflectedInsight]


def make_queries(mind: AiTownMind, moment: Moment) -> Sequence[Query]:
    """Begin to reflect where it is looked at, and time."""
    config = mind.config
    if not config.reflection or mind.is_busy("re") or mind.talk is not None or mind.remembers:
        return ()
    after_talk, mind.review = mind.review and config.reflect_after_talk, False
    alone = config.solo_reflection and pursue.sets_out_alone(mind, moment)
    if not (after_talk or alone) or moment.percept.me.asleep:
        return ()
    if sum_importance(mind) <= config.reflect_at:
        return ()
    return (Query(INSIGHTS, {}),)


def sum_importance(mind: AiTownMind) -> float:
    """Sum the importance of the latest memories that are newer than the last reflection.

    What the profile holds is not new. Of `reflect_over` memories at the default importance the sum
    is 500, which is not more than 500.
    """
    latest = (mind.stream[id_] for id_ in _list_latest(mind))
    return sum(
        to_rating(memory.importance)
        for memory in latest
        if memory.cause != SEED and memory.created > mind.reflected
    )


def _list_latest(mind: AiTownMind) -> list[int]:
    now = mind.tick * mind.services.seconds_per_tick
    return mind.stream.recent(mind.config.reflect_over, now=now)


async def _prepare(mind: AiTownMind, data: QueryData, moment: Moment) -> Prepared:
    memories = [
        (format_time(mind, mind.stream[id_]), mind.stream[id_]) for id_ in _list_latest(mind)
    ]
    count = mind.config.insights
    shown = fill_prompt(mind, "reflect_insights", moment, memories=memories, count=count)
    return mind.ask_filled(shown, {"count": count, "memories": list(shown.memories)})


async def _apply(mind: AiTownMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    if reply.fallback:
        return ()  # it is looked at again
    mind.reflected = moment.now
    shown: list[int] = reply.data["memories"]
    return [
        Query(RATE, {"id": _keep(mind, insight, evidence, moment, reply.call)})
        for insight in reply.value.insights
        if (evidence := [shown[n - 1] for n in insight.because if 1 <= n <= len(shown)])
    ]


def _keep(
    mind: AiTownMind,
    insight: ReflectedInsight,
    evidence: Sequence[int],
    moment: Moment,
    cause: str,
) -> int:
    return mind.stream.add(
        "thought",
        insight.insight,
        created=moment.now,
        importance=to_importance(mind.config.default_importance),
        evidence=dict.fromkeys(evidence),
        cause=cause,
    )


async def _apply_rating(mind: AiTownMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    rate(mind, reply.data, reply)
    return ()


def _limit_insights(data: QueryData) -> type[ReflectedInsights]:
    because = list_of_numbers(_NAMED, len(data["memories"]), least=1)
    insight = narrow(ReflectedInsight, because=because)
    return narrow(ReflectedInsights, insights=list_up_to(insight, data["count"], least=1))


HANDLERS: Handlers = {
    INSIGHTS: handle(
        _prepare,
        _apply,
        ReflectedInsights(insights=[]),
        lambda data: _FRAME + _ITEM * data["count"],
        _limit_insights,
    ),
    RATE: handle(
        prepare_rating,
        _apply_rating,
        lambda data: ImportanceReply(importance=data["default"]),
        _FEW_TOKENS,
    ),
}
