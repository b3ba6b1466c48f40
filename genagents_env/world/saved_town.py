"""The state of a town as JSON values: saved, loaded, and checked first, since it may be forged."""

from collections.abc import Callable
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Annotated as Checked
from typing import Any, Literal, TypeAlias

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    ValidationInfo,
)

from genagents_env.errors import ConfigError
from genagents_env.world.constants import TownConstants
from genagents_env.world.events import JSON, Event
from genagents_env.world.interventions import TYPES
from genagents_env.world.paths import Way
from genagents_env.world.snapshot import ActionOutcome, Sound
from genagents_env.world.state import WorldState

# Of `WorldState`, in the order in which they are written.
_ARRAYS = {
    **dict.fromkeys(("tile", "start_tiles"), np.int64),
    **dict.fromkeys(("present", "asleep", "arrived"), np.bool_),
    "shown": np.int64,
}
_LISTS = ("doing", "emoji", "doing_event", "bed")
SavedWorld: TypeAlias = dict[str, JSON]  # JSON values, by the names of `save_state`


def save_state(state: WorldState) -> SavedWorld:
    """Return all that changes in an episode."""
    saved = {
        "seed": state.seed,
        "tick": state.tick,
        **{name: getattr(state, name).tolist() for name in _ARRAYS},
        **{name: list(getattr(state, name)) for name in _LISTS},
        "known": [format(k, "x") for k in state.known],
        "facts": [format(k, "x") for k in state.facts],
        "sightings": state.sightings.state(),
        "pending": [[type(change).__name__, asdict(change)] for change in state.pending],
        "things": state.objects.state(),
        "talks": state.conversations.state(),
        "told": sorted(list(t) for t in state.told),
        "heard": [[i, [list(s) for s in sounds]] for i, sounds in state.heard.items()],
        "outcomes": [[i, list(o)] for i, o in state.outcomes.items()],
        "spoken": [list(s) for s in state.spoken],
        "next_event": state.log.next_id,
        "events": [list(e) for e in state.log.events],
    }
    if state.town.paths.one_by_one:
        saved["ways"] = [
            [i, sorted(way.goals), way.at, way.ahead, way.aside, way.waited, way.slack]
            for i, way in sorted(state.ways.items())
        ]
    return saved


def load_state(state: WorldState, saved: SavedWorld) -> None:
    """Load a saved state into one that has begun an episode."""
    state.tick = saved["tick"]
    for name, dtype in _ARRAYS.items():
        setattr(state, name, np.array(saved[name], dtype=dtype))
    for name in _LISTS:
        setattr(state, name, list(saved[name]))
    state.arena = state.town.ground.arena[state.tile]
    state.set_known(tuple(int(k, 16) for k in saved["known"]))
    state.facts = [int(k, 16) for k in saved["facts"]]
    state.sightings.load_state(saved["sightings"])
    state.pending = [TYPES[name](**fields) for name, fields in saved["pending"]]
    state.objects.load_state(saved["things"])
    state.conversations.load_state(saved["talks"])
    state.told = {(i, j, fact) for i, j, fact in saved["told"]}
    state.heard = {
        i: [Sound(*s)._replace(facts=tuple(s[5])) for s in sounds] for i, sounds in saved["heard"]
    }
    state.outcomes = {i: ActionOutcome(*o) for i, o in saved["outcomes"]}
    state.spoken = [(i, text) for i, text in saved["spoken"]]
    state.ways = {
        i: Way(frozenset(goals), at, list(ahead), *rest)
        for i, goals, at, ahead, *rest in saved.get("ways", ())
    }
    state.log.begin(state.tick)
    state.log.next_id = saved["next_event"]
    state.log.events = [Event(*e) for e in saved["events"]]


_MOST = 2**62  # of what only counts: ids, ticks
_END = datetime(9999, 1, 1)  # noqa: DTZ001 (town time has no zones); time itself ends a year later


