"""`VectorTown`: many towns as one gymnasium VectorEnv, stepped together. See docs/training.md."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from genagents_env.config import (
    RENDER_MODES,
    ScenarioSource,
    TownConfig,
    TownOptions,
    check_reset_options,
)
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, EpisodeError
from genagents_env.observe.decode import NOTHING
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.train.wrappers.batched_observation import BatchedObservation
from genagents_env.world.batched_world import BatchedWorld
from genagents_env.world.movement import TownActs
from genagents_env.world.resolved import RefusedAct, ResolvedAct
from genagents_env.world.rewards import CallableReward
from genagents_env.world.state import TownIndex
from genagents_env.world.tiles import Ints

Observation: TypeAlias = dict[str, Any]  # arrays by name, and the texts
Info: TypeAlias = Observation  # the same for infos
Bools = npt.NDArray[np.bool_]
Rewards = npt.NDArray[np.float64]


class VectorTown(VectorEnv[Observation, Any, Any]):
    """`towns` towns of one scenario, with the menu as actions; each agent of each town is a slot.

    Slot `town * A + k` is the k-th of A possible agents (`agents`). Observations are
    `{"observation": float32 (slots, D), "action_mask": int8 (slots, N)}`, with `text=True` also
    `"text"`, one string a slot; actions are integers, shape (slots,). What an agent perceives,
    does and earns is, bit for bit, what `TownEnv` gives for the same seed and actions.

    A town ends for all its slots at once and begins anew in the same step (`SAME_STEP`): the last
    observations are in `infos["final_obs"]`, by slot, the last infos in `infos["final_info"]`. An
    agent that is not in town leaves its slot inert: observation 0, reward 0, idle the only choice,
    `infos["present"]` False. Its slot ends with its town: terminated if the agent had left.

    Args:
        scenario: as for `TownEnv`.
        towns: how many, at least 1.
        options: those of `TownConfig` but `actions`, by keyword; all towns share a callable
            `reward`. `text` is False unless given; `texts` gives them in any case.

    Raises:
        ScenarioError: the scenario has faults; all are listed.
        ConfigError: an option has a value that is not allowed.
    """

    envs: tuple[TownEnv, ...] = ()  # gymnasium 1.2 closes what was never built, too

    def __init__(
        self,
        scenario: ScenarioSource | TownConfig = "tiny",
        towns: int = 64,
        **options: Unpack[TownOptions],
    ) -> None:
        if towns < 1:
            raise ConfigError(f"towns: {towns} is not allowed; at least 1")
        if options.get("actions", "menu") != "menu":
            raise ConfigError(f"actions: {options['actions']!r} is not allowed; use 'menu'")
        if options.get("percepts"):
            raise ConfigError("percepts: policies read them, and those play in a `TownEnv`")
        config = TownConfig.create(scenario, **options)
        text = options.get("text", False)
        first = TownEnv(replace(config, actions="menu", text=text))
        self.envs = (first, *(first.fresh_copy() for _ in range(towns - 1)))
        self.towns, self.agents = towns, tuple(first.possible_agents)
        self.num_envs = towns * len(self.agents)
        self.render_mode, self._text = first.render_mode, text
        self.metadata = {
            "name": "vector_town_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": first.metadata["render_fps"],
            "autoreset_mode": AutoresetMode.SAME_STEP,
        }
        self._make_spaces(first)
        self._batch: BatchedWorld | None = None
        self._max_cycles, self._ends = first.max_cycles, first.world.scenario.reward.ends
        self._earns = (
            type(first.parts.reward) is not CallableReward or first.config.reward is not None
        )
        self._menu, self._index = first.parts.menu, first.world.town.people.index
        self._refused = [
            RefusedAct("choice", f"it is not possible now to {self._menu.describe(choice)}")
            for choice in range(self._menu.size)
        ]
        self._rows = np.arange(self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, object] | None = None,
    ) -> tuple[Observation, Info]:
        """Begin anew in every town; return (observations, infos).

        Args:
            seed: town t gets `seed + t`, or a list names one for each town. A town without one
                draws a new episode from the seed it had last; at the very first, town t has t.
            options: none; gymnasium's `reset_mask` belongs to another autoreset mode.

        Raises:
            ConfigError: a list of another length than `towns`, no seed, or there are options.
        """
        if options is not None and "reset_mask" in options:
            raise ConfigError("options: no reset_mask; towns begin anew by themselves")
        check_reset_options(options)
        seeds = list_seeds(0 if seed is None and self._batch is None else seed, self.towns)
        for env, own in zip(self.envs, seeds, strict=True):
            env.begin_episode(own)
        if self._batch is None:
            self._batch = BatchedWorld([env.world for env in self.envs])
            self._stack = BatchedObservation(self.envs, self._batch)
        else:
            self._batch.rejoin(range(self.towns))
        self._left: Bools = np.zeros((self.towns, len(self.agents)), dtype=np.bool_)
        self._name_agents(range(self.towns))
        self._seen, self._mask = self._look(self._batch.present)
        return self._make_observation(), self._make_infos()

    def step(self, actions: npt.ArrayLike) -> tuple[Observation, Rewards, Bools, Bools, Info]:
        """Step every town once.

        Args:
            actions: integers, shape (slots,). What is not possible now becomes idle; those of
                inert slots are not read.

        Returns:
            (observations, rewards float64, terminations, truncations, infos), all by slot.
            `infos["illegal"]` is 1 for what was not possible, `infos["present"]` says whose agent
            is in town.

        Raises:
            EpisodeError: before the first `reset`.
            ConfigError: `actions` are not integers of that shape.
        """
        batch = self._batch
        if batch is None:
            raise EpisodeError("call reset() before step()")
        before = batch.present
        goals, acts = self._attempt(self._check_actions(actions), before)
        batch.step(goals, acts)
        now = batch.present
        here = before if now is before else before | now
        if now is not before:
            self._left = (self._left | before) & ~now
            self._name_agents((now != before).any(axis=1).nonzero()[0].tolist())
        over = batch.ticks >= self._max_cycles
        rewards, done = self._compute_rewards(here, over), self._find_done()
        self._seen, self._mask = self._look(here)
        ended = done | over
        infos: Info = {}
        terminations = np.zeros(self.num_envs, dtype=np.bool_)
        truncations = np.zeros(self.num_envs, dtype=np.bool_)
        if ended.any():
            gone = self._left & ~here
            last = np.repeat(ended, len(self.agents))
            terminations = last & (done[:, None] | gone).ravel()
            truncations = last & ~terminations
            infos |= self._make_final_infos(last)
            self._begin_anew(ended.nonzero()[0].tolist())
        return (
            self._make_observation(),
            rewards.ravel(),
            terminations,
            truncations,
            infos | self._make_infos(),
        )

    def texts(self) -> tuple[str, ...]:
        """Return this moment in words, by slot; "" for an agent that is not in town."""
        texts: list[str] = []
        for env in self.envs:
            snapshot = env.world.snapshot
            env.parts.vicinity.refresh(snapshot)
            here = snapshot.present.tolist()
            own = env.parts.text.observe(snapshot)
            texts += [line if p else "" for line, p in zip(own, here, strict=True)]
        return tuple(texts)

    def action_masks(self) -> Mask:
        """Return the mask of each slot, int8, shape (slots, N)."""
        return self._mask.copy()

    def render(self) -> tuple[Any, ...] | None:
        """Draw each town as `render_mode` says; None without one."""
        if self.render_mode is None:
            return None
        return tuple(env.render() for env in self.envs)

    def call(self, name: str, *args: object, **kwargs: object) -> tuple[Any, ...]:
        """Call a method of each town, or read an attribute; return the results by town.

        A town is stepped and reset by the vector alone.

        Raises:
            ConfigError: the method would step or reset a town by itself.
        """
        if name in ("reset", "step", "load_state"):
            raise ConfigError(f"name: {name!r} of one town alone is not allowed here")
        values = self.get_attr(name)
        return tuple(value(*args, **kwargs) if callable(value) else value for value in values)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each town."""
        return tuple(getattr(env, name) for env in self.envs)

    def close_extras(self, **kwargs: object) -> None:
        """Close every town."""
        for env in self.envs:
            env.close()

    def _make_spaces(self, env: TownEnv) -> None:
        agent = self.agents[0]
        parts = dict(env.observation_space(agent).spaces)  # type: ignore[attr-defined]  # a Dict
        self.single_observation_space = spaces.Dict(parts)
        self.single_action_space = env.action_space(agent)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def _check_actions(self, actions: npt.ArrayLike) -> Ints:
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or not np.issubdtype(chosen.dtype, np.integer):
            raise ConfigError(
                f"actions: {chosen.dtype} of shape {chosen.shape}; "
                f"give integers of shape ({self.num_envs},)"
            )
        return chosen.astype(np.int64)

    def _attempt(self, chosen: Ints, present: Bools) -> tuple[Ints, TownActs]:
        """Resolve the choices of all slots as `Decoder` does: (goals, actions of each town)."""
        menu, acts = self._menu, dict[TownIndex, dict[int, ResolvedAct]]()
        here = present.ravel()
        chosen[~here] = 0
        strange = (chosen < 0) | (chosen >= menu.size)
        chosen[strange] = 0
        goals = self._stack.find_goals(chosen)
        legal = self._mask[self._rows, chosen]
        odd = (menu.special[chosen] >= legal) | strange
        for slot in odd.nonzero()[0].tolist():
            t, i = divmod(slot, len(self.agents))
            choice = int(chosen[slot])
            act: ResolvedAct
            if strange[slot]:
                act = NOTHING
            elif legal[slot]:
                act = self.envs[t].parts.decoder.resolve_choice(i, choice)
            else:
                goals[slot] = -1
                act = self._refused[choice]
            acts.setdefault(t, {})[i] = act
        return goals.reshape(present.shape), acts

    def _look(self, here: Bools) -> tuple[Floats, Mask]:
        """See this tick; nothing for those who are not `here`."""
        seen, mask = self._stack.look()
        if not here.all():
            seen[~here.ravel()] = 0.0
            self._stack.illegal[~here.ravel()] = 0
        return seen, mask

    def _compute_rewards(self, here: Bools, over: Bools) -> Rewards:
        rewards = np.zeros(here.shape)
        if self._earns:
            for env, own, last in zip(self.envs, rewards, over.tolist(), strict=True):
                world = env.world
                earned = env.parts.reward(world, world.state.log.events, over=last)
                env.parts.reward.board.refresh(world)
                for name, value in earned.items():
                    own[self._index[name]] = value
            rewards[~here] = 0.0
        return rewards

    def _find_done(self) -> Bools:
        if not self._ends:
            return np.zeros(self.towns, dtype=np.bool_)
        return np.array([env.parts.reward.is_done() for env in self.envs], dtype=np.bool_)

    def _make_final_infos(self, last: Bools) -> Info:
        """Return the last observations and infos, for the slots whose town has ended."""
        seen, final = self._make_observation(), np.full(self.num_envs, None, dtype=object)
        for slot in last.nonzero()[0].tolist():
            final[slot] = {name: part[slot] for name, part in seen.items()}
        infos = {
            name: np.where(last, part, np.zeros_like(part)) if name[0] != "_" else last
            for name, part in self._make_infos().items()
        }
        return {
            "final_obs": final,
            "_final_obs": last,
            "final_info": infos,
            "_final_info": last,
        }

    def _begin_anew(self, towns: Sequence[int]) -> None:
        """Reset towns that have ended, and see the first of their new episodes."""
        assert self._batch is not None  # noqa: S101 (mypy: only called after a reset)
        for t in towns:
            self.envs[t].begin_episode(None)
        self._batch.rejoin(towns)
        self._left[towns] = False
        self._name_agents(towns)
        illegal = self._stack.illegal
        seen, mask = self._look(self._batch.present)
        new = np.repeat(np.isin(np.arange(self.towns), towns), len(self.agents))
        self._seen[new], self._mask[new] = seen[new], mask[new]
        self._stack.illegal = np.where(new, 0, illegal)

    def _name_agents(self, towns: Sequence[int] | range) -> None:
        """Let each of `towns` know who is in it."""
        for t in towns:
            env = self.envs[t]
            present = env.world.state.present.tolist()
            env.agents = [a for a, p in zip(self.agents, present, strict=True) if p]

    def _make_observation(self) -> Observation:
        parts: Observation = {"observation": self._seen.copy()}
        parts["action_mask"] = self._mask.copy()
        return parts | {"text": self.texts()} if self._text else parts

    def _make_infos(self) -> Info:
        assert self._batch is not None  # noqa: S101 (mypy: only called after a reset)
        every = np.ones(self.num_envs, dtype=np.bool_)
        return {
            "illegal": self._stack.illegal,
            "_illegal": every,
            "present": self._batch.present.ravel().copy(),
            "_present": every.copy(),
        }


def list_seeds(seed: int | Sequence[int | None] | None, towns: int) -> list[int | None]:
    """Return a seed for each town: `seed + t`, those of a list, or None for each.

    Raises:
        ConfigError: a list of another length than `towns`.
    """
    if seed is None:
        return [None] * towns
    if isinstance(seed, int | np.integer):
        seed = [int(seed) + t for t in range(towns)]
    if len(seed) != towns:
        raise ConfigError(f"seed: {len(seed)} seeds; give one for each of {towns} towns")
    return list(seed)
