"""Plan: the day in outline, then its hours, then pieces of some minutes, each made before need.

A first day starts from the routine; a new day starts from yesterday: its summary becomes the new
status, and the requirements of the day are renewed. What happens may replace the rest of the day
from that moment on. Source: Park et al. 2023, section 4.3. The public code asks for each hour by
itself and takes day two's list from day one; here the hours are one call, and days are renewed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Annotated, cast

from pydantic import BaseModel, Field, create_model

from genagents_env.llm.calls import JSONValue

from . import ground
from .day import Block, Day, Piece, merged
from .habit import doing_at, in_bed
from .mind import Mind
from .replies import Activity, Phrase, Sentence
from .retrieve import recall
from .summary import lines as self_description
from .thought import Ask, Data, Handler, Moment, Reply, Thought

HOUR, DAY = 3600, 86_400
_WAKE_WITHIN = 2  # hours that a plan may get up before or after the lifestyle's hour
_RISE_WITHIN = (_WAKE_WITHIN + 1) * HOUR  # plans get up on the hour, lifestyles at any minute
_PLAN_IMPORTANCE = 5.0  # of a day's plan (public code: poignancy 5)
_HOUR_IMPORTANCE = 2.0


class Renewal(BaseModel):
    """Yesterday in a sentence, what one is up to now, and what today has to hold."""

    yesterday: Sentence
    status: Sentence
    requirements: Annotated[list[Phrase], Field(min_length=1, max_length=4)]


class DayPlan(BaseModel):
    """When one gets up, and the day in five to eight broad strokes."""

    wake_hour: Annotated[int, Field(ge=0, le=23)]
    outline: Annotated[list[Activity], Field(min_length=5, max_length=8)]


class Hours(BaseModel):
    """What one does in each of the hours asked about, in order."""

    hours: list[Activity]


class PieceReply(BaseModel):
    """A piece of an hour."""

    what: Activity
    minutes: int


class Pieces(BaseModel):
    """An hour, or what is left of it, in pieces."""

    pieces: list[PieceReply]


def thoughts(mind: Mind, moment: Moment) -> list[Thought]:
    """Return the next call of planning that is due: a new day, its hours, or the next pieces."""
    if not mind.config.planning or mind.busy("plan.") or mind.busy("ground.pieces"):
        return []
    day, now = mind.day, moment.now
    if _needs_day(mind, moment):
        first = not day.date
        return [Thought("plan.day" if first else "plan.renew", {"date": _today(mind, moment)})]
    if mind.asleep or mind.dialogue is not None or not day.hours:
        return []
    _rise_early(mind, moment)
    return _next_pieces(mind, now)


def _next_pieces(mind: Mind, now: int) -> list[Thought]:
    """Return the thought that makes the next pieces, where the day is not yet far enough ahead."""
    day, ahead = mind.day, now + mind.config.ahead_minutes * 60
    if day.wake > ahead or now >= day.bed:
        return []
    reached = day.pieces_until(max(now, day.wake))
    if reached > ahead or reached >= day.bed:
        return []
    return [Thought("plan.pieces", {"start": reached})]


def _needs_day(mind: Mind, moment: Moment) -> bool:
    """Return whether to plan a day: the first, or a new one once the last is slept off."""
    day, clock = mind.day, moment.percept.time.time()
    if day.date == _today(mind, moment):
        return False
    if not day.date:  # whoever begins after bedtime plans tomorrow, when it comes
        return clock < mind.profile.wake or not in_bed(mind.profile, clock)
    return mind.asleep or moment.now >= day.bed


def _rise_early(mind: Mind, moment: Moment) -> None:
    """Let the day begin now where one is up before its hour: the town wakes people, too."""
    day = mind.day
    # Earlier it is still the night before, of one who goes to bed past midnight.
    early = 0 < day.wake - moment.now <= _RISE_WITHIN
    if early and not in_bed(mind.profile, moment.percept.time.time()):
        day.wake = day.hours[0].start = moment.now


def _today(mind: Mind, moment: Moment) -> str:
    """Return the date of the day one is in, which may last past midnight."""
    bed, time = mind.profile.bed, moment.percept.time
    past_midnight = bed <= mind.profile.wake and time.time() < bed
    return (time - timedelta(days=past_midnight)).date().isoformat()


# A new day.


async def _ask_renewal(mind: Mind, data: Data, moment: Moment) -> Ask | None:
    date = datetime.fromisoformat(data["date"])
    queries = [
        f"{mind.name}'s plan for {date:%A %B} {date.day}",
        f"important recent events for {mind.name}",
    ]
    memories = await recall(mind, queries, moment.now)
    shown = mind.kit.prompts.fill(
        "plan_renew",
        mind.profile,
        lines=self_description(mind),
        memories=memories,
        date=f"{date:%A} {date.day} {date:%B}",
    )
    data = {**data, "memories": list(shown.memories), "status": mind.status or mind.profile.goal}
    return Ask(shown.messages, data)


async def _take_renewal(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    if not reply.fallback:
        mind.status = reply.value.status
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
    return [Thought("plan.day", {"date": data["date"]})]


def _same_again(data: Data) -> Renewal:
    status = data["status"][:160] or "an ordinary day"
    return Renewal(yesterday="an ordinary day", status=status, requirements=["the usual"])


# The outline.


async def _ask_day(mind: Mind, data: Data, moment: Moment) -> Ask | None:
    date = datetime.fromisoformat(data["date"])
    queries = [f"plans for {date:%A %B} {date.day}", f"what {mind.name} means to do"]
    lines = self_description(mind)
    lines += [["today needs", what] for what in mind.requirements]
    begins = max(moment.percept.time, datetime.combine(date, time(0))).time()
    lines += _usual_day(mind, begins, time(23, 59))
    shown = mind.kit.prompts.fill(
        "plan_day",
        mind.profile,
        lines=lines,
        memories=await recall(mind, queries, moment.now),
        date=f"{date:%A} {date.day} {date:%B}",
        wake=mind.profile.wake.hour,
        bed=f"{mind.profile.bed:%H:%M}",
    )
    usual = [entry.doing[:60] for entry in mind.profile.routine] or ["an ordinary day"]
    outline = (usual * 5)[: min(8, max(5, len(usual)))]
    hours = mind.profile.wake.hour
    return Ask(shown.messages, {**data, "wake_hour": hours, "usual": outline})


async def _take_day(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    date = datetime.fromisoformat(data["date"])
    wake = mind.kit.second(date + timedelta(hours=reply.value.wake_hour))
    bed = _bedtime(mind, date, wake)
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
    return [Thought("plan.hours", {"start": max(wake, moment.now), "why": ""})]


def _bedtime(mind: Mind, date: datetime, wake: int) -> int:
    """Return the second at which the day ends: the lifestyle's bedtime after getting up."""
    bed = mind.kit.second(datetime.combine(date, mind.profile.bed))
    return bed if bed > wake else bed + DAY


