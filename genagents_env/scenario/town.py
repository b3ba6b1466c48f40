"""From a scenario to a town: tiles, places and objects, and whether everything can be reached."""

from collections.abc import Iterator

import numpy as np
from scipy import ndimage

from genagents_env.errors import ScenarioError
from genagents_env.scenario.ascii_map import read_map
from genagents_env.scenario.faults import Fault, Loc, Origins, quote
from genagents_env.scenario.grid import Grid, Tile, choose_tiles, floors
from genagents_env.scenario.layout import arrange
from genagents_env.scenario.plan import (
    OUTSIDE,
    ArenaPlan,
    ObjectPlan,
    SectorPlan,
    TownPlan,
    parse_hours,
)
from genagents_env.scenario.schema import SIDE_LIMIT, ArenaSpec, ObjectSpec, Scenario, SectorSpec


def lay_out(scenario: Scenario) -> TownPlan:
    """Return the town of a scenario: from its map where it has one, otherwise laid out by rule.

    The same scenario gives the same town. Every arena can be reached from every other.

    Raises:
        ScenarioError: the map does not fit the scenario, or objects do not fit their arenas.
    """
    plan, faults = try_lay_out(scenario)
    if plan is None or faults:
        raise ScenarioError([Origins().render(fault) for fault in faults])
    return plan


def try_lay_out(scenario: Scenario) -> tuple[TownPlan | None, list[Fault]]:
    """Return the town, or None where no tiles could be decided, and everything wrong with it."""
    faults: list[Fault] = []
    fixed: dict[Loc, Tile] = {}
    if scenario.map is None:
        grid = arrange(scenario)
        if max(grid.width, grid.height) > SIDE_LIMIT:
            size, most = f"{grid.width} x {grid.height}", f"{SIDE_LIMIT} x {SIDE_LIMIT}"
            text = f"the town would have {size} tiles; at most {most}: make rooms fewer or smaller"
            return None, [Fault(("sectors",), text)]
        faults += [
            Fault((*loc, "at"), "a tile can be named only where there is a map.txt; leave it out")
            for loc, _, item in objects_of(scenario)
            if item.at is not None
        ]
    else:
        drawn, fixed, faults = read_map(scenario)
        if drawn is None:
            return None, faults
        grid = drawn
    objects, unplaced = _place_objects(scenario, grid, fixed)
    faults += unplaced
    faults += _unreachable(scenario, grid)
    sectors, arenas = _places(scenario)
    plan = TownPlan(
        width=grid.width,
        height=grid.height,
        blocked=grid.blocked,
        arena=grid.arena,
        sectors=sectors,
        arenas=arenas,
        objects=objects,
        doors=tuple(grid.doors),
    )
    plan.blocked.flags.writeable = plan.arena.flags.writeable = False
    return plan, faults


def arenas_of(scenario: Scenario) -> Iterator[tuple[Loc, SectorSpec, ArenaSpec]]:
    """Yield every arena in the order of `TownPlan.arenas`, which puts the outside before them."""
    for i, sector in enumerate(scenario.sectors):
        for j, arena in enumerate(sector.arenas):
            yield ("sectors", i, "arenas", j), sector, arena


def objects_of(scenario: Scenario) -> Iterator[tuple[Loc, int, ObjectSpec]]:
    """Yield every object with the index of its arena, in the order of `TownPlan.objects`."""
    for index, (loc, _, arena) in enumerate(arenas_of(scenario), OUTSIDE + 1):
        for k, item in enumerate(arena.objects):
            yield (*loc, "objects", k), index, item


