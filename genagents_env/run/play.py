"""One episode: perceive, decide together, step and record, until its end or a stop."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from genagents_env.config import check_seed
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.llm.cassette import LedgerEntry
from genagents_env.llm.client import ModelClient
from genagents_env.llm.event_loop import run_sync
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID, Infos, Observations, Policy
from genagents_env.profile import ActionSource
from genagents_env.record.rows import FaultRow
from genagents_env.run.policies import load_policy
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.trajectory import StepResult
from genagents_env.train.tasks import TaskEnv
from genagents_env.world.events import Event


@dataclass
class Rollout:
    """The result of an episode.

    Attributes:
        ticks: steps made.
        returns: for each agent the sum of its rewards.
        faults: of the policies.
        calls: of language models that were answered.
        fallbacks: of these, calls without a usable reply, for which a default stood in.
        events: all events, if kept.
    """

    ticks: int = 0
    returns: dict[AgentID, float] = field(default_factory=dict)
    faults: list[FaultRow] = field(default_factory=list)
    calls: int = 0
    fallbacks: int = 0
    events: list[Event] = field(default_factory=list)


OnTick = Callable[[Sequence[FaultRow]], None]
OnStep = Callable[[Mapping[AgentID, object], StepResult], None]


async def play(
    env: TownEnv | TaskEnv,
    groups: PolicyGroups,
    observations: Observations,
    infos: Infos,
    *,
    on_tick: OnTick | None = None,
    on_step: OnStep | None = None,
    gate: Callable[[], Awaitable[None]] | None = None,
    hold: Callable[[], Awaitable[None]] | None = None,
    stop: Callable[[], bool] | None = None,
    max_ticks: int | None = None,
    keep_events: bool = False,
) -> Rollout:
    """Play from `observations` until the episode ends, `stop` is True, or `max_ticks` are over.

    Args:
        env: just reset or restored.
        groups: just reset or restored, for the same agents.
        observations: of the agents in the town now.
        infos: of the same agents.
        on_tick: called after each step with the faults of its decisions.
        on_step: called after each step with its actions and the result of `env.step`.
        gate: awaited before the decisions of each step; it may take as long as it likes.
        hold: awaited between the decisions and the step.
        stop: called at each tick boundary.
        max_ticks: steps at most.
        keep_events: keep all events in the result.

    Raises:
        GenagentsError: the run ends; the env is then at the last tick boundary.
    """
    done = Rollout(returns=dict.fromkeys(env.possible_agents, 0.0))
    reads = env.parts.decoder.reads
    while not env.is_over and not (stop is not None and stop()):
        if max_ticks is not None and done.ticks >= max_ticks:
            break
        if gate is not None:
            await gate()
            if stop is not None and stop():
                break
        await asyncio.sleep(0)  # calls under way continue, also while no policy awaits anything
        actions, faults = await groups.act(observations, infos, env.world.tick + 1, reads)
        if hold is not None:
            await hold()
        step = env.step(actions)
        observations, rewards, _, _, infos = step
        done.ticks += 1
        if on_step is not None:
            on_step(actions, step)
        for agent, reward in rewards.items():
            done.returns[agent] += reward
        if on_tick is not None:
            on_tick(faults)
        done.faults += faults
        if keep_events:
            done.events += env.events
        if len(env.agents) != len(observations):
            observations = {agent: observations[agent] for agent in env.agents}
    return done


def rollout(
    env: TownEnv | TaskEnv,
    policies: Policy | str | Mapping[AgentID, Policy | str] = "random",
    seed: int = 0,
    *,
    model: ModelClient | None = None,
    embedder: Embedder | None = None,
    people: ActionSource | None = None,
    max_ticks: int | None = None,
    keep_events: bool = False,
    isolate: bool = False,
) -> Rollout:
    """Play one episode without a record: for scripts and training loops.

    Args:
        env: an environment; it is reset with `seed`, and its infos then have percepts.
        policies: one for all, or one for each agent; names are loaded.
        seed: of the episode and of the policies.
        model: a `ModelClient` for policies that ask a language model.
        embedder: an `Embedder` for policies that ask for embeddings.
        people: who play the agents of the policy `human`.
        max_ticks: steps at most.
        keep_events: keep all events in the result.
        isolate: a policy that raises, or answers nonsense, idles its agents; otherwise the error
            is raised here.

    Raises:
        ConfigError: an agent has no policy.
        PolicyError: a policy cannot be loaded.
    """
    env.percepts, seed = True, check_seed(seed)
    observations, infos = env.reset(seed=seed)
    groups = PolicyGroups(load_named(policies, env.possible_agents), isolate=isolate)
    groups.reset(env.profiles(), seed, env.context(model, embedder, people))
    before = LedgerEntry("", "") if model is None else model.ledger.totals()
    try:
        done = run_sync(
            play(env, groups, observations, infos, max_ticks=max_ticks, keep_events=keep_events)
        )
    finally:
        groups.close()
    if model is not None:
        made = model.ledger.totals()
        done.calls, done.fallbacks = made.calls - before.calls, made.fallbacks - before.fallbacks
    return done


def load_named(
    policies: Policy | str | Mapping[AgentID, Policy | str], agents: Sequence[AgentID]
) -> dict[AgentID, Policy]:
    """Return the policy of each of `agents`; each name is loaded once.

    Raises:
        ConfigError: an agent has no policy.
        PolicyError: a policy cannot be loaded.
    """
    if not isinstance(policies, Mapping):
        policies = dict.fromkeys(agents, policies)
    missing = [agent for agent in agents if agent not in policies]
    if missing:
        raise ConfigError(f"no policy for {', '.join(missing)}")
    if unknown := [agent for agent in policies if agent not in agents]:
        known = ", ".join(agents)
        raise ConfigError(f"policies: nobody is called {', '.join(unknown)}; there are {known}")
    loaded: dict[str, Policy] = {}
    for name in sorted({policy for policy in policies.values() if isinstance(policy, str)}):
        loaded[name] = load_policy(name)
    own = {agent: policies[agent] for agent in agents}
    return {a: loaded[policy] if isinstance(policy, str) else policy for a, policy in own.items()}
