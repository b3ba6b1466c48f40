"""The hours of a day, in one call; and what is left of them, planned anew when something happens.

Source: Park et al. 2023, section 4.3. The public code asks for each hour by itself, and does so
up to three times for a day.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from functools import lru_cache
from typing import Annotated, ClassVar, cast

from pydantic import Field, create_model

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Activity
from genagents_env.cognition.routine import find_doing, format_usual_day
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from .day import PlanBlock, merge_blocks
from .mind import SmallvilleMind
from .pieces import query_pieces
from .retrieve import recall
from .summary import describe_status

HOUR, DAY = 3600, 86_400
_HOUR_IMPORTANCE = 2.0


class HoursReply(ReplyModel):
    """What the agent does in each of the hours asked about, in order."""

    wire_name: ClassVar[str] = "Hours"
    wire_description: ClassVar[str] = "What one does in each of the hours asked about, in order."

    hours: list[Activity]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    """Ask for every hour from `start` to bedtime; the first may be an hour already begun."""
    start = max(int(data["start"]), moment.now)
    slots = _list_slots(mind, start)
    if not mind.config.planning or not slots:
        return None
    clocks = [f"{mind.services.to_time(slot):%H:%M}" for slot in slots]
    current: list[JSONValue] = [
        [f"{mind.services.to_time(block.start):%H:%M}", block.text]
        for block in mind.day.hours
        if block.end > start
    ]
    queries = [f"{mind.name}'s plans for {mind.services.to_time(start):%A %B %d}"]
    if data["why"]:
        queries.append(data["why"])
    first, last = (
        mind.services.to_time(start).time(),
        mind.services.to_time(mind.day.bed - 60).time(),
    )
    sections = [
        *describe_here_and_now(moment.percept),
        describe_status(mind),
        Section("reason", [["just now", data["why"]]] if data["why"] else []),
        Section("outline", [["today", what] for what in mind.day.outline]),
        Section("hours", current or format_usual_day(mind.profile, first, last)),
    ]
    shown = mind.services.prompts.fill(
        "plan_hours",
        mind.profile,
        sections,
        memories=await recall(mind, queries, moment.now),
        date=f"{mind.services.to_time(start):%A %d %B}",
        clocks=clocks,
        revised=bool(data["why"]),
    )
    habit = [find_doing(mind.profile, mind.services.to_time(slot).time()) for slot in slots]
    data = {**data, "start": start, "slots": slots, "habit": habit}
    return PreparedQuery(shown.messages, data, shown.cuts)


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    day, slots = mind.day, data["slots"]
    ends = [*slots[1:], day.bed]
    if not slots or slots[0] >= day.bed or ends[-1] < moment.now:
        return ()
    texts = reply.value.hours
    blocks = merge_blocks([PlanBlock(*part) for part in zip(slots, ends, texts, strict=True)])
    for block in day.hours:  # what they replace is no plan any more
        _expire_plans(mind, block, int(data["start"]), moment.now)
    day.replace_hours(int(data["start"]), blocks)
    day.drop_pieces(int(data["start"]))
    if not reply.fallback:
        for block in blocks:
            start = mind.services.to_time(block.start)
            mind.stream.add(
                "plan",
                f"{mind.name} plans for {start:%A %H:%M}: {block.text}",
                created=moment.now,
                importance=_HOUR_IMPORTANCE,
                start=block.start,
                duration=block.end - block.start,
                expires=block.end + DAY,
                cause=reply.call,
            )
    up = not (mind.asleep or mind.dialogue is not None)
    return query_pieces(mind, moment.now) if up and not mind.is_busy("plan.pieces") else ()


def _expire_plans(mind: SmallvilleMind, block: PlanBlock, start: int, now: int) -> None:
    """Forget the plan memories of a block that is replaced from `start` on."""
    if block.start < start:
        return
    for id_ in mind.stream.recent(64, kinds=["plan"], now=now):
        memory = mind.stream[id_]
        if memory.start == block.start and memory.duration == block.end - block.start:
            mind.stream.expire(id_, now)


def _list_slots(mind: SmallvilleMind, start: int) -> list[int]:
    """Return the seconds at which the hours from `start` to bedtime begin, the first at `start`."""
    slots, midnight = (
        [],
        mind.services.to_second(datetime.combine(mind.services.to_time(start), time(0))),
    )
    at = start
    while at < mind.day.bed:
        slots.append(at)
        at = midnight + (at - midnight) // HOUR * HOUR + HOUR
    return slots[:24]


@lru_cache(maxsize=32)
def _make_hours_model(count: int) -> type[HoursReply]:
    exact = Field(min_length=count, max_length=count)
    return cast(
        type[HoursReply],
        create_model("Hours", __base__=HoursReply, hours=(Annotated[list[Activity], exact], ...)),
    )


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    **{
        purpose: QueryHandler(
            prepare=_prepare,
            reply_model=lambda data: _make_hours_model(len(data["slots"])),
            fallback=lambda data: HoursReply(hours=data["habit"]),
            apply=_apply,
            max_tokens=lambda data: 32 + 26 * len(data["slots"]),
        )
        for purpose in ("plan.hours", "plan.revise")
    },
}
