"""Forks: another future of a recorded run, from any tick of it.

A fork has its parent's record up to a tick, and the parent's scenario with further events after it.
So it is a run like any other: it is resumed, replayed and forked again from its own file. Calls
after that tick are answered by the parent's replies as long as their prompts are the same, and a
fork without a change ends in its parent's hash.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from genagents_env.errors import ConfigError, DivergenceError
from genagents_env.llm.event_loop import run_sync
from genagents_env.name_search import find_people
from genagents_env.record import Checkpoint, RunMeta, RunReader, RunWriter, canonical_hash
from genagents_env.record.creation import check_free
from genagents_env.record.meta import ORIGIN, Origin, Takeover
from genagents_env.record.rows import JSON, encode
from genagents_env.run.models import name_models, reopen_models
from genagents_env.run.past import Pasts, collect_pasts
from genagents_env.run.policies import check_for_run, find_policy_class
from genagents_env.run.policy_groups import PolicySpec
from genagents_env.run.policy_trust import choose_policies, load_policies, read_policies
from genagents_env.run.replay import RunReplay, make_town, offer_menu, open_replay
from genagents_env.run.session import RunSession, add_degradation
from genagents_env.run.spec import RunOptions, RunResult
from genagents_env.scenario.loader import check_scenario
from genagents_env.scenario.schema import ScheduledEvent

NO_POLICIES: Mapping[str, PolicySpec] = {}


def fork(
    parent: str | Path,
    path: str | Path,
    tick: int,
    events: Sequence[ScheduledEvent] = (),
    options: RunOptions | None = None,
    *,
    policy_for: Mapping[str, PolicySpec] = NO_POLICIES,
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
        policy_for: by agent, of policies that take over at `tick`. Such a policy begins with the
            past of the one before, if both support pasts; the note of the result says who does not.
        force: replace an existing run file.

    Raises:
        ConfigError: the parent has no such tick, or an event does not fit.
        RecordError: the parent cannot be read, or `path` cannot be written.
        RunLocked: another process writes `path`.
        PolicyError: a policy given by path was not trusted, or there is none of a name.
        DivergenceError: a mind has changed since the parent was recorded.
    """
    options = options or RunOptions()
    with RunReader(parent) as run:
        if not 0 <= tick < run.last_tick:
            end = run.time(max(0, run.last_tick))
            raise ConfigError(
                f"{parent} has no tick {tick} that another one follows: it ends at "
                f"{end:%Y-%m-%dT%H:%M:%S}, before which a fork and its first change have to be"
            )
        if Path(path).exists() and Path(path).samefile(run.path):
            raise ConfigError(f"{path} is the run that is forked, which stays; name another file")
        meta = _make_meta(run, tick, events, options)
        check_free(Path(path), force=force)
        state, note = None, ""
        chosen = choose_policies(run.path, meta, options)
        if policy_for:
            state, meta, note = _take_over(run, tick, meta, policy_for, options)
            chosen |= read_policies(spec.name for spec in policy_for.values())
            meta = replace(meta, origins={**meta.origins, **chosen.origins})
        groups = load_policies(meta, options, chosen)
        env = offer_menu(make_town(meta), groups)
        models = reopen_models(groups, options, meta)
        meta = name_models(meta, models, options)
        checksum = (run.find_checksum(tick) or b"").hex()
        origin = Origin(str(parent), canonical_hash(parent), tick, checksum)
        with RunWriter.create(path, meta, force=force, on_phase=options.on_phase) as writer:
            try:
                writer.adopt(run, tick, state)
                writer.note(ORIGIN, encode(asdict(origin)))
                state = writer.rewind()
            except BaseException:
                writer.discard()
                raise
            session = RunSession(writer, env, groups, options, models)
            session.borrow(run)
            try:
                result = session.execute(state)
            except DivergenceError as error:
                writer.discard()
                raise _offer_memories(run, tick, error) from error
    return add_degradation(replace(result, note=note))


