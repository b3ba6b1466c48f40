"""The rewards of many towns at once: those of `world.rewards`, bit for bit."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from genagents_env.env import TownEnv
from genagents_env.observe.columns import GOAL_SLOTS
from genagents_env.train.core.shaping import Shaper
from genagents_env.train.core.towns import KIND, Rewards, Towns, mark_kinds
from genagents_env.world.rewards import CallableReward, EpisodeReward
from genagents_env.world.rewards.goals import GoalsReward
from genagents_env.world.rewards.presence import CompanyReward, OccupancyReward, PublicGoodsReward
from genagents_env.world.rewards.reward import AttendanceReward, GoalReward
from genagents_env.world.tiles import Bools, Ints

_ELSEWHERE = mark_kinds("bring", "tell", "keep")
_LASTING = mark_kinds("keep", "escape")


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
        self.cost = self.declare("step_cost")[:, None]
        self.ends, self.shared = self.declare("ends"), self.declare("shared")
        self.town: Ints = np.arange(towns.count)[:, None, None]
        self.shaper = Shaper(towns, either=self.either)
        self.owns: Bools = np.zeros(towns.tile.shape, dtype=np.bool_)

    def declare(self, name: str) -> npt.NDArray[Any]:
        """Return what the scenario of each town declares of its reward, shape (T,)."""
        worlds = self.terrain.worlds
        declared = [getattr(world.scenario.reward, name) for world in worlds]
        return np.array(declared)[self.towns.layout]

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

    def find_done(self) -> Bools:
        """Return the towns in which nobody has a goal left to achieve."""
        goals = self.towns.goals
        left = (goals.kind > 0) & ~goals.done & ~_LASTING[goals.kind]
        return np.logical_not(left.any(axis=(1, 2)))

    def finish(self, which: Bools) -> None:
        """Note that own goals are achieved, or lost; shape (T, N, GOAL_SLOTS)."""
        which = which & self.owns[..., None]
        if which.any():
            goals = self.towns.goals
            goals.done = goals.done | which
            goals.noticed = np.where(which, ~_ELSEWHERE[goals.kind], goals.noticed)
            self.towns.stale |= which.any(axis=(1, 2))


class GoalsPay(GoalPay):
    """Pays for goals when they are achieved: `GoalsReward`.

    A judge takes which goals it is for, and returns what each pays now and which are over, all of
    shape (T, N, GOAL_SLOTS).
    """

    def __init__(self, towns: Towns) -> None:
        super().__init__(towns)
        self._told: Ints = np.zeros(towns.tile.shape, dtype=np.int64)
        worlds, facts = self.terrain.worlds, range(self.terrain.facts)
        kinds = {goal.kind for world in worlds for goal in world.scenario.reward.list_goals()}
        self._judges = [(KIND[kind], _JUDGES[kind]) for kind in _JUDGES if kind in kinds]
        known = [world.town.people.facts_at_start for world in worlds]
        at_start = [[sum(bits >> fact & 1 for bits in own) for fact in facts] for own in known]
        self._at_start: Ints = np.array(at_start, dtype=np.int64)

    def read(self, t: int) -> None:
        """Go on from what the reward of town `t` itself has counted."""
        super().read(t)
        self._told[t] = self.towns.envs[t].parts.reward.state()["told"]

    def pay(self) -> Rewards:
        """Return everybody's pay for this tick, less the cost of the tick."""
        goals = self.towns.goals
        owed = (goals.kind > 0) & ~goals.done
        waits = (owed & ~_LASTING[goals.kind]).any(axis=2)
        self._accusing = owed & (goals.kind == KIND["accuse"])
        paid, finished = np.zeros(owed.shape), np.zeros_like(owed)
        for kind, judge in self._judges:
            own = owed & (goals.kind == kind)
            if own.any():
                pay, ends = judge(self, own)
                paid = np.where(own, pay, paid)
                finished |= own & ends
        self.finish(finished)
        return add_slots(np.where(waits, -self.cost, 0.0), paid)

    def settle(self, out: Rewards, ended: Bools) -> None:
        """Pay those who escape, for the accusations that failed in this tick."""
        goals = self.towns.goals
        open_ = (goals.kind == KIND["escape"]) & ~goals.done
        failed = self._accusing & (ended[:, None, None] | goals.done) & ~self._have_put()
        for t, i, slot in zip(*(part.tolist() for part in open_.nonzero()), strict=True):
            if failed[t].any():
                o = goals.object[t, i, slot]
                by = int(((goals.kind[t] == KIND["accuse"]) & (goals.object[t] == o)).sum())
                mine = int((failed[t] & (goals.object[t] == o)).sum())
                out[t, i] += goals.worth[t, i, slot] * mine / max(1, by)

    def judge_use(self, own: Bools) -> tuple[Rewards, Bools]:
        """Pay for putting the thing into the state by one's own hand."""
        put = self._have_put()
        return np.where(put, self.towns.goals.worth, 0.0), put

    def judge_accuse(self, own: Bools) -> tuple[Rewards, Bools]:
        """Pay for putting the thing into the state of the right name."""
        put, worth = self.towns.used[..., None] == self.towns.goals.object, self.towns.goals.worth
        return np.where(put, np.where(self._have_put(), worth, -worth), 0.0), put

    def judge_be(self, own: Bools) -> tuple[Rewards, Bools]:
        """Pay for being at the place, with a time for the part of it spent there."""
        goals, tick = self.towns.goals, self.towns.tick[:, None, None]
        who = np.broadcast_to(self.towns.who.reshape(own.shape[:2])[..., None], own.shape)
        there = self._are_at(who) & ~goals.hidden
        timed = (goals.first >= 0) & (goals.last >= 0)
        counted = there & (goals.first < tick) & (tick <= goals.last)
        part = np.where(counted, goals.worth / np.maximum(1, goals.last - goals.first), 0.0)
        paid = np.where(timed, part, np.where(there, goals.worth, 0.0))
        return paid, np.where(timed, tick >= goals.last, there)

    def judge_meet(self, own: Bools) -> tuple[Rewards, Bools]:
        """Pay for standing beside the person."""
        towns, terrain, goals = self.towns, self.terrain, self.towns.goals
        here, other = towns.tile[..., None], towns.tile[self.town, goals.person]
        apart = np.abs(terrain.x[other] - terrain.x[here])
        apart = np.maximum(apart, np.abs(terrain.y[other] - terrain.y[here]))
        beside = (apart <= 1) & (terrain.arena[other] == terrain.arena[here])
        beside &= towns.present[self.town, goals.person]
        return np.where(beside, goals.worth, 0.0), beside

    def judge_bring(self, own: Bools) -> tuple[Rewards, Bools]:
        """Pay for having the person at the place."""
        there = self._are_at(self.towns.goals.person)
        return np.where(there, self.towns.goals.worth, 0.0), there

    def judge_tell(self, own: Bools) -> tuple[Rewards, Bools]:
        """Pay for the person, or part of all people, who know the fact."""
        goals, facts, count = self.towns.goals, self.towns.facts, self.terrain.people
        knows = facts[self.town, goals.person, goals.fact]
        at_start = self._at_start[self.towns.layout[:, None, None], goals.fact]
        all_know = facts.sum(axis=1)[self.town, goals.fact]
        everybody, heard = goals.person < 0, all_know - at_start
        new = np.zeros_like(heard)
        for slot in range(GOAL_SLOTS):
            new[..., slot] = heard[..., slot] - self._told
            counts = own[..., slot] & everybody[..., slot]
            self._told = np.where(counts, heard[..., slot], self._told)
        many = goals.worth * new / np.maximum(1, count - at_start)
        one = np.where(knows, goals.worth, 0.0)
        return np.where(everybody, many, one), np.where(everybody, all_know == count, knows)

    def judge_keep(self, own: Bools) -> tuple[Rewards, Bools]:
        """Take what is lost when the person learns the fact."""
        goals = self.towns.goals
        knows = self.towns.facts[self.town, goals.person, goals.fact]
        return np.where(knows, -goals.worth, 0.0), knows

    def _have_put(self) -> Bools:
        """Return whether people have just put the things of goals into the states paid for."""
        towns, goals = self.towns, self.towns.goals
        put: Bools = towns.used[..., None] == goals.object
        put &= towns.became[..., None] == goals.wanted
        return put

    def _are_at(self, people: Ints) -> Bools:
        """Return whether people are at the place of everybody's goals; (T, N, GOAL_SLOTS)."""
        arena = self.terrain.arena[self.towns.tile[self.town, people]]
        arenas, present = self.towns.goals.arenas, self.towns.present[self.town, people]
        there: Bools = np.take_along_axis(arenas, arena[..., None], axis=3)[..., 0]
        return there & present


