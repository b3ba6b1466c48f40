"""Small towns drawn from a seed: houses along a street, their rooms, things and names.

Everybody knows all rooms and can reach them; the two things farthest from each other are 10 to 30
ticks apart. Everything follows from the seed, on any machine.
"""

import math
import tomllib
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from genagents_env.errors import ConfigError, ScenarioError
from genagents_env.scenario import Scenario, lay_out
from genagents_env.scenario.files import Folder, Raw
from genagents_env.scenario.loader import check_folder
from genagents_env.scenario.schema import ArenaSpec
from genagents_env.scenario.schema.scenario import arenas_of
from genagents_env.train.tasks.block_map import ROOMS as BLOCK_ROOMS
from genagents_env.train.tasks.block_map import draw_block
from genagents_env.train.tasks.street_map import (
    DOOR,
    GROUND,
    MOST_ROOMS,
    WALL,
    Lot,
    Tiles,
    draw_green,
    draw_house,
    join_lots,
    measure_walks,
)
from genagents_env.world.places import find_arenas
from genagents_env.world.tiles import Ground, Ints

Things = dict[str, tuple[str, ...]]

ROOMS = (4, 8)  # named ones of a town
WALK = (10, 30)  # ticks between the two things farthest from each other
_THINGS, _STATES = (1, 3), (2, 4)  # of a room, of a thing
_BLOCK_THINGS = (1, 2)  # of a room of a block
_GREEN = 0.5  # chance that one of the rooms is a green
_START = datetime(2023, 2, 13, 9)  # noqa: DTZ001 - town time has no zone
_TICKS, _SECONDS = 120, 10  # of an episode, unless a task says otherwise; of a tick
_USUAL_WALK = 45  # steps between the farthest rooms of a drawn town, at most
_WORD = 0x746F776E  # "town": towns share no draws with anything else of the same seed
_RULES = {
    "walk_speed": 0.1,  # a tile a tick
    "conversation": {"turn_taking": "free", "cooldown_seconds": 60, "idle_seconds": 60},
}


class TownWords(BaseModel):
    """The contents of `words.toml`.

    Attributes:
        towns: names of towns.
        streets: names of the open ground.
        house_names: first words of the names of houses.
        house_kinds: last words of the names of houses.
        green_names: first words of the names of greens; their kind is the last one.
        first_names: of people.
        surnames: of people.
        rooms: kinds of rooms, with the states of the things in them.
        greens: kinds of greens, likewise.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    towns: tuple[str, ...]
    streets: tuple[str, ...]
    house_names: tuple[str, ...]
    house_kinds: tuple[str, ...]
    green_names: tuple[str, ...]
    first_names: tuple[str, ...]
    surnames: tuple[str, ...]
    rooms: dict[str, Things]
    greens: dict[str, Things]


def draw_town(seed: int, *, rooms: tuple[int, int] = ROOMS, people: int = 2) -> Scenario:
    """Return the town of a seed, the same on any machine.

    Args:
        seed: 0 or more.
        rooms: how many named rooms at least and at most, within ROOMS.
        people: how many stand in for those whom a task puts there; at least 1.

    Raises:
        ConfigError: `seed`, `rooms` or `people` is out of range.
    """
    _check(seed, rooms, people)
    rng = np.random.default_rng((_WORD, seed))
    count = int(rng.integers(rooms[0], rooms[1] + 1))
    while True:
        lots = _draw_lots(rng, count)
        tiles = join_lots(rng, lots)
        spots = _place_things(rng, tiles, _THINGS)
        walks = measure_walks(tiles, [spot for room in spots for spot in room])
        if walks.min() >= 0 and WALK[0] <= walks.max() <= WALK[1]:
            return _describe_town(rng, seed, lots, tiles, spots, people)


def draw_block_town(seed: int, *, people: int = 2) -> Scenario:
    """Return a larger town of another kind, which `block_map` draws: no streets, and more rooms.

    Args:
        seed: 0 or more.
        people: as of `draw_town`.
    """
    rng = np.random.default_rng((_WORD, seed))
    lots, tiles = draw_block(rng, int(rng.integers(*BLOCK_ROOMS, endpoint=True)))
    return _describe_town(rng, seed, lots, tiles, _place_things(rng, tiles, _BLOCK_THINGS), people)


def _describe_town(
    rng: np.random.Generator,
    seed: int,
    lots: Sequence[Lot],
    tiles: Tiles,
    spots: Sequence[Sequence[tuple[int, int]]],
    people: int,
) -> Scenario:
    """Return the scenario of a map, with words drawn for all that is there."""
    words = read_words()
    sectors = _describe_sectors(rng, words, lots, [len(room) for room in spots])
    raw: Raw = {
        "name": f"town_{seed}",
        "title": f"A small town, number {seed}",
        "town": words.towns[rng.integers(len(words.towns))],
        "outside": words.streets[rng.integers(len(words.streets))],
        "start": _START,
        "hours": _TICKS * _SECONDS / 3600,
        "seconds_per_tick": _SECONDS,
        "rules": _RULES,
        "sectors": sectors,
        "people": _list_people(rng, sectors, people),
        "map": _write(tiles, spots),
    }
    checked = check_folder(Folder(raw))
    if checked.scenario is None or checked.faults:
        raise ScenarioError(checked.faults)
    return checked.scenario


def list_rooms(town: Scenario) -> tuple[str, ...]:
    """Return the ids of the rooms and greens that everybody may enter at any time, in order."""
    return tuple(room for room, _ in _list_open_rooms(town))


def list_things(town: Scenario) -> dict[str, tuple[str, ...]]:
    """Return the states of each thing that everybody may put into any of two or more, by its id.

    They stand in the rooms of `list_rooms`. The state that a thing starts in comes first.
    """
    return {
        f"{room}/{item.name}": (item.state, *(s for s in item.states if s != item.state))
        for room, arena in _list_open_rooms(town)
        for item in arena.objects
        if len(item.states) > 1 and not item.users and not item.next and not item.sleep_state
    }


@cache
def read_words() -> TownWords:
    """Return the words of drawn towns, read once."""
    text = Path(__file__).with_name("words.toml").read_text("utf-8")
    return TownWords.model_validate(tomllib.loads(text))


def draw_names(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Draw `count` names of people: first names differ, and surnames as long as they last.

    Raises:
        ConfigError: there are not so many first names.
    """
    firsts, surnames = read_words().first_names, read_words().surnames
    if count > len(firsts):
        raise ConfigError(f"{count} people; at most {len(firsts)} names can be drawn")
    first, last = rng.permutation(len(firsts)), rng.permutation(len(surnames))
    return tuple(f"{firsts[first[i]]} {surnames[last[i % len(last)]]}" for i in range(count))


