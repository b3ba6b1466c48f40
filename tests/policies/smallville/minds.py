"""Minds to try faculties on: the model is a rule, the embedder counts n-grams."""

import asyncio
import importlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from genagents_env import town_v0
from genagents_env.actions import Action
from genagents_env.llm.bound import bound_of
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import Rule, ScriptedEndpoint, sample_schema
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.percept import Percept
from genagents_env.policy import Profile
from genagents_env.policy_loader import load_policy
from genagents_env.scenario import Scenario
from tests.policies.percepts import START, profile

GOLDEN = Path(__file__).parent / "golden"
FOLDER = Path(__file__).parents[3] / "policies" / "smallville" / "prompts"


def part(name: str) -> ModuleType:
    """Return a module of the mind, such as `converse`."""
    shared = name in ("thought", "thinking", "prompts", "replies", "evidence", "brief", "habit")
    where = "genagents_env.cognition" if shared else "genagents_env.policies.smallville"
    return importlib.import_module(f"{where}.{name}")


def make_mind(
    rule: Rule = sample_schema, *, who: Profile | None = None, seed: int = 3, **config: Any
) -> Any:
    """Return a mind that remembers nothing yet; its model answers by `rule`."""
    options = part("config").SmallvilleConfig(**config)
    kit = part("mind").Kit(
        options,
        part("prompts").Prompts(FOLDER, seed, options.prompt_tokens),
        ModelClient(ScriptedEndpoint(rule), run_seed=seed),
        Embedder(open_source("hashed")),
        START,
        10,
    )
    return part("mind").Mind(kit, who if who is not None else profile())


def moment(mind: Any, percept: Percept) -> Any:
    """Return the moment of a percept."""
    return part("thought").Moment(percept, mind.kit.second(percept.time))


def thinking_of(mind: Any) -> Any:
    """Return what asks the model of `mind`."""
    return part("thinking").Thinking(mind.kit.model, part("handlers").HANDLERS)


def think(mind: Any, thoughts: Sequence[Any], percept: Percept) -> None:
    """Ask `thoughts`, apply what is due, and follow what follows, as the policy does."""
    thinking = thinking_of(mind)
    asyncio.run(thinking.think(mind, thoughts, moment(mind, percept)))


def asked(mind: Any) -> list[CompletionRequest]:
    """Return what the model was asked so far."""
    requests: list[CompletionRequest] = mind.kit.model.endpoint.requests
    return requests


def fields_of(request: CompletionRequest) -> list[str]:
    """Return the names of the fields that a request wants: they tell what is asked."""
    schema = request.schema or {}
    fields = schema.get("properties")
    return list(fields) if isinstance(fields, Mapping) else []


def by_fields(replies: Mapping[str, Mapping[str, Any]]) -> Rule:
    """Return a rule that answers by the first field asked for; others get a sample."""

    def rule(request: CompletionRequest) -> str:
        reply = replies.get(next(iter(fields_of(request)), ""))
        return sample_schema(request) if reply is None else json.dumps(reply, ensure_ascii=False)

    return rule


def length(request: CompletionRequest) -> int:
    """Return the bound of a prompt's tokens."""
    return bound_of(list(request.messages))


def lived(
    scenario: str, ticks: int, policy: str = "scripted", seed: int = 3, **options: Any
) -> dict[str, list[Percept]]:
    """Return what everyone perceives, tick by tick, in a town where `policy` lives."""
    env = town_v0.parallel_env(scenario=scenario, **options)
    _, infos = env.reset(seed=seed)
    mind = load_policy(policy)
    mind.reset(env.profiles(), seed, env.context())
    percepts: dict[str, list[Percept]] = {agent: [] for agent in env.agents}
    observations: Any = {agent: {} for agent in env.agents}
    for _ in range(ticks):
        for agent in env.agents:
            percepts[agent].append(infos[agent]["percept"])
        if not env.agents:
            break
        observations, _, _, _, infos = env.step(mind.act(observations, infos))
    return percepts


def is_golden(name: str, text: str) -> bool:
    """Return whether `text` is what the file `golden/name` holds; GOLDEN=write writes it."""
    path = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.is_file() and path.read_text(encoding="utf-8") == text


def live(mind: Any, percept: Percept, observations: Sequence[Any] = ()) -> Action | None:
    """Let `mind` react and converse at one moment; return what it does in a conversation."""
    now = moment(mind, percept)
    mind.asleep = percept.me.asleep
    thoughts = [
        *part("converse").thoughts(mind, now),
        *part("react").thoughts(mind, now, observations),
    ]
    think(mind, thoughts, percept)
    action: Action | None = part("converse").action(mind, now)
    return action


def observed(subject: str, text: str, kind: str = "person", asleep: bool = False) -> Any:
    """Return an observation of a person or an object."""
    return part("perceive").Observation(kind, subject, text, None, 5, asleep=asleep)


class Town:
    """Minds in a town: an environment, the policy, and what its model was asked."""

    def __init__(
        self,
        scenario: str | Scenario,
        rule: Rule = sample_schema,
        *,
        config: Any = None,
        **options: Any,
    ) -> None:
        self.env: Any = town_v0.parallel_env(scenario=scenario, **options)
        _, self.infos = self.env.reset(seed=3)
        self.endpoint = ScriptedEndpoint(rule)
        self.policy: Any = load_policy("smallville", **(config or {}))
        self.begin(self.policy)

    def begin(self, policy: Any) -> None:
        """Give `policy` the people of this town."""
        model, embedder = ModelClient(self.endpoint, run_seed=3), Embedder(open_source("hashed"))
        context = self.env.context(model, embedder)
        policy.reset(self.env.profiles(), 3, context)

    def step(self, **instead: Action) -> list[Any]:
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

    def mind(self, first: str) -> Any:
        """Return somebody's mind."""
        return self.policy.minds[self.full(first)]
