"""`VectorTown`: many towns as one gymnasium VectorEnv, stepped together. See docs/training.md."""

from collections.abc import Sequence
from pathlib import Path
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
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.scenario import Scenario
from genagents_env.train.core.core import Core
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
    observations are in `infos["final_obs"]`, by slot, the last infos in `infos["final_info"]`. With
    `NEXT_STEP` it begins anew in the step after, whatever its actions then, for a reward of 0. An
    agent that is not in town leaves its slot inert: observation 0, reward 0, idle the only choice,
    `infos["present"]` False. Its slot ends with its town: terminated if the agent had left.

    Args:
        scenario: as for `TownEnv`; or several that are loaded, whose agents and spaces are alike.
        towns: how many of each, at least 1.
        autoreset: `AutoresetMode.SAME_STEP` or `NEXT_STEP`.
        options: those of `TownConfig` but `actions`, by keyword; all towns share a callable
            `reward`. `text` is False unless given; `texts` gives them in any case.

    Raises:
        ScenarioError: the scenario has faults; all are listed.
        ConfigError: an option has a value that is not allowed.
    """

    _envs: tuple[TownEnv, ...] = ()  # gymnasium 1.2 closes what was never built, too

    def __init__(
        self,
        scenario: ScenarioSource | TownConfig | Sequence[Scenario] = "tiny",
        towns: int = 64,
        autoreset: AutoresetMode = AutoresetMode.SAME_STEP,
        **options: Unpack[TownOptions],
    ) -> None:
        if towns < 1:
            raise ConfigError(f"towns: {towns} is not allowed; at least 1")
        if autoreset not in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
            told = "towns begin anew by themselves; AutoresetMode.SAME_STEP or NEXT_STEP is"
            raise ConfigError(f"autoreset: {autoreset!r} is not allowed; {told}")
        if options.get("actions", "menu") != "menu":
            raise ConfigError(f"actions: {options['actions']!r} is not allowed; use 'menu'")
        if options.get("percepts"):
            raise ConfigError("percepts: policies read them, and those play in a `TownEnv`")
        text = options.get("text", False)
        chosen: TownOptions = {**options, "actions": "menu", "text": text}
        firsts = [
            TownEnv(TownConfig.create(source, **chosen)) for source in _list_sources(scenario)
        ]
        self._check_layouts(firsts)
        first = firsts[0]
        self._envs = tuple(
            env if k == 0 else env.fresh_copy() for env in firsts for k in range(towns)
        )
        self.towns, self.agents = len(self._envs), tuple(first.possible_agents)
        self.num_envs = self.towns * len(self.agents)
        self.render_mode, self._text = first.render_mode, text
        self.metadata = {
            "name": "vector_town_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": first.metadata["render_fps"],
            "autoreset_mode": autoreset,
        }
        self._same_step = autoreset is AutoresetMode.SAME_STEP
        self._make_spaces(first)
        self._max_cycles: Ints = np.array([env.max_cycles for env in self._envs])
        self._ends: Bools = np.array([e.world.scenario.reward.ends for e in self._envs])
        self._begun = False

    @property
    def envs(self) -> tuple[TownEnv, ...]:
        """The towns, each as it is now; read it anew after every step."""
        if self._begun:
            for t in range(self.towns):
                self._core.sync(t)
        return self._envs

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
        seeds = list_seeds(0 if seed is None and not self._begun else seed, self.towns)
        for env, own in zip(self._envs, seeds, strict=True):
            env.begin_episode(own)
        if not self._begun:
            self._core, self._begun = Core(self._envs), True
        self._core.read(range(self.towns))
        self._left: Bools = np.zeros((self.towns, len(self.agents)), dtype=np.bool_)
        self._ended: Bools = np.zeros(self.towns, dtype=np.bool_)
        self._name_agents(range(self.towns))
        self._seen, self._mask = self._look(self._core.towns.present)
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
        if not self._begun:
            raise EpisodeError("call reset() before step()")
        core = self._core
        before, waited = core.towns.present.copy(), self._ended
        over = core.towns.tick + 1 >= self._max_cycles
        rewards = core.step(self._check_actions(actions), self._mask, over)
        if waited.any():
            self._restart(waited.nonzero()[0].tolist())
            rewards[waited], before[waited] = 0.0, core.towns.present[waited]
            over &= ~waited
        now = core.towns.present
        here, moved = before | now, (now != before).any(axis=1)
        if moved.any():
            self._left = (self._left | before) & ~now
            self._name_agents(moved.nonzero()[0].tolist())
        rewards[~here] = 0.0
        done = core.find_done() & self._ends
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
            if self._same_step:
                anew = ended.nonzero()[0].tolist()
                infos |= self.make_final_infos(anew)
                self._begin_anew(anew)
        self._ended = ended & (not self._same_step)
        infos |= self._make_infos()
        return self._make_observation(), rewards.ravel(), terminations, truncations, infos

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
        for env in self._envs:
            env.close()

    @staticmethod
    def _check_layouts(envs: Sequence[TownEnv]) -> None:
        """Raise ConfigError if towns cannot be one vector."""
        if not envs:
            raise ConfigError("scenario: there is none; at least one")
        agent, people = envs[0].possible_agents[0], {len(env.possible_agents) for env in envs}
        if len(people) > 1:
            told = "a `VectorTown` each, and `JoinedTowns` of them, takes towns of other sizes"
            raise ConfigError(f"scenario: of {min(people)} to {max(people)} people; {told}")
        for k, env in enumerate(envs):
            alike = env.possible_agents == envs[0].possible_agents and (
                env.observation_space(agent) == envs[0].observation_space(agent)
                and env.action_space(agent) == envs[0].action_space(agent)
            )
            if not alike:
                raise ConfigError(
                    f"scenario: agents and spaces of number {k} differ from those of number 0; "
                    'give ids="indexed" and menu="portable"'
                )

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

    def _look(self, here: Bools) -> tuple[Floats, Mask]:
        """See this tick; nothing for those who are not `here`."""
        seen, mask = self._core.observe()
        self._illegal = self._core.towns.illegal.ravel().astype(np.int64)
        if not here.all():
            seen[~here.ravel()] = 0.0
            self._illegal[~here.ravel()] = 0
        return seen, mask

    def make_final_infos(self, towns: Sequence[int]) -> Info:
        """Return the last observations and infos, for the slots of the towns that have ended."""
        last = self._mark(towns)
        seen, final = self._make_observation(), np.full(self.num_envs, None, dtype=object)
        for slot in last.nonzero()[0].tolist():
            final[slot] = {name: part[slot] for name, part in seen.items()}
        infos = {
            name: np.where(last, part, np.zeros_like(part)) if name[0] != "_" else last
            for name, part in self._make_infos().items()
        }
        return {"final_obs": final, "_final_obs": last, "final_info": infos, "_final_info": last}

    def _mark(self, towns: Sequence[int]) -> Bools:
        """Return for each slot whether it is of one of `towns`."""
        marked = np.zeros((self.towns, len(self.agents)), dtype=np.bool_)
        marked[list(towns)] = True
        return marked.ravel()

    def _begin_anew(self, towns: Sequence[int]) -> None:
        """Reset towns that have ended, and see the first of their new episodes."""
        self._restart(towns)
        illegal = self._illegal
        seen, mask = self._look(self._core.towns.present)
        new = self._mark(towns)
        self._seen[new], self._mask[new] = seen[new], mask[new]
        self._illegal = np.where(new, 0, illegal)

    def _restart(self, towns: Sequence[int]) -> None:
        """Begin the next episode in towns that have ended."""
        for t in towns:
            self._envs[t].begin_episode(None)
        self._core.read(towns)
        self._left[towns] = False
        self._name_agents(towns)

    def _name_agents(self, towns: Sequence[int] | range) -> None:
        """Let each of `towns` know who is in it."""
        for t in towns:
            env = self._envs[t]
            present = env.world.state.present.tolist()
            env.agents = [a for a, p in zip(self.agents, present, strict=True) if p]

    def _make_observation(self) -> Observation:
        parts: Observation = {"observation": self._seen.copy()}
        parts["action_mask"] = self._mask.copy()
        return parts | {"text": self.texts()} if self._text else parts

    def _make_infos(self) -> Info:
        every = np.ones(self.num_envs, dtype=np.bool_)
        return {
            "illegal": self._illegal,
            "_illegal": every,
            "present": self._core.towns.present.ravel().copy(),
            "_present": every.copy(),
        }


def _list_sources(
    scenario: ScenarioSource | TownConfig | Sequence[Scenario],
) -> Sequence[ScenarioSource | TownConfig]:
    if isinstance(scenario, str | Path | Scenario | TownConfig):
        return [scenario]
    return scenario


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
