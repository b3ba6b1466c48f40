"""A recorded run, lived again up to a tick with its stored calls, without writing to its file."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from genagents_env.errors import ConfigError, DivergenceError, LLMRefused, PolicyError
from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.prices import FREE, Price
from genagents_env.memory.columns import Floats
from genagents_env.memory.embedder import BilledSource, Embedder
from genagents_env.policy import Infos, Observations
from genagents_env.record import Checkpoint, RunReader
from genagents_env.record.rows import encode
from genagents_env.run.concurrency import cancel_others
from genagents_env.run.models import Models, make_client, reopen_models
from genagents_env.run.overlay import OverlayCassette, OverlayEmbeddings
from genagents_env.run.play import OnStep, play
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.recorded import make_town, offer_menu
from genagents_env.run.saved_state import restore_policies, restore_town
from genagents_env.run.spec import Progress, RunOptions


class RunReplay:
    """A recorded run, replayed up to a tick without writing to its file.

    Attributes:
        run: the record.
        groups: its policies; after `open_at` as they were then.
        env: its town.
        client: for what is asked of the moment, None where nobody needs a model.
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
        """Replay up to the end of `tick`; inside, everybody is as they were then.

        Args:
            tick: a recorded one.
            on_step: called after each step, as by `play`; it is then replayed from its start.

        Raises:
            DivergenceError: policy, prompts or package have changed since the run.
        """
        try:
            try:
                await self._replay(tick, on_step)
            except DivergenceError as error:
                raise DivergenceError(_describe_change(self.run, str(error))) from error
            self.cassette.leave()
            yield
        finally:
            await cancel_others()
            for opened in (self.client, self.embedder):
                if opened is not None:
                    await opened.aclose()

    async def _replay(self, at: int, on_step: OnStep | None) -> None:
        state = self.run.checkpoint(at) if on_step is None else None
        observations, infos = self._start(state)
        begun = self.env.world.tick
        if at > begun:
            await play(
                self.env,
                self.groups,
                observations,
                infos,
                on_tick=lambda _: self._check_tick(at),
                on_step=on_step,
                max_ticks=at - begun,
            )

    def _start(self, state: Checkpoint | None) -> tuple[Observations, Infos]:
        env, meta = self.env, self.run.meta
        path = self.run.path
        given = env.reset(seed=meta.seed) if state is None else restore_town(path, env, state)
        self._open()
        self.groups.reset(env.profiles(), meta.seed, env.context(self.client, self.embedder))
        if state is not None:
            try:
                restore_policies(path, self.groups, state)
            except PolicyError as error:
                raise PolicyError(
                    f"{error}. Where the policy has changed since the run, nobody in it can be "
                    f"asked anew; `genagents interview {path} --list` shows what they were asked"
                ) from error
        return given

    def _open(self) -> None:
        endpoint, source, options = self.models.endpoint, self.models.source, self.options
        if endpoint is not None:
            self.client = make_client(
                endpoint,
                options,
                run_seed=self.run.meta.seed,
                budget=self.budget,
                cassette=self.cassette,
                routes=self.models.routes,
            )
        if source is not None:
            if isinstance(source, BilledSource):
                source.bill(self.budget)
            self.embedder = Embedder(source, OverlayEmbeddings(self.run))

    def _check_tick(self, at: int) -> None:
        """Raise where the tick just replayed is not the recorded one."""
        env, tick = self.env, self.env.world.tick
        recorded = [encode(event.data) for event in self.run.events(tick, tick)]
        if recorded != [encode(event.data) for event in env.events]:
            raise DivergenceError(f"tick {tick} comes out otherwise than it is recorded")
        if self.options.watch is not None:
            self.options.watch(Progress(tick, at, env.world.time))


class ReplayOnlyEndpoint:
    """The model of a run that is only replayed: all it could say is in the record.

    Args:
        model: its name.
    """

    small = False
    context_tokens: int | None = None

    def __init__(self, model: str) -> None:
        self.model = model
        self.price: Price | None = FREE
        self.attempt_deadline = 1.0

    async def complete(self, request: CompletionRequest) -> Completion:
        """Refuse: the record holds every call of a run that is as it was."""
        raise LLMRefused("this run is only replayed, and a call is not in its record")

    def count_tokens(self, text: str) -> int:
        """Return a bound that no prompt of a record exceeds."""
        return 0

    async def aclose(self) -> None:
        """Do nothing: there is nothing to free."""


class ReplayOnlySource:
    """The model of embeddings of a run that is only replayed.

    Args:
        name: of the model.
    """

    stored = True

    def __init__(self, name: str) -> None:
        self.name = name

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Refuse: the record holds every vector of a run that is as it was."""
        raise LLMRefused(f"this run is only replayed, and a vector of {self.name} is missing")

    async def aclose(self) -> None:
        """Do nothing: there is nothing to free."""


def open_replayed(groups: PolicyGroups, options: RunOptions, run: RunReader) -> Models:
    """Return the models of a run; where they cannot be opened here, what stands in for them."""
    meta = run.meta
    try:
        return reopen_models(groups, options, meta)
    except ConfigError:
        endpoint, source = None, options.source
        if groups.needs_model:
            endpoint = options.endpoint or ReplayOnlyEndpoint(meta.model or "")
        if groups.needs_embedder and source is None:
            source = ReplayOnlySource(meta.embedder or "")
        return Models(endpoint, source)


def _describe_change(run: RunReader, why: str) -> str:
    """Return in one line why nobody can be asked of a moment any more, and what is left."""
    told = why.split(";")[0]
    return (
        f"{run.path}: its minds have changed since it was lived, so nobody in it can be asked "
        f"anew ({told}); what they were asked then shows `genagents interview {run.path} --list`"
    )


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
