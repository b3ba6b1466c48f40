"""Ground: where an activity happens, with which object, and how it shows.

`one_call` asks for all pieces of an hour at once; `recursive` goes down the tree of the places one
knows for each piece: sector, then arena, then object, asking only where there is a choice, and
staying where one is if that will do (Park et al. 2023, section 4.3.1). Emoji and the object's new
state come with the last answer, where the public code asks eight times.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import time
from functools import lru_cache
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, create_model

from genagents_env.llm.bound import bound
from genagents_env.llm.calls import JSONValue

from . import brief
from .day import Piece
from .habit import entry_at
from .mind import Activity, Mind
from .prompts import Shown
from .replies import Emoji, Word
from .thought import Ask, Data, Handler, Moment, Reply, Thought

NOTHING = "nothing"
_MOST_PLACES = 8
_PLACES_SHARE = 0.25  # of a prompt at most for the names to choose from
_WORDS = re.compile(r"[a-z']+")
_EMPTY = frozenset(
    ["a", "an", "and", "at", "for", "in", "of", "on", "or", "the", "then", "to", "with"]
)


class Spot(BaseModel):
    """Where one activity happens; `thing` and `state`: what is used there, and what it becomes."""

    where: str
    thing: Word
    state: Word
    emoji: Emoji


class Spots(BaseModel):
    """A spot for each activity asked about, in order."""

    spots: list[Spot]


class Choice(BaseModel):
    """One step down the tree of places."""

    where: str


class Use(BaseModel):
    """The object an activity uses, its new state, and how the activity shows."""

    thing: str
    state: Word
    emoji: Emoji


def of_pieces(mind: Mind, start: int, end: int) -> list[Thought]:
    """Return the thoughts that ground the plan's pieces from `start` until `end`."""
    if mind.config.grounding == "one_call":
        return [Thought("ground.pieces", {"start": start, "end": end})]
    pieces = [piece for piece in mind.day.pieces if start <= piece.start < end]
    return [Thought("ground.sector", {"text": p.text, "start": p.start}) for p in pieces]


def of_reaction(mind: Mind, data: Data) -> Thought:
    """Return the thought that grounds something one does instead of what was planned."""
    return Thought("ground.sector" if mind.config.grounding == "recursive" else "ground.one", data)


# All at once.


async def _ask_pieces(mind: Mind, data: Data, moment: Moment) -> Ask | None:
    clock = moment.percept.time.time()
    if "text" in data:
        texts = [data["text"]]
    else:
        pieces = [p for p in mind.day.pieces if data["start"] <= p.start < data["end"]]
        data = {**data, "starts": [piece.start for piece in pieces]}
        texts = [piece.text for piece in pieces]
        clock = mind.kit.clock(data["starts"][0]).time() if pieces else clock
    if not texts:
        return None
    places = _places(mind, texts, clock, moment)
    shown = _shown(mind, texts, places, moment)
    while shown.lines < len(texts) and len(texts) > 1:  # the rest is asked about afterwards
        texts = texts[: max(1, shown.lines)]
        shown = _shown(mind, texts, places, moment)
    usual = [_usual_spot(mind, text, places[0]) for text in texts]
    return Ask(shown.messages, {**data, "texts": texts, "places": places, "usual": usual})


def _usual_spot(mind: Mind, text: str, here: str) -> list[str]:
    """Return place, thing and state of what is done by routine; else one stays where one is."""
    entry = next((e for e in mind.profile.routine if e.doing[:60].strip() == text), None)
    if entry is None:
        return [here, NOTHING, ""]
    thing = entry.use.split("/")[-1] if entry.use else NOTHING
    return [entry.place, thing[:24], (entry.state or "")[:24]]


def _shown(mind: Mind, texts: Sequence[str], places: Sequence[str], moment: Moment) -> Shown:
    things = sorted({known.name for id_, known in mind.objects.items() if _arena(id_) in places})
    lines: list[JSONValue] = [["thing", name] for name in things[:16]]
    lines += [[f"#{number}", text] for number, text in enumerate(texts, 1)]
    return mind.kit.prompts.fill(
        "ground_pieces",
        mind.profile,
        lines=lines,
        here=brief.place(moment.percept.me.place),
        places=places,
        count=len(texts),
    )


