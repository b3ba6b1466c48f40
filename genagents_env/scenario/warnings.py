"""What is odd in a town, though one can live in it."""

from collections.abc import Iterator

from genagents_env.scenario.faults import quote
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Scenario

_SHOWN = 8  # tiles


def list_warnings(scenario: Scenario, plan: TownPlan) -> list[str]:
    """Return what is odd in a town, a line each: tiles that were closed, pictures of nobody."""
    return [*_list_sealed(plan), *_list_strangers(scenario, plan)]


def _list_sealed(plan: TownPlan) -> Iterator[str]:
    for index in range(len(plan.arenas)):
        tiles = [list(tile) for tile in plan.sealed if plan.arena[tile[1], tile[0]] == index]
        if tiles:
            shown = ", ".join(map(str, tiles[:_SHOWN])) + (", …" if len(tiles) > _SHOWN else "")
            text = f"{len(tiles)} of its tiles are closed, since there is no way to them: {shown}"
            yield f"map: {quote(plan.arena_id(index))}: {text}"


def _list_strangers(scenario: Scenario, plan: TownPlan) -> Iterator[str]:
    names = {person.name for person in scenario.people}
    for name, file in plan.sprites:
        if name not in names:
            yield f"map: sprites: {quote(file)} is of {quote(name)}, who is not in the scenario"
