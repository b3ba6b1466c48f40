"""Ground: where an activity happens, with which object, and how it shows.

`one_call` asks for all pieces of an hour at once. `recursive` goes down the tree of the known
places for each piece: sector, arena, object, asking only where there is a choice. Emoji and the
object's new state come with the last answer, where the public code asks eight times. Source: Park
et al. 2023, section 4.3.1.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, JsonValue

from genagents_env.cognition.prompts import (
    SPOKEN,
    FilledPrompt,
    Section,
    describe_here_and_now,
    fill_with_items,
    shorten_place,
)
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Emoji, Word, list_of, narrow, one_of
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.text import clean

from .agenda import describe_hours, is_walk
from .mind import MINUTE, Handlers, Piece, PlanBlock, SmallvilleActivity, SmallvilleMind
from .places import (
    MOST_PLACES,
    NOTHING,
    KnownRoom,
    find_named_place,
    fit_names,
    format_room,
    is_blocked,
    is_related,
    is_within,
    leave_out_shut,
    list_offers,
    list_rooms,
    list_states,
    list_things,
    match_place,
    match_use,
    rank_places,
)
from .summary import describe_status

_PIECE_IMPORTANCE = 1.0  # of a step of a plan: what comes of it is remembered when it happens
_LONGEST_NAME = 250  # characters of a place's id, a thing's name or a state, as in scenarios
_clean_name = BeforeValidator(
    lambda value: clean(value, _LONGEST_NAME) if isinstance(value, str) else value
)


class Spot(ReplyModel):
    """Where one activity happens; `thing` and `state`: what is used there, and what it becomes."""

    where: Annotated[str, _clean_name]
    thing: Annotated[str, _clean_name]
    state: Annotated[str, _clean_name]
    emoji: Emoji


class Spots(ReplyModel):
    """A spot for each activity asked about, in order."""

    spots: list[Spot]


class PlaceChoice(ReplyModel):
    """One step down the tree of places."""

    wire_name = "Choice"

    where: str


class ObjectUse(ReplyModel):
    """The object an activity uses, its new state, and how the activity shows."""

    wire_name = "Use"

    thing: str
    state: Word
    emoji: Emoji


def query_pieces(mind: SmallvilleMind, start: int, end: int) -> list[Query]:
    """Return the queries that ground the plan's pieces from `start` until `end`."""
    if mind.config.grounding == "one_call":
        return [Query("ground.pieces", {"start": start, "end": end})]
    pieces = [piece for piece in mind.day.pieces if start <= piece.start < end]
    return [Query("ground.sector", {"text": p.text, "start": p.start}) for p in pieces]


def query_reaction(mind: SmallvilleMind, data: QueryData) -> Query:
    """Return the query that grounds a reaction: `text`, and for how many `minutes`."""
    return Query("ground.sector" if mind.config.grounding == "recursive" else "ground.one", data)


# Settling.


async def _settle(
    mind: SmallvilleMind,
    data: QueryData,
    moment: Moment,
    place: str,
    use: Spot | ObjectUse,
    cause: str,
) -> None:
    """Write where it happens into the reaction, or the piece of the plan, that `data` names.

    Whoever sleeps or talks on by now does not react.

    Args:
        mind: whose.
        data: `text` and `minutes` of a reaction, or `text` and `start` of a piece.
        moment: now.
        place: where.
        use: with what, in the words of a reply, of which what there is and is allowed is taken.
        cause: the call it comes of; empty where no model was asked.
    """
    rooms, object_, state = list_rooms(mind, moment), "", ""
    if use.thing.strip().casefold() not in ("", NOTHING):
        place, object_, state = await match_use(mind, rooms, place, use.thing, use.state)
    if "minutes" in data:
        if not mind.asleep and (mind.dialogue is None or mind.dialogue.leaving):
            mind.activity = SmallvilleActivity(
                text=data["text"],
                emoji=use.emoji,
                place=place,
                object=object_,
                use=state,
                begun=moment.now,
                until=moment.now + MINUTE * int(data["minutes"]),
                reaction=True,
            )
        return
    piece = _find_piece(mind, data["start"], data["text"])
    if piece is None:
        return
    piece.place, piece.object, piece.use, piece.emoji = place, object_, state, use.emoji
    piece.about = (mind.name, piece.text.split(" ")[0], object_.rpartition("/")[2] or NOTHING)
    if not is_walk(piece.text):
        piece.text = leave_out_shut(mind, piece.text, place, rooms)
    if cause and piece.end > moment.now:
        _remember(mind, piece, moment, rooms, cause)


