"""Observations and masks of all people of many towns; each row is as from its town alone.

Does what `VectorObservation` and the two menus do for one town, bit for bit.
"""

import numpy as np

from genagents_env.observe.columns import (
    FACT_COLUMNS,
    FACT_SLOTS,
    FACTS,
    GOAL_COLUMNS,
    GOAL_FIXED,
    GOAL_SLOTS,
    GOALS,
    OBJECT_SLOTS,
    PEOPLE,
    PERSON_COLUMNS,
    PERSON_SLOTS,
    PLACE_COLUMNS,
    PLACE_ROLES,
    PLACE_SLOTS,
    ROOM,
    SELF,
    SIZE,
    STATE_SLOTS,
    TELL_COLUMNS,
    TELL_SLOTS,
    TELLS,
    THING_COLUMNS,
    THINGS,
    TILE,
)
from genagents_env.observe.menu import Menu
from genagents_env.observe.portable_menu import (
    PLACES,
    REACH_OWN,
    SEEK,
    TELL,
    USE_OWN,
    PortableMenu,
)
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.scenario.schema import GOAL_KINDS
from genagents_env.train.core.towns import KIND, NONE, Towns
from genagents_env.world.tiles import Bools, Ints

_KINDS = len(GOAL_KINDS)
_PART_KNOWN = 9  # the column of the part of all facts that one knows
_OTHERS, _TOLD, _ABOUT = 6, 8, 10  # of a person slot: of goal 1, told goal 1, in a fact
_ROLES = len(PLACE_ROLES)


class Slots:
    """What fills the slots of everybody's menu, -1 for nothing; shapes (T * N, slots)."""

    def __init__(self, rows: int) -> None:
        self.people: Ints = np.full((rows, PERSON_SLOTS), NONE)
        self.things: Ints = np.full((rows, OBJECT_SLOTS), NONE)
        self.places: Ints = np.full((rows, PLACE_SLOTS), NONE)
        self.facts: Ints = np.full((rows, TELL_SLOTS), NONE)


