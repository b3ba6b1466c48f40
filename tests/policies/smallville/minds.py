"""Minds to try faculties on: the model is a rule, the embedder counts n-grams."""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from genagents_env import town_v0
from genagents_env.actions import Action
from genagents_env.cognition.mind import Services
from genagents_env.cognition.prompts import PromptFiles
from genagents_env.cognition.query import Moment, Query
from genagents_env.cognition.scheduler import CallScheduler
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, sample_schema
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.percept import Percept
from genagents_env.policies import smallville
from genagents_env.policies.smallville import SmallvillePolicy, converse, react
from genagents_env.policies.smallville.config import SmallvilleConfig
from genagents_env.policies.smallville.mind import Dialogue, SmallvilleMind
from genagents_env.policies.smallville.perceive import Observation
from genagents_env.policy import Observations, Policy, Profile
from genagents_env.run.policies import load_policy
from genagents_env.scenario import Scenario
from genagents_env.world.events import Event
from tests.policies.percepts import START, Value, profile

GOLDEN = Path(__file__).parent / "golden"
FOLDER = Path(__file__).parents[3] / "policies" / "smallville" / "prompts"


def make_mind(
    rule: Rule = sample_schema, *, who: Profile | None = None, seed: int = 3, **config: Value
) -> SmallvilleMind:
    """Return a mind that remembers nothing yet; its model answers by `rule`."""
    options = SmallvilleConfig.model_validate(config)
    services = Services(
        options,
        PromptFiles(FOLDER, seed, options.prompt_tokens or 4000),
        ModelClient(ScriptedEndpoint(rule), run_seed=seed),
        Embedder(open_source("hashed")),
        seed,
        START,
        10,
    )
    return SmallvilleMind(services, who if who is not None else profile())


def moment(mind: SmallvilleMind, percept: Percept) -> Moment:
    """Return the moment of a percept."""
    return Moment(percept, mind.services.to_second(percept.time))


def make_scheduler(mind: SmallvilleMind) -> CallScheduler[SmallvilleMind]:
    """Return what asks the model of `mind`."""
    return CallScheduler(mind.services.model, smallville.HANDLERS)


def think(mind: SmallvilleMind, thoughts: Sequence[Query], percept: Percept) -> None:
    """Ask `thoughts`, apply what is due, and follow what follows, as the policy does."""
    thinking = make_scheduler(mind)
    asyncio.run(thinking.run(mind, thoughts, moment(mind, percept)))


def dialogue_of(mind: SmallvilleMind) -> Dialogue:
    """Return the conversation that somebody is in."""
    assert mind.dialogue is not None
    return mind.dialogue


def endpoint_of(mind: SmallvilleMind) -> ScriptedEndpoint:
    """Return what answers the model calls of `mind`."""
    endpoint = mind.services.model.endpoint
    assert isinstance(endpoint, ScriptedEndpoint)
    return endpoint


def list_requests(mind: SmallvilleMind) -> list[CompletionRequest]:
    """Return what the model was asked so far."""
    return endpoint_of(mind).requests


def fields_of(request: CompletionRequest) -> list[str]:
    """Return the names of the fields that a request wants: they tell what is asked."""
    schema = request.schema or {}
    fields = schema.get("properties")
    return list(fields) if isinstance(fields, Mapping) else []


def by_fields(replies: Mapping[str, Mapping[str, object]]) -> Rule:
    """Return a rule that answers by the first field asked for; others get a sample."""

    def rule(request: CompletionRequest) -> str:
        reply = replies.get(next(iter(fields_of(request)), ""))
        return sample_schema(request) if reply is None else json.dumps(reply, ensure_ascii=False)

    return rule


def length(request: CompletionRequest) -> int:
    """Return the bound of a prompt's tokens."""
    return bound_prompt_tokens(list(request.messages))


def collect_percepts(
    scenario: str, ticks: int, policy: str = "scripted", seed: int = 3, **options: Value
) -> dict[str, list[Percept]]:
    """Return what everyone perceives, tick by tick, in a town where `policy` lives."""
    env = town_v0.parallel_env(scenario=scenario, percepts=True, **options)
    _, infos = env.reset(seed=seed)
    mind = load_policy(policy)
    mind.reset(env.profiles(), seed, env.context())
    percepts: dict[str, list[Percept]] = {agent: [] for agent in env.agents}
    observations: Observations = {agent: {} for agent in env.agents}
    for _ in range(ticks):
        for agent in env.agents:
            percepts[agent].append(infos[agent]["percept"])
        if not env.agents:
            break
        observations, _, _, _, infos = env.step(mind.act(observations, infos))
    return percepts


def is_golden(name: str, text: str, folder: Path = GOLDEN) -> bool:
    """Return whether `text` is what the file `golden/name` holds; GOLDEN=write writes it."""
    path = folder / name
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.is_file() and path.read_text(encoding="utf-8") == text


def live(
    mind: SmallvilleMind, percept: Percept, observations: Sequence[Observation] = ()
) -> Action | None:
    """Let `mind` react and converse at one moment; return what it does in a conversation."""
    now = moment(mind, percept)
    mind.asleep = percept.me.asleep
    thoughts = [
        *converse.make_queries(mind, now),
        *react.make_queries(mind, now, observations),
    ]
    think(mind, thoughts, percept)
    action: Action | None = converse.choose_action(mind, now)
    return action


def make_observation(
    subject: str,
    text: str,
    kind: Literal["person", "object", "heard"] = "person",
    asleep: bool = False,
) -> Observation:
    """Return an observation of a person or an object."""
    return Observation(kind, subject, text, asleep)


class Town:
    """Minds in a town: an environment, the policy, and what its model was asked."""

    def __init__(
        self,
        scenario: str | Scenario,
        rule: Rule = sample_schema,
        *,
        config: Mapping[str, object] | None = None,
        **options: Value,
    ) -> None:
        self.env = town_v0.parallel_env(scenario=scenario, percepts=True, **options)
        _, self.infos = self.env.reset(seed=3)
        self.endpoint = ScriptedEndpoint(rule)
        self.policy = SmallvillePolicy(**(config or {}))
        self.begin(self.policy)

    def begin(self, policy: Policy) -> None:
        """Give `policy` the people of this town."""
        model, embedder = ModelClient(self.endpoint, run_seed=3), Embedder(open_source("hashed"))
        context = self.env.context(model, embedder)
        policy.reset(self.env.profiles(), 3, context)

    def step(self, **instead: Action) -> list[Event]:
        """Live one tick, people named by first name doing something else; return its events."""
        actions = self.policy.act({agent: {} for agent in self.env.agents}, self.infos)
        for first, action in instead.items():
            actions[self.full(first)] = action
        *_, self.infos = self.env.step(actions)
        return list(self.env.events)

    def full(self, first: str) -> str:
        """Return the whole name."""
        names: list[str] = self.env.possible_agents
        return next(name for name in names if name.split()[0] == first)

    def mind(self, first: str) -> SmallvilleMind:
        """Return somebody's mind."""
        found: SmallvilleMind = self.policy.minds[self.full(first)]
        return found