def draw_rooms(rng: np.random.Generator, rooms: Sequence[str], count: int) -> list[str]:
    """Draw `count` rooms, different ones as long as they last."""
    order = rng.permutation(len(rooms))
    return [rooms[order[i % len(rooms)]] for i in range(count)]


def fit_horizon(town: Scenario, ticks: int) -> int:
    """Return the ticks of an episode in `town` that has `ticks` in a drawn town.

    It grows with the way between the two rooms farthest from each other.
    """
    plan = lay_out(town)
    ground = Ground(plan)
    rooms = [ground.tiles_of(find_arenas(plan, room)) for room in list_rooms(town)]
    firsts = [tiles[0] for tiles in rooms if tiles]
    longest = max(int(count_steps(ground, tile)[firsts].max()) for tile in firsts)
    return ticks if longest <= _USUAL_WALK else math.ceil(ticks * longest / _USUAL_WALK)


def count_steps(ground: Ground, tile: int) -> Ints:
    """Return the steps of a shortest path from a tile to every other, -1 where there is none."""
    steps: Ints = np.full(ground.count, -1, dtype=np.int64)
    level = np.array([tile])
    steps[tile] = 0
    while len(level):
        beyond = np.unique(ground.neighbours[:, level])
        level, before = beyond[(beyond >= 0) & (steps[beyond] < 0)], steps[level[0]]
        steps[level] = before + 1
    return steps


def count_way(ground: Ground, tile: int, targets: Sequence[int]) -> int:
    """Return the steps from a tile to the nearest of `targets`, of which one can be reached."""
    steps = count_steps(ground, tile)[list(targets)]
    return int(steps[steps >= 0].min())


def _list_open_rooms(town: Scenario) -> Iterator[tuple[str, ArenaSpec]]:
    for id_, _, _, sector, arena in arenas_of(town):
        if not (sector.users or arena.users or sector.hours or arena.hours):
            yield id_, arena


