"""CPU microseconds to plan a path: direction fields and A* beside the published path finder.

A plan is the whole list of tiles, as the published path finder returns it. The time of fields is
amortised: that of every field computed on the way is in it. Run:
`python -m benchmarks.paths FOLDER` with a scenario's folder, or that of the matrices of the town
of Park et al. 2023 (`collision_maze.csv` and others); without one in a made town of that size.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import ndimage

from benchmarks.matrices import is_matrix_folder, read_matrices
from benchmarks.published_paths import find_published_path
from benchmarks.towns import make_plan
from genagents_env.scenario import lay_out, load_scenario
from genagents_env.scenario.plan import TownPlan
from genagents_env.world.paths import AStar, DirectionFields, PathFinder
from genagents_env.world.places import Places
from genagents_env.world.tiles import Ground

Errand = tuple[int, tuple[int, ...]]  # from a tile to the nearest of some tiles
Plan = Callable[[int, tuple[int, ...]], int]  # returns the length of the planned path


@dataclass
class Course:
    """One way of planning, and the errands planned for in each round."""

    name: str
    errands: Sequence[Errand]
    begin: Callable[[], Plan]
    costs: list[float] = field(default_factory=list)
    length: float = 0.0

    def measure(self) -> None:
        """Plan for all errands once, from nothing, and note the CPU microseconds a path."""
        start = time.process_time()
        plan = self.begin()
        lengths = [plan(tile, targets) for tile, targets in self.errands]
        self.costs.append((time.process_time() - start) / len(lengths) * 1e6)
        self.length = float(np.mean(lengths))


def read_plan(folder: Path | None) -> TownPlan:
    """Return the town to walk in."""
    if folder is None:
        return make_plan()
    for one in (folder, folder / "maze", folder / "matrix" / "maze"):
        if is_matrix_folder(one):
            return read_matrices(one)
    return lay_out(load_scenario(str(folder)))


def find_ground(ground: Ground) -> list[int]:
    """Return the tiles of the largest part of the town that hangs together by rooms."""
    parts, _ = ndimage.label(ground.free.reshape(ground.height, ground.width))
    inside = parts.ravel()[ground.free & (ground.arena > 0)]
    main = int(np.bincount(inside).argmax())
    return [int(tile) for tile in np.flatnonzero(parts.ravel() == main)]


def list_goals(plan: TownPlan, ground: Ground, walkable: set[int]) -> list[tuple[int, ...]]:
    """Return the tiles of every place and around every object that can be walked to."""
    places = [tuple(ground.tiles_of(set(place.arenas))) for place in Places(plan).all]
    goals = [*places, *(ground.around(item) for item in plan.objects)]
    reachable = (tuple(tile for tile in goal if tile in walkable) for goal in goals)
    return [goal for goal in reachable if goal]


def make_courses(plan: TownPlan, count: int, few: int, *, cut_through: bool) -> list[Course]:
    """Return what is measured: `count` errands a course, `few` of the published path finder."""
    ground = Ground(plan)
    walkable = find_ground(ground)
    draw = np.random.default_rng(0)
    goals = list_goals(plan, ground, set(walkable))
    starts = draw.choice(walkable, count).tolist()
    named = [
        (t, goals[g]) for t, g in zip(starts, draw.integers(0, len(goals), count), strict=True)
    ]
    ends = draw.choice(walkable, count).tolist()
    anywhere = [(t, (end,)) for t, end in zip(starts, ends, strict=True)]
    blocked = (~ground.free).reshape(ground.height, ground.width).tolist()

    def published() -> Plan:
        return lambda tile, targets: (
            len(find_published_path(blocked, ground.xy(tile), ground.xy(targets[0]))) - 1
        )

    def by_fields() -> Plan:
        return count_tiles(DirectionFields(ground, cut_through=cut_through))

    def by_astar() -> Plan:
        fields = DirectionFields(ground, cut_through=cut_through)
        return count_tiles(AStar(ground, fields, cut_through=cut_through))

    return [
        Course("published path finder, any tile", anywhere[:few], published),
        Course(f"fields, {len(goals)} places and objects", named, by_fields),
        Course("fields, any tile", anywhere, by_fields),
        Course("A*, places and objects", named, by_astar),
        Course("A*, any tile", anywhere, by_astar),
    ]


def count_tiles(finder: PathFinder) -> Plan:
    """Return what plans with `finder`."""

    def plan(tile: int, targets: tuple[int, ...]) -> int:
        path = finder.find_path(tile, targets)
        assert path is not None, (tile, targets)
        return len(path)

    return plan


def main() -> None:
    """Measure all in turn, round after round, so that a busy machine is busy for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--paths", type=int, default=10_000, help="planned in a round")
    parser.add_argument("--published", type=int, default=40, help="planned by the published finder")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cut-through", action="store_true", help="paths may cross houses")
    args = parser.parse_args()
    plan = read_plan(args.folder)
    courses = make_courses(plan, args.paths, args.published, cut_through=args.cut_through)
    for _ in range(args.rounds):
        for course in courses:
            course.measure()
    print(f"{plan.width} x {plan.height} tiles, {len(plan.arenas) - 1} rooms")
    print()
    print("| planned by | paths | tiles | CPU µs a path | times |")
    print("|---|---|---|---|---|")
    first = float(np.median(courses[0].costs))
    for course in courses:
        cost = float(np.median(course.costs))
        paths = f"{len(course.errands):,}"
        print(
            f"| {course.name} | {paths} | {course.length:.0f} | {cost:,.1f} | {first / cost:,.0f} |"
        )


if __name__ == "__main__":
    main()
