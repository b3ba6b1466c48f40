"""Forks: another future of a recorded run, from any tick of it.

A fork has its parent's record up to a tick, and the parent's scenario with further events after it.
So it is a run like any other: it is resumed, replayed and forked again from its own file. Calls
after that tick are answered by the parent's replies as long as their prompts are the same, and a
fork without a change ends in its parent's hash.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from genagents_env.errors import ConfigError, RecordError
from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import Cassette, RecordedReply
from genagents_env.record import RunMeta, RunReader, RunWriter, canonical_hash
from genagents_env.record.creation import check_free
from genagents_env.record.rows import encode
from genagents_env.run.models import name_models, reopen_models
from genagents_env.run.policy_trust import choose_policies, load_policies
from genagents_env.run.replay import make_town, offer_menu
from genagents_env.run.session import RunSession, add_degradation
from genagents_env.run.spec import RunOptions, RunResult
from genagents_env.scenario.loader import check_scenario
from genagents_env.scenario.schema import ScheduledEvent

_NOTE = "fork"  # of the run file


@dataclass(frozen=True, slots=True)
class Origin:
    """The run from which a fork comes.

    Attributes:
        parent: its file, as it was named.
        hash: its canonical hash.
        tick: the last that both have.
    """

    parent: str
    hash: str
    tick: int


_ORIGIN = TypeAdapter(Origin)


def fork(
    parent: str | Path,
    path: str | Path,
    tick: int,
    events: Sequence[ScheduledEvent] = (),
    options: RunOptions | None = None,
    *,
    force: bool = False,
) -> RunResult:
    """Continue the run in `parent` from `tick` in a file of its own, and return the result.

    The ticks since the last checkpoint before `tick` are replayed with the stored calls.

    Args:
        parent: a run file; it may be finished, and compressed.
        path: of the new file.
        tick: the last of the parent's record.
        events: that happen in the fork besides those of the scenario, all after `tick`.
        options: of running; limits are the fork's own.
        force: replace an existing run file.

    Raises:
        ConfigError: the parent has no such tick, or an event does not fit.
        RecordError: the parent cannot be read, or `path` cannot be written.
        RunLocked: another process writes `path`.
        PolicyError: a policy given by path was not trusted.
        DivergenceError: a mind has changed since the parent was recorded.
    """
    options = options or RunOptions()
    with RunReader(parent) as run:
        if not 0 <= tick < run.last_tick:
            raise ConfigError(f"{parent} has no tick {tick} that another one follows")
        meta = _make_meta(run, tick, events, options)
        check_free(Path(path), force=force)
        groups = load_policies(meta, options, choose_policies(run.path, meta, options))
        env = offer_menu(make_town(meta), groups)
        models = reopen_models(groups, options, meta)
        meta = name_models(meta, models, options)
        origin = Origin(str(parent), canonical_hash(parent), tick)
        with RunWriter.create(path, meta, force=force, on_phase=options.on_phase) as writer:
            try:
                writer.adopt(run, tick)
                writer.note(_NOTE, encode(_ORIGIN.dump_python(origin)))
            except BaseException:
                writer.discard()
                raise
            state = writer.rewind()
            session = RunSession(writer, env, groups, options, models)
            session.cassette = ParentCassette(writer.cassette, run.cassette, tick)
            result = session.execute(state)
    return add_degradation(result)


def find_origin(run: RunReader | RunWriter) -> Origin | None:
    """Return the run from which a fork comes; None where the run is no fork.

    Raises:
        RecordError: the note of it was changed.
    """
    note = run.find_note(_NOTE)
    if note is None:
        return None
    try:
        return _ORIGIN.validate_json(note, strict=True)
    except ValidationError:
        raise RecordError(f"{run.path}: its note of its parent run is damaged") from None


@contextmanager
def lend_replies(writer: RunWriter) -> Iterator[Cassette]:
    """Give the stored calls of a run, and of a fork those of its parent where that is at hand."""
    origin = find_origin(writer)
    if origin is None or not Path(origin.parent).is_file():
        yield writer.cassette
        return
    with RunReader(origin.parent) as parent:
        yield ParentCassette(writer.cassette, parent.cassette, origin.tick)


class ParentCassette:
    """The calls of a fork; those after its tick that it lacks are borrowed from its parent."""

    def __init__(self, own: Cassette, parent: Cassette, tick: int) -> None:
        self._own, self._parent, self._tick = own, parent, tick

    def get(self, key: CallKey) -> RecordedReply | None:
        """Return the reply recorded under `key`, the parent's as borrowed."""
        recorded = self._own.get(key)
        if recorded is None and key.tick > self._tick:
            recorded = self._parent.get(key)
            return None if recorded is None else replace(recorded, borrowed=True)
        return recorded

    def put(self, key: CallKey, recorded: RecordedReply) -> None:
        """Store a reply in the fork."""
        self._own.put(key, recorded)

    def forget_fallbacks(self, from_tick: int) -> int:
        """Drop the fork's fallbacks of `from_tick` and later; return how many."""
        return self._own.forget_fallbacks(from_tick)


def _make_meta(
    run: RunReader, tick: int, events: Sequence[ScheduledEvent], options: RunOptions
) -> RunMeta:
    """Return the head of a fork: its parent's, with these events and its own limits."""
    for event in events:
        if run.tick_at(event.at) <= tick:
            raise ConfigError(f"an event at {event.at} is not after the fork, {run.time(tick)}")
    scenario = run.meta.scenario
    scenario = scenario.model_copy(update={"events": (*scenario.events, *events)})
    faults = check_scenario(scenario) if events else []
    if faults:
        raise ConfigError(f"an event does not fit: {faults[0]}")
    share = run.meta.max_fallbacks if options.max_fallbacks is None else options.max_fallbacks
    return replace(
        run.meta, scenario=scenario, limits=options.limits, limit_changes=(), max_fallbacks=share
    )
