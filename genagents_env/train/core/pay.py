"""The rewards of many towns at once: those of `world.rewards`, bit for bit."""

from collections.abc import Mapping, Sequence

import numpy as np

from genagents_env.env import TownEnv
from genagents_env.observe.columns import GOAL_SLOTS
from genagents_env.train.core.shaping import Shaper
from genagents_env.train.core.towns import KIND, Rewards, Towns
from genagents_env.world.rewards import CallableReward, EpisodeReward
from genagents_env.world.rewards.goals import GoalsReward
from genagents_env.world.rewards.presence import CompanyReward, OccupancyReward, PublicGoodsReward
from genagents_env.world.rewards.reward import AttendanceReward, GoalReward
from genagents_env.world.tiles import Bools, Ints

_ELSEWHERE = [KIND[kind] for kind in ("bring", "tell", "keep")]
_LASTING = [KIND[kind] for kind in ("keep", "escape")]


class Pay:
    """Pays nothing: the base of what pays in towns whose reward is of one kind.

    Args:
        towns: all of them.
    """

    def __init__(self, towns: Towns) -> None:
        self.towns, self.terrain = towns, towns.terrain

    def read(self, t: int) -> None:
        """Go on from what the reward of town `t` itself has counted."""

    def __call__(self, over: Bools) -> Rewards:
        """Return what everybody earns in the tick just resolved, shape (T, N).

        Args:
            over: the towns whose episodes are cut off after it, shape (T,).
        """
        return np.zeros(self.towns.tile.shape)

    def find_done(self) -> Bools:
        """Return the towns whose tasks are finished, shape (T,)."""
        return np.zeros(self.towns.count, dtype=np.bool_)


class AttendancePay(Pay):
    """Hours spent at gatherings: `AttendanceReward`."""

    def __call__(self, over: Bools) -> Rewards:
        """Return the hours of this tick for everyone present at a gathering that is on."""
        towns, terrain = self.towns, self.terrain
        out = super().__call__(over)
        arena = terrain.arena[towns.tile]
        for t in range(towns.count):
            world = terrain.worlds[towns.layout[t]]
            time = world.town.clock.time(int(towns.tick[t]))
            for gathering in world.scenario.gatherings:
                if world.scenario.reward.gathering not in (None, gathering.id):
                    continue
                if gathering.start <= time < gathering.end:
                    arenas = list(world.town.places.find_arenas(gathering.place))
                    there = np.isin(arena[t], arenas) & towns.present[t]
                    out[t, there] = world.town.clock.seconds_per_tick / 3600
        return out


class GoalPay(Pay):
    """Pays for goals, shaped and shared as the scenario says: `GoalReward`."""

    either = False

    def __init__(self, towns: Towns) -> None:
        super().__init__(towns)
        declared = [world.scenario.reward for world in self.terrain.worlds]
        self.cost = np.array([d.step_cost for d in declared])[towns.layout][:, None]
        self.ends: Bools = np.array([d.ends for d in declared])[towns.layout]
        self.shared: Bools = np.array([d.shared for d in declared])[towns.layout]
        self.shaper = Shaper(towns, either=self.either)
        self.owns: Bools = np.zeros(towns.tile.shape, dtype=np.bool_)

    def read(self, t: int) -> None:
        """Go on from what the reward of town `t` itself has counted."""
        reward = self.towns.envs[t].parts.reward
        assert isinstance(reward, GoalReward)  # noqa: S101 - chosen by it
        self.owns[t] = (self.towns.goals.kind[t] > 0).any(axis=1)
        self.shaper.read(t, reward.shaping.potentials)

    def __call__(self, over: Bools) -> Rewards:
        """Return the rewards of this tick, less its cost."""
        out = self.pay()
        ended = over | (self.ends & self.find_done())
        self.settle(out, ended)
        self.shaper.add(out, ended)
        if self.shared.any():
            sums = np.zeros(len(out))
            for i in range(out.shape[1]):
                sums += np.where(self.owns[:, i], out[:, i], 0.0)
            part = sums / np.maximum(1, self.owns.sum(axis=1))
            out = np.where(self.shared[:, None] & self.owns, part[:, None], out)
        return np.where(self.owns, out, 0.0)

    def pay(self) -> Rewards:
        """Return the pay of everybody for the tick just resolved."""
        raise NotImplementedError

    def settle(self, out: Rewards, ended: Bools) -> None:
        """Add to `out` what depends on everybody's pay, and on the end of the episode."""

    def finish(self, which: Bools) -> None:
        """Note that goals are achieved, or lost; shape (T, N, GOAL_SLOTS)."""
        if which.any():
            goals = self.towns.goals
            goals.done = goals.done | which
            goals.noticed = np.where(which, ~np.isin(goals.kind, _ELSEWHERE), goals.noticed)
            self.towns.stale |= which.any(axis=(1, 2))


