"""The arenas of a scenario and what is in them, with their ids and their places in the file."""

from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from genagents_env.scenario.faults import Loc
from genagents_env.scenario.plan import OUTSIDE, name_arena
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Scenario, SectorSpec, SpawnSpec

Spec = TypeVar("Spec", bound=ObjectSpec | SpawnSpec)


class ArenaContent(NamedTuple, Generic[Spec]):
    """An object or a spawn; `arena` is the number of its arena."""

    id: str
    arena: int
    loc: Loc
    spec: Spec


class ArenaPart(NamedTuple):
    """An arena of a scenario; `number` is its index in `TownPlan.arenas`."""

    id: str
    number: int
    loc: Loc
    sector: SectorSpec
    spec: ArenaSpec

    def list_parts(self, key: str, specs: Iterable[Spec]) -> list[ArenaContent[Spec]]:
        """List what is in it under a key of its table."""
        return [
            ArenaContent(f"{self.id}/{spec.name}", self.number, (*self.loc, key, k), spec)
            for k, spec in enumerate(specs)
        ]


def arenas_of(scenario: Scenario) -> Iterator[ArenaPart]:
    """Yield every arena in the order of `TownPlan.arenas`, which puts the outside before them."""
    number = OUTSIDE
    for i, sector in enumerate(scenario.sectors):
        for j, arena in enumerate(sector.arenas):
            number += 1
            loc: Loc = ("sectors", i, "arenas", j)
            yield ArenaPart(name_arena(sector.name, arena.name), number, loc, sector, arena)


def objects_of(scenario: Scenario) -> list[ArenaContent[ObjectSpec]]:
    """List every object in the order of `TownPlan.objects`."""
    arenas = arenas_of(scenario)
    return [item for arena in arenas for item in arena.list_parts("objects", arena.spec.objects)]


def spawns_of(scenario: Scenario) -> list[ArenaContent[SpawnSpec]]:
    """List every spawn."""
    arenas = arenas_of(scenario)
    return [spawn for arena in arenas for spawn in arena.list_parts("spawns", arena.spec.spawns)]