async def _take_pieces(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    starts, texts = data["starts"], data["texts"]
    for start, text, spot in zip(starts, texts, reply.value.spots, strict=False):
        piece = next((p for p in mind.day.pieces if p.start == start and p.text == text), None)
        if piece is not None:
            _settle(mind, piece, spot.where, spot.thing, spot.state, spot.emoji)
    rest = starts[len(texts) :]
    return [Thought("ground.pieces", {"start": rest[0], "end": data["end"]})] if rest else ()


async def _take_one(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    (spot,) = reply.value.spots
    _react(mind, data, moment, spot.where, spot.thing, spot.state, spot.emoji)
    return ()


# Down the tree.


async def _ask_step(mind: Mind, data: Data, moment: Moment) -> Ask | Thought | None:
    """Ask for the sector, or for the arena in it; a single choice is taken without asking."""
    here = moment.percept.me.place
    options = _options(mind, data, moment)
    if len(options) == 1:
        return _below(data, options[0], moment)
    clock = mind.kit.clock(data.get("start", moment.now)).time()
    options = _ranked(mind, options, [data["text"]], clock, here)
    options.sort(key=lambda place: not _related(place, here))  # the first is where one stays
    options = _affordable(mind, options[: 2 * _MOST_PLACES])
    shown = mind.kit.prompts.fill(
        "ground_step",
        mind.profile,
        lines=[["activity", data["text"]]],
        here=brief.place(here),
        places=options,
        kind="room" if "sector" in data else "place",
    )
    return Ask(shown.messages, {**data, "places": options})


async def _take_step(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    return [_below(data, reply.value.where, moment)]


def _options(mind: Mind, data: Data, moment: Moment) -> list[str]:
    """Return the sectors one knows of, or the arenas of one; where one is if nothing is left."""
    here, known = moment.percept.me.place, moment.percept.known
    open_ = [place for place in known if place not in mind.blocked]
    if "sector" not in data:
        return list(dict.fromkeys(place.split("/")[0] for place in open_)) or [here]
    sector = data["sector"]
    return [p for p in open_ if p.startswith(f"{sector}/") or p == sector == here] or [here]


def _below(data: Data, place: str, moment: Moment) -> Thought:
    """Return the next step down the tree from `place`."""
    kept = {key: value for key, value in data.items() if key not in ("places", "sector")}
    if "sector" not in data and any(p.startswith(f"{place}/") for p in moment.percept.known):
        return Thought("ground.arena", {**kept, "sector": place})
    return Thought("ground.object", {**kept, "arena": place})


async def _ask_object(mind: Mind, data: Data, moment: Moment) -> Ask | None:
    """Ask what is used there; where one knows of no object, nothing is."""
    known = {k.name: k.state for id_, k in mind.objects.items() if _arena(id_) == data["arena"]}
    if not known:
        _put(mind, data, moment, Use(thing=NOTHING, state="", emoji=""))
        return None
    things = _affordable(mind, [NOTHING, *sorted(known)][:16])
    lines: list[JSONValue] = [["activity", data["text"]]]
    lines += [[name, "is", known[name]] for name in things if name in known]
    shown = mind.kit.prompts.fill(
        "ground_object",
        mind.profile,
        lines=lines,
        things=things,
        place=brief.place(data["arena"]),
    )
    return Ask(shown.messages, {**data, "things": things})


async def _take_object(mind: Mind, data: Data, moment: Moment, reply: Reply) -> Sequence[Thought]:
    _put(mind, data, moment, reply.value)
    return ()


def _put(mind: Mind, data: Data, moment: Moment, use: Use) -> None:
    """Write place and object into the reaction, or the piece of the plan, that they are for."""
    if "minutes" in data:
        _react(mind, data, moment, data["arena"], use.thing, use.state, use.emoji)
        return
    for piece in mind.day.pieces:
        if piece.start == data["start"] and piece.text == data["text"]:
            _settle(mind, piece, data["arena"], use.thing, use.state, use.emoji)


def _settle(mind: Mind, piece: Piece, place: str, thing: str, state: str, emoji: str) -> None:
    """Write a place into a piece of the plan."""
    piece.place, piece.emoji, piece.grounded = place, emoji, True
    piece.object = _known_object(mind, place, thing)
    piece.use = state if thing != NOTHING else ""
    piece.about = (mind.name, piece.text.split(" ")[0], thing)


def _react(
    mind: Mind, data: Data, moment: Moment, place: str, thing: str, state: str, emoji: str
) -> None:
    """Begin a reaction: unless by now one sleeps or talks, it replaces what one is at."""
    if mind.asleep or mind.dialogue is not None:
        return
    mind.activity = Activity(
        text=data["text"],
        emoji=emoji,
        place=place,
        object=_known_object(mind, place, thing),
        use=state if thing != NOTHING else "",
        begun=moment.now,
        until=moment.now + 60 * int(data["minutes"]),
        reaction=True,
    )


def _known_object(mind: Mind, place: str, thing: str) -> str:
    """Return the id of the object in `place` that `thing` names, or the thing's own words.

    What is not known yet may be found on arrival, by the same words.
    """
    if thing == NOTHING or not thing:
        return ""
    here = {k.name: id_ for id_, k in mind.objects.items() if _arena(id_) == place}
    name = best_match(thing, list(here))
    return here[name] if name else thing


def best_match(words: str, names: Sequence[str]) -> str:
    """Return which of `names` shares most words with `words`; empty where none shares any."""
    wanted = _words(words)
    # A name such as "on" is made of words that mean nothing elsewhere.
    scored = [
        (len(wanted & (_content(name) or _words(name))), -k, name) for k, name in enumerate(names)
    ]
    best = max(scored, default=(0, 0, ""))
    return best[2] if best[0] else ""


def _places(mind: Mind, texts: Sequence[str], clock: time, moment: Moment) -> list[str]:
    """Return the arenas worth offering for these activities, where one is now first.

    Unless one is out on the way, which is no place to do anything in.
    """
    known = moment.percept.known
    arenas = [place for place in known if not any(k.startswith(f"{place}/") for k in known)]
    here = moment.percept.me.place
    here = here if here in known or not arenas else ""
    ranked = _ranked(mind, [a for a in arenas if a not in mind.blocked], texts, clock, here)
    here_first = list(dict.fromkeys([here, *ranked] if here else ranked))
    return _affordable(mind, here_first[:_MOST_PLACES] or [moment.percept.me.place])


def _affordable(mind: Mind, names: Sequence[str]) -> list[str]:
    """Return the first of `names` that leave a prompt room for more than them; at least one."""
    room, kept = int(mind.config.prompt_tokens * _PLACES_SHARE), list(names[:1])
    for name in names[1:]:
        if bound("; ".join([*kept, name])) > room:
            break
        kept.append(name)
    return kept


def _ranked(
    mind: Mind, places: Sequence[str], texts: Sequence[str], clock: time, here: str
) -> list[str]:
    """Return `places`, those first that have most to do with the activities and with oneself.

    That is, those the activities name, those of the routine at `clock`, those of the routine at
    any time, one's own, and the one where one is.
    """
    profile = mind.profile
    named = _content(" ".join(texts))
    usual = entry_at(profile, clock)
    routine = {entry.place for entry in profile.routine}

    def worth(place: str) -> float:
        score = 2.0 * len(named & _content(place))
        score += 3.0 * (usual is not None and _related(place, usual.place))
        score += 1.5 * any(_related(place, other) for other in sorted(routine))
        score += 1.0 * (_related(place, profile.home) or _related(place, profile.workplace or "/"))
        return score + 2.0 * _related(place, here)

    return sorted(places, key=lambda place: -worth(place))


def _related(place: str, other: str) -> bool:
    return place == other or place.startswith(f"{other}/") or other.startswith(f"{place}/")


def _arena(object_id: str) -> str:
    return object_id.rsplit("/", 1)[0]


def _content(text: str) -> set[str]:
    return _words(text) - _EMPTY


def _words(text: str) -> set[str]:
    return {word.removesuffix("'s") for word in _WORDS.findall(text.lower())}


@lru_cache(maxsize=256)
def _spots(places: tuple[str, ...], count: int) -> type[Spots]:
    allowed: Any = Literal[places]
    spot = create_model("Spot", __base__=Spot, where=(allowed, ...))
    exact = Field(min_length=count, max_length=count)
    return cast(type[Spots], create_model("Spots", __base__=Spots, spots=(list[spot], exact)))


@lru_cache(maxsize=256)
def _choice(places: tuple[str, ...]) -> type[Choice]:
    allowed: Any = Literal[places]
    return cast(type[Choice], create_model("Choice", __base__=Choice, where=(allowed, ...)))


@lru_cache(maxsize=256)
def _use(things: tuple[str, ...]) -> type[Use]:
    allowed: Any = Literal[things]
    return cast(type[Use], create_model("Use", __base__=Use, thing=(allowed, ...)))


def _stay(data: Data) -> Spots:
    """Return what is usual for what is done by routine, and for all else where one is."""
    spots = (Spot(where=place, thing=thing, state=s, emoji="") for place, thing, s in data["usual"])
    return Spots(spots=list(spots))


HANDLERS: Mapping[str, Handler] = {
    **{
        purpose: Handler(
            ask=_ask_pieces,
            reply=lambda data: _spots(tuple(data["places"]), len(data["texts"])),
            fallback=_stay,
            take=take,
            max_tokens=lambda data: 24 + 72 * len(data["texts"]),
        )
        for purpose, take in (("ground.pieces", _take_pieces), ("ground.one", _take_one))
    },
    **{
        purpose: Handler(
            ask=_ask_step,
            reply=lambda data: _choice(tuple(data["places"])),
            fallback=lambda data: Choice(where=data["places"][0]),
            take=_take_step,
            max_tokens=lambda data: 80,
        )
        for purpose in ("ground.sector", "ground.arena")
    },
    "ground.object": Handler(
        ask=_ask_object,
        reply=lambda data: _use(tuple(data["things"])),
        fallback=lambda data: Use(thing=NOTHING, state="", emoji=""),
        take=_take_object,
        max_tokens=lambda data: 96,
    ),
}