# An escape is paid when all accusations are judged: see `settle`.
_JUDGES = {kind: getattr(GoalsPay, f"judge_{kind}") for kind in KIND if kind != "escape"}


class PresencePay(GoalPay):
    """Pays at every tick for presence: `PresenceReward`."""

    either = True

    def __call__(self, over: Bools) -> Rewards:
        """Return the rewards of this tick."""
        refresh_goals(self.towns, self.owns)
        return super().__call__(over)

    def find_there(self) -> Bools:
        """Return the goals at whose place one is, shape (T, N, GOAL_SLOTS)."""
        towns, layout = self.towns, self.towns.layout[:, None, None]
        arena = self.terrain.arena[towns.tile][..., None]
        there: Bools = self.terrain.covers[layout, towns.goals.place, arena]
        return there & towns.present[..., None]


class CompanyPay(PresencePay):
    """Pays for company at one of one's places while it counts: `CompanyReward`."""

    def pay(self) -> Rewards:
        """Return everybody's pay for the company of this tick."""
        towns, goals, tick = self.towns, self.towns.goals, self.towns.tick[:, None, None]
        counts = (goals.start < tick) & (tick <= goals.end) & self.find_there()
        at = counts.nonzero()
        t = at[0]
        place, arena = goals.place[at], self.terrain.arena[towns.tile[t]]
        others = self.terrain.covers[towns.layout[t][:, None], place[:, None], arena]
        others &= (towns.present & self.owns)[t]
        part = (others.sum(axis=1) - 1) / np.maximum(1, self.owns.sum(axis=1) - 1)[t]
        paid = np.zeros(counts.shape)
        paid[at] = goals.worth[at] * part / np.maximum(1, goals.end[at] - goals.start[at])
        self.finish((goals.kind > 0) & (tick >= goals.end) & ~goals.done)
        return add_slots(np.zeros(towns.tile.shape), paid)


