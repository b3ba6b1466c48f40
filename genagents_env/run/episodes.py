"""Episodes for a training loop: many towns at once, with their model calls in flight together."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import TypeAlias

from genagents_env.config import check_seed
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.cassette import Ledger
from genagents_env.llm.client import ModelClient
from genagents_env.llm.event_loop import OwnLoop
from genagents_env.llm.open import open_endpoint
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID, Policy
from genagents_env.run.concurrency import cancel_others
from genagents_env.run.play import Rollout, load_named, play
from genagents_env.run.policies import find_policy_class
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.trajectory import Trajectory, TrajectoryRecorder
from genagents_env.scenario import Scenario
from genagents_env.train.tasks import TaskEnv

EnvSource: TypeAlias = str | Path | Scenario | Callable[[], TownEnv]
Policies: TypeAlias = Policy | str | Mapping[AgentID, Policy | str]


@dataclass(frozen=True)
class Episode:
    """One finished episode.

    Attributes:
        seed: of the episode.
        rollout: the result of `rollout(env, policies, seed)`.
        trajectories: by agent, if collected.
    """

    seed: int
    rollout: Rollout
    trajectories: Mapping[AgentID, Trajectory] = field(default_factory=dict)


def rollouts(
    env: EnvSource = "tiny",
    policies: str | Mapping[AgentID, str] | Callable[[], Policies] = "random",
    seeds: Iterable[int] | None = None,
    *,
    together: int = 8,
    model: str | Endpoint | ModelClient | None = None,
    embedder: Embedder | None = None,
    max_in_flight: int | None = None,
    max_ticks: int | None = None,
    keep_events: bool = False,
    collect: bool = False,
    isolate: bool = False,
) -> Iterator[Episode]:
    """Yield an episode for each of `seeds`, in their order; `together` towns run at once.

    Each equals the result of `rollout` for its seed, whatever `together` is. Towns run while the
    next episode is awaited, and pause in between; a finished town is replaced by that of the next
    seed at once. Ending the iteration early closes everything.

    Args:
        env: a scenario, for towns with actions in words; or a function that returns a new env.
        policies: names, for all or by agent; or a function (a policy's class is one) that returns
            new policies, called once an episode: what it returns is what `rollout` takes.
        seeds: of the episodes, perhaps endless; None is 0, 1, 2 and so on.
        together: towns at once, at least 1.
        model: for policies that ask a language model: a name, an endpoint, or a client, whose
            endpoint, budget, ledger, retries and limit of calls in flight all towns share. The
            calls of an episode are seeded by its seed. A model opened by name is closed at the
            end; the caller closes others.
        embedder: an `Embedder` for policies that ask for embeddings.
        max_in_flight: model calls under way at once in all towns; None is `together`. A client
            given as `model` has its own.
        max_ticks: steps at most, of each episode.
        keep_events: keep all events.
        collect: keep trajectories.
        isolate: a policy that raises, or answers nonsense, idles its agents; otherwise the error
            is raised here.

    Raises:
        ConfigError: an agent has no policy, an env or a policy object is given for several towns, a
            limit is not allowed, or the client has a cassette, which is for the calls of one run.
        PolicyError: a policy cannot be loaded.
    """
    if together < 1:
        raise ConfigError(f"together: {together} is not allowed; at least 1")
    if isinstance(env, TownEnv | TaskEnv):
        raise ConfigError(
            "env: an environment plays one episode at a time; give a function that returns new "
            'ones: lambda: town_v0.rl_env("meet")'
        )
    if isinstance(policies, Policy) or (
        isinstance(policies, Mapping) and any(isinstance(p, Policy) for p in policies.values())
    ):
        raise ConfigError(
            "policies: a policy object is for one town at a time; "
            "give names, or a function that returns new ones"
        )
    if isinstance(model, ModelClient) and (max_in_flight is not None or model.cassette is not None):
        raise ConfigError(
            "model: a client given here has its own max_in_flight, and no cassette, "
            "which is for the calls of one run"
        )
    player = _EpisodePlayer(policies, embedder, max_ticks, keep_events, collect, isolate)
    order = iter(count() if seeds is None else seeds)
    at_once = together if max_in_flight is None else max_in_flight
    return _episodes(env, player, order, together, model, at_once)


def _episodes(
    env: EnvSource,
    player: "_EpisodePlayer",
    seeds: Iterator[int],
    together: int,
    model: str | Endpoint | ModelClient | None,
    max_in_flight: int,
) -> Iterator[Episode]:
    with ExitStack() as leaving:
        loop = OwnLoop()
        leaving.callback(loop.close)
        if isinstance(model, str):
            model = open_endpoint(model, replies=player.list_scripted_replies())
            leaving.callback(lambda opened: loop.run(opened.aclose()), model)
        client = model if isinstance(model, ModelClient) else None
        if model is not None and not isinstance(model, ModelClient):
            client = ModelClient(model, run_seed=0, max_in_flight=max_in_flight)
        towns = _Towns(env, player, seeds, together, client)
        leaving.callback(lambda: loop.run(towns.close()))
        while (episode := loop.run(towns.next())) is not None:
            yield episode


@dataclass
class _EpisodePlayer:
    """How every episode is played."""

    policies: Policies | Callable[[], Policies]
    embedder: Embedder | None
    max_ticks: int | None
    keep_events: bool
    collect: bool
    isolate: bool
    _first: Policies | None = None  # of the first episode, made for `list_scripted_replies`

    async def play(self, env: TownEnv, seed: int, client: ModelClient | None) -> Episode:
        """Play one episode, as `rollout` does."""
        env.percepts, seed = True, check_seed(seed)
        observations, infos = env.reset(seed=seed)
        policies = load_named(self._make_policies(), env.possible_agents)
        groups = PolicyGroups(policies, isolate=self.isolate)
        shared, own = client, Ledger()
        if client is not None:  # one of this seed, which shares all else that `client` shares
            client = copy(client)
            client.ledger = own
            client.run_seed, client.outages = seed, client.outages.begin_anew()
        groups.reset(env.profiles(), seed, env.context(client, self.embedder))
        recorder = TrajectoryRecorder(observations, infos) if self.collect else None
        try:
            result = await play(
                env,
                groups,
                observations,
                infos,
                on_step=None if recorder is None else recorder.note,
                max_ticks=self.max_ticks,
                keep_events=self.keep_events,
            )
        finally:
            groups.close()
            if shared is not None:
                shared.ledger.add(own)
        made = own.totals()
        result.calls, result.fallbacks = made.calls, made.fallbacks
        return Episode(seed, result, {} if recorder is None else recorder.trajectories())

    def list_scripted_replies(self) -> list[ScriptedReplies]:
        """Return the scripted replies to the policies of the first episode."""
        self._first = first = self._make_policies()
        several = first.values() if isinstance(first, Mapping) else [first]
        return [
            (find_policy_class(policy) if isinstance(policy, str) else policy).scripted_replies
            for policy in several
        ]

    def make_town(self, scenario: str | Path | Scenario) -> TownEnv:
        """Return a town with the menu of its policies, if these are given by name."""
        chosen = self.policies
        several = chosen.values() if isinstance(chosen, Mapping) else [chosen]
        named = [find_policy_class(name) for name in several if isinstance(name, str)]
        portable = any(kind.needs_portable_menu for kind in named)
        return TownEnv(scenario, menu="portable" if portable else "town")

    def _make_policies(self) -> Policies:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        if callable(self.policies) and not isinstance(self.policies, Policy):
            return self.policies()
        return self.policies


class _Towns:
    """The running towns, and the finished episodes not yet yielded."""

    def __init__(
        self,
        env: EnvSource,
        player: _EpisodePlayer,
        seeds: Iterator[int],
        together: int,
        client: ModelClient | None,
    ) -> None:
        self._make, self._player, self._seeds, self._client = env, player, seeds, client
        self._room, self._started = together, 0
        self._envs: list[TownEnv] = []
        self._free: list[TownEnv] = []
        self._waiting: dict[int, asyncio.Task[Episode]] = {}
        self._next = 0

    async def next(self) -> Episode | None:
        """Return the episode of the next seed, or None after the last."""
        self._fill()
        task = self._waiting.get(self._next)
        if task is None:
            return None
        await asyncio.wait([task])
        del self._waiting[self._next]
        self._next += 1
        return task.result()

    async def close(self) -> None:
        """Cancel running episodes, and close the towns."""
        self._seeds = iter(())
        await cancel_others()
        for env in self._envs:
            env.close()

    def _fill(self) -> None:
        """Start the next seeds while there is room."""
        while self._room:
            seed = next(self._seeds, None)
            if seed is None:
                return
            env = self._free.pop() if self._free else self._make_env()
            self._room -= 1
            playing = self._player.play(env, seed, self._client)
            task = asyncio.get_running_loop().create_task(playing)
            self._waiting[self._started] = task
            self._started += 1
            task.add_done_callback(partial(self._free_town, env))

    def _free_town(self, env: TownEnv, task: "asyncio.Task[Episode]") -> None:
        self._free.append(env)
        self._room += 1
        self._fill()

    def _make_env(self) -> TownEnv:
        if callable(self._make):
            env = self._make()
        elif self._envs:
            env = self._envs[0].fresh_copy()
        else:
            env = self._player.make_town(self._make)
        self._envs.append(env)
        return env
