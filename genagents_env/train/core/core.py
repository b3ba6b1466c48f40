"""The core of a vector of towns: arrays for what most ticks are, the towns themselves for the rest.

A town that is only arrays for a while is behind: its own world stands at the tick at which it was
used last. When it is needed (a sleeper, an event of the scenario, somebody who reads its events or
texts) it repeats what was attempted since, and is then where the arrays are, bit for bit.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from genagents_env.env import TownEnv
from genagents_env.observe.plain_menu import PlainMenu
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.train.core.acts import Acts, ChoiceReader
from genagents_env.train.core.look import Look
from genagents_env.train.core.pay import Pay, find_pay, refresh_goals
from genagents_env.train.core.plain_look import PlainLook
from genagents_env.train.core.shadow import Shadow
from genagents_env.train.core.step import Stepper
from genagents_env.train.core.terrain import Terrain
from genagents_env.train.core.towns import Rewards, Towns
from genagents_env.world.tiles import Bools, Ints

_MOST = 1 << 28  # bytes of attempts that are kept until towns repeat them


class Core:
    """Steps, pays and sees towns.

    Args:
        envs: each has been reset; fresh copies of one are of one layout.
    """

    def __init__(self, envs: Sequence[TownEnv]) -> None:
        self._envs = tuple(envs)
        layouts: dict[int, int] = {}
        numbers = [layouts.setdefault(id(env.world.town), len(layouts)) for env in envs]
        terrain = Terrain([envs[numbers.index(number)] for number in layouts.values()])
        self.towns = Towns(terrain, envs, np.array(numbers))
        self._shadows = [Shadow(self.towns, t) for t in range(len(envs))]
        self._stepper = Stepper(self.towns, self._shadows)
        menu = envs[0].parts.menu
        plain = PlainLook(self.towns) if isinstance(menu, PlainMenu) else None
        self._look = Look(self.towns, menu) if plain is None else plain
        view = None if plain is None else plain.view
        self._reader = ChoiceReader(menu, self._look.slots, view)
        self._pays: list[tuple[Pay, Bools]] = []
        kinds = [find_pay(env) for env in envs]
        for kind in dict.fromkeys(kind for kind in kinds if kind is not None):
            self._pays.append((kind(self.towns), np.array([own is kind for own in kinds])))
        alone = np.array([kind is None for kind in kinds])
        alone |= ~(terrain.plain & terrain.clear_sight)[self.towns.layout]
        self._alone: Bools = alone  # the towns that do every tick by themselves
        self._states = [env.world.state for env in envs]
        self._with_events = [t for t, state in enumerate(self._states) if state.due]
        self._tried: list[Acts] = []
        self._behind: Ints = np.zeros(len(envs), dtype=np.int64)  # since which of them

    def read(self, towns: Iterable[int]) -> None:
        """Go on from what some towns themselves are now, after a reset or a tick of their own."""
        for t in towns:
            self.towns.read(t)
            self._shadows[t].read()
            self._behind[t] = len(self._tried)
            for pay, own in self._pays:
                if own[t]:
                    pay.read(t)
        self.towns.look()

    def step(self, chosen: Ints, mask: Mask, over: Bools) -> Rewards:
        """Step every town once, and return what everybody earns, shape (T, N).

        Args:
            chosen: a choice of everybody, shape (T * N,).
            mask: of those that were possible.
            over: the towns whose episodes are cut off after this tick, shape (T,).
        """
        acts = self._reader.read(self.towns, mask, chosen)
        alone = self._find_alone(acts)
        self._stepper.step(acts, alone)
        rewards = np.zeros(acts.kind.shape)
        for pay, own in self._pays:
            paid = pay(over)
            rewards = np.where(own[:, None], paid, rewards)
        refresh_goals(self.towns, np.ones_like(self.towns.present))
        by_themselves = alone.nonzero()[0].tolist()
        for t in by_themselves:
            self.sync(t)
            rewards[t] = self._step_alone(t, acts, over=bool(over[t]))
        self._tried.append(acts.shrink())
        if by_themselves:
            self.read(by_themselves)
        self._forget()
        return rewards

    def observe(self) -> tuple[Floats, Mask]:
        """Return what everybody sees, and the mask of what everybody may choose."""
        return self._look.observe()

    def find_done(self) -> Bools:
        """Return the towns whose tasks are finished, shape (T,)."""
        done = np.zeros(self.towns.count, dtype=np.bool_)
        for pay, own in self._pays:
            done |= own & pay.find_done()
        for t in self._alone.nonzero()[0].tolist():
            done[t] = self._envs[t].parts.reward.is_done()
        return done

    def sync(self, t: int) -> None:
        """Let a town itself repeat what was attempted in it since it was used last."""
        env = self._envs[t]
        for acts in self._tried[self._behind[t] :]:
            goals, own = acts.resolve(t, env)
            env.world.step(goals, own)
            reward = env.parts.reward
            reward(env.world, env.world.state.log.events, over=env.world.tick >= env.max_cycles)
            reward.board.refresh(env.world)
        self._behind[t] = len(self._tried)

    def _find_alone(self, acts: Acts) -> Bools:
        """Return the towns that do the next tick by themselves, shape (T,)."""
        alone = self._alone | ~self.towns.awake | self._stepper.falls_asleep(acts)
        if any([state.pending for state in self._states]):
            alone |= [bool(state.pending) for state in self._states]
        for t in self._with_events:
            alone[t] |= int(self.towns.tick[t]) + 1 in self._states[t].due
        return alone

    def _step_alone(self, t: int, acts: Acts, *, over: bool) -> Rewards:
        env = self._envs[t]
        goals, own = acts.resolve(t, env)
        env.world.step(goals, own)
        earned = env.parts.reward(env.world, env.world.state.log.events, over=over)
        env.parts.reward.board.refresh(env.world)
        rewards = np.zeros(env.world.count)
        for name, value in earned.items():
            rewards[env.world.town.people.index[name]] = value
        return rewards

    def _forget(self) -> None:
        """Drop the attempts that no town has to repeat any more."""
        size = sum(part.nbytes for part in self._tried[-1])
        if len(self._tried) * size > _MOST:
            for t in range(self.towns.count):
                self.sync(t)
        done = int(self._behind.min())
        if done > 64:
            del self._tried[:done]
            self._behind -= done