def _check(seed: int, rooms: tuple[int, int], people: int) -> None:
    if seed < 0:
        raise ConfigError(f"seed: {seed} is not allowed; 0 or more is")
    if not ROOMS[0] <= rooms[0] <= rooms[1] <= ROOMS[1]:
        raise ConfigError(f"rooms: {rooms} is not allowed; from {ROOMS[0]} to {ROOMS[1]}")
    if people < 1:
        raise ConfigError(f"people: {people} is not allowed; at least 1 is")


def _draw_lots(rng: np.random.Generator, rooms: int) -> list[Lot]:
    lots = [draw_green(rng)] if rng.random() < _GREEN else []
    left = rooms - len(lots)
    while left:
        size = min(left, 1 + int(rng.integers(MOST_ROOMS)))
        lots.append(draw_house(rng, size))
        left -= size
    return [lots[i] for i in rng.permutation(len(lots))]


def _place_things(
    rng: np.random.Generator, tiles: Tiles, things: tuple[int, int]
) -> list[list[tuple[int, int]]]:
    """Return for each room where its things stand, so many at least and at most: by no door."""
    doors = np.pad(tiles == DOOR, 1)
    before = doors[:-2, 1:-1] | doors[2:, 1:-1] | doors[1:-1, :-2] | doors[1:-1, 2:]
    spots = []
    for room in range(1, int(tiles.max()) + 1):
        free = np.argwhere((tiles == room) & ~before)
        count = min(int(rng.integers(things[0], things[1] + 1)), len(free))
        chosen = rng.permutation(len(free))[:count]
        spots.append([(int(y), int(x)) for y, x in free[chosen]])
    return spots


def _describe_sectors(
    rng: np.random.Generator, words: TownWords, lots: Sequence[Lot], counts: Sequence[int]
) -> list[Raw]:
    houses = rng.permutation(len(words.house_names))
    sectors: list[Raw] = []
    room = thing = 0
    for number, lot in enumerate(lots):
        kinds = words.greens if lot.green else words.rooms
        chosen = [list(kinds)[i] for i in rng.permutation(len(kinds))[: lot.rooms]]
        if lot.green:
            first = words.green_names[rng.integers(len(words.green_names))]
            name = f"{first} {chosen[0].capitalize()}"
        else:
            last = words.house_kinds[rng.integers(len(words.house_kinds))]
            name = f"{words.house_names[houses[number]]} {last}"
        arenas: list[Raw] = []
        for kind in chosen:
            things = _draw_things(rng, kinds[kind], counts[room], thing)
            arena: Raw = {"name": name if lot.green else kind, "symbol": chr(ord("a") + room)}
            arenas.append(arena | {"open_air": lot.green, "objects": things})
            room, thing = room + 1, thing + len(things)
        sectors.append({"name": name, "common": True, "arenas": arenas})
    return sectors


def _draw_things(rng: np.random.Generator, things: Things, count: int, first: int) -> list[Raw]:
    """Return `count` things of a kind of room, with symbols from number `first` on."""
    drawn: list[Raw] = []
    for number, index in enumerate(rng.permutation(len(things))[:count], first):
        name, known = list(things.items())[index]
        most = min(len(known), _STATES[1])
        size = int(rng.integers(_STATES[0], most + 1))
        states = [known[i] for i in np.sort(rng.permutation(len(known))[:size])]
        start = states[rng.integers(size)]
        symbol = chr(ord("A") + number)
        drawn.append({"name": name, "symbol": symbol, "states": states, "state": start})
    return drawn


def _list_people(rng: np.random.Generator, sectors: Sequence[Raw], count: int) -> list[Raw]:
    homes = [
        f"{sector['name']}/{arena['name']}"
        for sector in sectors
        for arena in sector["arenas"]  # type: ignore[attr-defined]  # a list, as made above
        if not arena["open_air"]
    ]
    chosen = rng.permutation(len(homes))
    return [
        {
            "name": name,
            "persona": f"{name} lives at {homes[chosen[i % len(homes)]].split('/')[0]}",
            "home": homes[chosen[i % len(homes)]],
        }
        for i, name in enumerate(draw_names(rng, count))
    ]


def _write(tiles: Tiles, spots: Sequence[Sequence[tuple[int, int]]]) -> str:
    """Return the map as text: rooms in small letters, things in capitals."""
    marks = {GROUND: ".", WALL: "#", DOOR: "+"}
    lines = [[marks.get(t) or chr(ord("a") + t - 1) for t in row] for row in tiles.tolist()]
    for number, (y, x) in enumerate(spot for room in spots for spot in room):
        lines[y][x] = chr(ord("A") + number)
    return "".join(f"{''.join(line)}\n" for line in lines)
