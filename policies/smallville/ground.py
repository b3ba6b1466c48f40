"""Ground: where an activity happens, with which object, and how it shows.

`one_call` asks for all pieces of an hour at once (`spots.py`); `recursive` goes down the tree of
the known places for each piece (`tree.py`). Emoji and the object's new state come with the
last answer, where the public code asks eight times. Source: Park et al. 2023, section 4.3.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from genagents_env.cognition.query import Moment, Query, QueryData

from .day import Piece, is_walk
from .mind import SmallvilleActivity, SmallvilleMind
from .places import find_named_place, is_related, leave_out_place
from .rooms import KnownRoom, list_rooms
from .uses import match_use

NOTHING = "nothing"
_PIECE_IMPORTANCE = 1.0  # of a step of a plan: what comes of it is remembered when it happens


@dataclass(frozen=True, slots=True)
class Setting:
    """Where an activity happens, the id of the object used and its new state, and an emoji."""

    place: str
    object: str = ""
    use: str = ""
    emoji: str = ""


def query_pieces(mind: SmallvilleMind, start: int, end: int) -> list[Query]:
    """Return the queries that ground the plan's pieces from `start` until `end`."""
    if mind.config.grounding == "one_call":
        return [Query("ground.pieces", {"start": start, "end": end})]
    pieces = [piece for piece in mind.day.pieces if start <= piece.start < end]
    return [Query("ground.sector", {"text": p.text, "start": p.start}) for p in pieces]


def query_reaction(mind: SmallvilleMind, data: QueryData) -> Query:
    """Return the query that grounds something done instead of what was planned."""
    return Query("ground.sector" if mind.config.grounding == "recursive" else "ground.one", data)


async def find_setting(
    mind: SmallvilleMind, moment: Moment, place: str, thing: str, state: str, emoji: str
) -> Setting:
    """Return the setting that a reply means, of what there is and is allowed."""
    if not thing.strip() or thing.strip().casefold() == NOTHING:
        return Setting(place, emoji=emoji)
    rooms = list_rooms(mind, moment.percept.known)
    where, object_, use = await match_use(mind, rooms, place, thing, state)
    return Setting(where, object_, use, emoji)


def settle_piece(
    mind: SmallvilleMind, piece: Piece, setting: Setting, moment: Moment, cause: str = ""
) -> None:
    """Write its setting into a piece of the plan, and remember the piece.

    Args:
        mind: whose.
        piece: of its day.
        setting: where and with what.
        moment: now.
        cause: the call it comes of; empty where no model was asked.
    """
    piece.place, piece.object = setting.place, setting.object
    piece.use, piece.emoji = setting.use, setting.emoji
    thing = setting.object.rpartition("/")[2] or NOTHING
    piece.about = (mind.name, piece.text.split(" ")[0], thing)
    piece.text = _leave_out_shut(mind, piece, list_rooms(mind, moment.percept.known))
    if cause and piece.end > moment.now:
        start = mind.services.to_time(piece.start)
        named = find_named_place(mind, piece.text, list_rooms(mind, moment.percept.known))
        told = bool(named) and is_related(named, piece.place)
        where = "" if told else f", at {piece.place.replace('/', ', ')}"
        piece.memory = mind.stream.add(
            "plan",
            f"{mind.name} plans for {start:%A %H:%M}: {piece.text}{where}",
            created=moment.now,
            importance=_PIECE_IMPORTANCE,
            start=piece.start,
            duration=piece.end - piece.start,
            expires=piece.end,
            place=piece.place,
            cause=cause,
        )


def _leave_out_shut(mind: SmallvilleMind, piece: Piece, rooms: Sequence[KnownRoom]) -> str:
    """Return a piece's words without the place that it names, where one could not get in there."""
    shut = [place for place in mind.blocked if not is_related(place, piece.place)]
    named = find_named_place(mind, piece.text, rooms) if shut and not is_walk(piece.text) else ""
    if any(is_related(named, place) for place in shut if named):
        return leave_out_place(piece.text, named)
    return piece.text


def begin_reaction(mind: SmallvilleMind, data: QueryData, moment: Moment, setting: Setting) -> None:
    """Begin a reaction: unless the agent now sleeps or talks on, it replaces what it is doing."""
    if mind.asleep or (mind.dialogue is not None and not mind.dialogue.leaving):
        return
    mind.activity = SmallvilleActivity(
        text=data["text"],
        emoji=setting.emoji,
        place=setting.place,
        object=setting.object,
        use=setting.use,
        begun=moment.now,
        until=moment.now + 60 * int(data["minutes"]),
        reaction=True,
    )
