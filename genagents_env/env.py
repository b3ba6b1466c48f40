"""TownEnv: the town as a PettingZoo ParallelEnv. Wiring only; each part has its own module."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt
from pettingzoo import ParallelEnv

from genagents_env.config import (
    RENDER_MODES,
    ScenarioSource,
    TownConfig,
    TownOptions,
    check_reset_options,
    check_seed,
)
from genagents_env.errors import ConfigError, EpisodeError
from genagents_env.observe import spaces
from genagents_env.observe.decode import Attempt, Decoder
from genagents_env.observe.knowledge_table import KnowledgeTable, TownColumns
from genagents_env.observe.menu import Menu, find_nearest
from genagents_env.observe.plain_menu import PlainMenu, PlainObservation
from genagents_env.observe.portable_menu import PortableMenu
from genagents_env.observe.snapshot_percept import PerceptCache, SnapshotPercept
from genagents_env.observe.spaces import AnySpace, Floats
from genagents_env.observe.text_obs import TextObservation
from genagents_env.observe.vector_obs import VectorObservation
from genagents_env.observe.vicinity import Vicinity
from genagents_env.profile import ActionSource, AgentID, EmbedderT, EpisodeContext, ModelT, Profile
from genagents_env.rng import draw_bits
from genagents_env.scenario import lay_out
from genagents_env.scenario.profiles import make_profile
from genagents_env.show.render.ansi import draw_ansi
from genagents_env.world.constants import TownConstants
from genagents_env.world.events import JSON, Event
from genagents_env.world.goals import describe_goal
from genagents_env.world.interventions import Intervention
from genagents_env.world.rewards import EpisodeReward, make_reward
from genagents_env.world.world import World

if TYPE_CHECKING:
    from genagents_env.show.render.picture import Picture

Dicts: TypeAlias = dict[AgentID, Any]


@dataclass(frozen=True)
class TownParts:
    """The observation, action and reward parts of one town.

    For wrappers that step many towns at once; everybody else has `reset` and `step`. `town` is what
    observations and the portable menu need of the town, and never changes.
    """

    vicinity: Vicinity
    menu: Menu
    vector: VectorObservation
    text: TextObservation
    decoder: Decoder
    reward: EpisodeReward
    knowledge: KnowledgeTable
    town: TownColumns


class TownEnv(ParallelEnv[AgentID, dict[str, Any], Any]):  # type: ignore[misc]  # untyped base
    """A town of people who perceive, move, talk, use things and idle.

    Args:
        scenario: a shipped name, a folder, a loaded `Scenario`, or a `TownConfig`.
        options: those of `TownConfig`, by keyword.

    Attributes:
        percepts: whether infos hold percepts from the next `reset` or `step` on; as configured at
            first.
        attempt: what the actions of the last `step` came to; None before the first.

    Raises:
        ScenarioError: the scenario has faults; all are listed.
        ConfigError: an option has a value that is not allowed.
    """

    metadata: ClassVar[dict[str, object]] = {
        "name": "town_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": True,
        "render_fps": 10,
    }

    def __init__(
        self, scenario: ScenarioSource | TownConfig = "tiny", **options: Unpack[TownOptions]
    ) -> None:
        self.config = config = TownConfig.create(scenario, **options)
        town = config.apply_to(config.load_scenario())
        world = World(TownConstants(town, lay_out(town)))
        self.max_cycles = town.horizon if config.max_cycles is None else config.max_cycles
        self.render_mode = config.render_mode
        self.percepts = config.percepts
        self._words = config.actions == "words"
        indexed = tuple(f"resident_{i}" for i in range(world.count))
        self._ids = world.names if config.ids == "names" else indexed
        self._assemble(world)
        limit, choices = town.rules.max_utterance, self.parts.menu.size
        self._action_space = spaces.action_space(choices, limit, words=self._words)
        self._observation_space = spaces.observation_space(
            self.parts.menu.columns, choices, words=self._words, text=config.text
        )
        self.state_space = spaces.state_space(self.parts.vector.state_size)

    def fresh_copy(self) -> "TownEnv":
        """Return another town built with equal arguments, before its first `reset`.

        The two share what never changes: the map, the people, and what is computed from them. A
        reward that is a callable is the same object in both.
        """
        other = copy(self)
        other._assemble(self.world.fresh_copy(), self.parts)
        return other

    def _assemble(self, world: World, like: TownParts | None = None) -> None:
        """Take a world never reset and make its parts; `like`: those of a fresh copy of it."""
        town = TownColumns(world.town) if like is None else like.town
        vicinity = Vicinity(world, None if like is None else like.vicinity)
        self.world = world
        self.possible_agents: list[AgentID] = list(self._ids)
        self.agents: list[AgentID] = []
        reward = make_reward(world, self.config.reward)
        board = reward.board if self.config.goal_line else None
        knowledge = KnowledgeTable(world, reward.board, town)
        menu, vector = self._make_menu(vicinity, knowledge, town, reward)
        text = TextObservation(world, vicinity, board, like=None if like is None else like.text)
        decoder = Decoder(world, menu, self._ids, words=self._words)
        self.parts = TownParts(vicinity, menu, vector, text, decoder, reward, knowledge, town)
        self._percepts = PerceptCache(world, self._ids)
        self._picture: Picture | None = None
        self.attempt: Attempt | None = None
        self._ended = False
        self._resets = self._seed = 0

    def _make_menu(
        self,
        vicinity: Vicinity,
        knowledge: KnowledgeTable,
        town: TownColumns,
        reward: EpisodeReward,
    ) -> tuple[Menu, VectorObservation]:
        """Return the choices and the columns that belong to them."""
        world = self.world
        if self.config.menu == "plain":
            plain = PlainMenu(world, vicinity, knowledge, town, reward.board)
            return plain, PlainObservation(world, vicinity, plain, knowledge, town)
        menu = Menu(world, vicinity)
        if self.config.menu == "portable":
            menu = PortableMenu(world, vicinity, knowledge, town)
        return menu, VectorObservation(world, vicinity, menu, knowledge, town)

    def observation_space(self, agent: AgentID) -> AnySpace:
        """Return the space of observations, the same object at each call and for all agents."""
        return self._observation_space

    def action_space(self, agent: AgentID) -> AnySpace:
        """Return the space of actions, the same object at each call and for all agents."""
        return self._action_space

    def reset(
        self, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Dicts, Dicts]:
        """Begin an episode and return (observations, infos) of everyone in town.

        Args:
            seed: everything random follows from it. Without one, a new episode is drawn from
                the seed given last (0 at first), so a series of resets repeats itself too.
            options: none; there is the argument for PettingZoo's sake.

        Raises:
            ConfigError: `seed` is none of `config.SEEDS`, or there are options.
        """
        check_reset_options(options)
        self.begin_episode(seed)
        self._refresh()
        return self._observe(np.flatnonzero(self.world.state.present).tolist())

    def begin_episode(self, seed: int | None) -> None:
        """Begin an episode as `reset` does, without observing it: for those who use `parts`.

        Raises:
            ConfigError: `seed` is none of `config.SEEDS`.
        """
        if seed is None:
            self._resets += 1
        else:
            self._seed, self._resets = check_seed(seed), 0
        self.world.reset(draw_bits(self._seed, self._resets) if self._resets else self._seed)
        self.parts.reward.reset(self.world)
        self.parts.text.reset()
        self.attempt = None
        self._ended = False

    def step(self, actions: Mapping[AgentID, object]) -> tuple[Dicts, Dicts, Dicts, Dicts, Dicts]:
        """Advance one tick with everyone's action; never raises on what is in `actions`.

        Returns:
            (observations, rewards, terminations, truncations, infos), keyed by the agents in
            town before or after the tick. What an agent could not do became idle for it; its
            next text and percept say why, and `infos[agent]["illegal"]` is 1. After the end all
            five are empty, until the next `reset`; where nobody is in town but somebody will come
            (`is_over` is False), they are until then, and time goes on.

        Raises:
            EpisodeError: before the first `reset`.
            ConfigError: `actions` is no mapping.
        """
        self._check_begun("step()")
        if not isinstance(actions, Mapping):
            kind = type(actions).__name__
            raise ConfigError(f"actions: a dict of actions by agent is wanted, no {kind}")
        if not self.agents and self.is_over:
            return {}, {}, {}, {}, {}
        world, before = self.world, self.world.state.present
        self.attempt = self.parts.decoder.decode(actions, self._mask)
        earned = self.repeat(self.attempt)
        self._refresh()
        present = world.state.present
        if before is present and world.snapshot.all_here:
            who: Sequence[int] = range(world.count)
        else:
            who = np.flatnonzero(before | present).tolist()
        observations, infos = self._observe(who)
        terminations, truncations = self._find_endings(observations)
        rewards: Dicts = dict.fromkeys(observations, 0.0)
        for name, value in earned.items():
            if (agent := self._ids[world.town.people.index[name]]) in rewards:
                rewards[agent] = float(value)
        return observations, rewards, terminations, truncations, infos

    @property
    def is_over(self) -> bool:
        """True from the end of an episode on: nobody is there to act, and nobody will come."""
        return not self.agents and (self._ended or not self.world.expects_people)

    def repeat(self, attempt: Attempt) -> Mapping[str, float]:
        """Advance one tick by what was attempted, unobserved; return what each earned, by name.

        For those who use `parts`, as one does who looks back at an episode by its `attempt`s.
        """
        world, reward = self.world, self.parts.reward
        world.step(attempt.goals, attempt.acts)
        earned = reward(world, world.state.log.events, over=world.tick >= self.max_cycles)
        reward.board.refresh(world)
        return earned

    def state(self) -> Floats:
        """Return the global state, float32, for central critics. Agents never see it.

        Raises:
            EpisodeError: before the first `reset`.
        """
        self._check_begun("state()")
        return self.parts.vector.observe_state(self.world.snapshot)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Draw the town as `render_mode` says.

        Raises:
            EpisodeError: before the first `reset`.
        """
        if self.render_mode is None:
            return None
        self._check_begun("render()")
        world = self.world
        if self.render_mode == "rgb_array":
            if self._picture is None:
                from genagents_env.show.render.picture import Picture  # Pillow: for pictures only

                sprites = [person.sprite for person in world.scenario.people]
                title = world.scenario.title
                self._picture = Picture(world.plan, world.names, title=title, sprites=sprites)
            return self._picture.draw(world.snapshot)
        frame = draw_ansi(world.plan, world.names, world.snapshot, title=world.scenario.title)
        if self.render_mode == "ansi":
            return frame
        print(frame)
        return None

    def close(self) -> None:
        """Free the picture's memory; safe to call twice."""
        self._picture = None

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the last reset or step: the unit of the record."""
        self._check_begun("events")
        return self.world.events

    def profiles(self) -> dict[AgentID, Profile]:
        """Return the profile of each agent, for `Policy.reset`; dealt goals are the episode's."""
        scenario, plan, board = self.world.scenario, self.world.plan, self.parts.reward.board
        people = zip(self._ids, scenario.people, strict=True)
        profiles = [make_profile(agent, person, scenario, plan) for agent, person in people]
        if scenario.reward.deal:
            for i, own in enumerate(board.goals):
                goals = [describe_goal(self.world, board, i, slot) for slot in range(len(own))]
                profiles[i] = replace(profiles[i], goal="; ".join(goals))
        return dict(zip(self._ids, profiles, strict=True))

    def context(
        self,
        model: ModelT | None = None,
        embedder: EmbedderT | None = None,
        people: ActionSource | None = None,
    ) -> EpisodeContext[ModelT, EmbedderT]:
        """Return the setting for `Policy.reset`.

        Args:
            model: a `ModelClient`, where a policy needs one.
            embedder: an `Embedder`, where a policy needs one.
            people: who play the agents of the policy `human`.
        """
        scenario = self.world.scenario
        return EpisodeContext(
            scenario.town,
            scenario.start,
            scenario.seconds_per_tick,
            model,
            embedder,
            scenario.rules.conversation.cooldown_seconds,
            people,
        )

    def describe_choice(self, choice: int) -> str:
        """Return a choice of the menu in words."""
        return self.parts.menu.describe(choice)

    def intervene(self, intervention: Intervention) -> None:
        """Let something happen at the next tick; it becomes an event like any other.

        Raises:
            EpisodeError: before the first `reset`.
            ConfigError: it names a person, place or object that does not exist.
        """
        self._check_begun("intervene()")
        self.world.intervene(intervention)

    def save_state(self) -> dict[str, JSON]:
        """Return everything needed to resume, as JSON values; see `load_state`.

        Raises:
            EpisodeError: before the first `reset`.
        """
        self._check_begun("save_state()")
        return {
            "world": self.world.save_state(),
            "reward": self.parts.reward.state(),
            "episode": [self._seed, self._resets, self._ended],
        }

    def load_state(self, state: Mapping[str, JSON]) -> tuple[Dicts, Dicts]:
        """Resume where `save_state` was called, in an environment built with equal arguments.

        Returns:
            (observations, infos) of that moment, as `reset` does.

        Raises:
            ConfigError: it is no state of such an environment.
        """
        match state:
            case {"world": world, "reward": reward, "episode": [int(), int(), bool()] as episode}:
                self.world.load_state(world)
            case _:
                raise ConfigError(
                    "this is no saved state of an environment; give what save_state returned"
                )
        self.parts.reward.reset(self.world)
        self.parts.reward.load_state(reward)
        self.parts.text.reset()
        self._seed, self._resets, self._ended = episode
        self._refresh()
        return self._observe(np.flatnonzero(self.world.state.present).tolist())

    def _check_begun(self, what: str) -> None:
        if self.world.tick < 0:
            raise EpisodeError(f"call reset() before {what}")

    def _refresh(self) -> None:
        """Find the people near each other and the possible choices of the new tick."""
        snapshot, parts = self.world.snapshot, self.parts
        parts.vicinity.refresh(snapshot)
        parts.knowledge.refresh()
        self._near = find_nearest(snapshot.pairs[1], snapshot.first)
        self._mask = parts.menu.mask(snapshot, self._near)
        if self._ended:
            self.agents = []
        elif len(self.agents) != self.world.count or not snapshot.all_here:
            here = snapshot.present.tolist()
            self.agents = [a for a, p in zip(self._ids, here, strict=True) if p]

    def _observe(self, who: Sequence[int]) -> tuple[Dicts, Dicts]:
        snapshot, ids, parts = self.world.snapshot, self._ids, self.parts
        numbers = list(parts.vector.observe(snapshot, self._near))
        masks = list(self._mask.copy())
        texts = parts.text.observe(snapshot) if self.config.text else [""] * len(ids)
        agents: Sequence[AgentID] = ids
        if len(who) < len(ids):
            agents = [ids[i] for i in who]
            numbers, masks, texts = ([part[i] for i in who] for part in (numbers, masks, texts))
        if self._words:
            observations = {
                a: {"observation": n, "text": t}
                for a, n, t in zip(agents, numbers, texts, strict=True)
            }
            infos = {
                a: {"action_mask": {"choice": m, "message": None}, "illegal": 0}
                for a, m in zip(agents, masks, strict=True)
            }
        else:
            observations = {
                a: {"observation": n, "text": t, "action_mask": m}
                for a, n, t, m in zip(agents, numbers, texts, masks, strict=True)
            }
            if not self.config.text:
                for observation in observations.values():
                    del observation["text"]
            infos = {a: {"illegal": 0} for a in agents}
        if self.percepts:
            goals = parts.reward.board.list_own()
            for info, i, t in zip(infos.values(), who, texts, strict=True):
                info["percept"] = SnapshotPercept(self._percepts, snapshot, i, t, goals[i])
        for i, outcome in snapshot.outcomes.items():
            if outcome.illegal and ids[i] in infos:
                infos[ids[i]]["illegal"] = 1
        return observations, infos

    def _find_endings(self, observations: Dicts) -> tuple[Dicts, Dicts]:
        world = self.world
        done = world.scenario.reward.ends and self.parts.reward.is_done()
        over = world.tick >= self.max_cycles
        terminations: Dicts = dict.fromkeys(observations, False)
        truncations = terminations.copy()
        if done or over:
            ended = terminations if done else truncations
            ended.update(dict.fromkeys(observations, True))
            self._ended = True
            self.agents = []
        elif len(self.agents) != len(observations):
            for agent in observations:
                if agent not in self.agents:
                    terminations[agent] = True
        return terminations, truncations
