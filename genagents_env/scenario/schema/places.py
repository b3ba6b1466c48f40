"""The places of a town, `[[sectors]]`, with their arenas, and the objects and spawns in these."""

from typing import Annotated

from pydantic import Field

from genagents_env.scenario.fields import Later, Line, Model, Name, OpenHours

SIDE_LIMIT = 512  # tiles, the longest side of a town
_TILES = 1000  # of one object

Tile = tuple[int, int]
Symbol = Annotated[str, Field(min_length=1, max_length=1)]


class ObjectSpec(Model):
    """A thing in an arena. Without a tile by map, `at`, `tiles` or `symbol` the layout finds one.

    Attributes:
        name: How it is called; the last part of its id.
        state: The one that it starts in; in a file that leaves it out the first of `states`, or
            `idle` where none are declared.
        states: Those that it can be in.
        free_text: It may be put into any other state, in words, too.
        next: What may follow a state: `{ dry = ["wet"] }`; a state that is not named may become any
            other of `states`. One that stands among those that follow it can be put again.
        users: Who alone may use it; everybody where none are named, `["nobody"]` locks it.
        sleep_state: Of a bed: the state in which its user sleeps.
        lasting: The states that stay when the activity that made them is over, such as a laid
            table; a mind ends every other state with its activity.
        at: Its tile, as `[across, down]` from the top left, where a map is drawn.
        tiles: Its tiles, each as `at`, where there are several.
        symbol: The character that stands for it in map.txt.
        solid: Nobody can stand on its tiles; one uses it from beside.
    """

    name: Name
    state: Line = "idle"
    states: tuple[Line, ...] = ()
    free_text: bool = False
    next: dict[str, tuple[Line, ...]] = Field(default_factory=dict)
    users: tuple[Name, ...] = ()
    sleep_state: Line | None = None
    lasting: tuple[Line, ...] = ()
    at: Tile | None = None
    tiles: Later[Annotated[tuple[Tile, ...], Field(max_length=_TILES)]] = ()
    symbol: Symbol | None = None
    solid: Later[bool] = False


class SpawnSpec(Model):
    """A tile of an arena with a name, for `start` of people; its id is `sector/arena/name`.

    Attributes:
        name: How it is called.
        at: Which tile, as `[across, down]` from the top left.
        symbol: The character that stands for it in map.txt, in place of `at`.
    """

    name: Name
    at: Tile | None = None
    symbol: Symbol | None = None


class ArenaSpec(Model):
    """A room. The first of a sector is the way in to the others.

    Attributes:
        name: How it is called; one arena of its sector's name is written as the sector alone.
        size: Width and height in tiles, walls excluded, for the automatic layout.
        symbol: The character that stands for its floor in map.txt, where there is one.
        open_air: It has no walls: to sight and hearing all open air is one room.
        hours: When it is open: `["08:00-12:00", "17:00-02:00"]`; always where none are given. They
            do not bind those who live or work in the sector.
        users: Who alone may enter; everybody where none are named, `["nobody"]` locks it.
        capacity: How many people may be in it at once; no limit where it is left out.
        objects: The things in it.
        spawns: Tiles with a name, for people to start on.
    """

    name: Name
    size: tuple[Annotated[int, Field(ge=2, le=40)], Annotated[int, Field(ge=2, le=40)]] = (5, 4)
    symbol: Symbol | None = None
    open_air: bool = False
    hours: tuple[OpenHours, ...] = ()
    users: tuple[Name, ...] = ()
    capacity: Annotated[int, Field(ge=1)] | None = None
    objects: tuple[ObjectSpec, ...] = ()
    spawns: Later[tuple[SpawnSpec, ...]] = ()


class SectorSpec(Model):
    """A building or park.

    Attributes:
        name: How it is called; the first part of the ids of what is in it.
        symbol: The character that stands in map.txt for its ground outside its arenas, such as a
            corridor.
        common: Everybody knows it from the start.
        hours: When it is open, as of an arena.
        users: Who alone may enter, as of an arena.
        capacity: How many people may be in it at once; no limit where it is left out.
        arenas: Its rooms.
    """

    name: Name
    symbol: Later[Symbol | None] = None
    common: bool = False
    hours: tuple[OpenHours, ...] = ()
    users: tuple[Name, ...] = ()
    capacity: Annotated[int, Field(ge=1)] | None = None
    arenas: Annotated[tuple[ArenaSpec, ...], Field(min_length=1)]
