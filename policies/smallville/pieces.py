"""The pieces of the hours at hand: some minutes of one activity each, made before they are needed.

Source: Park et al. 2023, section 4.3: pieces of 5 to 15 minutes.
"""

from collections.abc import Sequence

from genagents_env.cognition.prompts import describe_here_and_now
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Activity, list_between, narrow, number_between
from genagents_env.llm.schemas import ReplyModel

from . import ground
from .agenda import (
    describe_commitments,
    describe_hours,
    describe_under_way,
    is_sleep,
    is_walk,
)
from .mind import HOUR, MINUTE, Day, Handlers, Piece, SmallvilleMind
from .places import describe_town
from .retrieve import recall
from .summary import describe_status

_LEAST_STRETCH = 15 * MINUTE  # what is left of an hour is taken apart with the next if shorter


class PieceReply(ReplyModel):
    """A piece of an hour."""

    what: Activity
    minutes: int


class Pieces(ReplyModel):
    """An hour, or what is left of it, in pieces."""

    pieces: list[PieceReply]


def query_pieces(mind: SmallvilleMind, now: int) -> list[Query]:
    """Return the query that makes the next pieces, where the day is not yet far enough ahead."""
    day, ahead = mind.day, now + mind.config.ahead_minutes * 60
    if day.wake > ahead or now >= day.bed:
        return []
    reached = day.find_reach(max(now, day.wake))
    if reached > ahead or reached >= day.bed:
        return []
    return [Query("plan.pieces", {"start": reached})]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for the steps up to the end of an hour; sleep is one piece, of which nothing is asked."""
    start, lengths = int(data["start"]), mind.config.piece_minutes
    start -= start % MINUTE
    if (slept := _sleep_through(mind, start)) > start:
        return Query("plan.pieces", {"start": slept}) if slept < mind.day.bed else None
    end = _find_end(mind, start)
    blocks = [b for b in mind.day.hours if b.end > start - HOUR and b.start < end + HOUR]
    within = _list_within(mind.day, start, end)
    if not within:
        return None
    minutes = max(1, (end - start) // MINUTE)
    return mind.ask(
        "plan_pieces",
        {
            **data,
            "start": start,
            "end": end,
            "blocks": within,
            "minutes": minutes,
            "lengths": list(lengths),
        },
        [
            *describe_here_and_now(moment.percept),
            describe_status(mind),
            describe_hours(mind, blocks),
            describe_commitments(mind, moment),
            describe_under_way(mind, moment, start),
            describe_town(mind, moment),
        ],
        await recall(mind, [str(text) for text, _ in within], moment.now),
        begin=mind.services.format_clock(start),
        end=mind.services.format_clock(end),
        minutes=minutes,
        shortest=lengths[0],
        longest=lengths[1],
    )


def _sleep_through(mind: SmallvilleMind, start: int) -> int:
    """Put hours of sleep into the plan as one piece; return when they end, `start` for none."""
    end = start
    while (block := mind.day.find_block(end)) is not None and is_sleep(block.text):
        end = block.end
    if end > start:
        bed, state = mind.profile.sleeps_in or (mind.profile.home, "")
        place, _, name = bed.rpartition("/")
        piece = Piece(start, end, "sleeping", place if name else bed, emoji="😴")
        if state:
            piece.object, piece.use = bed, state
        mind.day.pieces = [p for p in mind.day.pieces if p.end <= start] + [piece]
    return end


def _find_end(mind: SmallvilleMind, start: int) -> int:
    """Find where the steps from `start` on end: on an hour, where sleep begins, or at bedtime.

    So an hour begun late ends on time, and one after it begins as it is planned.
    """
    longest, least = mind.config.stretch_minutes * MINUTE, mind.config.piece_minutes[0] * MINUTE
    end = start + longest
    midnight = mind.services.to_time(start).replace(hour=0, minute=0, second=0, microsecond=0)
    into = (end - mind.services.to_second(midnight)) % HOUR
    if longest % HOUR == 0 and into > 0:
        end += -into if end - into - start >= _LEAST_STRETCH else HOUR - into
    asleep = (b.start for b in mind.day.hours if start < b.start < end and is_sleep(b.text))
    end = min(next(asleep, end), mind.day.bed)
    return mind.day.bed if mind.day.bed - end < least else end


def _list_within(day: Day, start: int, end: int) -> list[list[str | int]]:
    """List what is planned from `start` until `end`, and for how many minutes each."""
    return [
        [block.text, max(1, (min(block.end, end) - max(block.start, start)) // 60)]
        for block in day.hours
        if block.end > start and block.start < end
    ]


async def _apply(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Put the pieces into the plan, unless it has changed since; then ground them."""
    start, end = int(reply.data["start"]), int(reply.data["end"])
    changed = end > mind.day.bed or _list_within(mind.day, start, end) != reply.data["blocks"]
    if changed or mind.day.find_reach(start) > start:
        return ()  # the day is another since this was asked
    pieces = _lay_out(_join_walks(reply.value.pieces), start, end, reply.data["lengths"])
    mind.day.pieces = [p for p in mind.day.pieces if p.end > moment.now and p.end <= start] + pieces
    return ground.query_pieces(mind, start, end)


def _join_walks(parts: Sequence[PieceReply]) -> list[PieceReply]:
    """Return `parts` with a way that is walked twice in a row walked once."""
    joined: list[PieceReply] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is None or last.what != part.what or not is_walk(part.what):
            joined.append(part)
    return joined


def _lay_out(
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


def _divide_equally(data: QueryData) -> Pieces:
    """Return the blocks themselves, cut into pieces of the longest length."""
    longest = data["lengths"][1]
    parts: list[PieceReply] = []
    for text, minutes in data["blocks"]:
        while minutes > 0 and len(parts) < _count_most(data):
            parts.append(PieceReply(what=text, minutes=min(longest, minutes)))
            minutes -= longest
    return Pieces(pieces=parts)


def _count_most(data: QueryData) -> int:
    """Count the pieces at most: those of middle length that fill the stretch."""
    shortest, longest = data["lengths"]
    return int(-(-data["minutes"] * 2 // (shortest + longest)))


def _limit_pieces(data: QueryData) -> type[Pieces]:
    """Demand as many pieces, each as short and as long, as fill the stretch."""
    shortest, longest = data["lengths"]
    least = max(1, -(-data["minutes"] // longest))
    piece = narrow(PieceReply, minutes=number_between(shortest, longest))
    return narrow(Pieces, pieces=list_between(piece, least, max(least, _count_most(data))))


HANDLERS: Handlers = {
    "plan.pieces": handle(
        _prepare, _apply, _divide_equally, lambda data: 64 + 72 * _count_most(data), _limit_pieces
    ),
}