class OccupancyPay(PresencePay):
    """Pays for time at a place, more until one has had enough of it: `OccupancyReward`."""

    def __init__(self, towns: Towns) -> None:
        super().__init__(towns)
        self._need: Ints = self.declare("need")[:, None, None]
        self._surplus = self.declare("surplus")[:, None, None]
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
        goals, there = self.towns.goals, self.find_there()
        waits = ((goals.kind > 0) & ~goals.done).any(axis=2)
        whole = goals.worth / self._need
        pay = np.where(goals.done, whole * self._surplus, whole)
        self._spent += there
        self.finish(there & (self._spent == self._need))
        return add_slots(np.where(waits, 0.0 - self.cost, 0.0), np.where(there, pay, 0.0))


class PublicGoodsPay(PresencePay):
    """Pays for work, at the common place in equal parts to all: `PublicGoodsReward`."""

    def __init__(self, towns: Towns) -> None:
        super().__init__(towns)
        places = [
            -1
            if (common := world.scenario.reward.common) is None
            else world.town.places.find_place(common)
            for world in self.terrain.worlds
        ]
        self._common: Ints = np.array(places)[towns.layout][:, None, None]

    def pay(self) -> Rewards:
        """Return everybody's pay for the work of this tick."""
        towns, goals = self.towns, self.towns.goals
        ticks = self.terrain.horizon[towns.layout][:, None, None]
        pay = np.where(self.find_there(), goals.worth / ticks, 0.0)
        common = goals.place == self._common
        # One after the other, as the town adds them.
        pool = np.where(common, pay, 0.0).reshape(towns.count, -1).cumsum(axis=1)[:, -1:]
        out = add_slots(np.zeros(towns.tile.shape), np.where(common, 0.0, pay))
        paid: Rewards = out + pool / np.maximum(1, self.owns.sum(axis=1, keepdims=True))
        return paid


def add_slots(out: Rewards, paid: Rewards) -> Rewards:
    """Add what the goals in each slot pay to `out`, one slot after the other as the town does."""
    for slot in range(GOAL_SLOTS):
        out = out + paid[..., slot]
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


def refresh_goals(towns: Towns, whose: Bools) -> None:
    """Reveal goals of which these agents have had word, and ends that they noticed; (T, N)."""
    goals, whose = towns.goals, whose[..., None]
    if (hidden := goals.hidden & whose).any():
        word = hidden & np.take_along_axis(towns.facts, goals.fact, axis=2)
        for t, i, slot in zip(*(part.tolist() for part in word.nonzero()), strict=True):
            _reveal(towns, t, i, slot)
    waiting = goals.done & ~goals.noticed & (goals.kind > 0) & whose
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
