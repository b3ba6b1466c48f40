"""Lay out the town of a scenario: tiles, places and objects, all of which can be reached."""

from collections.abc import Sequence

import numpy as np

from genagents_env.errors import ScenarioError
from genagents_env.scenario.faults import Fault, Origins, quote
from genagents_env.scenario.maps.drawn import Grid, Tile
from genagents_env.scenario.maps.fitting import FittedMap, Tiles, read_map
from genagents_env.scenario.maps.layout import arrange, choose_tiles, floors, mark_doors
from genagents_env.scenario.maps.reachability import close_unreachable, find_full_arenas
from genagents_env.scenario.plan import (
    OUTSIDE,
    ArenaPlan,
    ObjectPlan,
    SectorPlan,
    TownPlan,
    parse_hours,
)
from genagents_env.scenario.schema import SIDE_LIMIT, ObjectSpec, Scenario
from genagents_env.scenario.schema.scenario import arenas_of, objects_of

_SHOWN = 8  # closed tiles of an arena


def lay_out(scenario: Scenario) -> TownPlan:
    """Lay out the town of a scenario: from its map if it has one, otherwise by rule.

    The same scenario gives the same town. Every arena can be reached from every other.

    Raises:
        ScenarioError: the map does not fit the scenario, or objects do not fit their arenas.
    """
    plan, faults = try_lay_out(scenario)
    if plan is None or faults:
        raise ScenarioError([Origins().render(fault) for fault in faults])
    return plan


def try_lay_out(scenario: Scenario) -> tuple[TownPlan | None, list[Fault]]:
    """Return the town, or None if its tiles could not be decided, and its faults."""
    fitted, faults = _find_tiles(scenario)
    if fitted is None:
        return None, faults
    grid = fitted.grid
    objects, unplaced = _place_objects(scenario, grid, fitted.tiles)
    faults += unplaced
    faults = faults or find_full_arenas(scenario, grid)
    sealed, unreachable = close_unreachable(scenario, fitted, objects)
    faults += unreachable
    grounds = _drop_closed_grounds(scenario, fitted)
    sectors, arenas = _places(scenario, grounds)
    plan = TownPlan(
        width=grid.width,
        height=grid.height,
        blocked=grid.blocked,
        arena=grid.arena.astype(np.int16),
        sectors=sectors,
        arenas=arenas,
        objects=objects,
        doors=tuple(grid.doors),
        spawns=fitted.spawns,
        sealed=sealed,
    )
    plan.blocked.flags.writeable = plan.arena.flags.writeable = False
    return plan, faults


def _find_tiles(scenario: Scenario) -> tuple[FittedMap | None, list[Fault]]:
    if scenario.map is not None:
        return read_map(scenario)
    grid = arrange(scenario)
    if max(grid.width, grid.height) > SIDE_LIMIT:
        size, most = f"{grid.width} x {grid.height}", f"{SIDE_LIMIT} x {SIDE_LIMIT}"
        text = f"the town would have {size} tiles; at most {most}: make rooms fewer or smaller"
        return None, [Fault(("sectors",), text)]
    faults = [
        Fault((*loc, key), "a tile can be named only where there is a map.txt; leave it out")
        for _, _, loc, item in objects_of(scenario)
        for key, named in (("at", item.at is not None), ("tiles", bool(item.tiles)))
        if named
    ]
    text = "a tile can have a name only where there is a map"
    faults += [
        Fault((*arena.loc, "spawns"), f"{text}; leave them out")
        for arena in arenas_of(scenario)
        if arena.spec.spawns
    ]
    return FittedMap(grid), faults


