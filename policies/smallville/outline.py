"""A new day: what yesterday leaves to it, when the agent gets up, what the day holds in outline.

The first day starts from the routine. A new one starts from yesterday: its summary becomes the new
status, and what the day has to hold is renewed. Source: Park et al. 2023, section 4.3. The public
code renews the outline in prose, but plans day two's hours from day one's list.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from functools import lru_cache
from typing import Annotated, ClassVar, cast

from pydantic import Field, create_model

from genagents_env.cognition.here_and_now import describe_here_and_now, format_date
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Activity, Phrase, Sentence
from genagents_env.cognition.routine import is_in_bed
from genagents_env.cognition.sections import Section
from genagents_env.llm.schemas import ReplyModel

from .agenda import describe_commitments, describe_routine
from .day import Day
from .mind import SmallvilleMind
from .retrieve import recall
from .rooms import describe_town
from .status import replace_status
from .summary import describe_self

HOUR, DAY = 3600, 86_400
_WAKE_WITHIN = 2  # hours that a plan may get up before the lifestyle's hour
RISE_WITHIN = (_WAKE_WITHIN + 1) * HOUR  # plans get up on the hour, lifestyles at any minute
_PLAN_IMPORTANCE = 5.0  # of a day's plan (public code: poignancy 5)


class Renewal(ReplyModel):
    """Yesterday in a sentence, what the agent is up to now, and what today has to hold."""

    wire_name: ClassVar[str] = "Renewal"
    wire_description: ClassVar[str] = (
        "Yesterday in a sentence, what one is up to now, and what today has to hold."
    )

    yesterday: Sentence
    status: Sentence
    requirements: Annotated[list[Phrase], Field(min_length=1, max_length=4)]


class DayPlanReply(ReplyModel):
    """When the agent gets up, and the day in five to eight broad strokes."""

    wire_name: ClassVar[str] = "DayPlan"
    wire_description: ClassVar[str] = (
        "When one gets up, and the day in five to eight broad strokes."
    )

    wake_hour: Annotated[int, Field(ge=0, le=23)]
    outline: Annotated[list[Activity], Field(min_length=5, max_length=8)]


class RestOfDayReply(ReplyModel):
    """The day in five to eight broad strokes, of an agent that is up already."""

    wire_name: ClassVar[str] = "RestOfDay"
    wire_description: ClassVar[str] = "What is left of the day, in five to eight broad strokes."

    outline: Annotated[list[Activity], Field(min_length=5, max_length=8)]


async def _prepare_renewal(
    mind: SmallvilleMind, data: QueryData, moment: Moment
) -> PreparedQuery | None:
    date = datetime.fromisoformat(data["date"])
    queries = [
        f"{mind.name}'s plan for {date:%A %B} {date.day}",
        f"important recent events for {mind.name}",
    ]
    memories = await recall(mind, queries, moment.now, without=(mind.status,))
    shown = mind.services.prompts.fill(
        "plan_renew",
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            *describe_self(mind),
            describe_commitments(mind, moment),
            Section("needs", [["yesterday needed", what] for what in mind.requirements]),
        ],
        memories=memories,
        date=format_date(date),
    )
    data = {**data, "memories": list(shown.memories), "status": mind.status or mind.profile.goal}
    return PreparedQuery(shown.messages, data, shown.cuts)


async def _apply_renewal(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    if not reply.fallback:
        replace_status(mind, reply.value.status, moment.now)
        mind.requirements = list(reply.value.requirements)
        if data["memories"]:
            mind.stream.add(
                "thought",
                f"{mind.name}'s yesterday: {reply.value.yesterday}",
                created=moment.now,
                importance=_PLAN_IMPORTANCE,
                evidence=data["memories"],
                expires=moment.now + mind.config.thought_days * DAY,
                cause=reply.call,
            )
    return [Query("plan.day", {"date": data["date"]})]


def _make_default_renewal(data: QueryData) -> Renewal:
    status = data["status"] or "an ordinary day"
    return Renewal(yesterday="an ordinary day", status=status, requirements=["the usual"])


async def _prepare_day(
    mind: SmallvilleMind, data: QueryData, moment: Moment
) -> PreparedQuery | None:
    date = datetime.fromisoformat(data["date"])
    queries = [f"plans for {date:%A %B} {date.day}", f"what {mind.name} means to do"]
    begins = max(moment.percept.time, datetime.combine(date, time(0))).time()
    wake_hours = _find_wake_hours(mind, date, moment)
    sections = [
        *describe_here_and_now(moment.percept),
        *describe_self(mind),
        Section("needs", [["today needs", what] for what in mind.requirements]),
        describe_commitments(mind, moment),
        describe_routine(mind, begins, time(23, 59)),
        describe_town(mind, moment.percept.known),
    ]
    shown = mind.services.prompts.fill(
        "plan_day",
        mind.profile,
        sections,
        memories=await recall(mind, queries, moment.now),
        date=f"{date:%A} {date.day} {date:%B}",
        wake=mind.profile.wake.hour,
        wake_hours=wake_hours,
        clock=f"{moment.percept.time:%H:%M}",
        bed=f"{mind.profile.bed:%H:%M}",
    )
    usual = [entry.doing for entry in mind.profile.routine] or ["an ordinary day"]
    outline = (usual * 5)[: min(8, max(5, len(usual)))]
    data = {**data, "wake_hours": wake_hours, "usual": outline}
    return PreparedQuery(shown.messages, data, shown.cuts)


def _find_wake_hours(mind: SmallvilleMind, date: datetime, moment: Moment) -> list[int]:
    """Return the first and last hour at which the agent may get up; none where it is up already.

    The last is its usual one, at which the town wakes everybody.
    """
    now, usual = moment.percept.time, mind.profile.wake.hour
    if not mind.asleep and not _is_night(mind, now) and date.date() <= now.date():
        return []
    ahead = now.hour + (now.minute > 0 or now.second > 0) if now.date() == date.date() else 0
    first = max(0, usual - _WAKE_WITHIN, ahead)
    return [first, max(first, usual)] if first <= 23 else []


def _is_night(mind: SmallvilleMind, now: datetime) -> bool:
    """Return whether somebody awake would go to bed; shortly before the usual hour one stays up."""
    waking = datetime.combine(now.date(), mind.profile.wake)
    ahead = int((waking - now).total_seconds()) % DAY
    return is_in_bed(mind.profile, now.time()) and ahead > RISE_WITHIN


async def _apply_day(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    date = datetime.fromisoformat(data["date"])
    wake = moment.now
    if data["wake_hours"]:
        hour, usual = reply.value.wake_hour, mind.profile.wake
        clock = usual if hour == usual.hour else time(hour)
        wake = max(wake, mind.services.to_second(datetime.combine(date, clock)))
    bed = _find_bedtime(mind, date, wake)
    mind.day = Day(date=data["date"], wake=wake, bed=bed, outline=list(reply.value.outline))
    if not reply.fallback:
        outline = "; ".join(mind.day.outline)
        mind.stream.add(
            "plan",
            f"{mind.name}'s plan for {date:%A} {date.day} {date:%B}: {outline}",
            created=moment.now,
            importance=_PLAN_IMPORTANCE,
            start=wake,
            duration=bed - wake,
            expires=bed + DAY,
            cause=reply.call,
        )
    return [Query("plan.hours", {"start": max(wake, moment.now), "why": ""})]


def _find_bedtime(mind: SmallvilleMind, date: datetime, wake: int) -> int:
    """Return the second at which the day ends: the lifestyle's bedtime after getting up."""
    bed = mind.services.to_second(datetime.combine(date, mind.profile.bed))
    # However early the plan gets up: a bedtime past midnight is that of the next date.
    past_midnight = mind.profile.bed <= mind.profile.wake
    return bed + DAY if past_midnight or bed <= wake else bed


def _make_day_model(data: QueryData) -> type[DayPlanReply] | type[RestOfDayReply]:
    return _make_waking_model(*data["wake_hours"]) if data["wake_hours"] else RestOfDayReply


@lru_cache(maxsize=64)
def _make_waking_model(first: int, last: int) -> type[DayPlanReply]:
    hours = Annotated[int, Field(ge=first, le=last)]
    return cast(
        type[DayPlanReply],
        create_model("DayPlan", __base__=DayPlanReply, wake_hour=(hours, ...)),
    )


def _make_default_day(data: QueryData) -> DayPlanReply | RestOfDayReply:
    if not data["wake_hours"]:
        return RestOfDayReply(outline=data["usual"])
    return DayPlanReply(wake_hour=data["wake_hours"][1], outline=data["usual"])


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    "plan.renew": QueryHandler(
        prepare=_prepare_renewal,
        reply_model=lambda data: Renewal,
        fallback=_make_default_renewal,
        apply=_apply_renewal,
        max_tokens=lambda data: 320,
    ),
    "plan.day": QueryHandler(
        prepare=_prepare_day,
        reply_model=_make_day_model,
        fallback=_make_default_day,
        apply=_apply_day,
        max_tokens=lambda data: 600,
    ),
}