class GoalsPay(GoalPay):
    """Pays for goals when they are achieved: `GoalsReward`."""

    def __init__(self, towns: Towns) -> None:
        super().__init__(towns)
        self._told: Ints = np.zeros(towns.tile.shape, dtype=np.int64)
        kinds = {g.kind for w in self.terrain.worlds for g in w.scenario.reward.list_goals()}
        self._kinds = [kind for kind in KIND if kind in kinds]
        at_start = [
            [sum(bits >> f & 1 for bits in world.town.people.facts_at_start) for f in range(most)]
            for world in self.terrain.worlds
            for most in [self.terrain.facts]
        ]
        self._at_start: Ints = np.array(at_start, dtype=np.int64).reshape(
            self.terrain.layouts, self.terrain.facts
        )

    def read(self, t: int) -> None:
        """Go on from what the reward of town `t` itself has counted."""
        super().read(t)
        self._told[t] = self.towns.envs[t].parts.reward.state()["told"]

    def pay(self) -> Rewards:
        """Return everybody's pay for this tick, less the cost of the tick."""
        goals = self.towns.goals
        owed = (goals.kind > 0) & ~goals.done
        waits = (owed & ~np.isin(goals.kind, _LASTING)).any(axis=2)
        out = np.where(waits, -self.cost, 0.0)
        self._accusing = owed & (goals.kind == KIND["accuse"])
        finished = np.zeros(owed.shape, dtype=np.bool_)
        for slot in range(GOAL_SLOTS):
            pay = np.zeros(out.shape)
            for kind in self._kinds:
                own = owed[..., slot] & (goals.kind[..., slot] == KIND[kind])
                if own.any():
                    paid, ends = _JUDGES[kind](self, slot, own)
                    pay = np.where(own, paid, pay)
                    finished[..., slot] |= own & ends
            out += pay
        self.finish(finished)
        return out

    def settle(self, out: Rewards, ended: Bools) -> None:
        """Pay those who escape, for the accusations that failed in this tick."""
        goals = self.towns.goals
        open_ = (goals.kind == KIND["escape"]) & ~goals.done
        failed = self._accusing & (ended[:, None, None] | goals.done)
        right = (self.towns.used[..., None] == goals.object) & (
            self.towns.became[..., None] == goals.wanted
        )
        failed &= ~right
        for t, i, slot in zip(*(part.tolist() for part in open_.nonzero()), strict=True):
            if failed[t].any():
                o = goals.object[t, i, slot]
                by = int(((goals.kind[t] == KIND["accuse"]) & (goals.object[t] == o)).sum())
                mine = int((failed[t] & (goals.object[t] == o)).sum())
                out[t, i] += goals.worth[t, i, slot] * mine / max(1, by)

    def find_done(self) -> Bools:
        """Return the towns in which nobody has a goal left to achieve."""
        goals = self.towns.goals
        left = (goals.kind > 0) & ~goals.done & ~np.isin(goals.kind, _LASTING)
        return np.logical_not(left.any(axis=(1, 2)))

    def judge_use(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return the pay for putting the thing into the state by one's own hand."""
        towns, goals = self.towns, self.towns.goals
        put = (towns.used == goals.object[..., slot]) & (towns.became == goals.wanted[..., slot])
        return np.where(put, goals.worth[..., slot], 0.0), put

    def judge_accuse(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return the pay for putting the thing into the state of the right name."""
        towns, goals = self.towns, self.towns.goals
        put, worth = towns.used == goals.object[..., slot], goals.worth[..., slot]
        right = towns.became == goals.wanted[..., slot]
        return np.where(put, np.where(right, worth, -worth), 0.0), put

    def judge_escape(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return nothing: it is paid when all others are judged."""
        return np.zeros(own.shape), np.zeros_like(own)

    def judge_be(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return the pay for being at the place, with a time for the part of it spent there."""
        towns, goals = self.towns, self.towns.goals
        worth, first, last = (part[..., slot] for part in (goals.worth, goals.first, goals.last))
        there = self._are_at(slot, towns.who.reshape(own.shape)) & ~goals.hidden[..., slot]
        tick = towns.tick[:, None]
        timed = (first >= 0) & (last >= 0)
        counted = there & (first < tick) & (tick <= last)
        part = np.where(counted, worth / np.maximum(1, last - first), 0.0)
        paid = np.where(timed, part, np.where(there, worth, 0.0))
        return paid, np.where(timed, tick >= last, there)

    def judge_meet(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return the pay for standing beside the person."""
        towns, terrain, goals = self.towns, self.terrain, self.towns.goals
        j = goals.person[..., slot]
        other = np.take_along_axis(towns.tile, j, axis=1)
        apart = np.abs(terrain.x[other] - terrain.x[towns.tile])
        apart = np.maximum(apart, np.abs(terrain.y[other] - terrain.y[towns.tile]))
        beside = (apart <= 1) & (terrain.arena[other] == terrain.arena[towns.tile])
        beside &= np.take_along_axis(towns.present, j, axis=1)
        return np.where(beside, goals.worth[..., slot], 0.0), beside

    def judge_bring(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return the pay for having the person at the place."""
        goals = self.towns.goals
        there = self._are_at(slot, goals.person[..., slot])
        return np.where(there, goals.worth[..., slot], 0.0), there

    def judge_tell(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return the pay for the person, or part of all people, who know the fact."""
        goals, facts = self.towns.goals, self.towns.facts
        person, fact, worth = (part[..., slot] for part in (goals.person, goals.fact, goals.worth))
        town = np.arange(len(own))[:, None]
        knows = facts[town, person, fact]
        one = np.where(knows, worth, 0.0)
        count = self.terrain.people
        at_start = self._at_start[self.towns.layout[:, None], fact]
        all_know = facts.sum(axis=1)[town, fact]
        heard = all_know - at_start
        everybody = own & (person < 0)
        new = heard - self._told
        self._told = np.where(everybody, heard, self._told)
        many = worth * new / np.maximum(1, count - at_start)
        return np.where(everybody, many, one), np.where(everybody, all_know == count, knows)

    def judge_keep(self, slot: int, own: Bools) -> tuple[Rewards, Bools]:
        """Return what is lost when the person learns the fact."""
        goals, town = self.towns.goals, np.arange(len(own))[:, None]
        knows = self.towns.facts[town, goals.person[..., slot], goals.fact[..., slot]]
        return np.where(knows, -goals.worth[..., slot], 0.0), knows

    def _are_at(self, slot: int, people: Ints) -> Bools:
        """Return whether people are at the place of everybody's goal, shape (T, N)."""
        towns = self.towns
        arena = np.take_along_axis(self.terrain.arena[towns.tile], people, axis=1)
        arenas = towns.goals.arenas[:, :, slot]
        there: Bools = np.take_along_axis(arenas, arena[..., None], axis=2)[..., 0]
        return there & np.take_along_axis(towns.present, people, axis=1)


_JUDGES = {kind: getattr(GoalsPay, f"judge_{kind}") for kind in KIND}


class PresencePay(GoalPay):
    """Pays at every tick for presence: `PresenceReward`."""

    either = True

    def __call__(self, over: Bools) -> Rewards:
        """Return the rewards of this tick."""
        refresh_goals(self.towns)
        return super().__call__(over)

    def find_done(self) -> Bools:
        """Return the towns in which nobody has a goal left."""
        goals = self.towns.goals
        return np.logical_not(((goals.kind > 0) & ~goals.done).any(axis=(1, 2)))

    def find_there(self, place: Ints) -> Bools:
        """Return whether people are at places, both shapes (T, N)."""
        towns, layout = self.towns, self.towns.layout[:, None]
        there: Bools = self.terrain.covers[layout, place, self.terrain.arena[towns.tile]]
        return there & towns.present


class CompanyPay(PresencePay):
    """Pays for company at one of one's places while it counts: `CompanyReward`."""

    def pay(self) -> Rewards:
        """Return everybody's pay for the company of this tick."""
        towns, goals, tick = self.towns, self.towns.goals, self.towns.tick[:, None]
        out, finished = np.zeros(towns.tile.shape), np.zeros(goals.kind.shape, dtype=np.bool_)
        others = np.maximum(1, self.owns.sum(axis=1) - 1)[:, None]
        for slot in range(GOAL_SLOTS):
            start, end, place = (part[..., slot] for part in (goals.start, goals.end, goals.place))
            own = goals.kind[..., slot] > 0
            there = own & (start < tick) & (tick <= end) & self.find_there(place)
            for i in np.flatnonzero(there.any(axis=0)).tolist():
                here = self.find_there(np.broadcast_to(place[:, i : i + 1], out.shape)) & self.owns
                part = (here.sum(axis=1) - here[:, i]) / others[:, 0]
                pay = goals.worth[:, i, slot] * part / np.maximum(1, end - start)[:, i]
                out[:, i] += np.where(there[:, i], pay, 0.0)
            finished[..., slot] = own & (tick >= end) & ~goals.done[..., slot]
        self.finish(finished)
        return out


class OccupancyPay(PresencePay):
    """Pays for time at a place, more until one has had enough of it: `OccupancyReward`."""

    def __init__(self, towns: Towns) -> None:
        super().__init__(towns)
        declared = [world.scenario.reward for world in self.terrain.worlds]
        self._need: Ints = np.array([d.need for d in declared])[towns.layout][:, None]
        self._surplus = np.array([d.surplus for d in declared])[towns.layout][:, None]
        self._spent: Ints = np.zeros(towns.goals.kind.shape, dtype=np.int64)

    def read(self, t: int) -> None:
        """Go on from what the reward of town `t` itself has counted."""
        super().read(t)
        reward = self.towns.envs[t].parts.reward
        assert isinstance(reward, OccupancyReward)  # noqa: S101 - chosen by it
        for at, spent in reward.spent.items():
            self._spent[(t, *at)] = spent

    def pay(self) -> Rewards:
        """Return everybody's pay for being there."""
        goals = self.towns.goals
        waits = ((goals.kind > 0) & ~goals.done).any(axis=2)
        out = np.where(waits, 0.0 - self.cost, 0.0)
        finished = np.zeros(goals.kind.shape, dtype=np.bool_)
        for slot in range(GOAL_SLOTS):
            there = (goals.kind[..., slot] > 0) & self.find_there(goals.place[..., slot])
            whole = goals.worth[..., slot] / self._need
            pay = np.where(goals.done[..., slot], whole * self._surplus, whole)
            out += np.where(there, pay, 0.0)
            self._spent[..., slot] += there
            finished[..., slot] = there & (self._spent[..., slot] == self._need)
        self.finish(finished)
        return out


class PublicGoodsPay(PresencePay):
    """Pays for work, at the common place in equal parts to all: `PublicGoodsReward`."""

    def __init__(self, towns: Towns) -> None:
        super().__init__(towns)
        common = [
            world.town.places.find_place(world.scenario.reward.common or "")
            for world in self.terrain.worlds
        ]
        self._common: Ints = np.array(common)[towns.layout][:, None]

    def pay(self) -> Rewards:
        """Return everybody's pay for the work of this tick."""
        towns, goals = self.towns, self.towns.goals
        ticks = self.terrain.horizon[towns.layout][:, None]
        out: Rewards = np.zeros(towns.tile.shape)
        pool = np.zeros(towns.count)
        pays, common = [], []
        for slot in range(GOAL_SLOTS):
            place = goals.place[..., slot]
            there = (goals.kind[..., slot] > 0) & self.find_there(place)
            pays.append(np.where(there, goals.worth[..., slot] / ticks, 0.0))
            common.append(place == self._common)
        for i in range(out.shape[1]):
            for pay, shared in zip(pays, common, strict=True):
                pool += np.where(shared[:, i], pay[:, i], 0.0)
                out[:, i] += np.where(shared[:, i], 0.0, pay[:, i])
        out += np.expand_dims(pool / np.maximum(1, self.owns.sum(axis=1)), 1)
        return out


_PAYS: Mapping[type[EpisodeReward], type[Pay]] = {
    AttendanceReward: AttendancePay,
    GoalsReward: GoalsPay,
    CompanyReward: CompanyPay,
    OccupancyReward: OccupancyPay,
    PublicGoodsReward: PublicGoodsPay,
}


def find_pay(env: TownEnv) -> type[Pay] | None:
    """Return what pays as a town does; None if only the town itself can."""
    reward = env.parts.reward
    if type(reward) is CallableReward and not callable(env.config.reward):
        return Pay
    return _PAYS.get(type(reward))


def refresh_goals(towns: Towns) -> None:
    """Reveal goals of which agents have had word, and ends that they noticed."""
    goals = towns.goals
    if goals.hidden.any():
        word = goals.hidden & np.take_along_axis(towns.facts, goals.fact, axis=2)
        for t, i, slot in zip(*(part.tolist() for part in word.nonzero()), strict=True):
            _reveal(towns, t, i, slot)
    waiting = goals.done & ~goals.noticed & (goals.kind > 0)
    if waiting.any():
        for t, i, slot in zip(*(part.tolist() for part in waiting.nonzero()), strict=True):
            if _can_notice(towns, t, i, slot):
                goals.noticed[t, i, slot] = towns.stale[t] = True


def _reveal(towns: Towns, t: int, i: int, slot: int) -> None:
    env, goals, at = towns.envs[t], towns.goals, (t, i, slot)
    board = env.parts.reward.board
    numbers = board.read(env.world, board.goals[i][slot])
    goals.place[at], goals.start[at], goals.end[at] = numbers.place, numbers.start, numbers.end
    goals.target[at] = numbers.target + towns.terrain.first[towns.layout[t]]
    goals.hidden[at], towns.stale[t] = False, True


def _can_notice(towns: Towns, t: int, i: int, slot: int) -> bool:
    goals, at = towns.goals, (t, i, slot)
    j, fact = int(goals.person[at]), int(goals.fact[at])
    if goals.kind[at] == KIND["bring"]:
        return bool(towns.seen[t, i, j])
    others: Sequence[int] = [k for k in range(towns.terrain.people) if k != i] if j < 0 else [j]
    told = towns.told[t, :, :, fact]
    return all(told[i, k] or told[k, i] for k in others)