class Look:
    """Sees for all people at once.

    Args:
        towns: in which they are.
        menu: of one of them; the others' have the same choices.
    """

    def __init__(self, towns: Towns, menu: Menu) -> None:
        self._towns, self._menu = towns, menu
        terrain, rows = towns.terrain, len(towns.who)
        of, who = towns.of, towns.who
        self._rows = np.arange(rows)
        self.slots, self._portable = Slots(rows), isinstance(menu, PortableMenu)
        self._base: Floats = np.zeros((rows, menu.columns), dtype=np.float32)
        self._base[:, SELF], self._base[:, SELF + 1] = terrain.index[of, who], terrain.count[of]
        self._tells: Floats = np.zeros((rows, TELL_SLOTS, TELL_COLUMNS), dtype=np.float32)
        self._scale = terrain.scale[of]
        self._reach = (1 / terrain.vision[of, who]).astype(np.float32)
        self._group = terrain.surroundings.group[of, who]
        self._vision, self._horizon = terrain.vision[of, who], terrain.horizon[of]
        self._all_heard = bool(terrain.hearing.min() >= terrain.vision.max())
        self._owned = any(item.users for world in terrain.worlds for item in world.plan.objects)
        self._roles: Ints = np.full((rows, _ROLES), NONE)
        self._roles[:, 2], self._roles[:, 3] = terrain.home[of, who], terrain.workplace[of, who]
        self._tile: Ints = np.full(rows, NONE)
        self._blocks: Floats = np.zeros((rows, PLACE_SLOTS, PLACE_COLUMNS), dtype=np.float32)
        self._suspects: Bools = np.zeros((rows, terrain.people + 1), dtype=np.bool_)
        self._has_suspects = bool((terrain.about >= 0).any())
        self._has_goals = any(bool(env.parts.reward.board) for env in towns.envs)

    def observe(self) -> tuple[Floats, Mask]:
        """Return numbers, shape (T * N, columns), and masks, (T * N, choices), of this tick."""
        towns, terrain, menu = self._towns, self._towns.terrain, self._menu
        if towns.stale.any():
            self._write_base()
        tile = towns.tile.ravel()
        arena = terrain.arena[tile]
        out, mask = self._base.copy(), np.zeros((len(tile), menu.size), dtype=np.int8)
        mask[:, 0] = 1
        out[:, :3] = terrain.clock[towns.layout, towns.tick].repeat(terrain.people, axis=0)
        talking = towns.talk.ravel() >= 0
        out[:, 4], out[:, 5] = talking, towns.arrived.ravel()
        out[:, 6], out[:, 7] = towns.failed.ravel(), towns.addressed.ravel()
        out[:, 8] = towns.overheard.ravel()
        out[:, ROOM:SELF] = terrain.room[towns.of, towns.who, arena]
        self._see_people(out, mask, tile)
        self._see_things(out, mask, tile)
        mask[:, menu.leave] = talking
        located, met = self._locate_goals()
        if self._has_goals:
            self._see_goals(out, tile, arena, located, met)
        if self._portable:
            self._offer_places(out, mask, tile, arena, met)
            self._offer_own(out, mask, tile, met)
        else:
            mask[:, 1 : menu.approach] = towns.allowed.reshape(len(tile), -1)[:, :-1]
        if not towns.awake.all():
            self._blind(out, mask)
        towns.stale[:], towns.fresh[:] = False, False
        self._tile = tile
        return out, mask

    def _blind(self, out: Floats, mask: Mask) -> None:
        """Take from sleepers what they do not perceive, and all choices from who is not in town."""
        menu, asleep = self._menu, self._towns.asleep.ravel()
        absent = ~self._towns.present.ravel()
        out[asleep, TILE + 2 : ROOM] = 0.0
        out[asleep, THINGS:SIZE] = 0.0
        out[:, 3] = asleep
        mask[asleep, menu.reach : menu.leave] = 0
        if self._portable:
            mask[asleep, SEEK:TELL] = 0
        mask[absent, 1:] = 0

    def _write_base(self) -> None:
        """Write what people know and have to achieve, where that has changed."""
        towns, terrain = self._towns, self._towns.terrain
        rows = towns.stale.repeat(terrain.people).nonzero()[0]
        of, goals = towns.of[rows], towns.goals
        facts = towns.facts.reshape(len(self._rows), -1)[rows]
        count, shown = terrain.known_facts[of], min(FACT_SLOTS, terrain.facts)
        base, about = self._base[rows], terrain.about[of]
        base[:, _PART_KNOWN] = facts.sum(axis=1) / np.maximum(1, count)
        slots = base[:, FACTS:THINGS].reshape(len(rows), FACT_SLOTS, FACT_COLUMNS)
        known, whom = facts[:, :shown], about[:, :shown]
        slots[:, :shown, 0] = known
        index = np.take_along_axis(terrain.index[of], whom, axis=1)
        slots[:, :shown, 1] = np.where(known & (whom >= 0), index, 0)
        done = goals.noticed.reshape(-1, GOAL_SLOTS)[rows]
        kind, o, person, fact, state = (
            part.reshape(-1, GOAL_SLOTS)[rows]
            for part in (goals.kind, goals.object, goals.person, goals.fact, goals.state)
        )
        slots[:, :shown, 2:] = fact[:, None, :] == np.arange(shown)[:, None]
        own = base[:, GOALS:FACTS].reshape(len(rows), GOAL_SLOTS, GOAL_COLUMNS)
        own[..., :_KINDS] = kind[..., None] == np.arange(1, _KINDS + 1)
        own[..., _KINDS] = done
        states = terrain.things.states[of[:, None], o]
        own[..., _KINDS + 1] = np.where(state >= 0, (state + 1) / states, 0)
        index = np.take_along_axis(terrain.index[of], person, axis=1)
        own[..., _KINDS + 2] = np.where(person >= 0, index, 0)
        number = (fact + 1) / np.maximum(1, count)[:, None]
        own[..., _KINDS + 3] = np.where(fact >= 0, number, 0)
        own[..., _KINDS + 4] = np.take_along_axis(facts, fact, axis=1)
        if self._has_suspects:
            suspects = np.zeros((len(rows), terrain.people + 1), dtype=np.bool_)
            row, f = (facts & (about >= 0)).nonzero()
            suspects[row, about[row, f]] = True
            self._suspects[rows] = suspects
        if self._portable:
            self._write_tells(rows, facts, fact)
            base[:, TELLS:] = self._tells[rows].reshape(len(rows), -1)
        self._base[rows] = base

    def _write_tells(self, rows: Ints, facts: Bools, wanted: Ints) -> None:
        """Put the facts of goals into the slots of their goals, others into the rest, by index."""
        slots: Ints = np.full((len(rows), TELL_SLOTS), NONE)
        if facts.any():
            at = np.arange(len(rows))
            for g in range(GOAL_SLOTS):
                fact = wanted[:, g]
                has = (fact >= 0) & facts[at, fact]
                for before in range(g):
                    has &= slots[:, before] != fact
                slots[has, g] = fact[has]
            rest = facts.copy()
            for g in range(GOAL_SLOTS):
                taken = slots[:, g] >= 0
                rest[at[taken], slots[taken, g]] = False
            for k in range(TELL_SLOTS):
                first = rest.argmax(axis=1)
                free = (slots[:, k] < 0) & rest[at, first]
                slots[free, k] = first[free]
                rest[at[free], first[free]] = False
        self.slots.facts[rows] = slots
        terrain, of = self._towns.terrain, self._towns.of[rows]
        there, about = slots >= 0, np.take_along_axis(terrain.about[of], slots, axis=1)
        index = np.take_along_axis(terrain.index[of], about, axis=1)
        columns = np.zeros((len(rows), TELL_SLOTS, TELL_COLUMNS), dtype=np.float32)
        columns[..., 0] = there
        columns[..., 1] = np.where(there & (about >= 0), index, 0)
        columns[..., 2:] = (wanted[:, None, :] == slots[:, :, None]) & there[:, :, None]
        self._tells[rows] = columns

    def _see_people(self, out: Floats, mask: Mask, tile: Ints) -> None:
        towns, terrain, menu = self._towns, self._towns.terrain, self._menu
        people, slots = terrain.people, self.slots.people
        slots[:] = NONE
        viewer, seen = towns.seen.reshape(len(tile), people).nonzero()
        if not len(viewer):
            return
        apart = towns.apart.reshape(len(tile), people)[viewer, seen]
        order = np.argsort((viewer << 40) + (apart << 20) + seen)
        viewer, seen, apart = viewer[order], seen[order], apart[order]
        slot = np.arange(len(viewer)) - viewer.searchsorted(self._rows)[viewer]
        some = slot < PERSON_SLOTS
        viewer, seen, apart, slot = viewer[some], seen[some], apart[some], slot[some]
        slots[viewer, slot] = seen
        other = viewer - towns.who[viewer] + seen  # the row of who is seen
        columns = out[:, PEOPLE:TILE].reshape(len(tile), PERSON_SLOTS, PERSON_COLUMNS)
        at = columns[viewer, slot]
        here, there, reach = tile[viewer], tile[other], self._reach[viewer]
        at[:, 0] = 1.0
        at[:, 1] = (terrain.x[there] - terrain.x[here]).astype(np.float32) * reach
        at[:, 2] = (terrain.y[there] - terrain.y[here]).astype(np.float32) * reach
        if not towns.awake.all():
            at[:, 3] = towns.asleep.ravel()[other]
        talk = towns.talk.ravel()
        at[:, 4] = (talk[viewer] >= 0) & (talk[viewer] == talk[other])
        at[:, 5] = terrain.index[towns.of[viewer], seen]
        if self._has_goals:
            goals = towns.goals
            at[:, _OTHERS:_TOLD] = goals.person.reshape(-1, GOAL_SLOTS)[viewer] == seen[:, None]
            fact = goals.fact.reshape(-1, GOAL_SLOTS)[viewer]
            told = towns.told[towns.town[viewer], towns.who[viewer], seen]
            told = np.take_along_axis(told, fact, axis=1)
            sees = terrain.sees_hearers[towns.of[viewer], towns.who[viewer], seen]
            at[:, _TOLD:_ABOUT] = told & sees[:, None]
        if self._has_suspects:
            at[:, _ABOUT] = self._suspects[viewer, seen]
        columns[viewer, slot] = at
        mask[viewer, menu.approach + slot] = 1
        may = ~refuse(towns, viewer, seen)
        if not self._all_heard:
            may &= apart <= terrain.hearing[towns.of[viewer], seen]
        mask[viewer, menu.talk + slot] = may

    def _see_things(self, out: Floats, mask: Mask, tile: Ints) -> None:
        towns, terrain, menu = self._towns, self._towns.terrain, self._menu
        things = terrain.things
        near, columns = terrain.surroundings.find(self._group, tile)
        self.slots.things = near
        there = near >= 0
        now = towns.objects[towns.town[:, None], near]
        of = towns.of[:, None]
        columns[..., 3] = np.where(there, things.number[of, near, now], 0)
        size = terrain.size[towns.of]
        out[:, TILE], out[:, TILE + 1] = terrain.x[tile] / size[:, 0], terrain.y[tile] / size[:, 1]
        out[:, TILE + 2 : ROOM] = columns.reshape(len(tile), -1)
        mask[:, menu.reach : menu.use] = there
        options = np.where(columns[..., 4] > 0, things.options[of, near, now], 0)
        uses = np.arange(STATE_SLOTS) < options[..., None]
        if self._owned:
            uses &= things.users[of, near, towns.who[:, None]][..., None]
        mask[:, menu.use : menu.leave] = uses.reshape(len(tile), -1)
        if self._has_goals:
            self._see_wanted(out, near, now)

    def _see_wanted(self, out: Floats, near: Ints, now: Ints) -> None:
        """Write what goals want of the things in the slots `near`, whose states are `now`."""
        goals, things = self._towns.goals, self._towns.terrain.things
        own = goals.object.reshape(-1, GOAL_SLOTS)
        row, k, g = ((near[:, :, None] == own[:, None, :]) & (near >= 0)[:, :, None]).nonzero()
        if not len(row):
            return
        slots = out[:, THINGS:SIZE].reshape(len(out), OBJECT_SLOTS, THING_COLUMNS)
        wanted = goals.state.reshape(-1, GOAL_SLOTS)[row, g]
        of, o, state = self._towns.of[row], near[row, k], now[row, k]
        slots[row, k, g] = 1.0
        known = wanted >= 0
        slots[row, k, GOAL_SLOTS + g] = known & (state == wanted)
        s = np.where(known, things.number_of[of, o, state, wanted], NONE)
        fits = (s >= 0) & (s < STATE_SLOTS)
        slots[row[fits], k[fits], 2 * GOAL_SLOTS + s[fits]] = 1.0
        accuses = goals.kind.reshape(-1, GOAL_SLOTS)[row, g] == KIND["accuse"]
        if accuses.any():
            row, k, named = row[accuses], k[accuses], things.find_named(of, o, state)[accuses]
            suspected = self._suspects[row[:, None], named]
            shown = slots[row, k]
            np.maximum(shown[:, 2 * GOAL_SLOTS :], suspected, out=shown[:, 2 * GOAL_SLOTS :])
            slots[row, k] = shown

    def _locate_goals(self) -> tuple[Ints, Ints]:
        """Return the targets of goals as far as known, and where their people were seen last."""
        towns, goals = self._towns, self._towns.goals
        shape = (len(self._rows), GOAL_SLOTS)
        if not self._has_goals:
            nowhere: Ints = np.full(shape, NONE)
            return nowhere, nowhere
        known = np.take_along_axis(towns.known, goals.place, axis=2)
        located = np.where(known, goals.target, NONE)
        person = goals.person
        met = np.where(person >= 0, np.take_along_axis(towns.last, person, axis=2), NONE)
        located = np.where((person >= 0) & (goals.place < 0), met, located)
        return located.reshape(shape), met.reshape(shape)

    def _see_goals(self, out: Floats, tile: Ints, arena: Ints, located: Ints, met: Ints) -> None:
        """Write what changes of goals as one walks and as time goes by."""
        towns, goals, terrain = self._towns, self._towns.goals, self._towns.terrain
        slots = out[:, GOALS:FACTS].reshape(len(tile), GOAL_SLOTS, GOAL_COLUMNS)
        slots = slots[..., GOAL_FIXED:]
        kind, place, start, end = (
            part.reshape(len(tile), GOAL_SLOTS)
            for part in (goals.kind, goals.place, goals.start, goals.end)
        )
        here, there = tile[:, None], located >= 0
        slots[..., 0] = there
        for k, part in enumerate(self._measure_offsets(here, located)):
            slots[..., 1 + k] = part * there
        slots[..., 4] = terrain.covers[towns.of[:, None], place, arena[:, None]]
        tick = towns.tick.repeat(terrain.people)[:, None]
        for k, moment in enumerate((start, end)):
            left = np.clip((moment - tick) / self._horizon[:, None], -1.0, 1.0)
            slots[..., 5 + k] = np.where(moment >= 0, left, k * (kind > 0))
        seen = met >= 0
        slots[..., 7] = seen
        east, south, _ = self._measure_offsets(here, met)
        slots[..., 8], slots[..., 9] = east * seen, south * seen

    def _measure_offsets(
        self, here: Ints, there: Ints, rows: Ints | slice = slice(None)
    ) -> tuple[Floats, Floats, Floats]:
        """Measure offsets of tiles, scaled: east, south, and steps apart; shapes (rows, K)."""
        x, y, scale = self._towns.terrain.x, self._towns.terrain.y, self._scale[rows]
        across, down = x[there] - x[here], y[there] - y[here]
        apart = np.abs(across) + np.abs(down)
        return (
            across.astype(np.float32) * scale[:, :1],
            down.astype(np.float32) * scale[:, 1:2],
            apart.astype(np.float32) * scale[:, 2:],
        )

    def _offer_places(self, out: Floats, mask: Mask, tile: Ints, arena: Ints, met: Ints) -> None:
        """Bring the place slots up to date for those who moved or have other places."""
        towns, terrain, roles = self._towns, self._towns.terrain, self._roles
        new = (tile != self._tile) | towns.fresh.ravel()
        if self._has_goals:
            of = towns.of[:, None]
            seen = np.where(met < 0, NONE, terrain.place_of[of, terrain.arena[met]])
            place = towns.goals.place.reshape(len(tile), GOAL_SLOTS)
            wanted = np.where(place < 0, seen, place)
            new |= (wanted != roles[:, :GOAL_SLOTS]).any(axis=1)
            roles[:, :GOAL_SLOTS] = wanted
        rows = new.nonzero()[0]
        if len(rows):
            self._fill_places(rows, tile[rows], arena[rows])
        out[:, SIZE:TELLS] = self._blocks.reshape(len(tile), -1)
        mask[:, PLACES:SEEK] = self.slots.places >= 0

    def _fill_places(self, rows: Ints, tile: Ints, arena: Ints) -> None:
        towns, terrain, own = self._towns, self._towns.terrain, self._roles[rows]
        allowed = towns.allowed.reshape(len(self._rows), -1)[rows]
        places: Ints = np.full((len(rows), PLACE_SLOTS), NONE)
        places[:, :_ROLES] = np.where(np.take_along_axis(allowed, own, axis=1), own, NONE)
        at = np.arange(len(rows))[:, None]
        allowed[at, own] = False
        near = terrain.find_nearest(tile)
        fits = allowed[at, near]
        rank = fits.cumsum(axis=1)
        row, at_place = (fits & (rank <= PLACE_SLOTS - _ROLES)).nonzero()
        places[row, _ROLES - 1 + rank[row, at_place]] = near[row, at_place]
        self.slots.places[rows] = places
        block = np.zeros((len(rows), PLACE_SLOTS, PLACE_COLUMNS), dtype=np.float32)
        there, of = places >= 0, towns.of[rows][:, None]
        block[..., 0] = there
        offsets = self._measure_offsets(tile[:, None], terrain.middle[of, places], rows)
        for k, part in enumerate(offsets):
            block[..., 1 + k] = part * there
        wanted = own[:, :GOAL_SLOTS]
        block[..., 4:6] = (places[:, :, None] == wanted[:, None, :]) & there[:, :, None]
        block[..., 6] = terrain.covers[of, places, arena[:, None]]
        self._blocks[rows] = block

    def _offer_own(self, out: Floats, mask: Mask, tile: Ints, met: Ints) -> None:
        """Offer what can be told, and the people and things of one's goals."""
        towns, terrain, menu = self._towns, self._towns.terrain, self._menu
        facts = (self.slots.facts >= 0).astype(np.int8)
        talk = mask[:, menu.talk : menu.reach]
        if facts.any() and talk.any():
            both = talk[:, :, None] & facts[:, None, :]
            mask[:, TELL : menu.approach] = both.reshape(len(tile), -1)
        if not self._has_goals:
            return
        goals, shape = towns.goals, (len(tile), GOAL_SLOTS)
        if (met >= 0).any():
            in_sight = np.take_along_axis(towns.seen, goals.person, axis=2).reshape(shape)
            in_sight &= goals.person.reshape(shape) >= 0
            apart = np.abs(terrain.sight_x[met] - terrain.sight_x[tile][:, None])
            apart = np.maximum(apart, np.abs(terrain.y[met] - terrain.y[tile][:, None]))
            in_view = apart <= self._vision[:, None]
            mask[:, SEEK:REACH_OWN] = (met >= 0) & (in_sight | ~in_view)
        o, place = goals.object.reshape(shape), goals.place.reshape(shape)
        allowed = towns.allowed.reshape(len(tile), -1)
        mask[:, REACH_OWN:USE_OWN] = np.take_along_axis(allowed, place, axis=1) & (o >= 0)
        state = goals.state.reshape(shape)
        row, g = ((goals.kind.reshape(shape) == KIND["use"]) & (state >= 0)).nonzero()
        if len(row):
            o, wanted, of = o[row, g], state[row, g], towns.of[row]
            may = terrain.things.find_in_reach(of, o, tile[row])
            may &= terrain.things.users[of, o, towns.who[row]]
            now = towns.objects[towns.town[row], o]
            may &= terrain.things.number_of[of, o, now, wanted] >= 0
            mask[row, USE_OWN + g] = may


def refuse(towns: Towns, viewer: Ints, seen: Ints) -> Bools:
    """Mark whom one may not speak to now by a rule of conversation."""
    t, i = towns.town[viewer], towns.who[viewer]
    mine, theirs = towns.talk[t, i], towns.talk[t, seen]
    begins = towns.cool[t, i, seen] > towns.tick[t] + 1
    refused = np.where(mine >= 0, towns.full[t, i] | towns.waits[t, i], begins)
    refused = np.where(theirs >= 0, towns.full[t, seen], refused)
    return np.where((mine >= 0) & (mine == theirs), towns.waits[t, i], refused)
