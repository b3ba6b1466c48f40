"""The ways to all named places, and to anywhere else: how the people of a town find them."""

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.schema import Scenario
from genagents_env.world.astar import AStar
from genagents_env.world.direction_fields import DirectionFields
from genagents_env.world.path_finder import PathFinder
from genagents_env.world.places import Places
from genagents_env.world.tiles import HOLD, Ground, Ints


class PlacePaths:
    """Direction fields to the places of one town, and how fast people walk along them.

    Only the number of computed fields changes, so worlds of one scenario share it. `to_tiles` has
    the fields to any other tiles, `astar` finds paths one by one; `finder` is the one of them by
    which those find their way who walk by `rules.paths`.
    """

    def __init__(self, ground: Ground, places: Places, scenario: Scenario) -> None:
        self.ground, self.places = ground, places
        rules = scenario.rules
        self.to_tiles = DirectionFields(ground, cut_through=rules.cut_through_houses)
        self.astar = AStar(ground, self.to_tiles, cut_through=rules.cut_through_houses)
        self.finder: PathFinder = self.astar if rules.paths == "astar" else self.to_tiles
        # Whether everyone has an own way (see `crowd`), and not all the same fields.
        self.one_by_one = rules.paths == "astar" or rules.bodies_block
        self._targets: list[tuple[int, ...] | None] = [None] * len(places.all)
        self._tiles_per_tick = rules.walk_speed * scenario.seconds_per_tick
        count = len(places.all)
        # One row a place, flat; goal -1 reads the last row, which holds everyone where they are.
        self.fields: npt.NDArray[np.uint8] = np.zeros((count + 1) * ground.count, dtype=np.uint8)
        self.fields[count * ground.count :] = HOLD
        self.hold = count * ground.count
        self._ready: npt.NDArray[np.bool_] = np.zeros(count + 1, dtype=np.bool_)
        self._ready[count] = True
        self._all_ready = False

    def find_targets(self, place: int) -> tuple[int, ...]:
        """Return the tiles at which one has arrived at a place: its inside, not its doors."""
        targets = self._targets[place]
        if targets is None:
            targets = self._targets[place] = self._list_targets(place)
        return targets

    def prepare(self, goals: Ints) -> None:
        """Compute the missing direction fields to `goals`, place indices or -1, any shape."""
        if self._all_ready or np.count_nonzero(self._ready[goals]) == goals.size:
            return
        for place in np.unique(goals[~self._ready[goals]]).tolist():
            start = place * self.ground.count
            field = self.to_tiles.field(self.find_targets(place))
            self.fields[start : start + self.ground.count] = field
            self._ready[place] = True
        self._all_ready = bool(self._ready.all())

    def field(self, place: int) -> npt.NDArray[np.uint8]:
        """Return the direction field to one place that has been prepared."""
        return self.fields[place * self.ground.count : (place + 1) * self.ground.count]

    def tiles_at(self, tick: int) -> int:
        """Return how many tiles everyone who walks gets on at `tick`."""
        speed = self._tiles_per_tick
        return int(tick * speed + 1e-9) - int((tick - 1) * speed + 1e-9)

    def _list_targets(self, place: int) -> tuple[int, ...]:
        plan, arenas = self.ground.plan, set(self.places.all[place].arenas)
        public = {a for a in arenas if not plan.arenas[a].users}
        return self.ground.inside_of(public or arenas)
