"""The hours of a day, in one call; and what is left of them, planned anew when something happens.

Source: Park et al. 2023, section 4.3. The public code asks for each hour by itself, and does so
up to three times for a day.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from functools import lru_cache
from typing import Annotated, ClassVar, cast

from pydantic import Field, create_model

from genagents_env.cognition.habit import doing_at, usual_day
from genagents_env.cognition.prompts import fitting
from genagents_env.cognition.replies import Activity
from genagents_env.cognition.thought import Ask, Data, Handler, Moment, Reply, Thought
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from .day import Block, merged
from .mind import Mind
from .pieces import next_pieces
from .retrieve import recall

HOUR, DAY = 3600, 86_400
_HOUR_IMPORTANCE = 2.0
_HOURS_SHARE = 0.4  # of a prompt at most for the hours as they are planned or usual


class Hours(ReplyModel):
    """What one does in each of the hours asked about, in order."""

    wire_name: ClassVar[str] = "Hours"
    wire_description: ClassVar[str] = "What one does in each of the hours asked about, in order."

    hours: list[Activity]


async def _ask_hours(mind: Mind, data: Data, moment: Moment) -> Ask | None:
    """Ask for every hour from `start` to bedtime; the first may be an hour already begun."""
    start = max(int(data["start"]), moment.now)
    slots = _slots(mind, start)
    if not mind.config.planning or not slots:
        return None
    clocks = [f"{mind.kit.clock(slot):%H:%M}" for slot in slots]
    current: list[JSONValue] = [
        [f"{mind.kit.clock(block.start):%H:%M}", block.text]
        for block in mind.day.hours
        if block.end > start
    ]
    queries = [f"{mind.name}'s plans for {mind.kit.clock(start):%A %B %d}"]
    if data["why"]:
        queries.append(data["why"])
    first, last = mind.kit.clock(start).time(), mind.kit.clock(mind.day.bed - 60).time()
    # Of the hours those to come first matter most, and all of them more than the outline.
    hours = (current or usual_day(mind.profile, first, last))[::-1]
    lines: list[JSONValue] = [["today", what] for what in mind.day.outline]
    lines += fitting(hours, int(mind.kit.prompts.limit * _HOURS_SHARE))[::-1]
    if data["why"]:
        lines.append(["just now", data["why"]])
    shown = mind.kit.prompts.fill(
        "plan_hours",
        mind.profile,
        lines=lines,
        memories=await recall(mind, queries, moment.now),
        date=f"{mind.kit.clock(start):%A %d %B}",
        clocks=clocks,
        revised=bool(data["why"]),
    )
    habit = [doing_at(mind.profile, mind.kit.clock(slot).time())[:60] for slot in slots]
    return Ask(shown.messages, {**data, "start": start, "slots": slots, "habit": habit})


async def _take_hours(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    day, slots = mind.day, data["slots"]
    ends = [*slots[1:], day.bed]
    if not slots or slots[0] >= day.bed or ends[-1] < moment.now:
        return ()
    texts = reply.value.hours
    blocks = merged([Block(*part) for part in zip(slots, ends, texts, strict=True)])
    for block in day.hours:  # what they replace is no plan any more
        _expire_plans(mind, block, int(data["start"]), moment.now)
    day.replace_hours(int(data["start"]), blocks)
    day.drop_pieces(int(data["start"]))
    if not reply.fallback:
        for block in blocks:
            mind.stream.add(
                "plan",
                f"{mind.name} plans for {mind.kit.clock(block.start):%A %H:%M}: {block.text}",
                created=moment.now,
                importance=_HOUR_IMPORTANCE,
                start=block.start,
                duration=block.end - block.start,
                expires=block.end + DAY,
                cause=reply.call,
            )
    up = not (mind.asleep or mind.dialogue is not None)
    return next_pieces(mind, moment.now) if up and not mind.busy("plan.pieces") else ()


def _expire_plans(mind: Mind, block: Block, start: int, now: int) -> None:
    """Forget the plan memories of a block that is replaced from `start` on."""
    if block.start < start:
        return
    for id_ in mind.stream.recent(64, kinds=["plan"], now=now):
        memory = mind.stream[id_]
        if memory.start == block.start and memory.duration == block.end - block.start:
            mind.stream.expire(id_, now)


def _slots(mind: Mind, start: int) -> list[int]:
    """Return the seconds at which the hours from `start` to bedtime begin, the first at `start`."""
    slots, midnight = [], mind.kit.second(datetime.combine(mind.kit.clock(start), time(0)))
    at = start
    while at < mind.day.bed:
        slots.append(at)
        at = midnight + (at - midnight) // HOUR * HOUR + HOUR
    return slots[:24]


@lru_cache(maxsize=32)
def _hours(count: int) -> type[Hours]:
    exact = Field(min_length=count, max_length=count)
    return cast(
        type[Hours],
        create_model("Hours", __base__=Hours, hours=(Annotated[list[Activity], exact], ...)),
    )


HANDLERS: Mapping[str, Handler[Mind]] = {
    **{
        purpose: Handler(
            ask=_ask_hours,
            reply=lambda data: _hours(len(data["slots"])),
            fallback=lambda data: Hours(hours=data["habit"]),
            take=_take_hours,
            max_tokens=lambda data: 32 + 26 * len(data["slots"]),
        )
        for purpose in ("plan.hours", "plan.revise")
    },
}
