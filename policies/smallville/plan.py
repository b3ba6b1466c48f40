"""Plan: the day in outline, then its hours, then pieces of some minutes, each made before need.

The first day starts from the routine. A new one starts from yesterday: its summary becomes the new
status, and what the day has to hold is renewed. What happens may replace the rest of the day from
that moment on (`plan.revise`); the pieces are in `pieces`. Source: Park et al. 2023, section 4.3.
The public code plans day two's hours from day one's list, and asks for each hour by itself, three
times.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta
from typing import Annotated

from pydantic import Field

from genagents_env.cognition.prompts import Section, describe_here_and_now, format_date
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import (
    Activity,
    Phrase,
    Sentence,
    list_of,
    narrow,
    number_between,
)
from genagents_env.cognition.routine import find_doing, is_in_bed
from genagents_env.llm.schemas import ReplyModel

from . import pieces
from .agenda import (
    describe_commitments,
    describe_hours,
    describe_routine,
    describe_under_way,
    format_commitment,
    rank_last,
)
from .mind import DAY, HOUR, MINUTE, Commitment, Day, Handlers, PlanBlock, SmallvilleMind
from .places import describe_town, find_named_place, list_rooms
from .retrieve import recall
from .summary import describe_situation, describe_status, replace_status

_WAKE_WITHIN = 2  # hours that a plan may get up before the lifestyle's hour
_RISE_WITHIN = (_WAKE_WITHIN + 1) * HOUR  # plans get up on the hour, lifestyles at any minute
_DAY_IMPORTANCE, _HOUR_IMPORTANCE = 5.0, 2.0  # of plans (public code: poignancy 5)
_ORDINARY = "an ordinary day"
_LEAST_SLOT = 15 * MINUTE  # what is left of an hour is planned with the next if it is shorter
_SAME_WORDS = 0.5  # of a commitment's words that show that an hour is meant for it
Strokes = Annotated[list[Activity], Field(min_length=5, max_length=8)]


class Renewal(ReplyModel):
    """Yesterday in a sentence, what one is up to now, and what today has to hold."""

    yesterday: Sentence
    status: Sentence
    requirements: Annotated[list[Phrase], Field(min_length=1, max_length=4)]


class DayPlanReply(ReplyModel):
    """When one gets up, and the day in five to eight broad strokes."""

    wire_name = "DayPlan"

    wake_hour: Annotated[int, Field(ge=0, le=23)]
    outline: Strokes


class RestOfDayReply(ReplyModel):
    """What is left of the day, in five to eight broad strokes."""

    wire_name = "RestOfDay"

    outline: Strokes


class HoursReply(ReplyModel):
    """What one does in each of the hours asked about, in order."""

    wire_name = "Hours"

    hours: list[Activity]


def make_queries(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Return the next call of planning that is due: a new day, its hours, or the next pieces."""
    if not mind.config.planning or mind.is_busy("plan.") or mind.is_busy("ground.pieces"):
        return []
    day, date = mind.day, _find_date(mind, moment)
    if _needs_day(mind, moment, date):
        return [Query("plan.renew" if day.date else "plan.day", {"date": date})]
    if mind.asleep or mind.dialogue is not None or not day.hours:
        return []
    _rise_early(mind, moment)
    return pieces.query_pieces(mind, moment.now)


def _find_date(mind: SmallvilleMind, moment: Moment) -> str:
    """Return the date of the agent's current day, which may last past midnight."""
    bed, time = mind.profile.bed, moment.percept.time
    past_midnight = bed <= mind.profile.wake and time.time() < bed
    return (time - timedelta(days=past_midnight)).date().isoformat()


def _needs_day(mind: SmallvilleMind, moment: Moment, date: str) -> bool:
    """Return True if a day is to be planned: the first, or one after the last is slept off."""
    day, clock = mind.day, moment.percept.time.time()
    if day.date == date:
        return False
    if not day.date:  # whoever begins after bedtime plans tomorrow, when it comes
        return clock < mind.profile.wake or not is_in_bed(mind.profile, clock)
    return mind.asleep or moment.now >= day.bed


def _rise_early(mind: SmallvilleMind, moment: Moment) -> None:
    """Let the day begin now where the agent is up before its hour: the town wakes people, too."""
    day = mind.day
    # Earlier it is still the night before, of someone who goes to bed past midnight.
    early = 0 < day.wake - moment.now <= _RISE_WITHIN
    if early and not is_in_bed(mind.profile, moment.percept.time.time()):
        day.wake = day.hours[0].start = moment.now


# What yesterday leaves to a new day.


