"""Recorded runs: started, stopped at any moment, resumed with the same result."""

import platform
from dataclasses import fields, replace
from pathlib import Path

from genagents_env import __version__
from genagents_env.config import TownConfig
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, DiskError
from genagents_env.llm.budget import Spend
from genagents_env.llm.redact import KeyHolder
from genagents_env.record import RunMeta, RunReader, RunWriter
from genagents_env.record.creation import check_free, creation_error
from genagents_env.record.degradation import MAX_FALLBACKS
from genagents_env.run.forking import open_parent
from genagents_env.run.models import (
    Models,
    add_source,
    learn_contexts,
    name_models,
    open_language_models,
    reopen_models,
)
from genagents_env.run.past import check_pasts, put_past_vectors
from genagents_env.run.policy_groups import assign_specs
from genagents_env.run.policy_trust import (
    ChosenPolicies,
    choose_policies,
    load_policies,
    note_changes,
    read_policies,
)
from genagents_env.run.preflight import ask_first_questions
from genagents_env.run.replay import make_town, offer_menu
from genagents_env.run.session import RunSession, add_degradation
from genagents_env.run.spec import RunOptions, RunResult, RunSpec
from genagents_env.run.spending import inherit_limits, note_limits
from genagents_env.scenario import Scenario

MOST_REPEATS = 20  # as in a scenario file


def run(
    spec: RunSpec, path: str | Path, options: RunOptions | None = None, *, force: bool = False
) -> RunResult:
    """Run `spec` from its start and record it in `path`.

    Raises:
        LLMRefused, ModelOutage: as of `ask_first_questions`; nothing was written.
        ScenarioError, ConfigError, PolicyError: nothing was written.
        RecordError: `path` exists and `force` is not given, or cannot be written.
        RunLocked: another process writes it.
    """
    options = options or RunOptions()
    env, meta, chosen = _prepare(spec, options)
    check_free(Path(path), force=force)
    groups = load_policies(meta, options, chosen)
    if groups.needs_people and options.people is None:
        raise ConfigError(
            "policy human: nobody plays; --live gives each person a page of their own, and a "
            "terminal asks there"
        )
    env = offer_menu(env, groups)
    check_pasts(meta.scenario, groups)
    models = open_language_models(groups, options)
    learn_contexts(models)
    asked = Spend()
    if options.preflight:
        asked = ask_first_questions(models.list_endpoints(), options)
    models = add_source(models, groups, options)
    meta = name_models(meta, models, options)
    _check_no_key(meta, models)
    with RunWriter.create(
        path, meta, spent=asked, force=force, on_phase=options.on_phase
    ) as writer:
        try:
            note = put_past_vectors(writer, spec.town.memories, models.source)
            result = RunSession(writer, env, groups, options, models).execute(None)
        except BaseException as error:
            if writer.tick < 0:
                writer.discard()
                if isinstance(error, DiskError) and not writer.path.exists():
                    raise creation_error(writer.path, error) from None
            raise
    return add_degradation(replace(result, note=note))


def _check_end(path: str | Path) -> None:
    """Raise ConfigError where a run ended before its hours were over: there is nothing to add."""
    with RunReader(path) as record:
        last, meta = record.last_tick, record.meta
        if record.status == "finished" and last < meta.horizon:
            raise ConfigError(
                f"{path} ended at {record.time(last):%H:%M:%S}, before its hours were over: what "
                "was to be done is done, or nobody is left in town; it cannot be continued"
            )


