"""The knowledge and goals of people, and the constants of their town, as arrays."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.observe.columns import GOAL_SLOTS, OBJECT_SLOTS
from genagents_env.observe.spaces import Floats
from genagents_env.observe.thing_tables import ThingTables
from genagents_env.world.constants import TownConstants
from genagents_env.world.goals import GoalBoard
from genagents_env.world.sight import Surroundings
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World

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
            paths, ground = self._town.paths, self._town.ground
            tiles = [ground.find_middle(paths.find_targets(p)) for p in range(len(self.covers) - 1)]
            self._middle = np.array(tiles, dtype=np.int64)
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
        nearest = table[tiles]
        if (nearest[:, 0] == -2).any():
            for tile in set(tiles[nearest[:, 0] == -2].tolist()):
                near = [o for o, _ in around.objects(tile)[:OBJECT_SLOTS]]
                table[tile] = near + [-1] * (OBJECT_SLOTS - len(near))
            nearest = table[tiles]
        return nearest

    def measure_offsets(self, here: Ints, there: Ints) -> tuple[Floats, Floats, Floats]:
        """Measure the offsets of tiles, scaled: east, south, and steps apart.

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

    def _find_places(self, refs: Sequence[str | None]) -> Ints:
        return np.array([-1 if ref is None else self._find_place(ref) for ref in refs])

    def _find_place(self, ref: str) -> int:
        if ref not in self._found:
            places, plan = self._town.places, self._town.plan
            kind, index = places.find(plan.locate(ref)) or ("place", -1)
            of_object = kind == "object"
            self._found[ref] = places.of_arena[plan.objects[index].arena] if of_object else index
        return self._found[ref]


_PARTS = ("kind", "place", "object", "state", "person", "fact", "start", "end", "done")
_SHOWN = {"done": "noticed"}  # what stands on the board under another name


class KnowledgeTable:
    """Knowledge and goals of the N people of a town.

    `refresh` brings all of it up to date. `kind` to `end` are those of `GoalBoard`, `done` its
    `noticed`, shape (N, GOAL_SLOTS).

    Attributes:
        has_goals: whether anybody ever has a goal.
        tile: where the target of each goal is as far as the person knows, -1 where unknown.
        person_tile: where they saw the goal's person last, -1 if never.
        knows: which facts they know, shape (N, F + 1); nobody knows the last.
        wanted: the objects that goals are about, by number.
        things: their states; None where there are none.
        now: the states that these are in, by number, shape (O + 1,).
        suspects: of whom they know a fact, shape (N, N).
        changes: how often anything but the two tiles has changed.

    Args:
        world: the town.
        board: the goals.
        town: what never changes of it.
    """

    def __init__(self, world: World, board: GoalBoard, town: TownColumns) -> None:
        self._world, self._board, self._about = world, board, town.about
        self.has_goals = bool(board)
        blank: Ints = np.full((world.count, GOAL_SLOTS), -1, dtype=np.int64)
        self.kind, self.done = np.zeros_like(blank), np.zeros_like(blank)
        self.place, self.object, self.state = blank.copy(), blank.copy(), blank.copy()
        self.person, self.fact = blank.copy(), blank.copy()
        self.start, self.end = blank.copy(), blank.copy()
        self.tile, self.person_tile = blank.copy(), blank
        self.knows: Bools = np.zeros((world.count, len(town.about) + 1), dtype=np.bool_)
        self.wanted = {o for o in board.object.ravel().tolist() if o >= 0}
        self.things = ThingTables([world], [self.wanted], only=True) if self.wanted else None
        self.now: Ints = np.zeros(len(world.plan.objects) + 1, dtype=np.int64)
        self.suspects: Bools = np.zeros((world.count, world.count), dtype=np.bool_)
        self.has_suspects = bool((town.about >= 0).any())
        self.changes = 0
        self._facts: list[int] = []
        self._version, self._seeks = -1, False
        self._places: object = None
        self._states: object = None

    def refresh(self) -> None:
        """Take over changes on the board and in people's knowledge."""
        facts = self._world.state.facts
        if self._facts != facts:
            self._facts = list(facts)
            self._write_facts(self._facts)
            self.changes += 1
        if self.has_goals:
            self._refresh_goals(self._world, self._board)
        states = self._world.state.objects.states
        if self.things is not None and states is not self._states:
            self._states = states
            for o in self.wanted:
                code = self.things.code[0][o]
                self.now[o] = code.get(states[o], len(code))

    def _write_facts(self, facts: list[int]) -> None:
        self.suspects[:] = False
        for f, j in enumerate(self._about.tolist()):
            self.knows[:, f] = [bits >> f & 1 for bits in facts]
            if j >= 0:
                self.suspects[:, j] |= self.knows[:, f]

    def _refresh_goals(self, world: World, board: GoalBoard) -> None:
        places, new = world.state.known, self._version != board.version
        if new:
            self._version = board.version
            self.changes += 1
            for part in _PARTS:
                getattr(self, part)[:] = getattr(board, _SHOWN.get(part, part))
            self._seeks = bool((board.person >= 0).any())
            self.person_tile[:] = -1
        if new or self._seeks or self._places is not places:
            self._places = places
            self.tile[:] = board.locate(world)
        if self._seeks:
            viewer, slot = (board.person >= 0).nonzero()
            seen = world.state.sightings.list_last(viewer, board.person[viewer, slot])
            self.person_tile[viewer, slot] = seen
