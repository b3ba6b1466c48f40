"""What a saved town must be to be lived on: types, counts and ranges of every value in it.

Whoever hands in a state may have made it up, and arrays are indexed by what is in it.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeGuard

from genagents_env.errors import ConfigError
from genagents_env.world.constants import TownConstants
from genagents_env.world.events import JSON
from genagents_env.world.interventions import TYPES
from genagents_env.world.tiles import Ground

Check = Callable[[JSON], bool]

_MOST = 2**62  # of what only counts: ids, ticks
_END = datetime(9999, 1, 1)  # noqa: DTZ001 (town time has no zones); time itself ends a year later
_SOUNDS = ("speech", "news", "thought", "notice")


def check_saved_town(town: TownConstants, saved: JSON) -> None:
    """Raise where `saved` is not what `save_state` of such a town returns.

    Raises:
        ConfigError: it names the value.
    """
    checks = _list_checks(town)
    for name, check in checks.items():
        if not isinstance(saved, Mapping) or name not in saved:
            raise ConfigError(f"the saved state of the town has no {name}; save it again")
        if not check(saved[name]):
            raise ConfigError(
                f"the saved state of the town: {name} is not one of this town; save it again"
            )


def _list_checks(town: TownConstants) -> dict[str, Check]:
    people, tiles = town.count, town.ground.count
    last_tick = (_END - town.clock.start) // timedelta(seconds=town.clock.seconds_per_tick)
    person, count, flag = _is_number(0, people), _is_number(0, _MOST), _is_flag
    counts, flags = _are_numbers(0, _MOST, people), _is_list(flag, people)
    texts, on_tiles = _is_list(_is_text, people), _are_numbers(0, tiles, people)
    sound = _is_row(_is_kind, _is_optional(person), _is_text, flag, flag, _is_list(_is_text), count)
    checks = {
        "seed": _is_number(-_MOST, 2**64),
        "tick": _is_number(0, last_tick),
        "tile": on_tiles,
        "start_tiles": on_tiles,
        "present": flags,
        "asleep": flags,
        "arrived": flags,
        "shown": _are_numbers(-1, 2 * len(town.places.all), people),
        "doing": texts,
        "emoji": texts,
        "doing_event": counts,
        "bed": _are_numbers(-1, len(town.plan.objects), people),
        "known": _is_list(_are_bits(len(town.places.all)), people),
        "facts": _is_list(_are_bits(len(town.people.fact_ids)), people),
        "sightings": lambda value: _are_sightings(value, people, tiles),
        "pending": _is_list(lambda value: _is_intervention(town, value)),
        "things": lambda value: _are_things(value, len(town.plan.objects)),
        "talks": lambda value: _are_talks(value, people),
        "told": _is_list(_is_row(person, person, _is_number(0, len(town.people.fact_ids)))),
        "heard": _is_list(_is_row(person, _is_list(sound))),
        "outcomes": _is_list(_is_row(person, _is_row(flag, _is_text, flag))),
        "spoken": _is_list(_is_row(person, _is_text)),
        "next_event": count,
        "events": _is_list(
            _is_row(count, count, _is_text, _is_optional(_is_text), _is_mapping),
        ),
    }
    if town.paths.one_by_one:
        checks["ways"] = lambda value: _are_ways(town, value)
    return checks


def _is_sequence(value: JSON) -> TypeGuard[list[JSON] | tuple[JSON, ...]]:
    return isinstance(value, list | tuple)


def _is_number(low: int, end: int) -> Check:
    return lambda value: type(value) is int and low <= value < end


def _are_numbers(low: int, end: int, count: int) -> Check:
    return lambda value: _is_sequence(value) and len(value) == count and _lie_in(value, low, end)


def _lie_in(values: list[JSON] | tuple[JSON, ...], low: int, end: int) -> bool:
    """Return whether all are numbers in a range: quick, as there may be a million."""
    return not values or (
        set(map(type, values)) == {int} and low <= min(values) <= max(values) < end
    )


def _is_flag(value: JSON) -> bool:
    return isinstance(value, bool)


def _is_mapping(value: JSON) -> bool:
    return isinstance(value, Mapping)


def _is_text(value: JSON) -> bool:
    """Return whether it is text that can be written: half of a pair of surrogates is not."""
    return isinstance(value, str) and value == value.encode("utf-8", "replace").decode()


def _is_kind(value: JSON) -> bool:
    return value in _SOUNDS


def _is_optional(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _is_list(check: Check, count: int | None = None) -> Check:
    return lambda value: (
        _is_sequence(value) and count in (None, len(value)) and all(map(check, value))
    )


def _is_row(*checks: Check) -> Check:
    return lambda value: (
        _is_sequence(value)
        and len(value) == len(checks)
        and all(check(one) for check, one in zip(checks, value, strict=True))
    )


def _are_bits(count: int) -> Check:
    """Return a check for hexadecimal text of `count` bits."""
    return lambda value: (
        isinstance(value, str)
        and 0 < len(value) <= count // 4 + 1
        and set(value) <= set("0123456789abcdef")
        and int(value, 16) >> count == 0
    )


def _are_sightings(value: JSON, people: int, tiles: int) -> bool:
    if not _is_sequence(value) or len(value) != 3 or not all(map(_is_sequence, value)):
        return False
    ends = (people, people, tiles)
    return len({len(part) for part in value}) == 1 and all(
        _lie_in(part, 0, end) for part, end in zip(value, ends, strict=True)
    )


def _are_things(value: JSON, count: int) -> bool:
    return (
        isinstance(value, Mapping)
        and _is_list(_is_text, count)(value.get("states"))
        and _are_numbers(0, _MOST, count)(value.get("events"))
    )


def _are_talks(value: JSON, people: int) -> bool:
    if not isinstance(value, Mapping):
        return False
    person, count, tick = _is_number(0, people), _is_number(0, _MOST), _is_number(-1, _MOST)
    talk = _is_row(count, _is_flag, tick, tick, person, tick, _is_list(person), _is_list(count))
    opened: JSON = value.get("open")
    following: JSON = value.get("next")
    if not (_is_list(talk)(opened) and count(following)):
        return False
    if not _is_list(_is_row(person, person, tick))(value.get("until")):
        return False
    ids = {one[0] for one in opened}
    members = [member for one in opened for member in one[6]]
    return (
        len(ids) == len(opened)
        and max(ids, default=-1) < following
        and len(set(members)) == len(members)
        and all(one[4] in one[6] and len(one[6]) == len(one[7]) for one in opened)
    )


def _are_ways(town: TownConstants, value: JSON) -> bool:
    """Return whether ways lead over free tiles side by side, each from where it begins."""
    person, tile = _is_number(0, town.count), _is_number(0, town.ground.count)
    tiles, count = _is_list(tile), _is_number(0, _MOST)
    if not _is_list(_is_row(person, tiles, tile, tiles, _is_flag, count, count))(value):
        return False
    return all(_is_walkable(town.ground, [way[2], *reversed(way[3])]) for way in value)


def _is_walkable(ground: Ground, tiles: list[int]) -> bool:
    free, neighbours = ground.free, ground.neighbours
    return all(bool(free[tile]) for tile in tiles) and all(
        there in neighbours[:, here] for here, there in pairwise(tiles)
    )


def _is_intervention(town: TownConstants, value: JSON) -> bool:
    if not _is_row(_is_text, _is_mapping)(value) or value[0] not in TYPES:
        return False
    known, given = fields(TYPES[value[0]]), value[1]
    if {field.name for field in known} != set(given):
        return False
    return all(_is_field(town, field.name, given[field.name], field.default) for field in known)


def _is_field(town: TownConstants, name: str, value: JSON, default: object) -> bool:
    """Return whether a field of an intervention names what is there."""
    if value is None:
        return default is None
    if not _is_text(value):
        return False
    if name == "agent":
        return value in town.people.index
    if name == "object":
        return value in town.places.object_ids
    return name != "place" or bool(town.places.find_arenas(value))