def resume(path: str | Path, options: RunOptions | None = None, *, hours: float = 0.0) -> RunResult:
    """Resume the run in `path`: after an interruption, or `hours` past its end.

    The ticks after the last checkpoint are run again with the stored model calls. No call is made
    twice, and the canonical record becomes that of an uninterrupted run. The limits are those of
    its file, unless `options` give others or `no_limit`, which the file then notes.

    Raises:
        ConfigError: the run is finished and no `hours` are given, or ended before its own were
            over; or a model is unknown or not that of the run, and none is asked for by name.
        RecordError: the file is missing, foreign, damaged or newer.
        RunLocked: another process writes it.
        PolicyError: a policy given by path was not trusted, or its file has changed since; see
            `RunOptions.trust_policies`. Nothing was imported or written.
        DivergenceError: policy, prompts or package have changed since, so that a call differs.
    """
    options = options or RunOptions()
    if hours:
        _check_end(path)
    with RunWriter.open(path, on_phase=options.on_phase) as writer:
        meta = writer.meta
        options = inherit_limits(options, meta.limits)
        if hours:
            meta = meta.with_hours((meta.arguments.get("hours") or meta.scenario.hours) + hours)
        elif writer.status == "finished":
            raise ConfigError(f"{path} is finished; `--hours N` continues from its end")
        outage = writer.find_outage() if writer.status != "finished" else None
        chosen = choose_policies(writer.path, meta, options)
        groups = load_policies(meta, options, chosen)
        env = offer_menu(make_town(meta), groups)
        models = reopen_models(groups, options, meta)
        meta = name_models(meta, models, options)
        if hours:
            writer.extend_horizon(meta)
        elif meta != writer.meta:
            writer.replace_meta(meta)
        if outage is not None:  # killed in the middle of one: it withdrew nothing itself
            writer.withdraw_outage(outage.tick)
        state = writer.rewind()
        note_changes(writer, chosen)
        note_limits(writer, options.limits, writer.tick)
        if options.max_fallbacks is not None:
            writer.replace_meta(writer.meta.with_max_fallbacks(options.max_fallbacks, writer.tick))
        session = RunSession(writer, env, groups, options, models)
        with open_parent(writer) as (parent, note):
            if parent is not None:
                session.borrow(parent)
            result = replace(session.execute(state), note=note)
    return replace(add_degradation(result), resumed_from=-1 if state is None else state.tick)


def _check_recordable(town: TownConfig) -> None:
    """Raise ConfigError if `town` has options that a run file does not store."""
    kept = {"scenario", "start", "hours", "people", "place", "memories", "seconds_per_tick"}
    kept.add("percepts")  # every run has them
    for option in fields(town):
        if option.name not in kept and getattr(town, option.name) != option.default:
            raise ConfigError(f"{option.name}: a recorded run leaves this to its scenario")


def _check_no_key(meta: RunMeta, models: Models) -> None:
    """Raise ConfigError if scenario or configuration would write a key into the run file."""
    holders = [each for each in models.list_endpoints() if isinstance(each, KeyHolder)]
    for name, row in meta.rows().items():
        if any(holder.redact_keys(row) != row for holder in holders):
            raise ConfigError(
                f"{name}: holds the key of the endpoint, which a run file would keep; take it out, "
                "or use another key"
            )


def _with_repeats(scenario: Scenario, repeats: int) -> Scenario:
    if not 1 <= repeats <= MOST_REPEATS:
        raise ConfigError(f"repeats: {repeats} is not allowed; 1 to {MOST_REPEATS}")
    return scenario.model_copy(update={"interview_repeats": repeats})


def _prepare(spec: RunSpec, options: RunOptions) -> tuple[TownEnv, RunMeta, ChosenPolicies]:
    """Return the town of `spec`, the head of its run file, and its policies."""
    _check_recordable(spec.town)
    scenario = spec.town.load_scenario()
    if spec.repeats is not None:
        scenario = _with_repeats(scenario, spec.repeats)
    loaded = replace(spec.town, scenario=scenario, people=None, place=None, memories=None)
    env = TownEnv(replace(loaded, percepts=True))
    effective = env.world.scenario  # with the options of the town in it
    names = tuple(env.possible_agents)
    specs = assign_specs(names, spec.policy, spec.policy_for, spec.config_for)
    versions = {"genagents-env": __version__, "python": platform.python_version()}
    chosen = read_policies(policy.name for policy in specs.values())
    meta = RunMeta(
        scenario=scenario,
        arguments={
            "start": effective.start.isoformat(),
            "hours": effective.hours,
            "seconds_per_tick": effective.seconds_per_tick,
        },
        policies={a: {"name": s.name, "config": dict(s.config)} for a, s in specs.items()},
        seed=spec.seed,
        names=names,
        start=effective.start.isoformat(),
        seconds_per_tick=effective.seconds_per_tick,
        interviews=options.interviews,
        max_fallbacks=MAX_FALLBACKS if options.max_fallbacks is None else options.max_fallbacks,
        versions=versions,
        origins=chosen.origins,
        limits=options.limits,
    )
    return env, meta, chosen
