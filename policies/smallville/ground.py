"""Ground: where an activity happens, with which object, and how it shows.

`one_call` asks for all pieces of an hour at once (`spots.py`); `recursive` goes down the tree of
the places one knows for each piece (`tree.py`). Emoji and the object's new state come with the
last answer, where the public code asks eight times. Source: Park et al. 2023, section 4.3.1.
"""

from collections.abc import Mapping

from genagents_env.cognition.thought import QueryData, QueryHandler, Query

from . import spots, tree
from .mind import SmallvilleMind


def of_pieces(mind: SmallvilleMind, start: int, end: int) -> list[Query]:
    """Return the thoughts that ground the plan's pieces from `start` until `end`."""
    if mind.config.grounding == "one_call":
        return [Query("ground.pieces", {"start": start, "end": end})]
    pieces = [piece for piece in mind.day.pieces if start <= piece.start < end]
    return [Query("ground.sector", {"text": p.text, "start": p.start}) for p in pieces]


def of_reaction(mind: SmallvilleMind, data: QueryData) -> Query:
    """Return the thought that grounds something one does instead of what was planned."""
    return Query("ground.sector" if mind.config.grounding == "recursive" else "ground.one", data)


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {**spots.HANDLERS, **tree.HANDLERS}