def _find_piece(mind: SmallvilleMind, start: int, text: str) -> Piece | None:
    """Find the piece of the plan that a query was made for, if it still stands."""
    pieces = (piece for piece in mind.day.pieces if piece.start == start and piece.text == text)
    return next(pieces, None)


def _remember(
    mind: SmallvilleMind, piece: Piece, moment: Moment, rooms: Sequence[KnownRoom], cause: str
) -> None:
    """Remember a piece of the plan, with its place where its words do not name it."""
    start = mind.services.to_time(piece.start)
    named = find_named_place(mind, piece.text, rooms)
    at = f", at {piece.place.replace('/', ', ')}"
    where = "" if named and is_related(named, piece.place) else at
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


# All in one call.


async def _prepare_spots(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask about a reaction, or as many pieces as the prompt holds; the rest is asked afterwards."""
    parts, blocks = [(moment.now, data.get("text", ""))], list[PlanBlock]()
    if "text" not in data:
        pieces = [p for p in mind.day.pieces if data["start"] <= p.start < data["end"]]
        parts = [(piece.start, piece.text) for piece in pieces]
        for piece in pieces:
            block = mind.day.find_block(piece.start)
            blocks += [block] if block is not None and block not in blocks else []
    if not parts:
        return None
    clocks = [mind.services.to_time(start) for start, _ in parts]
    about = [*(text for _, text in parts), *(block.text for block in blocks)]
    rooms = list_rooms(mind, moment)
    places = await list_offers(mind, rooms, about, [clock.time() for clock in clocks], moment)
    by_id = {room.id: room for room in rooms}
    offered = [by_id[place] for place in places if place in by_id]
    lines: list[JSONValue] = [
        [f"#{number}", f"{clock:%H:%M}", text]
        for number, (clock, (_, text)) in enumerate(zip(clocks, parts, strict=True), 1)
    ]

    def fill(lines: Sequence[JSONValue]) -> FilledPrompt:
        return mind.fill(
            "ground_pieces",
            [
                *describe_here_and_now(moment.percept),
                describe_hours(mind, blocks),
                Section("activities", lines),
                Section("places", [format_room(room) for room in offered], SPOKEN),
            ],
            here=shorten_place(moment.percept.me.place),
            places=[room.id for room in offered],
            count=len(lines),
        )

    shown, shown_lines = fill_with_items(fill, lines, "activities")
    asked = parts[: len(shown_lines)]
    data = {
        **data,
        "texts": [text for _, text in asked],
        "starts": [start for start, _ in parts],
        "places": places,
        "things": list_things(offered),
        "states": list_states(offered),
        "usual": [_find_usual_spot(mind, text, start, places, rooms) for start, text in asked],
    }
    return mind.ask_filled(shown, data)


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
        inside = [place for place in places if is_within(place, named)] if named else []
        if inside:
            return [inside[0], NOTHING, ""]
    return [places[0], NOTHING, ""]


async def _apply_spots(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Settle each activity; a place that means nothing here is replaced by the usual one."""
    data = reply.data
    starts, texts, reaction = data["starts"], data["texts"], "minutes" in data
    cause = "" if reply.fallback else reply.call
    settled = zip(starts, texts, reply.value.spots, data["usual"], strict=False)
    for start, text, spot, usual in settled:
        if reaction or _find_piece(mind, start, text) is not None:
            place = spot.where
            if not reply.fallback:
                place = await match_place(mind, place, data["places"]) or usual[0]
            await _settle(mind, {**data, "start": start, "text": text}, moment, place, spot, cause)
    rest = starts[len(texts) :]
    return [Query("ground.pieces", {"start": rest[0], "end": data["end"]})] if rest else ()


def _limit_spots(data: QueryData) -> type[Spots]:
    """Offer places, things and states; other words are mapped to them afterwards."""
    where, thing, state = (_suggest(tuple(data[name])) for name in ("places", "things", "states"))
    spot = narrow(Spot, where=where, thing=thing, state=state)
    return narrow(Spots, spots=list_of(spot, len(data["texts"])))


@lru_cache(maxsize=256)
def _suggest(values: tuple[str, ...]) -> Any:
    """Return the type of a text for which a schema offers `values`; others are mapped to them."""
    extra: dict[str, JsonValue] = {"enum": list(values)} if values else {}
    return Annotated[str, _clean_name, Field(max_length=_LONGEST_NAME, json_schema_extra=extra)]


# Down the tree.


async def _prepare_step(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for the sector, or for the arena in it; a single choice is taken without asking."""
    here = moment.percept.me.place
    options = _list_options(mind, data, moment)
    if len(options) == 1:
        return _descend(data, options[0], moment)
    clock = mind.services.to_time(data.get("start", moment.now)).time()
    options = await rank_places(mind, options, data["text"], clock, moment)
    options.sort(key=lambda place: not is_related(place, here))  # first where the agent stays
    options = fit_names(mind, options[: 2 * MOST_PLACES])
    return mind.ask(
        "ground_step",
        {**data, "places": options},
        _describe_activity(mind, data, moment),
        here=shorten_place(here),
        places=options,
        kind="room" if "sector" in data else "place",
    )


def _describe_activity(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[Section]:
    """Describe the moment and the activity for one step down the tree."""
    return [
        *describe_here_and_now(moment.percept),
        describe_status(mind),
        Section("activity", [["activity", data["text"]]]),
    ]


async def _apply_step(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Go on with the chosen sector or arena."""
    return [_descend(reply.data, reply.value.where, moment)]


def _list_options(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[str]:
    """Return the known sectors, or the rooms of one; where the agent is if nothing is left."""
    rooms = [room for room in list_rooms(mind, moment) if not is_blocked(mind, room)]
    names = dict.fromkeys(room.sector for room in rooms)
    if "sector" in data:
        names = dict.fromkeys(room.id for room in rooms if room.sector == data["sector"])
    return list(names) or [moment.percept.me.place]


def _descend(data: QueryData, place: str, moment: Moment) -> Query:
    """Return the next step down the tree from `place`."""
    kept = {key: value for key, value in data.items() if key not in ("places", "sector")}
    if "sector" not in data and any(p.startswith(f"{place}/") for p in moment.percept.known):
        return Query("ground.arena", {**kept, "sector": place})
    return Query("ground.object", {**kept, "arena": place})


async def _prepare_object(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask what is used there; where the agent knows of no object, nothing is."""
    rooms = list_rooms(mind, moment)
    known = {t.name: t for room in rooms if room.id == data["arena"] for t in room.things}
    if not known:
        await _settle(mind, data, moment, data["arena"], _make_default_use(data), "")
        return None
    things = fit_names(mind, [NOTHING, *sorted(known)])
    states: list[JSONValue] = [
        [name, "can be", " / ".join(known[name].states)] for name in things if name in known
    ]
    return mind.ask(
        "ground_object",
        {**data, "things": things},
        [*_describe_activity(mind, data, moment), Section("things", states)],
        things=things,
        place=shorten_place(data["arena"]),
    )


async def _apply_object(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Settle the activity with the chosen object."""
    cause = "" if reply.fallback else reply.call
    await _settle(mind, reply.data, moment, reply.data["arena"], reply.value, cause)
    return ()


def _make_default_use(data: QueryData) -> ObjectUse:
    """Return the use of nothing."""
    return ObjectUse(thing=NOTHING, state="", emoji="")


_SPOTS = handle(
    _prepare_spots,
    _apply_spots,
    lambda data: Spots(
        spots=[Spot(where=w, thing=t, state=s, emoji="") for w, t, s in data["usual"]]
    ),
    lambda data: 24 + 96 * len(data["texts"]),
    _limit_spots,
)
_STEP = handle(
    _prepare_step,
    _apply_step,
    lambda data: PlaceChoice(where=data["places"][0]),
    80,
    lambda data: narrow(PlaceChoice, where=one_of(tuple(data["places"]))),
)
HANDLERS: Handlers = {
    "ground.pieces": _SPOTS,
    "ground.one": _SPOTS,
    "ground.sector": _STEP,
    "ground.arena": _STEP,
    "ground.object": handle(
        _prepare_object,
        _apply_object,
        _make_default_use,
        96,
        lambda data: narrow(ObjectUse, thing=one_of(tuple(data["things"]))),
    ),
}
