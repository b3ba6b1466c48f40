"""What changes of many towns, as arrays by town and person; each town can be read in from its own.

A tick that the arrays cannot do is done by the town itself: see `VectorTown`.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.env import TownEnv
from genagents_env.observe.columns import GOAL_SLOTS
from genagents_env.rng import ranks
from genagents_env.scenario.schema import GOAL_KINDS, Goal
from genagents_env.train.core.terrain import Terrain
from genagents_env.world.goals import GoalBoard
from genagents_env.world.places import Places
from genagents_env.world.tiles import Bools, Ints

KIND = {kind: 1 + number for number, kind in enumerate(GOAL_KINDS)}
NONE, NEVER = -1, np.iinfo(np.int64).max
Rewards = npt.NDArray[np.float64]


class Goals:
    """The goals of all people, shape (T, N, GOAL_SLOTS) unless said; what a `GoalBoard` holds.

    Attributes:
        kind: 0 for none, or `KIND`.
        place, start, end, target: what the agent has word of: -1 while it has none.
        object, person, fact: what the goal is about, -1 for none; the person is not that of
            `accuse`.
        state: the number of the wanted state that is shown.
        done, noticed, hidden: as on the board.
        wanted: the number of the state that is paid for, of `accuse` that of the right name.
        worth: what it is worth.
        first, last: the ticks between which a `be` counts, whether there is word of it or not.
        arenas: those in which one is at its place, shape (T, N, GOAL_SLOTS, arenas).
    """

    def __init__(self, terrain: Terrain, towns: int) -> None:
        shape = (towns, terrain.people, GOAL_SLOTS)
        self.place, self.start, self.end, self.target = _make_numbers(shape, 4)
        self.object, self.person, self.fact, self.state = _make_numbers(shape, 4)
        self.wanted, self.first, self.last = _make_numbers(shape, 3)
        self.kind: Ints = np.zeros(shape, dtype=np.int64)
        self.done, self.noticed, self.hidden = _make_flags(shape, 3)
        self.worth: Rewards = np.zeros(shape)
        (self.arenas,) = _make_flags((*shape, terrain.arenas), 1)


_AS_THEY_ARE = ("kind", "place", "start", "end", "object", "person", "fact", "state", "noticed")


_Terms = tuple[float, int, int, int, Bools]  # worth, first, last, wanted and arenas of `Goals`


class Towns:
    """T towns of N people each. Arrays have the shape (T, N) unless said.

    Attributes:
        layout: of each town, shape (T,).
        tick, seed: of each town, shape (T,).
        tile: where people are, in the terrain.
        arrived, failed, illegal, addressed, overheard: what the last tick brought.
        asleep, present: of whom.
        objects: the states of things by number, shape (T, things + 1).
        known, allowed: the places people know, and may go to, shape (T, N, places + 1).
        enter: the arenas they may enter now, shape (T, N, arenas).
        learning: whether they do not know all places yet.
        facts: what they know, shape (T, N, facts + 1).
        told: who told whom what, shape (T, N, N, facts + 1).
        last: on which tile each last saw each, -1 if never, shape (T, N, N).
        seen: who sees whom now, shape (T, N, N).
        near: whom each would be heard by now, shape (T, N, N).
        apart: how far apart they are, shape (T, N, N).
        talk: in which conversation, -1 for none.
        full, waits: whether nobody may join that one, and whether it is not one's turn in it.
        may_wait: the towns in which there can be any of that, shape (T,).
        cool: until which tick two may not begin to talk again, shape (T, N, N).
        talk_due: the tick at which something of the conversations of a town is over, shape (T,).
        used, became: which thing each put into which state in the last tick, -1 for none.
        goals: of all.
        stale: whether facts or goals of a town have changed since it was seen last, shape (T,).
        fresh: whether places that people may go to have, shape (T, N).
        of: the layout of each of all T * N people; `who`: the person; `town`: the town.
    """

    def __init__(self, terrain: Terrain, envs: Sequence[TownEnv], layout: Ints) -> None:
        self.terrain, self.envs, self.layout = terrain, tuple(envs), layout
        towns, people = len(envs), terrain.people
        self.count = towns
        self.of, self.town = layout.repeat(people), np.arange(towns).repeat(people)
        self.who: Ints = np.tile(np.arange(people), towns)
        shape = (towns, people)
        self.tick: Ints = np.zeros(towns, dtype=np.int64)
        self.seed: npt.NDArray[np.uint64] = np.zeros(towns, dtype=np.uint64)
        self.tile: Ints = np.zeros(shape, dtype=np.int64)
        self.arrived, self.failed, self.illegal = _make_flags(shape, 3)
        self.addressed, self.overheard = _make_flags(shape, 2)
        self.asleep, self.present, self.learning = _make_flags(shape, 3)
        self.fresh: Bools = np.ones(shape, dtype=np.bool_)
        self.stale: Bools = np.ones(towns, dtype=np.bool_)
        self.awake: Bools = np.zeros(towns, dtype=np.bool_)
        self.objects: Ints = np.zeros((towns, terrain.objects + 1), dtype=np.int64)
        (self.known,) = _make_flags((*shape, terrain.places + 1), 1)
        (self.allowed,) = _make_flags((*shape, terrain.places + 1), 1)
        (self.enter,) = _make_flags((*shape, terrain.arenas), 1)
        (self.facts,) = _make_flags((*shape, terrain.facts + 1), 1)
        (self.told,) = _make_flags((*shape, people, terrain.facts + 1), 1)
        (self.last,) = _make_numbers((*shape, people), 1)
        self.seen, self.near = _make_flags((*shape, people), 2)
        self.apart: Ints = np.zeros((*shape, people), dtype=np.int64)
        self.talk, self.used, self.became = _make_numbers(shape, 3)
        self.goals = Goals(terrain, towns)
        self.full, self.waits = _make_flags(shape, 2)
        self.may_wait: Bools = terrain.may_wait[layout]
        self.cool: Ints = np.zeros((*shape, people), dtype=np.int64)
        self.talk_due: Ints = np.full(towns, NEVER)
        self._ranks: tuple[Ints, Ints] = (self.tick, self.tick)
        self._others = ~np.eye(people, dtype=np.bool_)
        self._terms: dict[tuple[int, Goal], _Terms] = {}

    def read(self, t: int) -> None:
        """Read in what the town numbered `t` itself is now."""
        env, layout, terrain = self.envs[t], int(self.layout[t]), self.terrain
        state, first = env.world.state, int(terrain.first[self.layout[t]])
        self.tick[t], self.seed[t] = state.tick, state.seed & 0xFFFFFFFFFFFFFFFF
        self.tile[t] = state.tile + first
        self.arrived[t], self.asleep[t], self.present[t] = (
            state.arrived,
            state.asleep,
            state.present,
        )
        self.awake[t] = state.present.all() and not state.asleep.any()
        self.failed[t] = self.illegal[t] = self.addressed[t] = self.overheard[t] = False
        for i, outcome in state.outcomes.items():
            self.failed[t, i], self.illegal[t, i] = not outcome.ok, outcome.illegal
        for i, sounds in state.heard.items():
            self.addressed[t, i] = any(sound.addressed for sound in sounds)
            self.overheard[t, i] = any(not sound.addressed for sound in sounds)
        states = terrain.things.find_states(layout, state.objects.states)
        self.objects[t, : len(states)] = states
        self._read_places(t, env.world.town.places)
        last = state.sightings.list_all()
        self.last[t] = np.where(last < 0, NONE, last + first)
        self._read_facts(t)
        self._read_goals(t)
        self.stale[t], self.fresh[t] = True, True

    def look(self) -> None:
        """Find who sees and who hears whom."""
        terrain, tile = self.terrain, self.tile
        x, y = terrain.sight_x[tile], terrain.y[tile]
        apart = np.abs(x[:, None, :] - x[:, :, None])
        np.maximum(apart, np.abs(y[:, None, :] - y[:, :, None]), out=apart)
        seen = (apart <= terrain.vision[self.layout][:, :, None]) & self._others
        if not self.awake.all():
            seen &= (self.present & ~self.asleep)[:, :, None] & self.present[:, None, :]
        for t in (~terrain.clear_sight[self.layout]).nonzero()[0].tolist():
            viewer, whom, _ = self.envs[t].world.pairs  # such a town is stepped by itself
            seen[t] = False
            seen[t, viewer, whom] = True
        self.seen, self.apart = seen, apart
        self.near = (apart <= terrain.hearing[self.layout][:, None, :]) & self._others
        self.near &= self.present[:, None, :]
        self.last = np.where(seen, tile[:, None, :], self.last)

    def rank(self) -> Ints:
        """Return the order in which ties are won at this tick in each town, shape (T, N)."""
        if self._ranks[0] is not self.tick:
            self._ranks = (self.tick, ranks(self.seed, self.tick, self.terrain.people))
        return self._ranks[1]

    def permit(self, t: int, enter: Bools, places: Bools) -> None:
        """Take over rights of entry to arenas and to places, shapes (N, arenas) and (N, places)."""
        self.enter[t, :, : enter.shape[1]] = enter
        self.allowed[t, :, : places.shape[1]] = self.known[t, :, : places.shape[1]] & places
        self.fresh[t] = True

    def _read_places(self, t: int, places: Places) -> None:
        state, count = self.envs[t].world.state, len(places.all)
        self.known[t, :, :count] = places.to_rows(state.known)
        self.learning[t] = False
        self.learning[t, state.learners] = True
        self.permit(t, state.access.enter, state.access.places)

    def _read_facts(self, t: int) -> None:
        state = self.envs[t].world.state
        for fact in range(len(state.town.people.fact_ids)):
            self.facts[t, :, fact] = [bits >> fact & 1 for bits in state.facts]
        self.told[t] = False
        for speaker, hearer, fact in state.told:
            self.told[t, speaker, hearer, fact] = True

    def _read_goals(self, t: int) -> None:
        board, goals = self.envs[t].parts.reward.board, self.goals
        for name in _AS_THEY_ARE:
            getattr(goals, name)[t] = getattr(board, name)
        goals.done[t] = board.done
        first = int(self.terrain.first[self.layout[t]])
        targets = board.targets
        goals.target[t] = np.where(targets < 0, NONE, targets + first)
        for i in board.owners:
            for slot, goal in enumerate(board.goals[i]):
                at = (t, i, slot)
                goals.hidden[at] = board.is_hidden(i, slot)
                terms = self._find_terms(t, board, goal)
                goals.worth[at], goals.first[at], goals.last[at], goals.wanted[at] = terms[:4]
                goals.arenas[at] = terms[4]

    def _find_terms(self, t: int, board: GoalBoard, goal: Goal) -> _Terms:
        layout = int(self.layout[t])
        key = (layout, goal)
        terms = self._terms.get(key)
        if terms is None:
            world = self.envs[t].world
            numbers = board.read(world, goal)
            arenas = np.zeros(self.terrain.arenas, dtype=np.bool_)
            arenas[list(world.town.places.find_arenas(goal.place or ""))] = True
            wanted, name = NONE, goal.person if goal.kind == "accuse" else goal.state
            if goal.object is not None and name is not None:
                code = self.terrain.things.code[layout][numbers.object]
                wanted = code.get(name, len(code))
            terms = self._terms[key] = (goal.worth, numbers.start, numbers.end, wanted, arenas)
        return terms


def mark_kinds(*kinds: str) -> Bools:
    """Return for each number in `Goals.kind` whether it is of one of these kinds."""
    return np.isin(np.arange(1 + len(KIND)), [KIND[kind] for kind in kinds])


def _make_flags(shape: tuple[int, ...], count: int) -> list[Bools]:
    return [np.zeros(shape, dtype=np.bool_) for _ in range(count)]


def _make_numbers(shape: tuple[int, ...], count: int) -> list[Ints]:
    return [np.full(shape, NONE) for _ in range(count)]
