"""Grounding down the tree of places the agent knows: sector, then arena, then object.

Asked only where there is a choice; the agent stays where it is if that will do. Source: Park et al.
2023, section 4.3.1.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, cast

from pydantic import create_model

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.prompts import shorten_place
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Emoji, Word, one_of
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from .ground import NOTHING, Setting, begin_reaction, find_setting, settle_piece
from .mind import SmallvilleMind
from .places import MOST_PLACES, fit_names, is_related, rank_places
from .rooms import list_rooms
from .summary import describe_status


class PlaceChoice(ReplyModel):
    """One step down the tree of places."""

    wire_name: ClassVar[str] = "Choice"
    wire_description: ClassVar[str] = "One step down the tree of places."

    where: str


class ObjectUse(ReplyModel):
    """The object an activity uses, its new state, and how the activity shows."""

    wire_name: ClassVar[str] = "Use"
    wire_description: ClassVar[str] = (
        "The object an activity uses, its new state, and how the activity shows."
    )

    thing: str
    state: Word
    emoji: Emoji


async def _prepare_step(
    mind: SmallvilleMind, data: QueryData, moment: Moment
) -> PreparedQuery | Query | None:
    """Ask for the sector, or for the arena in it; a single choice is taken without asking."""
    here = moment.percept.me.place
    options = _list_options(mind, data, moment)
    if len(options) == 1:
        return _descend(data, options[0], moment)
    clock = mind.services.to_time(data.get("start", moment.now)).time()
    options = await rank_places(mind, options, data["text"], clock, moment)
    options.sort(key=lambda place: not is_related(place, here))  # first where the agent stays
    options = fit_names(mind, options[: 2 * MOST_PLACES])
    shown = mind.services.prompts.fill(
        "ground_step",
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            describe_status(mind),
            Section("activity", [["activity", data["text"]]]),
        ],
        here=shorten_place(here),
        places=options,
        kind="room" if "sector" in data else "place",
    )
    return PreparedQuery(shown.messages, {**data, "places": options}, shown.cuts)


async def _apply_step(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    return [_descend(data, reply.value.where, moment)]


def _list_options(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[str]:
    """Return the known sectors, or the rooms of one; where the agent is if nothing is left."""
    rooms = list_rooms(mind, moment.percept.known)
    open_ = [r for r in rooms if r.id not in mind.blocked and r.sector not in mind.blocked]
    if "sector" not in data:
        return list(dict.fromkeys(room.sector for room in open_)) or [moment.percept.me.place]
    inside = [room.id for room in open_ if room.sector == data["sector"]]
    return inside or [moment.percept.me.place]


def _descend(data: QueryData, place: str, moment: Moment) -> Query:
    """Return the next step down the tree from `place`."""
    kept = {key: value for key, value in data.items() if key not in ("places", "sector")}
    if "sector" not in data and any(p.startswith(f"{place}/") for p in moment.percept.known):
        return Query("ground.arena", {**kept, "sector": place})
    return Query("ground.object", {**kept, "arena": place})


async def _prepare_object(
    mind: SmallvilleMind, data: QueryData, moment: Moment
) -> PreparedQuery | None:
    """Ask what is used there; where the agent knows of no object, nothing is."""
    rooms = list_rooms(mind, moment.percept.known)
    known = {t.name: t for room in rooms if room.id == data["arena"] for t in room.things}
    if not known:
        _settle_place(mind, data, moment, Setting(data["arena"]), "")
        return None
    things = fit_names(mind, [NOTHING, *sorted(known)])
    states: list[JSONValue] = [
        [name, "can be", " / ".join(known[name].states)] for name in things if name in known
    ]
    shown = mind.services.prompts.fill(
        "ground_object",
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            describe_status(mind),
            Section("activity", [["activity", data["text"]]]),
            Section("things", states),
        ],
        things=things,
        place=shorten_place(data["arena"]),
    )
    return PreparedQuery(shown.messages, {**data, "things": things}, shown.cuts)


async def _apply_object(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    use = reply.value
    setting = await find_setting(mind, moment, data["arena"], use.thing, use.state, use.emoji)
    _settle_place(mind, data, moment, setting, "" if reply.fallback else reply.call)
    return ()


def _settle_place(
    mind: SmallvilleMind, data: QueryData, moment: Moment, setting: Setting, cause: str
) -> None:
    """Write place and object into the reaction, or the piece of the plan, that they are for."""
    if "minutes" in data:
        begin_reaction(mind, data, moment, setting)
        return
    for piece in mind.day.pieces:
        if piece.start == data["start"] and piece.text == data["text"]:
            settle_piece(mind, piece, setting, moment, cause)


@lru_cache(maxsize=256)
def _make_place_model(places: tuple[str, ...]) -> type[PlaceChoice]:
    return cast(
        type[PlaceChoice], create_model("Choice", __base__=PlaceChoice, where=(one_of(places), ...))
    )


@lru_cache(maxsize=256)
def _make_object_model(things: tuple[str, ...]) -> type[ObjectUse]:
    return cast(
        type[ObjectUse], create_model("Use", __base__=ObjectUse, thing=(one_of(things), ...))
    )


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    **{
        purpose: QueryHandler(
            prepare=_prepare_step,
            reply_model=lambda data: _make_place_model(tuple(data["places"])),
            fallback=lambda data: PlaceChoice(where=data["places"][0]),
            apply=_apply_step,
            max_tokens=lambda data: 80,
        )
        for purpose in ("ground.sector", "ground.arena")
    },
    "ground.object": QueryHandler(
        prepare=_prepare_object,
        reply_model=lambda data: _make_object_model(tuple(data["things"])),
        fallback=lambda data: ObjectUse(thing=NOTHING, state="", emoji=""),
        apply=_apply_object,
        max_tokens=lambda data: 96,
    ),
}
