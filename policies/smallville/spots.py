"""Grounding in one call: where all pieces of an hour happen, with what, and how they show."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, cast

from pydantic import Field, create_model

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
from genagents_env.cognition.replies import Emoji, Word, one_of
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from .ground import NOTHING, begin_reaction, settle_piece
from .mind import SmallvilleMind
from .places import find_arena, list_offers
from .summary import describe_status


class Spot(ReplyModel):
    """Where one activity happens; `thing` and `state`: what is used there, and what it becomes."""

    wire_name: ClassVar[str] = "Spot"
    wire_description: ClassVar[str] = (
        "Where one activity happens; `thing` and `state`: what is used there, and what it becomes."
    )

    where: str
    thing: Word
    state: Word
    emoji: Emoji


class Spots(ReplyModel):
    """A spot for each activity asked about, in order."""

    wire_name: ClassVar[str] = "Spots"
    wire_description: ClassVar[str] = "A spot for each activity asked about, in order."

    spots: list[Spot]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    clock = moment.percept.time.time()
    if "text" in data:
        texts = [data["text"]]
    else:
        pieces = [p for p in mind.day.pieces if data["start"] <= p.start < data["end"]]
        data = {**data, "starts": [piece.start for piece in pieces]}
        texts = [piece.text for piece in pieces]
        clock = mind.services.to_time(data["starts"][0]).time() if pieces else clock
    if not texts:
        return None
    places = list_offers(mind, texts, clock, moment)
    shown = _fill_prompt(mind, texts, places, moment)
    while (
        shown.shown["activities"] < len(texts) and len(texts) > 1
    ):  # the rest is asked about afterwards
        texts = texts[: max(1, shown.shown["activities"])]
        shown = _fill_prompt(mind, texts, places, moment)
    usual = [_find_usual_spot(mind, text, places[0]) for text in texts]
    data = {**data, "texts": texts, "places": places, "usual": usual}
    return PreparedQuery(shown.messages, data, shown.cuts)


def _find_usual_spot(mind: SmallvilleMind, text: str, here: str) -> list[str]:
    """Return place, thing and state of what is done by routine; else the agent stays."""
    entry = next((e for e in mind.profile.routine if e.doing.strip() == text), None)
    if entry is None:
        return [here, NOTHING, ""]
    thing = entry.use.split("/")[-1] if entry.use else NOTHING
    return [entry.place, thing, entry.state or ""]


def _fill_prompt(
    mind: SmallvilleMind, texts: Sequence[str], places: Sequence[str], moment: Moment
) -> FilledPrompt:
    things = sorted(
        {known.name for id_, known in mind.objects.items() if find_arena(id_) in places}
    )
    lines: list[JSONValue] = [[f"#{number}", text] for number, text in enumerate(texts, 1)]
    return mind.services.prompts.fill(
        "ground_pieces",
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            describe_status(mind),
            Section("activities", lines),
            Section("things", [["thing", name] for name in things]),
        ],
        here=shorten_place(moment.percept.me.place),
        places=places,
        count=len(texts),
    )


async def _apply_pieces(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    starts, texts = data["starts"], data["texts"]
    for start, text, spot in zip(starts, texts, reply.value.spots, strict=False):
        piece = next((p for p in mind.day.pieces if p.start == start and p.text == text), None)
        if piece is not None:
            settle_piece(mind, piece, spot.where, spot.thing, spot.state, spot.emoji)
    rest = starts[len(texts) :]
    return [Query("ground.pieces", {"start": rest[0], "end": data["end"]})] if rest else ()


async def _apply_one(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    (spot,) = reply.value.spots
    begin_reaction(mind, data, moment, spot.where, spot.thing, spot.state, spot.emoji)
    return ()


@lru_cache(maxsize=256)
def _make_spots_model(places: tuple[str, ...], count: int) -> type[Spots]:
    spot = create_model("Spot", __base__=Spot, where=(one_of(places), ...))
    exact = Field(min_length=count, max_length=count)
    return cast(type[Spots], create_model("Spots", __base__=Spots, spots=(list[spot], exact)))


def _make_default(data: QueryData) -> Spots:
    """Return what is usual for what is done by routine, and for all else where the agent is."""
    spots = (Spot(where=place, thing=thing, state=s, emoji="") for place, thing, s in data["usual"])
    return Spots(spots=list(spots))


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    **{
        purpose: QueryHandler(
            prepare=_prepare,
            reply_model=lambda data: _make_spots_model(tuple(data["places"]), len(data["texts"])),
            fallback=_make_default,
            apply=take,
            max_tokens=lambda data: 24 + 72 * len(data["texts"]),
        )
        for purpose, take in (("ground.pieces", _apply_pieces), ("ground.one", _apply_one))
    },
}
