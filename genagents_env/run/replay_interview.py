"""An interview of anyone at any tick of a recorded run, which is not changed."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError, DivergenceError, ModelOutage, PolicyError
from genagents_env.event_loop import run_sync
from genagents_env.llm.client import ModelClient
from genagents_env.memory.embedder import Embedder
from genagents_env.policy import AgentID, Answer, Infos, Observations
from genagents_env.record import Checkpoint, FaultRow, RunReader
from genagents_env.record.rows import encode
from genagents_env.run.concurrency import cancel_others, collect_results
from genagents_env.run.models import Models, make_client, reopen_models
from genagents_env.run.overlay import OverlayCassette, OverlayEmbeddings
from genagents_env.run.play import play
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.recorded import choose_recorded, load_policies, make_town
from genagents_env.run.saved_state import restore_policies, restore_town
from genagents_env.run.spec import Progress, RunOptions

Questions = Sequence[str] | Mapping[AgentID, Sequence[str]]
Transcript = dict[AgentID, list[tuple[str, Answer]]]


def interview(
    path: str | Path,
    agents: Sequence[AgentID],
    questions: Questions,
    tick: int | None = None,
    options: RunOptions | None = None,
    repeats: int = 1,
) -> Transcript:
    """Put questions to agents of a recorded run as they were at `tick`.

    The run is replayed from its last checkpoint at or before that tick, else from its start,
    with the stored calls and vectors, and compared with its record; only the answers cost model
    calls. Nothing is written.

    Args:
        path: of the run file; it may be being written.
        agents: whom; each is asked alone, all at once.
        questions: of everyone, or for each agent their own.
        tick: a recorded one; None is the last.
        options: model, embedder, limits, `watch`, and whether its policies are trusted; the rest
            is of no use here.
        repeats: how often each agent is interviewed, every time from the same state of mind.

    Returns:
        For each agent the questions in order, each with its answer: all of the first interview,
        then all of the next.

    Raises:
        ConfigError: no such agent or tick, somebody's policy remembers nothing, or there is no
            question for somebody.
        PolicyError: a policy failed to answer, or one given by path was not trusted; see
            `RunOptions.trust_policies`.
        DivergenceError: policy, prompts or package have changed since the run.
        RecordError: the file is missing, foreign, damaged or newer.
    """
    options = options or RunOptions()
    if repeats < 1:
        raise ConfigError(f"repeats: {repeats} is not allowed; 1 or more")
    with RunReader(path) as run:
        put = _check_questions(run, agents, questions)
        at = _check_tick_number(run, tick)
        groups = load_policies(run.meta, options, choose_recorded(run.path, run.meta, options))
        try:
            silent = [agent for agent in put if not groups.remembers(agent)]
            if silent:
                raise ConfigError(f"the policy of {', '.join(silent)} remembers nothing to tell")
            models = reopen_models(groups, options, run.meta)
            return run_sync(ReplayInterview(run, groups, options, models).ask(put, at, repeats))
        finally:
            groups.close()


def list_interviewable(run: RunReader, options: RunOptions) -> list[AgentID]:
    """Return everyone in a recorded run whose policy can be interviewed.

    Raises:
        PolicyError: a policy cannot be loaded, or one given by path was not trusted.
    """
    groups = load_policies(run.meta, options, choose_recorded(run.path, run.meta, options))
    try:
        return [agent for agent in run.meta.names if groups.remembers(agent)]
    finally:
        groups.close()


class ReplayInterview:
    """A recorded run, replayed up to a tick without writing to its file."""

    def __init__(
        self, run: RunReader, groups: PolicyGroups, options: RunOptions, models: Models
    ) -> None:
        self.run, self.groups, self.options, self.models = run, groups, options, models
        self.env = make_town(run.meta)
        self.cassette = OverlayCassette(run)
        self.client: ModelClient | None = None
        self.embedder: Embedder | None = None

    async def ask(self, put: Mapping[AgentID, Sequence[str]], at: int, repeats: int) -> Transcript:
        """Return what the agents answer at tick `at`."""
        asked = [(agent, repeat) for repeat in range(repeats) for agent in put]
        try:
            await self._replay(at)
            self.cassette.leave()
            if self.options.watch is not None:
                self.options.watch(Progress(at, at, self.env.world.time, asking=True))
            asking = (self.groups.interview(agent, put[agent], at, k) for agent, k in asked)
            held = collect_results(await asyncio.gather(*asking, return_exceptions=True))
            self._check_answered()
        finally:
            await cancel_others()
            for held_open in (self.client, self.embedder):
                if held_open is not None:
                    await held_open.aclose()
        for _, faults in held:
            _raise_faults(faults)
        transcript: Transcript = {agent: [] for agent in put}
        for (agent, _), (answers, _) in zip(asked, held, strict=True):
            transcript[agent] += zip(put[agent], answers, strict=True)
        return transcript

    def _check_answered(self) -> None:
        """Raise where nobody answered the last questions: their answers would be made up."""
        if self.client is not None and self.client.failed_in_a_row:
            faults = [row.fault for row in self.cassette.rows.values() if row.is_unanswered]
            if faults:
                raise ModelOutage(
                    f"{len(faults)} model calls got no answer, the last with: {faults[-1]}; "
                    "ask again when the endpoint answers"
                )

    async def _replay(self, at: int) -> None:
        state = self.run.checkpoint(at)
        observations, infos = self._start(state)
        begun = self.env.world.tick
        if at > begun:
            await play(
                self.env,
                self.groups,
                observations,
                infos,
                on_tick=lambda _: self._check_tick(at),
                max_ticks=at - begun,
            )

    def _start(self, state: Checkpoint | None) -> tuple[Observations, Infos]:
        env, meta = self.env, self.run.meta
        path = self.run.path
        given = env.reset(seed=meta.seed) if state is None else restore_town(path, env, state)
        self._open()
        self.groups.reset(env.profiles(), meta.seed, env.context(self.client, self.embedder))
        if state is not None:
            restore_policies(path, self.groups, state)
        return given

    def _open(self) -> None:
        endpoint, source, options = self.models.endpoint, self.models.source, self.options
        if endpoint is not None:
            self.client = make_client(
                endpoint,
                options,
                run_seed=self.run.meta.seed,
                budget=options.limits.budget(),
                cassette=self.cassette,
                routes=self.models.routes,
            )
        if source is not None:
            self.embedder = Embedder(source, OverlayEmbeddings(self.run))

    def _check_tick(self, at: int) -> None:
        """Raise where the tick just replayed is not the recorded one."""
        env, tick = self.env, self.env.world.tick
        recorded = [encode(event.data) for event in self.run.events(tick, tick)]
        if recorded != [encode(event.data) for event in env.events]:
            raise DivergenceError(
                f"{self.run.path}: tick {tick} comes out otherwise than it is recorded: policy, "
                "prompts or package have changed since"
            )
        if self.options.watch is not None:
            self.options.watch(Progress(tick, at, env.world.time))


def _check_questions(
    run: RunReader, agents: Sequence[AgentID], questions: Questions
) -> dict[AgentID, list[str]]:
    """Return the questions of each agent, checked."""
    names = run.meta.names
    for agent in agents:
        if agent not in names:
            raise ConfigError(f"nobody is called {agent!r}; there are {', '.join(names)}")
    put = {
        agent: list(questions.get(agent, ()) if isinstance(questions, Mapping) else questions)
        for agent in dict.fromkeys(agents)
    }
    empty = [agent for agent, texts in put.items() if not texts]
    if empty:
        raise ConfigError(f"no question for {', '.join(empty)}")
    return put


def _check_tick_number(run: RunReader, tick: int | None) -> int:
    last = run.last_tick
    at = last if tick is None else tick
    if not 0 <= at <= last:
        raise ConfigError(f"{run.path} has no tick {at}; its last is {last}")
    return at


def _raise_faults(faults: Sequence[FaultRow]) -> None:
    for fault in faults:
        raise PolicyError(f"{fault.agent} did not answer: {fault.text}")