async def _prepare_renewal(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for yesterday in a sentence and today's status, from memories of the day."""
    date = datetime.fromisoformat(data["date"])
    queries = [
        f"{mind.name}'s plan for {date:%A %B} {date.day}",
        f"important recent events for {mind.name}",
    ]
    sections = [
        *describe_situation(mind, moment),
        describe_commitments(mind, moment),
        Section("needs", [["yesterday needed", need] for need in mind.requirements]),
    ]
    memories = await recall(mind, queries, moment.now, without=(mind.status,))
    shown = mind.fill("plan_renew", sections, memories, date=format_date(date))
    status = mind.status or mind.profile.goal
    return mind.ask_filled(shown, {**data, "memories": list(shown.memories), "status": status})


async def _apply_renewal(
    mind: SmallvilleMind, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    """Take the new status and remember yesterday; then plan the day."""
    if not reply.fallback:
        replace_status(mind, reply.value.status, moment.now)
        mind.requirements = list(reply.value.requirements)
        if reply.data["memories"]:
            text = f"{mind.name}'s yesterday: {reply.value.yesterday}"
            mind.add_thought(text, moment.now, _DAY_IMPORTANCE, reply.data["memories"], reply.call)
    return [Query("plan.day", {"date": reply.data["date"]})]


# The day in outline.


async def _prepare_day(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for the day in broad strokes (section 4.3: five to eight chunks)."""
    profile, date = mind.profile, datetime.fromisoformat(data["date"])
    queries = [f"plans for {date:%A %B} {date.day}", f"what {mind.name} means to do"]
    begins = max(moment.percept.time, datetime.combine(date, time(0))).time()
    wake_hours = _find_wake_hours(mind, date, moment)
    usual = [entry.doing for entry in profile.routine] or [_ORDINARY]
    outline = (usual * 5)[: min(8, max(5, len(usual)))]
    return mind.ask(
        "plan_day",
        {**data, "wake_hours": wake_hours, "usual": outline},
        [
            *describe_situation(mind, moment),
            Section("needs", [["today needs", need] for need in mind.requirements]),
            describe_commitments(mind, moment),
            describe_routine(mind, begins, time(23, 59)),
            describe_town(mind, moment),
        ],
        await recall(mind, queries, moment.now),
        date=f"{date:%A} {date.day} {date:%B}",
        wake=profile.wake.hour,
        wake_hours=wake_hours,
        clock=f"{moment.percept.time:%H:%M}",
        bed=f"{profile.bed:%H:%M}",
    )


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
    """Return True if somebody awake would go to bed; shortly before the usual hour one stays up."""
    waking = datetime.combine(now.date(), mind.profile.wake)
    ahead = int((waking - now).total_seconds()) % DAY
    return is_in_bed(mind.profile, now.time()) and ahead > _RISE_WITHIN


async def _apply_day(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Begin the day, remember its outline, and ask for its hours."""
    date, wake = datetime.fromisoformat(reply.data["date"]), moment.now
    if reply.data["wake_hours"]:
        hour, usual = reply.value.wake_hour, mind.profile.wake
        clock = usual if hour == usual.hour else time(hour)
        wake = max(wake, mind.services.to_second(datetime.combine(date, clock)))
    bed = _find_bedtime(mind, date, wake)
    mind.day = Day(date=reply.data["date"], wake=wake, bed=bed, outline=list(reply.value.outline))
    if not reply.fallback:
        outline = "; ".join(mind.day.outline)
        mind.stream.add(
            "plan",
            f"{mind.name}'s plan for {date:%A} {date.day} {date:%B}: {outline}",
            created=moment.now,
            importance=_DAY_IMPORTANCE,
            start=wake,
            duration=bed - wake,
            expires=bed + DAY,
            cause=reply.call,
        )
    return [Query("plan.hours", {"start": wake, "why": ""})]


def _find_bedtime(mind: SmallvilleMind, date: datetime, wake: int) -> int:
    """Return the second at which the day ends: the lifestyle's bedtime after getting up."""
    bed = mind.services.to_second(datetime.combine(date, mind.profile.bed))
    # However early the plan gets up: a bedtime past midnight is that of the next date.
    past_midnight = mind.profile.bed <= mind.profile.wake
    return bed + DAY if past_midnight or bed <= wake else bed


def _limit_day(data: QueryData) -> type[DayPlanReply] | type[RestOfDayReply]:
    """Ask for a waking hour only where the agent is not up yet."""
    if not data["wake_hours"]:
        return RestOfDayReply
    return narrow(DayPlanReply, wake_hour=number_between(*data["wake_hours"]))


def _make_default_day(data: QueryData) -> DayPlanReply | RestOfDayReply:
    """Return the usual day: up at the usual hour, the routine as outline."""
    if not data["wake_hours"]:
        return RestOfDayReply(outline=data["usual"])
    return DayPlanReply(wake_hour=data["wake_hours"][1], outline=data["usual"])


# The hours.


async def _prepare_hours(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for every hour from `start` to bedtime; the first may be an hour already begun."""
    start = max(int(data["start"]), moment.now)
    start -= start % MINUTE
    slots = _list_slots(mind, start)
    if not mind.config.planning or not slots:
        return None
    to_time, why = mind.services.to_time, data["why"]
    current = [block for block in mind.day.hours if block.end > start]
    queries = [f"{mind.name}'s plans for {to_time(start):%A %B %d}", *([why] if why else [])]
    first, last = to_time(start).time(), to_time(mind.day.bed - MINUTE).time()
    habit = [find_doing(mind.profile, to_time(slot).time()) for slot in slots]
    return mind.ask(
        "plan_hours",
        {**data, "start": start, "slots": slots, "habit": habit},
        [
            *rank_last(describe_here_and_now(moment.percept), besides=("now",)),
            describe_status(mind),
            Section("reason", [["just now", why]] if why else []),
            Section("outline", [["today", stroke] for stroke in mind.day.outline]),
            describe_commitments(mind, moment),
            describe_hours(mind, current) if current else describe_routine(mind, first, last),
            describe_under_way(mind, moment, start),
            describe_town(mind, moment),
        ],
        await recall(mind, queries, moment.now),
        date=f"{to_time(start):%A %d %B}",
        clocks=[mind.services.format_clock(slot) for slot in slots],
        bed=mind.services.format_clock(mind.day.bed),
        revised=bool(why),
    )


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


async def _apply_hours(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Put the hours in place of what was planned from `start` on, which is no plan any more."""
    day, slots, start = mind.day, reply.data["slots"], int(reply.data["start"])
    if slots[0] >= day.bed or day.bed < moment.now:
        return ()
    spans = zip(slots, [*slots[1:], day.bed], reply.value.hours, strict=True)
    blocks = _hold_commitments(mind, _merge_blocks([PlanBlock(*span) for span in spans]))
    mind.drop_plan([*day.replace_hours(start, blocks), *day.drop_pieces(start)], moment.now)
    if not reply.fallback:
        _remember_hours(mind, blocks, moment, reply.call)
    if mind.asleep or mind.dialogue is not None or mind.is_busy("plan.pieces"):
        return ()
    return pieces.query_pieces(mind, moment.now)


def _merge_blocks(blocks: Iterable[PlanBlock]) -> list[PlanBlock]:
    """Return `blocks` with neighbours of the same activity joined, and empty ones dropped."""
    joined: list[PlanBlock] = []
    for block in blocks:
        if block.end <= block.start:
            continue
        if joined and joined[-1].text == block.text and joined[-1].end == block.start:
            joined[-1].end = block.end
        else:
            joined.append(block)
    return joined


def _hold_commitments(mind: SmallvilleMind, blocks: list[PlanBlock]) -> list[PlanBlock]:
    """Return `blocks` with every commitment of their time, put in where it was forgotten."""
    for promise in mind.commitments:
        at = mind.services.to_second(promise.begin)
        block = next((b for b in blocks if b.start <= at < b.end), None)
        if not promise.time or block is None or _is_meant(block.text, promise):
            continue
        end, k = min(block.end, at + HOUR), blocks.index(block)
        parts = [
            PlanBlock(block.start, at, block.text),
            PlanBlock(at, end, format_commitment(promise)),
            PlanBlock(end, block.end, block.text),
        ]
        blocks = _merge_blocks([*blocks[:k], *parts, *blocks[k + 1 :]])
    return blocks


def _is_meant(text: str, promise: Commitment) -> bool:
    """Return True if an hour's words are those of a commitment."""
    wanted = {word for word in format_commitment(promise).casefold().split() if len(word) > 3}
    said = set(text.casefold().replace(",", " ").split())
    return len(wanted & said) >= _SAME_WORDS * len(wanted)


def _remember_hours(
    mind: SmallvilleMind, blocks: Iterable[PlanBlock], moment: Moment, cause: str
) -> None:
    """Add the hours to the stream, each with the place that its words name."""
    rooms = list_rooms(mind, moment)
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


_HOURS = handle(
    _prepare_hours,
    _apply_hours,
    lambda data: HoursReply(hours=data["habit"]),
    lambda data: 64 + 60 * len(data["slots"]),
    lambda data: narrow(HoursReply, hours=list_of(Activity, len(data["slots"]))),
)
HANDLERS: Handlers = {
    "plan.renew": handle(
        _prepare_renewal,
        _apply_renewal,
        lambda data: Renewal(
            yesterday=_ORDINARY, status=data["status"] or _ORDINARY, requirements=["the usual"]
        ),
        320,
    ),
    "plan.day": handle(_prepare_day, _apply_day, _make_default_day, 600, _limit_day),
    "plan.hours": _HOURS,
    "plan.revise": _HOURS,
    **pieces.HANDLERS,
}