def _places(
    scenario: Scenario, grounds: Sequence[int]
) -> tuple[tuple[SectorPlan, ...], tuple[ArenaPlan, ...]]:
    sectors = [SectorPlan(scenario.outside, common=True)]
    arenas = [ArenaPlan(scenario.outside, OUTSIDE, open_air=True)]
    for index, sector in enumerate(scenario.sectors, OUTSIDE + 1):
        hours, users = tuple(map(parse_hours, sector.hours)), frozenset(sector.users)
        sectors.append(SectorPlan(sector.name, sector.common, hours, users, sector.capacity))
        for arena in sector.arenas:
            hours, users = tuple(map(parse_hours, arena.hours)), frozenset(arena.users)
            plan = ArenaPlan(arena.name, index, arena.open_air, hours, users, arena.capacity)
            arenas.append(plan)
    for index in grounds:
        sector = scenario.sectors[index]
        open_air = all(arena.open_air for arena in sector.arenas)
        arenas.append(ArenaPlan(sector.name, OUTSIDE + 1 + index, open_air, ground=True))
    return tuple(sectors), tuple(arenas)


def _place_objects(
    scenario: Scenario, grid: Grid, fixed: Tiles
) -> tuple[tuple[ObjectPlan, ...], list[Fault]]:
    """Return the objects on their tiles; those of solid ones are blocked from then on."""
    faults: list[Fault] = []
    plans: list[ObjectPlan] = []
    taken = {tile for tiles in fixed.values() for tile in tiles}
    floor, doors = floors(grid, int(grid.arena.max()) + 1), mark_doors(grid)
    for arena in arenas_of(scenario):
        index, items = arena.number, arena.list_parts("objects", arena.spec.objects)
        loose = [item.loc for item in items if item.loc not in fixed]
        free = floor[index] if index < len(floor) else []
        tiles = choose_tiles(grid, doors, free, taken, len(loose)) if loose else []
        if len(tiles) < len(loose):
            text = f"{len(loose)} objects but {len(tiles)} free tiles; make the arena larger"
            faults.append(Fault((*arena.loc, "objects"), text))
        spots = fixed | {place: (tile,) for place, tile in zip(loose, tiles, strict=False)}
        for item in items:
            if item.loc not in spots:
                continue
            plans.append(_object(item.spec, index, spots[item.loc]))
            for x, y in spots[item.loc] if item.spec.solid else ():
                grid.blocked[y, x] = True
    return tuple(plans), faults


def _drop_closed_grounds(scenario: Scenario, fitted: FittedMap) -> list[int]:
    """Return the indices of the sectors that have ground to stand on outside their arenas.

    Ground that is all closed goes back to the outside, and the numbers after it move up.
    """
    grid, kept = fitted.grid, list[int]()
    number = OUTSIDE + sum(len(sector.arenas) for sector in scenario.sectors)
    for old, sector in enumerate(fitted.grounds, number + 1):
        tiles = grid.arena == old
        if (tiles & ~grid.blocked).any():
            kept.append(sector)
            grid.arena[tiles] = number + len(kept)
        else:
            grid.arena[tiles] = OUTSIDE
    return kept


def _object(item: ObjectSpec, arena: int, tiles: tuple[Tile, ...]) -> ObjectPlan:
    return ObjectPlan(
        name=item.name,
        arena=arena,
        tiles=tiles,
        state=item.state,
        states=item.states,
        free_text=item.free_text,
        next=tuple(item.next.items()),
        users=frozenset(item.users),
        sleep_state=item.sleep_state,
        lasting=(item.state, *item.lasting),
    )


def list_warnings(plan: TownPlan) -> list[str]:
    """List the arenas of a town of which tiles were closed, a line each."""
    warnings = []
    for index in range(len(plan.arenas)):
        tiles = [list(tile) for tile in plan.sealed if plan.arena[tile[1], tile[0]] == index]
        if tiles:
            shown = ", ".join(map(str, tiles[:_SHOWN])) + (", …" if len(tiles) > _SHOWN else "")
            are = "tiles are" if len(tiles) > 1 else "tiles is"
            text = f"{len(tiles)} of its {are} closed, since there is no way there: {shown}"
            warnings.append(f"map: {quote(plan.arena_id(index))}: {text}")
    return warnings
