"""Replays a recorded run up to a tick with its stored calls, without writing to its file."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, DivergenceError, LLMRefused, PolicyError, RecordError
from genagents_env.llm.calls import CallKey, Completion, CompletionRequest
from genagents_env.llm.cassette import MemoryCassette, RecordedReply
from genagents_env.llm.client import ModelClient
from genagents_env.llm.prices import FREE, Price
from genagents_env.memory.columns import Floats
from genagents_env.memory.embedder import Embedder, VectorStore
from genagents_env.policy import Infos, Observations
from genagents_env.record import Checkpoint, RunMeta, RunReader
from genagents_env.record.rows import encode
from genagents_env.run.concurrency import cancel_others
from genagents_env.run.models import Models, open_clients, reopen_models
from genagents_env.run.people import RecordedPeople
from genagents_env.run.play import OnStep, play
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.policy_trust import choose_policies, load_policies
from genagents_env.run.spec import Progress, RunOptions
from genagents_env.scenario.loader import check_scenario


def make_town(meta: RunMeta) -> TownEnv:
    """Return the environment of a recorded run, not reset.

    Raises:
        RecordError: its scenario is not valid, or has other people than the run.
    """
    faults = check_scenario(meta.scenario)
    if faults:
        raise RecordError(f"this run's scenario is not valid: {faults[0]}; run it anew")
    env = TownEnv(meta.scenario, **meta.arguments, percepts=True)
    if tuple(env.possible_agents) != meta.names:
        raise RecordError("this run's scenario has other people than the run; run it anew")
    return env


def offer_menu(env: TownEnv, groups: PolicyGroups) -> TownEnv:
    """Return the town, not reset, with the menu that its policies choose from.

    If one policy needs the portable menu, everybody gets it.
    """
    if not groups.needs_portable_menu or env.config.menu == "portable":
        return env
    return TownEnv(replace(env.config, menu="portable"))


@contextmanager
def open_policies(run: RunReader, options: RunOptions) -> Iterator[PolicyGroups]:
    """Open the policies of a recorded run, not reset, as far as `options` trust them.

    Raises:
        PolicyError: a policy cannot be loaded, or one given by path was not trusted.
    """
    groups = load_policies(run.meta, options, choose_policies(run.path, run.meta, options))
    try:
        yield groups
    finally:
        groups.close()


@contextmanager
def open_replay(run: RunReader, options: RunOptions) -> Iterator["RunReplay"]:
    """Open a replay of a recorded run that needs no model, since its record has every reply.

    Models that cannot be opened here are replaced by stand-ins that refuse to answer.

    Raises:
        PolicyError: as of `open_policies`.
    """
    with open_policies(run, options) as groups:
        try:
            models = reopen_models(groups, options, run.meta)
        except ConfigError:
            models = _stand_in(groups, options, run.meta)
        yield RunReplay(run, groups, options, models)


class RunReplay:
    """A recorded run, replayed up to a tick without writing to its file.

    Attributes:
        run: the record.
        groups: its policies; within `open_at` as they were then.
        env: its town.
        client: for new questions; None where no policy needs a model.
    """

    def __init__(
        self, run: RunReader, groups: PolicyGroups, options: RunOptions, models: Models
    ) -> None:
        self.run, self.groups, self.options, self.models = run, groups, options, models
        self.env = offer_menu(make_town(run.meta), groups)
        self.cassette = OverlayCassette(run)
        self.budget = options.limits.budget(options.shared_budget)
        self.client: ModelClient | None = None
        self.embedder: Embedder | None = None

    @asynccontextmanager
    async def open_at(self, tick: int, on_step: OnStep | None = None) -> AsyncIterator[None]:
        """Replay up to the end of `tick`, at which everybody is inside the block.

        Args:
            tick: a recorded one.
            on_step: called after each step, as by `play`; the run is then replayed from its start.

        Raises:
            DivergenceError: policy, prompts or package have changed since the run.
        """
        stores = (self.cassette, OverlayEmbeddings(self.run))
        seed, budget = self.run.meta.seed, self.budget
        opening = open_clients(self.models, self.options, seed, budget, *stores)
        async with opening as (self.client, self.embedder):
            try:
                await self._replay(tick, on_step)
                self.cassette.leave()
                yield
            finally:
                await cancel_others()

    async def _replay(self, at: int, on_step: OnStep | None) -> None:
        state = self.run.checkpoint(at) if on_step is None else None
        taken = self.run.meta.last_takeover
        if taken >= 0 and (state is None or state.tick < taken):
            raise ConfigError(
                f"{self.run.path}: another policy took over at {self.run.time(taken):%H:%M:%S}, so "
                "its minds are known from then on; what was before is in the run it was forked from"
            )
        try:
            observations, infos = self._start(state)
            ticks = at - self.env.world.tick
            if ticks > 0:
                await play(
                    self.env,
                    self.groups,
                    observations,
                    infos,
                    on_tick=lambda _: self._check_tick(at),
                    on_step=on_step,
                    max_ticks=ticks,
                )
        except DivergenceError as error:
            path, why = self.run.path, str(error).split(";")[0]
            raise DivergenceError(
                f"{path}: its minds have changed since it was recorded, so nobody in it can be "
                f"asked anew ({why}); `genagents interview {path} --list` shows what was asked then"
            ) from error

    def _start(self, state: Checkpoint | None) -> tuple[Observations, Infos]:
        env, meta, path = self.env, self.run.meta, self.run.path
        begin = env.reset(seed=meta.seed) if state is None else restore_town(path, env, state)
        people = RecordedPeople(self.run.inputs, None, kept=False)
        context = env.context(self.client, self.embedder, people)
        self.groups.reset(env.profiles(), meta.seed, context, meta.list_pasts())
        if state is not None:
            try:
                restore_policies(path, self.groups, state)
            except PolicyError as error:
                raise PolicyError(
                    f"{error}. Where the policy has changed since the run, nobody in it can be "
                    f"asked anew; `genagents interview {path} --list` shows what they were asked"
                ) from error
        return begin

    def _check_tick(self, at: int) -> None:
        """Raise where the tick just replayed is not the recorded one."""
        env, tick = self.env, self.env.world.tick
        recorded = [encode(event.data) for event in self.run.events(tick, tick)]
        if recorded != [encode(event.data) for event in env.events]:
            raise DivergenceError(f"tick {tick} differs from the record")
        if self.options.watch is not None:
            self.options.watch(Progress(tick, at, env.world.time))


def restore_town(path: Path, env: TownEnv, state: Checkpoint) -> tuple[Observations, Infos]:
    """Load a checkpoint into a town, and return its observations and infos.

    Raises:
        RecordError: it is not a state of this town at that tick.
    """
    try:
        given = env.load_state(state.env)
    except ConfigError as error:
        raise _make_error(path, state, str(error)) from error
    if env.world.tick != state.tick:
        raise _make_error(path, state, f"it is of tick {env.world.tick}")
    return given


def restore_policies(path: Path, groups: PolicyGroups, state: Checkpoint) -> None:
    """Load a checkpoint into policies that have been reset.

    Raises:
        RecordError: it has other policies.
        PolicyError: a policy failed to load its state.
    """
    try:
        groups.load_state(state.policies)
    except ConfigError as error:
        raise _make_error(path, state, str(error)) from error
    except PolicyError as error:
        raise PolicyError(f"{path}, tick {state.tick}: {error}") from error


def _make_error(path: Path, state: Checkpoint, why: str) -> RecordError:
    return RecordError(
        f"{path}: the state at tick {state.tick} is not one that this version can go on from "
        f"({why[:200]}); run it again"
    )


class OverlayCassette(MemoryCassette):
    """The stored calls of `run`, until `leave` is called, and the new calls of this process."""

    def __init__(self, run: RunReader) -> None:
        super().__init__()
        self._run: RunReader | None = run

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return the reply recorded under `key`, or None."""
        reply = super().get(key)
        return self._run.cassette.get(key) if reply is None and self._run is not None else reply

    def leave(self) -> None:
        """Stop reading from the file: later questions are not those of the run."""
        self._run = None


