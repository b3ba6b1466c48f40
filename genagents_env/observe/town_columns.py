"""What the columns of an observation need of a town that never changes, computed once."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.act.spaces import Floats
from genagents_env.observe.columns import OBJECT_SLOTS
from genagents_env.world.constants import TownConstants
from genagents_env.world.sight import Surroundings
from genagents_env.world.tiles import Ints

_MANY = np.log(1000)  # people of a large town: `self.count` is 1 from there on


class TownColumns:
    """The constants of one town; fresh copies share them.

    Attributes:
        index: number of each person over that of all, shape (N,).
        home: the place each lives in, shape (N,), -1 where it is none.
        workplace: the place each works in.
        room: place one is in, whether it is home, the workplace; rows person * arenas + arena.
        arenas: how many arenas there are.
        covers: which arenas belong to which place, shape (P + 1, A); the last row has none.
        about: whom each fact is about, -1 for nobody, shape (F,).
        of_arena: the place that each arena is, shape (A,).
        scale: over the columns and rows of the town, and over both together.
        count: what `self.count` shows.
    """

    def __init__(self, town: TownConstants) -> None:
        places, n = town.places, town.count
        self._town, self.people = town, n
        self.index: Floats = ((np.arange(n) + 1) / n).astype(np.float32)
        self.count = np.float32(min(1.0, np.log(n) / _MANY))
        self._found: dict[str, int] = {}
        self.home = self._find_places([p.home for p in town.people.people])
        self.workplace = self._find_places([p.workplace for p in town.people.people])
        self.of_arena: Ints = np.array(places.of_arena, dtype=np.int64)
        arenas = len(town.plan.arenas)
        self.covers: npt.NDArray[np.bool_] = np.zeros((len(places.all) + 1, arenas), dtype=np.bool_)
        for p, place in enumerate(places.all):
            self.covers[p, list(place.arenas)] = True
        room = np.zeros((n, arenas, 3), dtype=np.float32)
        room[..., 0] = (self.of_arena + 1) / len(places.all)
        room[..., 1], room[..., 2] = self.covers[self.home], self.covers[self.workplace]
        self.arenas, self.room = arenas, room.reshape(-1, 3)
        ground = town.ground
        wide, high = max(1, ground.width - 1), max(1, ground.height - 1)
        self.scale = np.float32(1 / wide), np.float32(1 / high), np.float32(1 / (wide + high))
        facts = town.scenario.facts
        index = town.people.index
        self.about: Ints = np.array(
            [-1 if f.about is None else index.get(f.about, -1) for f in facts], dtype=np.int64
        )
        # Whether one sees everybody who hears one: then one knows whom one has told what.
        heard = town.people.hearing[None, :] <= town.people.vision[:, None]
        self.sees_hearers: npt.NDArray[np.bool_] = heard & (not town.scenario.rules.line_of_sight)
        self._nearest: dict[int, Ints] = {}
        self._middle: Ints | None = None

    @property
    def middle(self) -> Ints:
        """The tile of each place that is nearest to its middle, shape (P,)."""
        if self._middle is None:
            paths = self._town.paths
            found = [self._find_middle(paths.find_targets(p)) for p in range(len(self.covers) - 1)]
            self._middle = np.array(found, dtype=np.int64)
        return self._middle

    def __deepcopy__(self, memo: dict[int, object]) -> "TownColumns":
        return self  # constant but for caches of pure results

    def find_nearest(self, tiles: Ints, around: Surroundings) -> Ints:
        """Return the objects that fill the slots of people on `tiles`, (len(tiles), OBJECT_SLOTS).

        -1 where there is none.
        """
        table = self._nearest.get(around.radius)
        if table is None:
            shape = (self._town.ground.count, OBJECT_SLOTS)
            table = self._nearest[around.radius] = np.full(shape, -2, dtype=np.int64)
        found = table[tiles]
        if (found[:, 0] == -2).any():
            for tile in set(tiles[found[:, 0] == -2].tolist()):
                near = [o for o, _ in around.objects(tile)[:OBJECT_SLOTS]]
                table[tile] = near + [-1] * (OBJECT_SLOTS - len(near))
            found = table[tiles]
        return found

    def measure_offsets(self, here: Ints, there: Ints) -> tuple[Floats, Floats, Floats]:
        """Return how far east, how far south, and how many steps apart tiles are, scaled.

        All shapes are those that `here` and `there` broadcast to.
        """
        ground, (wide, high, both) = self._town.ground, self.scale
        across, down = ground.x[there] - ground.x[here], ground.y[there] - ground.y[here]
        apart = np.abs(across) + np.abs(down)
        return (
            across.astype(np.float32) * wide,
            down.astype(np.float32) * high,
            apart.astype(np.float32) * both,
        )

    def _find_middle(self, targets: tuple[int, ...]) -> int:
        ground, tiles = self._town.ground, np.array(targets)
        x, y = ground.x[tiles], ground.y[tiles]
        return targets[int(np.argmin((x - x.mean()) ** 2 + (y - y.mean()) ** 2))]

    def _find_places(self, refs: Sequence[str | None]) -> Ints:
        return np.array([-1 if ref is None else self._find_place(ref) for ref in refs])

    def _find_place(self, ref: str) -> int:
        found = self._found.get(ref)
        if found is None:
            places, plan = self._town.places, self._town.plan
            kind, index = places.find(plan.locate(ref)) or ("place", -1)
            if kind == "object":
                index = places.of_arena[plan.objects[index].arena]
            found = self._found[ref] = index
        return found
