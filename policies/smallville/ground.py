"""Ground: where an activity happens, with which object, and how it shows.

`one_call` asks for all pieces of an hour at once (`spots.py`); `recursive` goes down the tree of
the known places for each piece (`tree.py`). Emoji and the object's new state come with the
last answer, where the public code asks eight times. Source: Park et al. 2023, section 4.3.1.
"""

from genagents_env.cognition.query import Moment, Query, QueryData

from .day import Piece
from .mind import SmallvilleActivity, SmallvilleMind
from .places import find_arena, find_best_match

NOTHING = "nothing"


def query_pieces(mind: SmallvilleMind, start: int, end: int) -> list[Query]:
    """Return the queries that ground the plan's pieces from `start` until `end`."""
    if mind.config.grounding == "one_call":
        return [Query("ground.pieces", {"start": start, "end": end})]
    pieces = [piece for piece in mind.day.pieces if start <= piece.start < end]
    return [Query("ground.sector", {"text": p.text, "start": p.start}) for p in pieces]


def query_reaction(mind: SmallvilleMind, data: QueryData) -> Query:
    """Return the query that grounds something done instead of what was planned."""
    return Query("ground.sector" if mind.config.grounding == "recursive" else "ground.one", data)


def settle_piece(
    mind: SmallvilleMind, piece: Piece, place: str, thing: str, state: str, emoji: str
) -> None:
    """Write a place into a piece of the plan."""
    piece.place, piece.emoji = place, emoji
    piece.object = _find_object(mind, place, thing)
    piece.use = state if thing != NOTHING else ""
    piece.about = (mind.name, piece.text.split(" ")[0], thing)


def begin_reaction(
    mind: SmallvilleMind,
    data: QueryData,
    moment: Moment,
    place: str,
    thing: str,
    state: str,
    emoji: str,
) -> None:
    """Begin a reaction: unless the agent now sleeps or talks, it replaces what it is doing."""
    if mind.asleep or mind.dialogue is not None:
        return
    mind.activity = SmallvilleActivity(
        text=data["text"],
        emoji=emoji,
        place=place,
        object=_find_object(mind, place, thing),
        use=state if thing != NOTHING else "",
        begun=moment.now,
        until=moment.now + 60 * int(data["minutes"]),
        reaction=True,
    )


def _find_object(mind: SmallvilleMind, place: str, thing: str) -> str:
    """Return the id of the object in `place` that `thing` names, or the thing's own words.

    What is not known yet may be found on arrival, by the same words.
    """
    if thing == NOTHING or not thing:
        return ""
    here = {k.name: id_ for id_, k in mind.objects.items() if find_arena(id_) == place}
    name = find_best_match(thing, list(here))
    return here[name] if name else thing