def _places(scenario: Scenario) -> tuple[tuple[SectorPlan, ...], tuple[ArenaPlan, ...]]:
    sectors = [SectorPlan(scenario.outside, common=True)]
    arenas = [ArenaPlan(scenario.outside, OUTSIDE, open_air=True)]
    for index, sector in enumerate(scenario.sectors, OUTSIDE + 1):
        hours, users = tuple(map(parse_hours, sector.hours)), frozenset(sector.users)
        sectors.append(SectorPlan(sector.name, sector.common, hours, users, sector.capacity))
        for arena in sector.arenas:
            hours, users = tuple(map(parse_hours, arena.hours)), frozenset(arena.users)
            plan = ArenaPlan(arena.name, index, arena.open_air, hours, users, arena.capacity)
            arenas.append(plan)
    return tuple(sectors), tuple(arenas)


def _place_objects(
    scenario: Scenario, grid: Grid, fixed: dict[Loc, Tile]
) -> tuple[tuple[ObjectPlan, ...], list[Fault]]:
    faults: list[Fault] = []
    plans: list[ObjectPlan] = []
    taken = set(fixed.values())
    floor = floors(grid, sum(len(sector.arenas) for sector in scenario.sectors) + 1)
    for index, (loc, _, arena) in enumerate(arenas_of(scenario), OUTSIDE + 1):
        locs = [(*loc, "objects", k) for k in range(len(arena.objects))]
        loose = [place for place in locs if place not in fixed]
        tiles = choose_tiles(grid, floor[index], taken, len(loose)) if loose else []
        if len(tiles) < len(loose):
            text = f"{len(loose)} objects but {len(tiles)} free tiles; make the arena larger"
            faults.append(Fault((*loc, "objects"), text))
        spots = fixed | dict(zip(loose, tiles, strict=False))
        for place, item in zip(locs, arena.objects, strict=True):
            if place in spots:
                plans.append(_object(item, index, spots[place]))
    return tuple(plans), faults


def _object(item: ObjectSpec, arena: int, tile: Tile) -> ObjectPlan:
    return ObjectPlan(
        name=item.name,
        arena=arena,
        tile=tile,
        state=item.state,
        states=item.states,
        free_text=item.free_text,
        next=tuple(item.next.items()),
        users=frozenset(item.users),
        sleep_state=item.sleep_state,
        lasting=(item.state, *item.lasting),
    )


def _unreachable(scenario: Scenario, grid: Grid) -> list[Fault]:
    """Return the arenas that cannot be walked to from where the first person starts.

    Open ground that cannot be reached is closed, so that nobody is ever put there.
    """
    # Sideways steps only: what they reach is reached by diagonal ones too.
    parts, _ = ndimage.label(~grid.blocked)
    people = scenario.people
    start = people[0].start or people[0].home
    names = _names(scenario)
    inside = (grid.arena > OUTSIDE) & (parts > 0)
    here = [i for i, name in enumerate(names) if i and _leads_to(start, name)]
    home = parts[inside & np.isin(grid.arena, here)] if here else parts[parts > 0]
    if not home.size:
        return []
    main = int(np.bincount(home).argmax())
    grid.blocked |= (grid.arena == OUTSIDE) & (parts != main)
    grid.doors = [(x, y) for x, y in grid.doors if not grid.blocked[y, x]]
    cut = np.bincount(grid.arena[inside & (parts != main)], minlength=len(names))
    whole = np.bincount(grid.arena[inside], minlength=len(names))
    faults = []
    for index, (loc, _, _) in enumerate(arenas_of(scenario), OUTSIDE + 1):
        if cut[index]:
            much = "it" if cut[index] == whole[index] else f"{cut[index]} of its tiles"
            text = f"there is no way to {much} from {quote(start)}, where {people[0].name} starts"
            faults.append(Fault(loc, f"{text}; open a door"))
    return faults


def _names(scenario: Scenario) -> list[str]:
    places = [(sector.name, arena.name) for _, sector, arena in arenas_of(scenario)]
    return [scenario.outside] + [s if s == a else f"{s}/{a}" for s, a in places]


def _leads_to(ref: str, arena_id: str) -> bool:
    return f"{ref}/".startswith(f"{arena_id}/") or arena_id.startswith(f"{ref}/")
