"""What people see by the plain menu: columns and masks of the slots, for any number of towns.

One computation for a town by itself and for many as arrays: who has them writes a `PlainMoment`.
Columns say what is perceived now, or was given with a goal or with the map. Where somebody was last
seen, whom one has told, how far it is to what one does not see, and by which states a thing becomes
what one wants, are for the learner to remember or to find out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from genagents_env.observe.knowledge_table import TownColumns
from genagents_env.observe.plain_columns import (
    CHOICES,
    FACTS,
    GOAL,
    GOALS,
    PEOPLE,
    PERSON,
    PLACE,
    PLACES,
    SIZE,
    STATE_SLOTS,
    THING,
    THINGS,
    list_parts,
)
from genagents_env.observe.plain_slots import (
    FACT_SLOTS,
    NONE,
    PERSON_SLOTS,
    PLACE_SLOTS,
    THING_SLOTS,
    PlainSlots,
    mark_rooms,
)
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.observe.thing_tables import ThingTables
from genagents_env.scenario.schema import GOAL_KINDS
from genagents_env.world.goals import GOAL_SLOTS
from genagents_env.world.tiles import Bools, Ints
from genagents_env.world.world import World

_KINDS = len(GOAL_KINDS)


class PlainMoment(NamedTuple):
    """A tick of T towns with N people each; shapes are (T * N,) unless said.

    Attributes:
        tick: of each town, shape (T,).
        clock: what the first three columns show, shape (T, 3).
        tile: where people are, all layouts numbered through.
        arena: in which arena.
        flags: asleep, talking, arrived, failed, addressed, overheard: shape (6, T * N).
        present: who is in town.
        allowed: the places people may go to, shape (T * N, places + 1).
        seen: whom they see, shape (T * N, N).
        may_talk: to whom they may speak, likewise.
        talk: in which conversation, -1 for none.
        states: of things, by number, shape (T, things + 1).
        knows: which facts, shape (T * N, facts + 1).
        kind, place, person, thing, state, fact, start, end: of goals, shape (T * N, GOAL_SLOTS).
        done: which of them are over, as far as one can know, likewise.
    """

    tick: Ints
    clock: Floats
    tile: Ints
    arena: Ints
    flags: Bools
    present: Bools
    allowed: Bools
    seen: Bools
    may_talk: Bools
    talk: Ints
    states: Ints
    knows: Bools
    kind: Ints
    place: Ints
    person: Ints
    thing: Ints
    state: Ints
    fact: Ints
    start: Ints
    end: Ints
    done: Bools


class PlainTables:
    """What never changes of L layouts with N people each; the last place and thing is none.

    Attributes:
        x, y: of tiles, all layouts numbered through.
        size: by what columns and rows are divided, shape (L, 2).
        middle: of places, as columns show it, shape (L, places + 1, 2).
        covers: which arenas belong to which place, shape (L, places + 1, arenas).
        things: the tables of things.
        next: the number of a state among those that may follow, -1 if it may not, by thing, state
            now and wanted; states that are people's names are left out.
        naming: likewise by thing, state now and the person whose name it is.
    """

    def __init__(
        self, worlds: Sequence[World], columns: Sequence[TownColumns], things: ThingTables
    ) -> None:
        self._worlds, self.things = worlds, things
        grounds = [world.town.ground for world in worlds]
        self._first: Ints = np.cumsum([0, *(ground.count for ground in grounds)])
        self._layout_of: Ints = np.repeat(np.arange(len(worlds)), np.diff(self._first))
        self.x: Ints = np.concatenate([ground.x for ground in grounds])
        self.y: Ints = np.concatenate([ground.y for ground in grounds])
        self.size: Ints = np.array([[max(1, g.width - 1), max(1, g.height - 1)] for g in grounds])
        self.vision: Ints = np.stack([world.town.people.vision for world in worlds])
        self.horizon: Ints = np.array([world.scenario.horizon for world in worlds])
        self.home: Ints = np.stack([own.home for own in columns])
        self._tabulate_places(columns)
        self._tabulate_things()
        facts = max(len(own.about) for own in columns)
        self.about: Ints = np.full((len(worlds), facts + 1), NONE)
        for layout, own in enumerate(columns):
            self.about[layout, : len(own.about)] = own.about

    def find_things(self, layout: Ints, who: Ints, tile: Ints, things: Ints) -> tuple[Ints, Floats]:
        """Return how many tiles there are to things in sight, and where they are.

        Args:
            layout: of each of M people.
            who: their numbers in it.
            tile: where they are.
            things: those that are looked for, shape (M, K).

        Returns:
            One more than the distance, 0 out of sight, shape (M, K); and by how many columns and
            rows they are away, over one's vision radius, shape (M, K, 2).
        """
        group = self._group[layout, who]
        new = (~self._is_known[group, tile]).nonzero()[0]
        for g, at in dict.fromkeys(zip(group[new].tolist(), tile[new].tolist(), strict=True)):
            self._find_near(g, at)
        near = self._near[group[:, None], tile[:, None], things].astype(np.int64)
        offset = near[..., 1:] / self.vision[layout, who][:, None, None]
        return near[..., 0], offset.astype(np.float32)

    def _find_near(self, group: int, tile: int) -> None:
        layout = int(self._layout_of[tile])
        world, own = self._worlds[layout], tile - int(self._first[layout])
        x, y = world.town.ground.xy(own)
        for o, apart in world.town.surroundings[self._radii[group]].objects(own):
            u, v = world.plan.objects[o].find_nearest_tile(x, y)
            self._near[group, tile, o] = 1 + apart, u - x, v - y
        self._is_known[group, tile] = True

    def _tabulate_places(self, columns: Sequence[TownColumns]) -> None:
        layouts, towns = len(self._worlds), [world.town for world in self._worlds]
        places = max(len(town.places.all) for town in towns)
        arenas = max(len(town.plan.arenas) for town in towns)
        self.middle: Floats = np.zeros((layouts, places + 1, 2), dtype=np.float32)
        self.covers: Bools = np.zeros((layouts, places + 1, arenas), dtype=np.bool_)
        for layout, (town, own) in enumerate(zip(towns, columns, strict=True)):
            count = len(town.places.all)
            at = np.stack([town.ground.x[own.middle], town.ground.y[own.middle]], axis=1)
            self.middle[layout, :count] = at / self.size[layout]
            self.covers[layout, :count, : len(town.plan.arenas)] = own.covers[:-1]

    def _tabulate_things(self) -> None:
        things, people = self.things, self._worlds[0].count
        *shape, most = things.name_of.shape
        shown = min(most, STATE_SLOTS)
        is_name = things.name_of[:, :, None, :shown] >= 0
        self.next: Ints = np.full((*shape, most, STATE_SLOTS), NONE)
        self.next[..., :shown] = np.where(is_name, NONE, things.number_of[..., :shown])
        self.naming: Ints = np.full((*shape, most, people), NONE)
        layout, o, s = (things.name_of >= 0).nonzero()
        self.naming[layout, o, :, things.name_of[layout, o, s]] = things.number_of[layout, o, :, s]
        self.has_names = bool((self.naming >= 0).any())
        self._radii: list[int] = np.unique(self.vision).tolist()
        self._group: Ints = np.searchsorted(self._radii, self.vision)
        near = (len(self._radii), int(self._first[-1]), shape[1])
        self._is_known: Bools = np.zeros(near[:2], dtype=np.bool_)
        # Filled where somebody has been, so that a large town costs what is seen of it.
        self._near = np.zeros((*near, 3), dtype=np.int8)


class PlainView:
    """Sees for the N people of each of T towns.

    Attributes:
        slots: what fills them.
        uses: as which following state each can put the thing in a slot into each of its states now,
            -1 where it cannot, shape (T * N, THING_SLOTS, STATE_SLOTS).
        names: the thing that each can put into the state of the name of the person in a slot now,
            -1 for none, and as which following state; both shapes (T * N, PERSON_SLOTS).

    Args:
        worlds: one of each layout.
        columns: of each layout.
        things: all of each layout.
        layout: of each town, shape (T,).
    """

    def __init__(
        self,
        worlds: Sequence[World],
        columns: Sequence[TownColumns],
        things: ThingTables,
        layout: Ints,
    ) -> None:
        people = worlds[0].count
        self.tables = PlainTables(worlds, columns, things)
        self.slots = PlainSlots(
            people,
            [mark_rooms(world.town.places) for world in worlds],
            [len(world.plan.objects) for world in worlds],
            [len(own.about) for own in columns],
            layout,
        )
        self._town = np.arange(len(layout)).repeat(people)
        self._of, self._who = layout.repeat(people), np.tile(np.arange(people), len(layout))
        self._rows = np.arange(len(self._of))[:, None]
        self._horizon = self.tables.horizon[self._of][:, None]
        self._size = self.tables.size[self._of]

    def see(self, now: PlainMoment) -> tuple[Floats, Mask]:
        """Return the numbers and masks of a moment: (T * N, SIZE), (T * N, CHOICES)."""
        rows = len(self._rows)
        out, mask = np.zeros((rows, SIZE), dtype=np.float32), _Masks(rows)
        tables = self.tables
        out[:, :3] = now.clock[self._town]
        out[:, 3:9] = now.flags.T
        out[:, 9] = tables.x[now.tile] / self._size[:, 0]
        out[:, 10] = tables.y[now.tile] / self._size[:, 1]
        self._see_goals(out[:, GOALS:PLACES].reshape(rows, GOAL_SLOTS, GOAL), now)
        self._see_places(out[:, PLACES:PEOPLE].reshape(rows, PLACE_SLOTS, PLACE), now, mask)
        people = out[:, PEOPLE:THINGS].reshape(rows, PERSON_SLOTS, PERSON)
        self._see_people(people, now, mask)
        things = out[:, THINGS:FACTS].reshape(rows, THING_SLOTS, THING)
        self._see_things(things, people, now, mask)
        self._see_facts(out[:, FACTS:].reshape(rows, FACT_SLOTS, -1), now, mask)
        mask.leave[:, 0] = now.talk >= 0
        mask.whole[~now.present, 1:] = 0
        return out, mask.whole

    def _see_goals(self, slots: Floats, now: PlainMoment) -> None:
        slots[..., :_KINDS] = now.kind[..., None] == np.arange(1, _KINDS + 1)
        slots[..., _KINDS] = now.done
        wanted = slots[..., _KINDS + 1 : _KINDS + 1 + STATE_SLOTS]
        wanted[:] = now.state[..., None] == np.arange(STATE_SLOTS)
        tick = now.tick[self._town][:, None]
        for k, moment in enumerate((now.start, now.end)):
            left = np.clip((moment - tick) / self._horizon, -1.0, 1.0)
            slots[..., GOAL - 2 + k] = np.where(moment >= 0, left, k * (now.kind > 0))

    def _see_places(self, slots: Floats, now: PlainMoment, mask: "_Masks") -> None:
        tables, own, of = self.tables, self.slots.places, self._of[:, None]
        some = own >= 0
        slots[..., 0] = mask.place[:] = now.allowed[self._rows, own]
        slots[..., 1:3] = tables.middle[of, own]
        slots[..., 3] = tables.covers[of, own, now.arena[:, None]]
        slots[..., 4] = some & (own == tables.home[self._of, self._who][:, None])
        slots[..., 5:] = (own[..., None] == now.place[:, None]) & some[..., None]

    def _see_people(self, slots: Floats, now: PlainMoment, mask: "_Masks") -> None:
        own = self.slots.people
        some = own >= 0
        seen = now.seen[self._rows, own] & some
        other = self._rows - self._who[:, None] + own  # the rows of who is seen
        x, y = self.tables.x[now.tile], self.tables.y[now.tile]
        radius = self.tables.vision[self._of, self._who][:, None]
        slots[..., 0] = seen
        slots[..., 1] = np.where(seen, (x[other] - x[:, None]) / radius, 0.0)
        slots[..., 2] = np.where(seen, (y[other] - y[:, None]) / radius, 0.0)
        slots[..., 3] = now.flags[0][other] & seen
        talk = now.talk[:, None]
        slots[..., 4] = (talk >= 0) & (talk == now.talk[other]) & seen
        slots[..., 6:] = (own[..., None] == now.person[:, None]) & some[..., None]
        mask.approach[:] = seen
        mask.talk[:] = now.may_talk[self._rows, own] & seen

    def _see_things(self, slots: Floats, people: Floats, now: PlainMoment, mask: "_Masks") -> None:
        tables, own, of = self.tables, self.slots.things, self._of[:, None]
        some = own >= 0
        apart, offset = tables.find_things(self._of, self._who, now.tile, own)
        seen = some & (apart > 0) & ~now.flags[0][:, None]
        state = now.states[self._town[:, None], own]
        slots[..., 0] = seen
        slots[..., 1:3] = np.where(seen[..., None], offset, 0.0)
        slots[..., 3] = near = seen & (apart <= 2)
        slots[..., 4:6] = (own[..., None] == now.thing[:, None]) & some[..., None]
        slots[..., 6:] = (state[..., None] == np.arange(STATE_SLOTS)) & seen[..., None]
        mask.reach[:] = seen
        near &= tables.things.users[of, own, self._who[:, None]]
        self.uses = np.where(near[..., None], tables.next[of, own, state], NONE)
        mask.use[:] = (self.uses >= 0).reshape(len(mask.use), -1)
        if tables.has_names:
            self._see_names(people, seen, near, state, mask)

    def _see_names(
        self, people: Floats, seen: Bools, near: Bools, state: Ints, mask: "_Masks"
    ) -> None:
        """See whose names things have as their states, or can be given."""
        tables, own, of = self.tables, self.slots.things, self._of[:, None]
        whom = self.slots.people
        named = np.where(seen, tables.things.name_of[of, own, state], NONE)
        shown = (whom[:, :, None] == named[:, None, :]) & (whom >= 0)[:, :, None]
        people[..., 5] = shown.any(axis=2)
        # By row, person in a slot, and thing in a slot.
        may = tables.naming[of[..., None], own[:, None, :], state[:, None, :], whom[..., None]]
        may = np.where(near[:, None, :] & (whom >= 0)[:, :, None], may, NONE)
        first = (may >= 0).argmax(axis=2)
        following = np.take_along_axis(may, first[..., None], axis=2)[..., 0]
        self.names = np.where(following >= 0, own[self._rows, first], NONE), following
        mask.name[:] = following >= 0

    def _see_facts(self, slots: Floats, now: PlainMoment, mask: "_Masks") -> None:
        own, people = self.slots.facts, self.slots.people
        some = own >= 0
        knows = now.knows[self._rows, own] & some
        about = self.tables.about[self._of[:, None], own]
        slots[..., 0] = knows
        slots[..., 1:3] = (own[..., None] == now.fact[:, None]) & some[..., None]
        slots[..., 3] = knows & (about == self._who[:, None])
        whom = (people[:, None, :] == about[..., None]) & (about >= 0)[..., None]
        slots[..., 4:] = whom & knows[..., None]
        told = mask.talk[:, :, None] & knows[:, None, :]
        mask.tell[:] = told.reshape(len(told), -1)


class _Masks:
    """The masks of M people: `whole`, and its parts by kind of choice, shapes (M, slots)."""

    def __init__(self, rows: int) -> None:
        self.whole: Mask = np.zeros((rows, CHOICES), dtype=np.int8)
        self.whole[:, 0] = 1
        parts = {kind: self.whole[:, part] for kind, part in list_parts().items()}
        self.place, self.approach, self.talk = parts["place"], parts["approach"], parts["talk"]
        self.tell, self.reach, self.use = parts["tell"], parts["reach"], parts["use"]
        self.name, self.leave = parts["name"], parts["leave"]