class OverlayEmbeddings:
    """The stored vectors of `run`, and the new vectors of this process."""

    def __init__(self, run: RunReader) -> None:
        self._below: VectorStore = run.embeddings
        self._new: dict[tuple[str, str], bytes] = {}

    def get(self, model: str, texts: Sequence[str]) -> dict[str, bytes]:
        """Return the vectors of those texts that have one."""
        new = {text: self._new[model, text] for text in texts if (model, text) in self._new}
        return self._below.get(model, [text for text in texts if text not in new]) | new

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Store the vectors of these texts."""
        self._new |= {(model, text): vector for text, vector in vectors.items()}


class ReplayOnlyModel:
    """A model of language and of embeddings that refuses to answer."""

    small, context_tokens, attempt_deadline, stored = False, None, 1.0, True
    price: Price | None = FREE

    def __init__(self, name: str) -> None:
        self.model = self.name = name

    async def complete(self, request: CompletionRequest) -> Completion:
        """Refuse."""
        raise LLMRefused("this run is only replayed, and a call is not in its record")

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Refuse."""
        raise LLMRefused(f"this run is only replayed, and a vector of {self.name} is missing")

    def count_tokens(self, text: str) -> int:
        """Return a bound that no prompt of a record exceeds."""
        return 0

    async def aclose(self) -> None:
        """Do nothing."""


def check_tick_number(run: RunReader, tick: int | None) -> int:
    """Return `tick`, or the last one for None.

    Raises:
        ConfigError: the run has no such tick.
    """
    last = run.last_tick
    at = last if tick is None else tick
    if not 0 <= at <= last:
        raise ConfigError(f"{run.path} has no tick {at}; its last is {last}")
    return at


def _stand_in(groups: PolicyGroups, options: RunOptions, meta: RunMeta) -> Models:
    endpoint, source = None, options.source
    if groups.needs_model:
        endpoint = options.endpoint or ReplayOnlyModel(meta.model or "")
    if groups.needs_embedder and source is None:
        source = ReplayOnlyModel(meta.embedder or "")
    return Models(endpoint, source)
