"""What is odd in a town, though one can live in it."""

from genagents_env.scenario.faults import quote
from genagents_env.scenario.plan import TownPlan

_SHOWN = 8  # tiles


def list_warnings(plan: TownPlan) -> list[str]:
    """Return what is odd in a town, a line each: the tiles of its arenas that were closed."""
    warnings = []
    for index in range(len(plan.arenas)):
        tiles = [list(tile) for tile in plan.sealed if plan.arena[tile[1], tile[0]] == index]
        if tiles:
            shown = ", ".join(map(str, tiles[:_SHOWN])) + (", …" if len(tiles) > _SHOWN else "")
            are = "tiles are" if len(tiles) > 1 else "tiles is"
            text = f"{len(tiles)} of its {are} closed, since there is no way there: {shown}"
            warnings.append(f"map: {quote(plan.arena_id(index))}: {text}")
    return warnings
