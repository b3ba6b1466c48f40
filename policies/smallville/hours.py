"""The hours of a day, in one call; and what is left of them, planned anew when something happens.

Source: Park et al. 2023, section 4.3. The public code asks for each hour by itself, and does so
up to three times for a day.
"""

from collections.abc import Iterable, Mapping, Sequence
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
from genagents_env.cognition.routine import find_doing
from genagents_env.cognition.sections import Section
from genagents_env.llm.schemas import ReplyModel

from .agenda import (
    describe_commitments,
    describe_hours,
    describe_outline,
    describe_routine,
    describe_under_way,
)
from .commitments import Commitment, format_commitment
from .day import PlanBlock, merge_blocks
from .mind import SmallvilleMind
from .pieces import query_pieces
from .places import find_named_place
from .retrieve import recall
from .rooms import describe_town, list_rooms
from .summary import describe_status
from .upcoming import rank_last

MINUTE, HOUR, DAY = 60, 3600, 86_400
_HOUR_IMPORTANCE = 2.0
_LEAST_SLOT = 15 * MINUTE  # what is left of an hour is planned with the next if it is shorter
_SAME_WORDS = 0.5  # of a commitment's words that show that an hour is meant for it


class HoursReply(ReplyModel):
    """What the agent does in each of the hours asked about, in order."""

    wire_name: ClassVar[str] = "Hours"
    wire_description: ClassVar[str] = "What one does in each of the hours asked about, in order."

    hours: list[Activity]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    """Ask for every hour from `start` to bedtime; the first may be an hour already begun."""
    start = max(int(data["start"]), moment.now)
    start -= start % MINUTE
    slots = _list_slots(mind, start)
    if not mind.config.planning or not slots:
        return None
    to_time = mind.services.to_time
    current = [block for block in mind.day.hours if block.end > start]
    queries = [f"{mind.name}'s plans for {to_time(start):%A %B %d}"]
    if data["why"]:
        queries.append(data["why"])
    first, last = to_time(start).time(), to_time(mind.day.bed - 60).time()
    shown = mind.services.prompts.fill(
        "plan_hours",
        mind.profile,
        [
            *rank_last(describe_here_and_now(moment.percept), besides="now"),
            describe_status(mind),
            Section("reason", [["just now", data["why"]]] if data["why"] else []),
            describe_outline(mind),
            describe_commitments(mind, moment),
            describe_hours(mind, current) if current else describe_routine(mind, first, last),
            describe_under_way(mind, moment, start),
            describe_town(mind, moment.percept.known),
        ],
        memories=await recall(mind, queries, moment.now),
        date=f"{to_time(start):%A %d %B}",
        clocks=[f"{to_time(slot):%H:%M}" for slot in slots],
        bed=f"{to_time(mind.day.bed):%H:%M}",
        revised=bool(data["why"]),
    )
    habit = [find_doing(mind.profile, to_time(slot).time()) for slot in slots]
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
    blocks = _hold_commitments(mind, blocks)
    start = int(data["start"])
    dropped = [block.memory for block in day.replace_hours(start, blocks)]
    dropped += [piece.memory for piece in day.drop_pieces(start)]
    for memory in dropped:  # what is replaced is no plan any more
        if memory >= 0:
            mind.stream.expire(memory, moment.now)
    if not reply.fallback:
        _remember(mind, blocks, moment, reply.call)
    up = not (mind.asleep or mind.dialogue is not None)
    return query_pieces(mind, moment.now) if up and not mind.is_busy("plan.pieces") else ()


def _remember(
    mind: SmallvilleMind, blocks: Iterable[PlanBlock], moment: Moment, cause: str
) -> None:
    """Add the hours to the stream, each with the place that its words name."""
    rooms = list_rooms(mind, moment.percept.known)
    for block in blocks:
        start = mind.services.to_time(block.start)
        block.memory = mind.stream.add(
            "plan",
            f"{mind.name} plans for {start:%A %H:%M}: {block.text}",
            created=moment.now,
            importance=_HOUR_IMPORTANCE,
            start=block.start,
            duration=block.end - block.start,
            expires=block.end + DAY,
            place=find_named_place(mind, block.text, rooms),
            cause=cause,
        )


def _hold_commitments(mind: SmallvilleMind, blocks: list[PlanBlock]) -> list[PlanBlock]:
    """Return `blocks` with every commitment of their time, put in where it was forgotten."""
    for one in mind.commitments:
        at = mind.services.to_second(one.begin)
        block = next((b for b in blocks if b.start <= at < b.end), None) if one.time else None
        if block is None or _is_meant(block.text, one):
            continue
        end = min(block.end, at + HOUR)
        parts = [
            PlanBlock(block.start, at, block.text),
            PlanBlock(at, end, format_commitment(one)),
            PlanBlock(end, block.end, block.text),
        ]
        k = blocks.index(block)
        blocks = merge_blocks([*blocks[:k], *parts, *blocks[k + 1 :]])
    return blocks


def _is_meant(text: str, one: Commitment) -> bool:
    """Return whether an hour's words are those of a commitment."""
    wanted = {word for word in format_commitment(one).casefold().split() if len(word) > 3}
    said = set(text.casefold().replace(",", " ").split())
    return len(wanted & said) >= _SAME_WORDS * len(wanted)


def _list_slots(mind: SmallvilleMind, start: int) -> list[int]:
    """Return the seconds at which the hours from `start` to bedtime begin, the first at `start`."""
    midnight = mind.services.to_second(datetime.combine(mind.services.to_time(start), time(0)))
    slots, at = [], start
    while at < mind.day.bed:
        slots.append(at)
        at = midnight + (at - midnight) // HOUR * HOUR + HOUR
        if len(slots) == 1 and at - start < _LEAST_SLOT:
            at += HOUR
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
            max_tokens=lambda data: 64 + 60 * len(data["slots"]),
        )
        for purpose in ("plan.hours", "plan.revise")
    },
}
