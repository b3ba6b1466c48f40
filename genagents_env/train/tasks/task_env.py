"""TaskEnv: a task as a ParallelEnv, in another town of the same shape at every reset."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
from pettingzoo import ParallelEnv

from genagents_env.config import (
    RENDER_MODES,
    TownConfig,
    TownOptions,
    check_reset_options,
    check_seed,
)
from genagents_env.env import Dicts, TownEnv, TownParts
from genagents_env.errors import ConfigError, EpisodeError
from genagents_env.observe.spaces import AnySpace, Floats, state_space
from genagents_env.profile import ActionSource, AgentID, EmbedderT, EpisodeContext, ModelT, Profile
from genagents_env.rng import draw_index
from genagents_env.scenario import Scenario
from genagents_env.train.tasks.task import (
    Task,
    check_discount,
    check_length,
    find_block,
    find_layout,
    shape_reward,
)
from genagents_env.world.events import Event
from genagents_env.world.world import World

_KEPT = 128  # towns that are kept to be used again
_STATE_OBJECTS = 64  # columns of the global state for things, of which a drawn town has fewer


class TaskEnv(ParallelEnv[AgentID, dict[str, Any], Any]):  # type: ignore[misc]  # untyped base
    """Episodes of one task; `reset(seed)` draws town, people and goals.

    It is `TownEnv` with another town at every reset: seeds of `TRAINING` draw towns to train on,
    seeds of `HELD_OUT` others, seeds of `ELSEWHERE` larger ones of another kind. Agents are
    `resident_0` and so on, in every town.

    Args:
        task: what is to be done.
        town: one scenario to do it in, by name or folder, or loaded; None draws towns.
        shaping: the weight of the reward's potential; None is the task's own, which is 0.
        discount: the learner's own, for `shaping`.
        options: those of `TownConfig` but `people`, `place` and `memories`, by keyword; ids are
            indexed, and the menu is the plain one unless given.

    Raises:
        ConfigError: an option has a value that is not allowed.
        ScenarioError: the task cannot be put into `town`.
    """

    metadata: dict[str, object] = {  # noqa: RUF012 - PettingZoo's; each has its task's name
        "name": "town_task_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": True,
        "render_fps": 10,
    }

    def __init__(
        self,
        task: Task,
        town: str | Scenario | None = None,
        *,
        shaping: float | None = None,
        discount: float = 0.99,
        **options: Unpack[TownOptions],
    ) -> None:
        if options.get("ids", "indexed") != "indexed":
            raise ConfigError("ids: a task's agents are indexed, since its people change")
        for name in ("people", "place", "memories"):
            if options.get(name) is not None:
                raise ConfigError(f"{name}: a task draws its people, and where they begin")
        self.task, self._place = task, town
        self.metadata = TaskEnv.metadata | {"name": f"{task.name}_v0"}
        if shaping is not None and callable(options.get("reward")):
            raise ConfigError("shaping: a reward of one's own has no potential; add it there")
        self._shaping, self._discount = shaping, check_discount(discount)
        if options.get("menu") == "town" and town is None:
            raise ConfigError("menu: 'town' needs one `town`; those that change need another")
        self._options: TownOptions = {"menu": "plain", **options, "ids": "indexed"}
        self._towns: OrderedDict[int, TownEnv] = OrderedDict()
        self._seed, self._resets = 0, 0
        self._town = self._find_town(0)
        self._horizon: int | None = None
        self.render_mode = self._town.render_mode
        self.possible_agents: list[AgentID] = list(self._town.possible_agents)
        agent = self.possible_agents[0]
        self._observation_space = self._town.observation_space(agent)
        self._action_space = self._town.action_space(agent)
        size = self._town.parts.vector.state_size  # of one shipped town, or of a drawn one
        self.state_space = state_space(max(size, 3 + 5 * task.people + _STATE_OBJECTS))

    @property
    def agents(self) -> list[AgentID]:
        """Those who act now."""
        return self._town.agents

    @agents.setter
    def agents(self, agents: list[AgentID]) -> None:
        self._town.agents = agents

    @property
    def max_cycles(self) -> int:
        """Ticks until truncation; what is set above the task's own has no effect."""
        return self._town.max_cycles

    @max_cycles.setter
    def max_cycles(self, ticks: int) -> None:
        self._horizon = ticks
        self._cut_off()

    def _cut_off(self) -> None:
        if self._horizon is not None:
            self._town.max_cycles = min(self._horizon, self._town.world.scenario.horizon)

    @property
    def percepts(self) -> bool:
        """True if infos have percepts from the next `reset` or `step` on."""
        return self._town.percepts

    @percepts.setter
    def percepts(self, wanted: bool) -> None:
        self._options["percepts"] = wanted
        for town in self._towns.values():
            town.percepts = wanted

    @property
    def is_over(self) -> bool:
        """True from the end of an episode on."""
        return self._town.is_over

    @property
    def town(self) -> TownEnv:
        """The town of this episode."""
        return self._town

    @property
    def world(self) -> World:
        """The world of this episode."""
        return self._town.world

    @property
    def parts(self) -> TownParts:
        """Observations, actions and rewards of this episode's town."""
        return self._town.parts

    @property
    def config(self) -> TownConfig:
        """The options of this episode's town."""
        return self._town.config

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the last reset or step."""
        return self._town.events

    def observation_space(self, agent: AgentID) -> AnySpace:
        """Return the space of observations, the same object for all agents and in every town."""
        return self._observation_space

    def action_space(self, agent: AgentID) -> AnySpace:
        """Return the space of actions, the same object for all agents and in every town."""
        return self._action_space

    def reset(
        self, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Dicts, Dicts]:
        """Begin an episode and return (observations, infos) of everyone.

        Args:
            seed: everything follows from it: one of `TRAINING`, `HELD_OUT` or `ELSEWHERE`. Without
                one the next episode is drawn from the same of these as the seed given last.
            options: none; there is the argument for PettingZoo's sake.

        Raises:
            ConfigError: `seed` is none of `config.SEEDS`, or there are options.
        """
        check_reset_options(options)
        if seed is None:
            self._resets += 1
            block = find_block(self._seed)
            seed = block.start + draw_index(self._seed, len(block), self._resets, "episode")
            layout = find_layout(seed)
        else:
            seed = check_seed(seed)
            layout = find_layout(seed)
            self._seed, self._resets = seed, 0
        self._town = self._find_town(layout)
        self._cut_off()
        return self._town.reset(seed=seed)

    def step(self, actions: Mapping[AgentID, object]) -> tuple[Dicts, Dicts, Dicts, Dicts, Dicts]:
        """Advance one tick; see `TownEnv.step`."""
        return self._town.step(actions)

    def state(self) -> Floats:
        """Return the global state, the same number of columns in every town."""
        own, shape = self._town.state(), self.state_space.shape
        if len(own) > shape[0]:
            raise EpisodeError(f"state: this town needs {len(own)} columns, {shape[0]} there are")
        out: Floats = np.zeros(shape, dtype=np.float32)
        out[: len(own)] = own
        return out

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Draw this episode's town as `render_mode` says."""
        return self._town.render()

    def close(self) -> None:
        """Free the pictures' memory; safe to call twice."""
        for town in self._towns.values():
            town.close()

    def profiles(self) -> dict[AgentID, Profile]:
        """Return the profiles of all agents in this episode, for `Policy.reset`."""
        return self._town.profiles()

    def context(
        self,
        model: ModelT | None = None,
        embedder: EmbedderT | None = None,
        people: ActionSource | None = None,
    ) -> EpisodeContext[ModelT, EmbedderT]:
        """Return the setting of this episode, for `Policy.reset`."""
        context = self._town.context(model, embedder, people)
        return replace(context, make_solution=self.task.make_solution)

    def describe_choice(self, choice: int) -> str:
        """Return a choice of the menu in words."""
        return self._town.describe_choice(choice)

    def __getstate__(self) -> dict[str, object]:
        # Copies make other towns anew: they follow from their seeds.
        kept = OrderedDict((n, town) for n, town in self._towns.items() if town is self._town)
        return self.__dict__ | {"_towns": kept}

    def _find_town(self, layout: int) -> TownEnv:
        town = self._towns.get(layout)
        if town is None:
            if len(self._towns) == _KEPT:
                self._towns.popitem(last=False)
            drawn = self.task.draw(layout, self._place)
            if self._shaping is not None:
                drawn = shape_reward(drawn, self._shaping, self._discount)
            check_length(drawn, self._options)
            town = TownEnv(drawn, **self._options)
            self._towns[layout] = town
        self._towns.move_to_end(layout)
        return town
