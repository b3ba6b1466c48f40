"""The plain menu of one town: its choices, and the moment from which columns and masks are made."""

from functools import cached_property

import numpy as np

from genagents_env.observe.knowledge_table import KnowledgeTable, TownColumns
from genagents_env.observe.menu import Menu, Near
from genagents_env.observe.plain_columns import SIZE, list_plain_choices
from genagents_env.observe.plain_slots import NONE, find_targets
from genagents_env.observe.plain_view import PlainMoment, PlainView
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.observe.thing_tables import ThingTables
from genagents_env.observe.vector_obs import VectorObservation, measure_time
from genagents_env.observe.vicinity import Vicinity
from genagents_env.world.goals import GoalBoard
from genagents_env.world.snapshot import Snapshot
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World

_WORDS = {
    "place": "go to the place in slot {0}",
    "approach": "go to the person in slot {0}",
    "talk": "talk to the person in slot {0}",
    "tell": "tell the person in slot {0} the fact in slot {1}",
    "reach": "go to the thing in slot {0}",
    "use": "put the thing in slot {0} into its state {1}",
    "name": "put a thing into the state of the name of the person in slot {0}",
}


class PlainMenu(Menu):
    """The choices of one world whose slots are drawn for each agent and episode.

    Attributes:
        numbers: the columns of the moment of the last mask, shape (N, SIZE).
    """

    columns = SIZE

    def __init__(
        self,
        world: World,
        vicinity: Vicinity,
        knowledge: KnowledgeTable,
        town: TownColumns,
        board: GoalBoard,
    ) -> None:
        super().__init__(world, vicinity, list_plain_choices())
        self._town, self._knowledge, self._board, self._seed = town, knowledge, board, NONE
        self._allowed: Bools = np.zeros((world.count, len(world.town.places.all) + 1), np.bool_)
        self.numbers: Floats = np.zeros((world.count, SIZE), dtype=np.float32)

    @cached_property
    def _view(self) -> PlainView:
        """What everybody sees; made when it is asked for, which those of a vector never are."""
        return PlainView(
            [self._world], [self._town], ThingTables([self._world], [()]), np.zeros(1, int)
        )

    def describe(self, choice: int) -> str:
        """Return a choice in words."""
        kind, slot, state = self.choices[choice]
        if kind in _WORDS:
            return _WORDS[kind].format(slot + 1, state + 1)
        return super().describe(choice)

    def person(self, i: int, slot: int) -> int:
        """Return the person in a slot of `i`."""
        return int(self._view.slots.people[i, slot])

    def object(self, i: int, slot: int) -> int:
        """Return the thing in a slot of `i`."""
        return int(self._view.slots.things[i, slot])

    def find_fact(self, i: int, slot: int) -> int:
        """Return the fact in a slot of `i`."""
        return int(self._view.slots.facts[i, slot])

    def find_use(self, i: int, slot: int, state: int) -> tuple[int, int]:
        """Return a thing, and as which of its following states it gets to that state."""
        return self.object(i, slot), int(self._view.uses[i, slot, state])

    def find_naming(self, i: int, slot: int) -> tuple[int, int]:
        """Return a thing, and as which of its following states it gets a person's name."""
        thing, following = self._view.names
        return int(thing[i, slot]), int(following[i, slot])

    def find_goals(self, chosen: Ints) -> Ints:
        """Return the places to which everyone's choices lead, -1 for other choices."""
        slot = self._goals[chosen]
        return np.where(slot >= 0, self._view.slots.places[np.arange(len(slot)), slot], NONE)

    def mask(self, snapshot: Snapshot, near: Near) -> Mask:
        """Return the mask of possible choices, int8, shape (N, choices), a new array."""
        state = self._state
        if self._seed != state.seed:
            seed = np.array([state.seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)
            targets = find_targets(self._world, self._board)
            self._view.slots.deal(np.zeros(1, dtype=np.int64), seed, [targets])
            self._seed = state.seed
        self.update_base(snapshot.known)
        self.numbers, mask = self._view.see(self._find_moment(snapshot))
        return mask

    def _write_base(self) -> None:
        self._allowed[:, :-1] = self.allowed

    def _find_moment(self, snapshot: Snapshot) -> PlainMoment:
        world, table = self._world, self._knowledge
        talk = np.array(self._state.conversations.of, dtype=np.int64)
        flags = np.zeros((6, world.count), dtype=np.bool_)
        flags[0], flags[1], flags[2] = snapshot.asleep, talk >= 0, snapshot.arrived
        flags[3, [i for i, outcome in snapshot.outcomes.items() if not outcome.ok]] = True
        for i, sounds in snapshot.heard.items():
            flags[4, i] = any(sound.addressed for sound in sounds)
            flags[5, i] = any(not sound.addressed for sound in sounds)
        seen, may_talk = self._find_company(snapshot)
        states = self._view.tables.things.find_states(0, snapshot.object_states)
        return PlainMoment(
            tick=np.array([snapshot.tick]),
            clock=np.array([measure_time(world, snapshot.tick)], dtype=np.float32),
            tile=snapshot.tile,
            arena=snapshot.arena,
            flags=flags,
            present=snapshot.present,
            allowed=self._allowed,
            seen=seen,
            may_talk=may_talk,
            talk=talk,
            states=np.array([[*states, 0]]),
            knows=table.knows,
            kind=table.kind,
            place=table.place,
            person=table.person,
            thing=table.object,
            state=table.state,
            fact=table.fact,
            start=table.start,
            end=table.end,
            done=table.done > 0,
        )

    def _find_company(self, snapshot: Snapshot) -> tuple[Bools, Bools]:
        """Return whom everybody sees, and to whom they may speak, shapes (N, N)."""
        world, talks = self._world, self._state.conversations
        viewer, whom, apart = snapshot.pairs
        seen = np.zeros((world.count, world.count), dtype=np.bool_)
        may = seen.copy()
        seen[viewer, whom] = True
        may[viewer, whom] = apart <= world.town.people.hearing[whom]
        if talks.open or talks.until:
            bound = np.zeros(world.count, dtype=np.bool_)
            bound[list(talks.list_bound())] = True
            for i, j in np.argwhere(may & (bound[:, None] | bound)).tolist():
                may[i, j] = talks.find_refusal(i, j, world.tick + 1) is None
        return seen, may


class PlainObservation(VectorObservation):
    """The vectors of one town by the plain menu, which its mask has found already."""

    def __init__(
        self,
        world: World,
        vicinity: Vicinity,
        menu: PlainMenu,
        knowledge: KnowledgeTable,
        town: TownColumns,
    ) -> None:
        super().__init__(world, vicinity, menu, knowledge, town)
        self._plain = menu

    def observe(self, snapshot: Snapshot, near: Near) -> Floats:
        """Return the vectors of all N people, shape (N, SIZE), a new array."""
        return self._plain.numbers.copy()