def _take_over(
    run: RunReader,
    tick: int,
    meta: RunMeta,
    policy_for: Mapping[str, PolicySpec],
    options: RunOptions,
) -> tuple[Checkpoint, RunMeta, str]:
    """Return the state after `tick` with other policies, the head with them, and what was lost."""
    changes = find_people(policy_for, meta.names)
    with open_replay(run, options) as replay:
        able = [agent for agent in changes if replay.groups.has_past(agent)]
        remembering = [agent for agent in changes if replay.groups.remembers(agent)]
        try:
            town, states, pasts = run_sync(_read_minds(replay, tick, able))
        except DivergenceError as error:
            raise _offer_memories(run, tick, error) from error
    takeovers, lost = [], []
    for agent, spec in changes.items():
        check_for_run(spec.name)
        past = pasts.get(agent) if find_policy_class(spec.name).has_past else None
        name, config = str(meta.policies[agent]["name"]), dict(meta.policies[agent]["config"])
        takeovers.append(Takeover(agent, name, config, tick, past))
        if past is None and agent in remembering:
            lost.append(f"{agent} begins with nothing of what {name} remembered.")
    given = {agent: {"name": s.name, "config": dict(s.config)} for agent, s in changes.items()}
    after = replace(
        meta,
        policies={**meta.policies, **given},
        takeovers=(*meta.takeovers, *takeovers),
    )
    kept = meta.list_groups()
    held = [states[kept.index(key)] if key in kept else None for key in after.list_groups()]
    return Checkpoint(tick, town, held), after, " ".join(lost)


async def _read_minds(
    replay: RunReplay, tick: int, people: Sequence[str]
) -> tuple[JSON, list[JSON], Pasts]:
    """Return the states of town and policies after `tick`, and the pasts of people."""
    async with replay.open_at(tick):
        return replay.env.save_state(), replay.groups.state(), collect_pasts(replay, people)


def _offer_memories(run: RunReader, tick: int, error: DivergenceError) -> DivergenceError:
    """Return the error that says from when on the minds of today can take over."""
    held = run.checkpoint(tick)
    offer = "or run it anew"
    if held is not None:
        offer = (
            f"or with --at {run.time(held.tick):%Y-%m-%dT%H:%M:%S}, where today's minds take over "
            "with the memories of then"
        )
    return DivergenceError(
        f"{run.path}: its minds have changed since it was recorded, so it cannot be forked at "
        f"{run.time(tick):%H:%M:%S} ({str(error).split(';')[0]}); fork it with the version that "
        f"recorded it, {offer}"
    )


@contextmanager
def open_parent(writer: RunWriter) -> Iterator[tuple[RunReader | None, str]]:
    """Open the run from which a fork comes, for replies and entries; or say why it is not used.

    Raises:
        RecordError: the parent is there, but damaged.
    """
    origin = writer.origin
    if origin is None:
        yield None, ""
        return
    unused = "nothing of it is used, and models are asked anew"
    if not Path(origin.parent).is_file():
        yield None, f"its parent run {origin.parent} is not there any more: {unused}"
        return
    with RunReader(origin.parent) as parent:
        if (parent.find_checksum(origin.tick) or b"").hex() == origin.checksum:
            yield parent, ""
        else:
            yield None, f"its parent run {origin.parent} is another one now: {unused}"


def _make_meta(
    run: RunReader, tick: int, events: Sequence[ScheduledEvent], options: RunOptions
) -> RunMeta:
    """Return the head of a fork: its parent's of then, with these events and its own limits."""
    for event in events:
        if run.tick_at(event.at) <= tick:
            raise ConfigError(f"an event at {event.at} is not after the fork, {run.time(tick)}")
    scenario = run.meta.scenario
    scenario = scenario.model_copy(update={"events": (*scenario.events, *events)})
    faults = check_scenario(scenario) if events else []
    if faults:
        raise ConfigError(f"an event does not fit: {faults[0]}")
    share = run.meta.max_fallbacks if options.max_fallbacks is None else options.max_fallbacks
    later = [one for one in run.meta.takeovers if one.tick > tick]
    # Who was taken over later is of the policy of then; of several times the first counts.
    former = {one.agent: {"name": one.name, "config": one.config} for one in reversed(later)}
    return replace(
        run.meta,
        scenario=scenario,
        policies={**run.meta.policies, **former},
        takeovers=tuple(one for one in run.meta.takeovers if one not in later),
        limits=options.limits,
        limit_changes=(),
        max_fallbacks=share,
    )
