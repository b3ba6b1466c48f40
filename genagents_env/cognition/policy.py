"""A policy of minds: one for each agent, whose model calls are under way together."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from genagents_env.actions import Action
from genagents_env.cognition.mind import Mind, Services
from genagents_env.cognition.prompts import PromptFiles
from genagents_env.cognition.query import QueryHandler, QueryOptions
from genagents_env.cognition.scheduler import CallScheduler
from genagents_env.errors import ConfigError, PolicyError
from genagents_env.llm.client import ModelClient
from genagents_env.percept import Percept
from genagents_env.policy import (
    Context,
    FacultySwitch,
    Infos,
    MindNote,
    Observations,
    Policy,
    Profile,
    State,
    get_percept,
)

M = TypeVar("M", bound=Mind[QueryOptions])
Options = TypeVar("Options", bound=QueryOptions)
Settings = TypeVar("Settings", bound=BaseModel)
T = TypeVar("T")


class MindPolicy(Policy, Generic[M, Options]):
    """A policy with a mind for each agent; a subclass makes minds and lets them decide.

    Args:
        config: the options of the minds.
        handlers: of queries, by purpose.
        prompts: the folder of the prompt files.

    Attributes:
        minds: by agent.
        services: what they work with.
        scheduler: of their model calls.
    """

    needs_model = True
    needs_embedder = True
    remembers = True
    switched: ClassVar[Mapping[str, str]] = {}  # the faculty that each option switches on or off
    missing_embedder: ClassVar[str] = "needs an embedder; give `embedder`"

    def __init__(
        self, config: Options, handlers: Mapping[str, QueryHandler[M]], prompts: Path
    ) -> None:
        self.config, self.handlers, self.prompts = config, handlers, prompts
        self.minds: dict[str, M] = {}
        self.faculties = frozenset(purpose.split(".")[0] for purpose in handlers)
        self.switches = tuple(
            FacultySwitch(name, faculty, bool(getattr(config, name)))
            for name, faculty in self.switched.items()
        )

    @property
    def uses_embedder(self) -> bool:
        """Whether these options need an embedder."""
        return True

    def make_mind(self, services: Services[Options], profile: Profile) -> M:
        """Return a mind with the knowledge of its profile."""
        raise NotImplementedError

    async def decide(self, mind: M, percept: Percept) -> Action:
        """Return the action of an agent."""
        raise NotImplementedError

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode, with the knowledge of the profiles.

        Raises:
            PolicyError: the context has no model, or no embedder although these options need one.
        """
        if context.model is None:
            raise PolicyError(f"{self.name} needs a language model; the context has none")
        if context.embedder is None and self.uses_embedder:
            raise PolicyError(f"{self.name} {self.missing_embedder}")
        self.scheduler = CallScheduler(context.model, self.handlers)
        self.services = Services(
            self.config,
            open_prompts(self.prompts, seed, self.config, context.model),
            context.model,
            context.embedder,
            seed,
            context.start,
            context.seconds_per_tick,
            context.pause_seconds,
            town=context.town,
        )
        self.minds = {
            agent: self.make_mind(self.services, profile) for agent, profile in profiles.items()
        }

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return an action for each agent; needs percepts.

        When a call ends the run (budget, outage), all calls of the tick are awaited first, so
        that the cassette has their replies when the run is resumed.
        """
        self.take_notes()  # of the decision before, where there is no record to take them
        agents = list(observations)
        actions = await gather_all(
            self.decide(self.minds[agent], get_percept(infos, agent)) for agent in agents
        )
        return dict(zip(agents, actions, strict=True))

    def take_notes(self) -> list[MindNote]:
        """Remove and return the notes of the minds, ordered by call."""
        return self.services.notes.take()

    async def settle(self) -> None:
        """Await the calls under way, so that they are stored; apply nothing."""
        await self.scheduler.settle(self.minds)

    def state(self) -> State:
        """Return the state of every mind."""
        for mind in self.minds.values():
            self.scheduler.store_replies(mind)
        return {agent: mind.state() for agent, mind in self.minds.items()}

    def load_state(self, state: State) -> None:
        """Resume from `state`."""
        for agent, mind in self.minds.items():
            mind.load_state(state[agent])


def open_prompts(folder: Path, seed: int, config: QueryOptions, model: ModelClient) -> PromptFiles:
    """Return the prompt files in `folder`, with the limit of the options or else of the model."""
    usual = config.small_prompt_tokens if model.small else model.prompt_tokens
    limit = usual if config.prompt_tokens is None else config.prompt_tokens
    return PromptFiles(folder, seed, limit, small=model.small)


async def gather_all(awaitables: Iterable[Awaitable[T]]) -> list[T]:
    """Await all, then return their results or raise the first error."""
    outcomes = await asyncio.gather(*awaitables, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]


def read_options(model: type[Settings], fields: Mapping[str, object], policy: str) -> Settings:
    """Return a policy's options with these fields set.

    Args:
        model: the type of the options.
        fields: by name, as given by a caller or on the command line.
        policy: the policy's name, for the error.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """
    try:
        return model(**fields)
    except ValidationError as fault:
        lines = (
            f"{'.'.join(map(str, error['loc'])) or 'options'}: {error['msg']}"
            for error in fault.errors()
        )
        known = ", ".join(model.model_fields)
        raise ConfigError(f"{policy}: {'; '.join(lines)}; options: {known}") from None