@lru_cache(maxsize=24)
def _day_plan(usual_wake: int) -> type[DayPlan]:
    hours = Field(ge=max(0, usual_wake - _WAKE_WITHIN), le=min(23, usual_wake + _WAKE_WITHIN))
    return cast(
        type[DayPlan],
        create_model("DayPlan", __base__=DayPlan, wake_hour=(Annotated[int, hours], ...)),
    )


# The hours.


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
    lines = current or _usual_day(mind, first, last)
    lines += [["today", what] for what in mind.day.outline]
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
    return _next_pieces(mind, moment.now) if up and not mind.busy("plan.pieces") else ()


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


# The pieces.


async def _ask_pieces(mind: Mind, data: Data, moment: Moment) -> Ask | None:
    start, lengths = int(data["start"]), mind.config.piece_minutes
    end = min(start + mind.config.stretch_minutes * 60, mind.day.bed)
    if mind.day.bed - end < lengths[0] * 60:
        end = mind.day.bed  # what is left of the day is no piece
    blocks = [b for b in mind.day.hours if b.end > start and b.start < end + HOUR]
    within = _within(mind.day, start, end)
    if not within:
        return None
    minutes = max(1, (end - start) // 60)
    shown = mind.kit.prompts.fill(
        "plan_pieces",
        mind.profile,
        lines=[[f"{mind.kit.clock(b.start):%H:%M}", b.text] for b in blocks],
        memories=await recall(mind, [str(within[0][0])], moment.now),
        begin=f"{mind.kit.clock(start):%H:%M}",
        end=f"{mind.kit.clock(end):%H:%M}",
        minutes=minutes,
        shortest=lengths[0],
        longest=lengths[1],
    )
    asked = {"end": end, "blocks": within, "minutes": minutes, "lengths": list(lengths)}
    return Ask(shown.messages, {**data, **asked})


def _within(day: Day, start: int, end: int) -> list[list[str | int]]:
    """Return what is planned from `start` until `end`, and for how many minutes each."""
    return [
        [block.text, max(1, (min(block.end, end) - max(block.start, start)) // 60)]
        for block in day.hours
        if block.end > start and block.start < end
    ]


async def _take_pieces(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    start, end = int(data["start"]), int(data["end"])
    changed = end > mind.day.bed or _within(mind.day, start, end) != data["blocks"]
    if changed or mind.day.pieces_until(start) > start:
        return ()  # the day is another since this was asked
    pieces = _laid_out(reply.value.pieces, start, end, data["lengths"])
    mind.day.pieces = [p for p in mind.day.pieces if p.end > moment.now and p.end <= start] + pieces
    return ground.of_pieces(mind, start, end)


def _laid_out(
    parts: Sequence[PieceReply], start: int, end: int, lengths: Sequence[int]
) -> list[Piece]:
    """Return `parts` one after the other from `start` to `end`, as long as asked for if possible.

    Each is as short or as long as leaves those after it between the shortest and the longest.
    """
    shortest, longest = 60 * lengths[0], 60 * lengths[1]
    parts = parts[: max(1, (end - start) // shortest)]
    pieces, at = [], start
    for after in range(len(parts) - 1, -1, -1):
        part, left = parts[len(parts) - 1 - after], end - at
        length = max(shortest, min(longest, part.minutes * 60))
        length = max(left - after * longest, min(left - after * shortest, length))
        pieces.append(Piece(at, at + length, part.what))
        at += length
    return pieces


def _in_equal_parts(data: Data) -> Pieces:
    """Return the blocks themselves, cut into pieces of the longest length."""
    longest = data["lengths"][1]
    parts: list[PieceReply] = []
    for text, minutes in data["blocks"]:
        while minutes > 0 and len(parts) < _most_pieces(data):
            parts.append(PieceReply(what=text[:60], minutes=min(longest, minutes)))
            minutes -= longest
    return Pieces(pieces=parts)


def _most_pieces(data: Data) -> int:
    shortest, longest = data["lengths"]
    return int(-(-data["minutes"] * 2 // (shortest + longest)))


def _pieces(data: Data) -> type[Pieces]:
    shortest, longest = data["lengths"]
    least = max(1, -(-data["minutes"] // longest))
    return _pieces_model(shortest, longest, least, max(least, _most_pieces(data)))


@lru_cache(maxsize=256)
def _pieces_model(shortest: int, longest: int, least: int, most: int) -> type[Pieces]:
    minutes = Annotated[int, Field(ge=shortest, le=longest)]
    piece = create_model("PieceReply", __base__=PieceReply, minutes=(minutes, ...))
    several = Annotated[list[piece], Field(min_length=least, max_length=most)]
    return cast(type[Pieces], create_model("Pieces", __base__=Pieces, pieces=(several, ...)))


def _usual_day(mind: Mind, first: time, last: time) -> list[JSONValue]:
    """Return the routine between two clock times: when, what one usually does, and where."""
    entries = sorted(mind.profile.routine, key=lambda entry: entry.at)
    begun = max((entry.at for entry in entries if entry.at <= first), default=first)
    past_midnight = last < first
    shown = [
        entry
        for entry in entries
        if (entry.at >= begun or entry.at <= last if past_midnight else begun <= entry.at <= last)
    ]
    home = mind.profile.home.split("/")[0]
    where = {e.place: e.place.split("/")[0].replace(home, "home") for e in shown}
    return [[f"usually {e.at:%H:%M}", f"{e.doing[:48]}, {where[e.place]}"] for e in shown]


HANDLERS: Mapping[str, Handler] = {
    "plan.renew": Handler(
        ask=_ask_renewal,
        reply=lambda data: Renewal,
        fallback=_same_again,
        take=_take_renewal,
        max_tokens=lambda data: 320,
    ),
    "plan.day": Handler(
        ask=_ask_day,
        reply=lambda data: _day_plan(data["wake_hour"]),
        fallback=lambda data: DayPlan(wake_hour=data["wake_hour"], outline=data["usual"]),
        take=_take_day,
        max_tokens=lambda data: 300,
    ),
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
    "plan.pieces": Handler(
        ask=_ask_pieces,
        reply=_pieces,
        fallback=_in_equal_parts,
        take=_take_pieces,
        max_tokens=lambda data: 48 + 36 * _most_pieces(data),
    ),
}