def check_saved_town(town: TownConstants, saved: JSON) -> None:
    """Check that `saved` is a state of such a town.

    Raises:
        ConfigError: it is not; the message names the value.
    """
    tick, places = timedelta(seconds=town.clock.seconds_per_tick), len(town.places.all)
    counts = {
        **{"people": town.count, "tiles": town.ground.count, "places": places, "shown": 2 * places},
        **{"items": len(town.plan.objects), "facts": len(town.people.fact_ids)},
        **{"ticks": (_END - town.clock.start) // tick, "town": town},
    }
    try:
        _SavedTown.model_validate(saved, context=counts)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name, *inside = first["loc"] or ("values",)
        missing = not inside and first["type"] in ("missing", "model_type")
        why = f"it has no {name}" if missing else f"{name} is not one of this town"
        raise ConfigError(f"the saved state of the town: {why}; save it again") from None


def _where(holds: Callable[[Any, dict[str, Any]], bool]) -> AfterValidator:
    """Check a value by the counts of its town, and the town itself."""

    def check(value: JSON, info: ValidationInfo[dict[str, Any]]) -> JSON:
        if not holds(value, info.context):
            raise ValueError("it is not of this town")
        return value

    return AfterValidator(check)


def _below(what: str, low: int = 0) -> AfterValidator:
    return _where(lambda number, counts: low <= number < counts[what])


def _as_many(what: str) -> AfterValidator:
    return _where(lambda values, counts: len(values) == counts[what])


def _bits(what: str) -> AfterValidator:
    def holds(text: str, counts: dict[str, Any]) -> bool:
        count = counts[what]
        signs = 0 < len(text) <= count // 4 + 1 and {*text} <= {*"0123456789abcdef"}
        return signs and int(text, 16) >> count == 0

    return _where(holds)


def _are_sightings(parts: tuple[list[int], ...], counts: dict[str, Any]) -> bool:
    ends = counts["people"], counts["people"], counts["tiles"]
    return (
        len(parts) == 3
        and len({*map(len, parts)}) == 1
        and all(
            not part or (min(part) >= 0 and max(part) < end)
            for part, end in zip(parts, ends, strict=True)
        )
    )


def _are_talks(talks: "_Talks", _: dict[str, Any]) -> bool:
    ids = {talk[0] for talk in talks.open}
    members = [member for talk in talks.open for member in talk[6]]
    return (
        len(ids) == len(talks.open)
        and max(ids, default=-1) < talks.next
        and len({*members}) == len(members)
        and all(talk[4] in talk[6] and len(talk[6]) == len(talk[7]) for talk in talks.open)
    )


def _are_ways(ways: "list[_Way] | None", counts: dict[str, Any]) -> bool:
    """Return True if they lead over free tiles side by side, each from where it begins."""
    town = counts["town"]
    if ways is None:
        return not town.paths.one_by_one
    free, neighbours = town.ground.free, town.ground.neighbours
    tiles = [[way[2], *reversed(way[3])] for way in ways]
    return all(
        all(free[tile] for tile in way) and all(b in neighbours[:, a] for a, b in pairwise(way))
        for way in tiles
    )


def _is_intervention(pending: tuple[str, dict[str, str | None]], counts: dict[str, Any]) -> bool:
    """Return True if its fields are those of its kind, and name what is there."""
    (name, given), town = pending, counts["town"]
    if name not in TYPES or {field.name for field in fields(TYPES[name])} != {*given}:
        return False
    names = {"agent": town.people.index, "object": town.places.object_ids}
    for field in fields(TYPES[name]):
        value = given[field.name]
        if value is None:
            known = field.default is None
        elif field.name == "place":
            known = bool(town.places.find_arenas(value))
        else:
            known = value in names.get(field.name, (value,))
        if not known:
            return False
    return True


# Half of a pair of surrogates cannot be written.
_Text = Checked[StrictStr, _where(lambda t, _: t == t.encode("utf-8", "replace").decode())]
_Person = Checked[StrictInt, _below("people")]
_Tile = Checked[StrictInt, _below("tiles")]
_Count = Checked[StrictInt, Field(ge=0, lt=_MOST)]
_Tick = Checked[StrictInt, Field(ge=-1, lt=_MOST)]
_Flags = Checked[list[StrictBool], _as_many("people")]
_Texts = Checked[list[_Text], _as_many("people")]
_Tiles = Checked[list[_Tile], _as_many("people")]
_Kind = Literal["speech", "news", "thought", "notice"]
_Sound = tuple[_Kind, _Person | None, _Text, StrictBool, StrictBool, list[_Text], _Count]
# Its id, by phone, three ticks with the one whose turn it is, its members and how much each said.
_Talk = tuple[_Count, StrictBool, _Tick, _Tick, _Person, _Tick, list[_Person], list[_Count]]
_Way = tuple[_Person, list[_Tile], _Tile, list[_Tile], StrictBool, _Count, _Count]
_Change = tuple[_Text, dict[str, _Text | None]]


class _Talks(BaseModel):
    open: list[_Talk]
    until: list[tuple[_Person, _Person, _Tick]]
    next: _Count


class _Things(BaseModel):
    states: Checked[list[_Text], _as_many("items")]
    events: Checked[list[_Count], _as_many("items")]


class _SavedTown(BaseModel):
    seed: Checked[StrictInt, Field(ge=-_MOST, lt=2**64)]
    tick: Checked[StrictInt, _below("ticks")]
    tile: _Tiles
    start_tiles: _Tiles
    present: _Flags
    asleep: _Flags
    arrived: _Flags
    shown: Checked[list[Checked[StrictInt, _below("shown", -1)]], _as_many("people")]
    doing: _Texts
    emoji: _Texts
    doing_event: Checked[list[_Count], _as_many("people")]
    bed: Checked[list[Checked[StrictInt, _below("items", -1)]], _as_many("people")]
    known: Checked[list[Checked[_Text, _bits("places")]], _as_many("people")]
    facts: Checked[list[Checked[_Text, _bits("facts")]], _as_many("people")]
    sightings: Checked[tuple[list[StrictInt], ...], _where(_are_sightings)]
    pending: list[Checked[_Change, _where(_is_intervention)]]
    things: _Things
    talks: Checked[_Talks, _where(_are_talks)]
    told: list[tuple[_Person, _Person, Checked[StrictInt, _below("facts")]]]
    heard: list[tuple[_Person, list[_Sound]]]
    outcomes: list[tuple[_Person, tuple[StrictBool, _Text, StrictBool]]]
    spoken: list[tuple[_Person, _Text]]
    next_event: _Count
    events: list[tuple[_Count, _Count, _Text, _Text | None, dict[str, Any]]]
    ways: Checked[list[_Way] | None, Field(validate_default=True), _where(_are_ways)] = None
