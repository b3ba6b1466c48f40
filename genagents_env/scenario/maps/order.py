"""The arenas and objects of a scenario in the order in which a `TownPlan` numbers them."""

from collections.abc import Iterator

from genagents_env.scenario.faults import Loc
from genagents_env.scenario.plan import OUTSIDE
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Scenario, SectorSpec


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
