"""The matrices in which the town of Park et al. 2023 is published, as a plan to walk on."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from genagents_env.scenario.plan import ArenaPlan, ObjectPlan, SectorPlan, TownPlan

WIDTH = 140  # tiles; each matrix is one line, row by row
_NOTHING = "0"


def is_matrix_folder(folder: Path) -> bool:
    """Return whether the matrices are in a folder."""
    return (folder / "collision_maze.csv").is_file()


def read_matrices(folder: Path) -> TownPlan:
    """Return the plan: who may stand where, sectors, arenas and objects, named by their numbers.

    One collision is as good as another. All that a sector holds outside its arenas is one room of
    it, number 0; parks are rooms, too.
    """
    solid, sectors, arenas, things = (
        _read(folder / f"{name}_maze.csv")
        for name in ("collision", "sector", "arena", "game_object")
    )
    height = len(solid) // WIDTH
    sector_names = [_NOTHING, *sorted(set(sectors) - {_NOTHING})]
    rooms = sorted({(s, a) for s, a in zip(sectors, arenas, strict=True) if s != _NOTHING})
    index = {room: at for at, room in enumerate(rooms, 1)}
    arena = [index.get(pair, 0) for pair in zip(sectors, arenas, strict=True)]
    tiles: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for at, (room, thing) in enumerate(zip(arena, things, strict=True)):
        if room and thing != _NOTHING:
            tiles.setdefault((room, thing), []).append((at % WIDTH, at // WIDTH))
    shape = (height, WIDTH)
    return TownPlan(
        width=WIDTH,
        height=height,
        blocked=np.array([one != _NOTHING for one in solid]).reshape(shape),
        arena=np.array(arena, dtype=np.int16).reshape(shape),
        sectors=tuple(SectorPlan(name, common=True) for name in sector_names),
        arenas=(
            ArenaPlan("outside", 0, open_air=True),
            *(ArenaPlan(a, sector_names.index(s)) for s, a in rooms),
        ),
        objects=tuple(ObjectPlan(name, room, tuple(at), "") for (room, name), at in tiles.items()),
    )


def _read(file: Path) -> Sequence[str]:
    return [value.strip() for value in file.read_text().strip().split(",")]
