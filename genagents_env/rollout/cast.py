"""Who decides for whom: agents split among policies, and failures kept to the agents they hit."""

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from genagents_env.actions import Idle, Interact, Move, Restart, Talk
from genagents_env.errors import ConfigError, GenagentsError
from genagents_env.policy import (
    AgentID,
    Context,
    Infos,
    Observations,
    Policy,
    Profile,
    load_policy,
    policy_class,
)
from genagents_env.record.rows import JSON, FaultKind, PolicyFault
from genagents_env.rollout.secrets import redact
from genagents_env.rollout.worker import Worker
from genagents_env.text import clean

Decisions = tuple[dict[AgentID, Any], list[PolicyFault]]

_ACTIONS = (Move, Talk, Interact, Idle, Restart, int, np.integer, Mapping)
_FAULT_LIMIT = 300


@dataclass(frozen=True)
class PolicySpec:
    """A policy by name, with its configuration; values are JSON."""

    name: str
    config: Mapping[str, JSON] = field(default_factory=dict)


@dataclass
class Group:
    """A policy and the agents it decides for."""

    policy: Policy
    agents: tuple[AgentID, ...]
    worker: Worker | None = None


class Cast:
    """The policies of a run. Agents with equal specs share one policy, which gets them together.

    Args:
        policies: for each agent its policy; several agents may have the same one.
        isolate: an error in a policy idles its agents and is reported; otherwise it is raised.
        deadline: seconds of wall clock after which a policy counts as hung; None waits for ever.
            Errors meant for the run (`GenagentsError`) are raised in any case.
    """

    def __init__(
        self,
        policies: Mapping[AgentID, Policy],
        *,
        isolate: bool = True,
        deadline: float | None = None,
    ) -> None:
        together: dict[int, Group] = {}
        for agent, policy in policies.items():
            group = together.setdefault(id(policy), Group(policy, ()))
            group.agents += (agent,)
        self.groups = tuple(together.values())
        self._isolate, self._deadline = isolate, deadline

    @classmethod
    def load(cls, specs: Mapping[AgentID, PolicySpec], *, deadline: float | None = None) -> "Cast":
        """Return the cast that `specs` describe, each distinct policy loaded once.

        Raises:
            PolicyError: a policy cannot be found or does not accept its configuration.
        """
        loaded: list[tuple[PolicySpec, Policy]] = []
        policies: dict[AgentID, Policy] = {}
        for agent, spec in specs.items():
            policy = next((policy for known, policy in loaded if known == spec), None)
            if policy is None:
                policy = load_policy(spec.name, **spec.config)
                loaded.append((spec, policy))
            policies[agent] = policy
        return cls(policies, deadline=deadline)

    @property
    def needs_model(self) -> bool:
        """Whether any of the policies asks a language model."""
        return any(group.policy.needs_model for group in self.groups)

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin an episode for every policy, with the profiles of its own agents."""
        for group in self.groups:
            own = {agent: profiles[agent] for agent in group.agents}
            group.policy.reset(own, seed, context)

    async def act(self, observations: Observations, infos: Infos, tick: int) -> Decisions:
        """Ask all policies at once.

        Args:
            observations: of the agents in the town now.
            infos: of the same agents.
            tick: the one the actions lead to; faults carry it.

        Returns:
            An action for each agent that has one, and the faults of the others, who idle.

        Raises:
            GenagentsError: a policy met an outage, the budget's end, or another end of the run.
        """
        asked = [
            (group, {a: observations[a] for a in group.agents if a in observations})
            for group in self.groups
        ]
        asked = [(group, own) for group, own in asked if own]
        if len(asked) == 1:
            return await self._decide(*asked[0], infos, tick)
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [
                    tasks.create_task(self._decide(group, own, infos, tick)) for group, own in asked
                ]
        except BaseExceptionGroup as several:
            _raise_first(several)
        actions: dict[AgentID, Any] = {}
        faults: list[PolicyFault] = []
        for task in running:
            decided, failed = task.result()
            actions.update(decided)
            faults += failed
        return actions, faults

    def state(self) -> list[JSON]:
        """Return the state of every policy, in the order of the groups."""
        return [group.policy.state() for group in self.groups]

    def load_state(self, states: Sequence[JSON]) -> None:
        """Go on from what `state` returned, after a `reset` with the same arguments."""
        if len(states) != len(self.groups):
            raise ConfigError(f"{len(states)} policy states for {len(self.groups)} policies")
        for group, state in zip(self.groups, states, strict=True):
            group.policy.load_state(state)

    def close(self) -> None:
        """Close every policy; safe to call twice."""
        for group in self.groups:
            if group.worker is not None:
                group.worker.close()
            group.policy.close()

    async def _decide(
        self, group: Group, observations: Observations, infos: Infos, tick: int
    ) -> Decisions:
        own_infos = {agent: infos[agent] for agent in observations}
        if not self._isolate:
            return await group.policy.act_async(observations, own_infos), []
        agents = tuple(observations)
        try:
            async with asyncio.timeout(self._deadline) as limit:
                answer = await self._ask(group, observations, own_infos)
        except GenagentsError:
            raise
        except BaseExceptionGroup as several:
            if several.subgroup(GenagentsError) is not None:
                _raise_first(several)
            return {}, _failed(group, agents, tick, "raised", _words(several))
        # A policy is another's code: whatever it raises, SystemExit included, is its own fault.
        except (Exception, SystemExit) as error:
            if isinstance(error, TimeoutError) and limit.expired():
                why = f"no decision within {self._deadline:g} s"
                return {}, _failed(group, agents, tick, "hung", why)
            return {}, _failed(group, agents, tick, "raised", _words(error))
        return _checked(group, agents, tick, answer)

    async def _ask(self, group: Group, observations: Observations, infos: Infos) -> object:
        policy = group.policy
        if self._deadline is None or type(policy).act_async is not Policy.act_async:
            return await policy.act_async(observations, infos)
        # Nothing but another thread can give up on plain code that does not return.
        if group.worker is None:
            group.worker = Worker(policy.name)
        return await group.worker.call(policy.act, observations, infos)


def specs_for(
    agents: Sequence[AgentID],
    default: PolicySpec,
    own: Mapping[AgentID, str] | None = None,
) -> dict[AgentID, PolicySpec]:
    """Return the spec of each agent: `default`, but the policy `own` names where it names one.

    Raises:
        ConfigError: `own` names someone who is not there.
        PolicyError: there is no policy of that name.
    """
    own = own or {}
    for name in own:
        if name not in agents:
            raise ConfigError(f"nobody is called {name!r}; there are {', '.join(agents)}")
    for policy in {default.name, *own.values()}:
        policy_class(policy)
    return {a: PolicySpec(own[a]) if a in own else default for a in agents}


def _checked(group: Group, agents: tuple[AgentID, ...], tick: int, answer: object) -> Decisions:
    """Keep what can be an action of one's own agents; whether it is possible, the world says."""
    if not isinstance(answer, Mapping):
        if inspect.iscoroutine(answer):
            answer.close()
        why = f"expected a dict of actions, got {type(answer).__name__}"
        return {}, _failed(group, agents, tick, "nonsense", why)
    actions: dict[AgentID, Any] = {}
    faults: list[PolicyFault] = []
    for agent, action in answer.items():
        if agent not in agents:
            why = f"decided for {clean(str(agent), 60)!r}, who is not its agent"
            faults += _failed(group, agents[:1], tick, "nonsense", why)
        elif isinstance(action, _ACTIONS):
            actions[agent] = action
        elif action is not None:
            why = f"{type(action).__name__} is not an action"
            faults += _failed(group, (agent,), tick, "nonsense", why)
    return actions, faults


def _failed(
    group: Group, agents: tuple[AgentID, ...], tick: int, kind: FaultKind, text: str
) -> list[PolicyFault]:
    return [PolicyFault(tick, agent, group.policy.name, kind, text) for agent in agents]


def _words(error: BaseException) -> str:
    return clean(redact(f"{type(error).__name__}: {error}"), _FAULT_LIMIT)


def _raise_first(several: BaseExceptionGroup[BaseException]) -> NoReturn:
    """Raise the first error meant for the run, or else the first of all."""
    meant = several.subgroup(GenagentsError) or several
    first: BaseException = meant
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    raise first
