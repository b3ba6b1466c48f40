"""The policies of a run, and the agents of each; a failure affects its own agents only."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from genagents_env.errors import ConfigError, PolicyError, PolicyFailed
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.name_search import find_people
from genagents_env.policy import (
    AgentID,
    Answer,
    Context,
    Infos,
    InterviewTerms,
    Observations,
    Policy,
    Profile,
    RecalledMemory,
)
from genagents_env.record.faculty_use import PolicySwitches
from genagents_env.record.rows import JSON, FaultRow, NoteRow
from genagents_env.run.concurrency import collect_results, raise_first
from genagents_env.run.policies import (
    PolicySource,
    check_for_run,
    find_policy_class,
    load_class,
    make_policy,
)
from genagents_env.run.policy_group import Decisions, PolicyGroup, Reads, describe_fault
from genagents_env.scenario.schema import Past

ALWAYS: Mapping[AgentID, int] = {}
NO_PASTS: Mapping[AgentID, Past | None] = {}
Answers = tuple[list[Answer], list[FaultRow]]


@dataclass(frozen=True)
class PolicySpec:
    """A policy by name, with its configuration; values are JSON."""

    name: str
    config: Mapping[str, JSON] = field(default_factory=dict)


class PolicyGroups:
    """The policies of a run; agents with equal specs share one, which decides for them together.

    Args:
        policies: for each agent its policy; several agents may have the same one.
        isolate: an error in a policy idles its agents and is reported; otherwise it is raised.
        strict: errors that `isolate` would report are raised, as PolicyFailed.
        deadline: seconds of wall clock after which a policy counts as hung; None is no limit.

    A `GenagentsError` that ends the run, by an outage or by its budget, is raised in any case.

    Attributes:
        agents: of all policies.
        needs_model, needs_embedder, needs_people, needs_portable_menu: whether any of the policies
            does.
        faculties: of all policies.
        switches: of the faculties of all policies.
        scripted_replies: of scripted models to the prompts of each policy.
    """

    def __init__(
        self,
        policies: Mapping[AgentID, Policy],
        *,
        isolate: bool = True,
        strict: bool = False,
        deadline: float | None = None,
    ) -> None:
        self.strict = strict
        together: dict[int, PolicyGroup] = {}
        for agent, policy in policies.items():
            patience = None if policy.needs_people else deadline
            group = together.setdefault(id(policy), PolicyGroup(policy, (), isolate, patience))
            group.agents += (agent,)
        self.groups = tuple(together.values())
        self._of = {agent: group for group in self.groups for agent in group.agents}
        own = [group.policy for group in self.groups]
        self.agents = tuple(self._of)
        self.needs_model = any(policy.needs_model for policy in own)
        self.needs_embedder = any(policy.needs_embedder for policy in own)
        self.needs_people = any(policy.needs_people for policy in own)
        self.needs_portable_menu = any(policy.needs_portable_menu for policy in own)
        self.faculties = tuple(sorted({name for policy in own for name in policy.faculties}))
        self.scripted_replies: list[ScriptedReplies] = [policy.scripted_replies for policy in own]
        self.switches = tuple(
            PolicySwitches(group.policy.name, group.agents, tuple(group.policy.switches))
            for group in self.groups
            if group.policy.switches
        )

    @classmethod
    def load(
        cls,
        specs: Mapping[AgentID, PolicySpec],
        sources: Mapping[str, PolicySource],
        *,
        since: Mapping[AgentID, int] = ALWAYS,
        former: Iterable[tuple[AgentID, PolicySpec, int]] = (),
        strict: bool = False,
        deadline: float | None = None,
    ) -> "PolicyGroups":
        """Return the groups that `specs` describe, each distinct policy loaded once.

        Args:
            specs: of each agent.
            sources: of each policy that is a file, by its name.
            since: from which tick on; agents share a policy only from the same one on.
            former: policies that decided for an agent before, and since when.
            strict: as of the class.
            deadline: as of the class.

        Raises:
            PolicyError: a policy cannot be found or does not accept its configuration.
        """
        loaded: list[tuple[tuple[PolicySpec, int], Policy]] = []
        policies: dict[AgentID, Policy] = {}
        for agent, spec in specs.items():
            key = spec, since.get(agent, -1)
            policy = next((policy for known, policy in loaded if known == key), None)
            if policy is None:
                source = sources.get(spec.name)
                kind = find_policy_class(spec.name) if source is None else load_class(source)
                policy = make_policy(kind, spec.name, spec.config)
                loaded.append((key, policy))
            policies[agent] = policy
        groups = cls(policies, strict=strict, deadline=deadline)
        for agent, spec, begun in former:
            for policy in (policy for known, policy in loaded if known == (spec, begun)):
                group = next(group for group in groups.groups if group.policy is policy)
                group.former += (agent,)
        return groups

    def remembers(self, agent: AgentID) -> bool:
        """Return True if the policy of `agent` can be interviewed."""
        return self._of[agent].policy.remembers

    def has_past(self, agent: AgentID) -> bool:
        """Return True if the policy of `agent` supports pasts."""
        return self._of[agent].policy.has_past

    def set_interview_terms(self, agents: Iterable[AgentID], terms: InterviewTerms) -> None:
        """Set the terms of interviews for the policies of `agents`.

        Raises:
            PolicyError: one of them does not know such terms.
        """
        for policy in {id(self._of[a].policy): self._of[a].policy for a in agents}.values():
            policy.set_interview_terms(terms)

    def collect_past(self, agent: AgentID, source: str) -> Past:
        """Return the past that `agent` takes into another run.

        Raises:
            PolicyError: its policy has none, or fails.
        """
        return self._of[agent].collect_past(agent, source)

    def reset(
        self,
        profiles: Mapping[AgentID, Profile],
        seed: int,
        context: Context,
        pasts: Mapping[AgentID, Past | None] = NO_PASTS,
    ) -> None:
        """Begin an episode for every policy, with the profiles of its own agents.

        `pasts`: with which agents begin whom their policies took over.

        Raises:
            PolicyError: a policy failed, and these groups isolate; or it asks a language model and
                there is none.
        """
        for group in self.groups:
            if context.model is None and group.policy.needs_model:
                name = group.policy.name
                raise PolicyError(f"policy {name!r} asks a language model; give `model`")
        for group in self.groups:
            own = {a: p for a, p in profiles.items() if a in (*group.agents, *group.former)}
            own |= {a: replace(own[a], past=pasts[a]) for a in group.agents if a in pasts}
            group.reset(own, seed, context)

    async def act(
        self, observations: Observations, infos: Infos, tick: int, reads: Reads
    ) -> Decisions:
        """Ask all policies at once for the actions that lead to `tick`.

        `reads`: tells whether something is an action.

        Returns:
            An action for each agent that has one, and the faults of the others, who idle.
        """
        shares = [
            (group, {a: observations[a] for a in group.agents if a in observations})
            for group in self.groups
        ]
        acting = [group.act(own, infos, tick, reads) for group, own in shares if own]
        if len(acting) == 1:
            actions, faults = await acting[0]
            return actions, self._check(faults)
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(decisions) for decisions in acting]
        except BaseExceptionGroup as several:
            raise_first(several)
        actions, faults = {}, []
        for task in running:
            decided, failed = task.result()
            actions.update(decided)
            faults += failed
        return actions, self._check(faults)

    def take_notes(self, tick: int) -> list[NoteRow]:
        """Remove and return the notes of the minds, as rows of `tick`.

        Raises:
            PolicyError: a policy fails.
        """
        return [note for group in self.groups for note in group.take_notes(tick)]

    def state(self, *, check: bool = False) -> list[JSON]:
        """Return the state of every policy, in the order of the groups.

        Raises:
            PolicyError: a policy fails to; or its state is not JSON, where one is to `check`.
        """
        return [group.state(check=check) for group in self.groups]

    def load_state(self, states: Sequence[JSON]) -> None:
        """Load the result of `state`, after a `reset` with the same arguments.

        None stands for a policy that has only now taken over.

        Raises:
            ConfigError: these are the states of other policies.
            PolicyError: a policy failed to load its state.
        """
        if len(states) != len(self.groups):
            raise ConfigError(f"{len(states)} policy states for {len(self.groups)} policies")
        for group, state in zip(self.groups, states, strict=True):
            if state is not None:
                group.load_state(state)

    async def interview(
        self, agent: AgentID, questions: Sequence[str], tick: int, repeat: int = 0
    ) -> Answers:
        """Put `questions` to `agent` alone, in the interview number `repeat` of this moment.

        Returns:
            An answer to each question, or none and the fault of the policy.
        """
        answers, faults = await self._of[agent].interview(agent, list(questions), tick, repeat)
        return answers, self._check(faults)

    async def memories(
        self, agent: AgentID, tick: int
    ) -> tuple[list[RecalledMemory], list[FaultRow]]:
        """Return the memories of `agent`, or none and the fault of the policy."""
        memories, faults = await self._of[agent].memories(agent, tick)
        return memories, self._check(faults)

    async def settle(self, tick: int) -> list[FaultRow]:
        """Await the model calls under way in every policy; return the faults of those that fail."""
        settling = (group.guard(group.policy.settle(), group.agents, tick) for group in self.groups)
        outcomes = collect_results(await asyncio.gather(*settling, return_exceptions=True))
        return self._check([fault for _, faults in outcomes for fault in faults])

    def close(self) -> None:
        """Close every policy; safe to call twice."""
        for group in self.groups:
            group.close()

    def _check(self, faults: list[FaultRow]) -> list[FaultRow]:
        """Return the faults, or raise the first of them if these groups are strict."""
        if self.strict and faults:
            raise PolicyFailed(describe_fault(faults[0]))
        return faults


def assign_specs(
    agents: Sequence[AgentID],
    default: PolicySpec,
    own: Mapping[AgentID, str] | None = None,
    configs: Mapping[str, Mapping[str, JSON]] | None = None,
) -> dict[AgentID, PolicySpec]:
    """Return the spec of each agent: the policy in `own`, or else `default`.

    `configs`: of the policies in `own`, by name.

    Raises:
        ConfigError: `own` names an unknown person.
        PolicyError: there is no policy of that name.
    """
    specs = match_specs(agents, default, own, configs)
    for policy in {default.name, *(own or {}).values()}:
        check_for_run(policy)
        find_policy_class(policy)
    return specs


def match_specs(
    agents: Sequence[AgentID],
    default: PolicySpec,
    own: Mapping[AgentID, str] | None = None,
    configs: Mapping[str, Mapping[str, JSON]] | None = None,
) -> dict[AgentID, PolicySpec]:
    """Do as `assign_specs`, but import nothing and do not check that the policies exist.

    Raises:
        ConfigError: `own` names an unknown person.
    """
    own, configs = find_people(own or {}, agents), configs or {}
    return {a: PolicySpec(own[a], configs.get(own[a], {})) if a in own else default for a in agents}
