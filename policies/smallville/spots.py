"""Grounding in one call: where all pieces of an hour happen, with what, and how they show."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, cast

from pydantic import BeforeValidator, Field, JsonValue, create_model

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.prompts import FilledPrompt, shorten_place
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Emoji
from genagents_env.cognition.sections import SPOKEN, Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.text import clean

from .agenda import describe_hours
from .day import PlanBlock
from .ground import NOTHING, begin_reaction, find_setting, settle_piece
from .mind import SmallvilleMind
from .places import find_named_place, list_offers
from .rooms import KnownRoom, format_hours, list_rooms
from .uses import match_place

_LONGEST_NAME = 250  # characters of a place's id, a thing's name or a state, as in scenarios
_clean_name = BeforeValidator(
    lambda value: clean(value, _LONGEST_NAME) if isinstance(value, str) else value
)


class Spot(ReplyModel):
    """Where one activity happens; `thing` and `state`: what is used there, and what it becomes."""

    wire_name: ClassVar[str] = "Spot"
    wire_description: ClassVar[str] = (
        "Where one activity happens; `thing` and `state`: what is used there, and what it becomes."
    )

    where: Annotated[str, _clean_name]
    thing: Annotated[str, _clean_name]
    state: Annotated[str, _clean_name]
    emoji: Emoji


class Spots(ReplyModel):
    """A spot for each activity asked about, in order."""

    wire_name: ClassVar[str] = "Spots"
    wire_description: ClassVar[str] = "A spot for each activity asked about, in order."

    spots: list[Spot]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    now = moment.now
    pieces = [
        piece
        for piece in mind.day.pieces
        if data.get("start", 0) <= piece.start < data.get("end", 0)
    ]
    texts, starts = [piece.text for piece in pieces], [piece.start for piece in pieces]
    if "text" in data:
        texts, starts = [data["text"]], [now]
    if not texts:
        return None
    clocks = [mind.services.to_time(start) for start in starts]
    blocks = [block for start in starts if (block := mind.day.find_block(start)) is not None]
    blocks = [] if "text" in data else [b for k, b in enumerate(blocks) if b not in blocks[:k]]
    rooms = list_rooms(mind, moment.percept.known)
    about = [*texts, *(block.text for block in blocks)]
    places = await list_offers(mind, about, [clock.time() for clock in clocks], moment)
    lines: list[JSONValue] = [
        [f"#{number}", f"{clock:%H:%M}", text]
        for number, (clock, text) in enumerate(zip(clocks, texts, strict=True), 1)
    ]
    shown = _fill_prompt(mind, lines, blocks, _select(rooms, places), moment)
    fit = shown.shown["activities"]
    while fit < len(lines) and len(lines) > 1:  # the rest is asked about afterwards
        lines = lines[: max(1, fit)]
        shown = _fill_prompt(mind, lines, blocks, _select(rooms, places), moment)
        fit = shown.shown["activities"]
    kept = list(zip(texts, starts, strict=True))[: len(lines)]
    usual = [_find_usual_spot(mind, text, start, places, rooms) for text, start in kept]
    data = {
        **data,
        "texts": [text for text, _ in kept],
        "starts": starts,
        "places": places,
        "things": _list_things(_select(rooms, places)),
        "states": _list_states(_select(rooms, places)),
        "usual": usual,
    }
    return PreparedQuery(shown.messages, data, shown.cuts)


def _select(rooms: Sequence[KnownRoom], places: Sequence[str]) -> list[KnownRoom]:
    """Return the rooms of these ids, in their order."""
    found = {room.id: room for room in rooms}
    return [found[place] for place in places if place in found]


def _find_usual_spot(
    mind: SmallvilleMind, text: str, start: int, places: Sequence[str], rooms: Sequence[KnownRoom]
) -> list[str]:
    """Return place, thing and state of what is done by routine.

    Of what is not: where its own words or those of the hour place it, else where the agent is.
    """
    entry = next((e for e in mind.profile.routine if e.doing.strip() == text), None)
    if entry is not None and entry.place not in mind.blocked:
        thing = entry.use.split("/")[-1] if entry.use else NOTHING
        return [entry.place, thing, entry.state or ""]
    block = mind.day.find_block(start)
    for words in (text, block.text if block is not None else ""):
        named = find_named_place(mind, words, rooms)
        within = (place for place in places if named and f"{place}/".startswith(f"{named}/"))
        if place := next(within, ""):
            return [place, NOTHING, ""]
    return [places[0], NOTHING, ""]


def _list_things(rooms: Sequence[KnownRoom]) -> list[str]:
    return list(dict.fromkeys([NOTHING, *(thing.name for room in rooms for thing in room.things)]))


def _list_states(rooms: Sequence[KnownRoom]) -> list[str]:
    """Return the states to choose from; none where a thing may be put into any."""
    things = [thing for room in rooms for thing in room.things]
    if any(thing.free_text for thing in things):
        return []
    return list(dict.fromkeys(["", *(state for thing in things for state in thing.states)]))


def _fill_prompt(
    mind: SmallvilleMind,
    lines: Sequence[JSONValue],
    blocks: Sequence[PlanBlock],
    rooms: Sequence[KnownRoom],
    moment: Moment,
) -> FilledPrompt:
    return mind.services.prompts.fill(
        "ground_pieces",
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            describe_hours(mind, blocks),
            Section("activities", lines),
            Section("places", [_format_room(room) for room in rooms], SPOKEN),
        ],
        here=shorten_place(moment.percept.me.place),
        places=[room.id for room in rooms],
        count=len(lines),
    )


def _format_room(room: KnownRoom) -> JSONValue:
    """Return a line on a room: when it is open, and what stands there in which states."""
    hours = [f"open {format_hours(room.hours)}"] if room.hours else []
    things = [
        f"{thing.name}: {' / '.join(thing.states)}{' / any words' if thing.free_text else ''}"
        for thing in room.things
    ]
    return ["place", room.id, *hours, "; ".join(things) or "nothing to use"]


async def _apply_pieces(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    starts, texts = data["starts"], data["texts"]
    for start, text, spot, usual in zip(
        starts, texts, reply.value.spots, data["usual"], strict=False
    ):
        piece = next((p for p in mind.day.pieces if p.start == start and p.text == text), None)
        if piece is not None:
            place = await _match_where(mind, spot, data["places"], usual, reply)
            setting = await find_setting(mind, moment, place, spot.thing, spot.state, spot.emoji)
            settle_piece(mind, piece, setting, moment, "" if reply.fallback else reply.call)
    rest = starts[len(texts) :]
    return [Query("ground.pieces", {"start": rest[0], "end": data["end"]})] if rest else ()


async def _apply_one(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    (spot,) = reply.value.spots
    place = await _match_where(mind, spot, data["places"], data["usual"][0], reply)
    setting = await find_setting(mind, moment, place, spot.thing, spot.state, spot.emoji)
    begin_reaction(mind, data, moment, setting)
    return ()


async def _match_where(
    mind: SmallvilleMind, spot: Spot, places: Sequence[str], usual: Sequence[str], reply: QueryReply
) -> str:
    """Return the place that a spot means, the usual one where it means none that was offered."""
    if reply.fallback:
        return spot.where
    return await match_place(mind, spot.where, places) or usual[0]


def _make_reply_model(data: QueryData) -> type[Spots]:
    choices = (tuple(data[name]) for name in ("places", "things", "states"))
    return _make_spots_model(*choices, len(data["texts"]))


@lru_cache(maxsize=256)
def _make_spots_model(
    places: tuple[str, ...], things: tuple[str, ...], states: tuple[str, ...], count: int
) -> type[Spots]:
    spot = create_model(
        "Spot",
        __base__=Spot,
        where=(_suggest(places), ...),
        thing=(_suggest(things), ...),
        state=(_suggest(states), ...),
    )
    exact = Field(min_length=count, max_length=count)
    return cast(type[Spots], create_model("Spots", __base__=Spots, spots=(list[spot], exact)))


def _suggest(values: tuple[str, ...]) -> Any:
    """Return the type of a text for which a schema offers `values`; others are mapped to them."""
    extra: dict[str, JsonValue] = {"enum": list(values)} if values else {}
    return Annotated[str, _clean_name, Field(max_length=_LONGEST_NAME, json_schema_extra=extra)]


def _make_default(data: QueryData) -> Spots:
    """Return what is usual for what is done by routine, and for all else where the agent is."""
    spots = (Spot(where=place, thing=thing, state=s, emoji="") for place, thing, s in data["usual"])
    return Spots(spots=list(spots))


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    **{
        purpose: QueryHandler(
            prepare=_prepare,
            reply_model=_make_reply_model,
            fallback=_make_default,
            apply=take,
            max_tokens=lambda data: 24 + 96 * len(data["texts"]),
        )
        for purpose, take in (("ground.pieces", _apply_pieces), ("ground.one", _apply_one))
    },
}
