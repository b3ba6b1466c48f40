"""The cells of an experiment with all that their runs share, or everything wrong with them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, PolicyError, ScenarioError
from genagents_env.llm.open import check_scripted
from genagents_env.record.rows import JSON
from genagents_env.run import PolicySpec, RunOptions, RunSpec
from genagents_env.run.policies import (
    check_for_run,
    find_policy_class,
    find_policy_file,
    load_policy,
)
from genagents_env.run.policy_groups import match_specs
from genagents_env.scenario.digest import digest_scenario
from genagents_env.scenario.schema import Scenario
from genagents_env.study.sweep.design.experiment import CellSettings, Experiment
from genagents_env.study.sweep.design.identity import compute_identity
from genagents_env.study.sweep.design.paths import PathFault, change_scenario
from genagents_env.text import clean

_LIMIT = 500
_LACKS = re.compile(r"\b(pip|pipx|uv tool) install\b")  # where the package of an extra is missing


@dataclass(frozen=True)
class Condition:
    """What differs between the runs of a study, but for the seed.

    Attributes:
        name: the labels of its levels, with ` / ` between; of a study without factors its policy.
        levels: these labels, in the order of the factors.
        block: scenario and people, which answers have to share for judges to compare them.
        identity: 64 hexadecimal digits, see `compute_identity`.
    """

    name: str
    levels: tuple[str, ...]
    block: str
    identity: str


@dataclass(frozen=True)
class Cell:
    """A condition with all that its runs share.

    Attributes:
        condition: its name and identity.
        spec: what is run, with seed 0: the scenario loaded, with its people, place and repeats;
            start, hours and seconds per tick as the environment understands them; own policies by
            absolute path.
        options: models, embedder and interviews, as asked for.
    """

    condition: Condition
    spec: RunSpec
    options: RunOptions

    @property
    def model(self) -> str | None:
        """The model of its runs, as `RunOptions.model`."""
        return self.options.model

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of its policies, that of everyone without an own first."""
        return self.spec.policy.name, *self.spec.policy_for.values()


@dataclass(frozen=True)
class _Town:
    """A scenario as it is run: its digest, its people, and its hours as the town has them."""

    scenario: Scenario
    digest: str
    arguments: dict[str, JSON]
    names: tuple[str, ...]


def build_cells(experiment: Experiment, base: Path, *, load: bool = True) -> tuple[Cell, ...]:
    """Return the cells, in the order of `Experiment.list_cells`.

    Every scenario is loaded and every policy made once, so that what is wrong is reported
    before anything runs. What a policy lacks to be made here (a package that is not installed) is
    reported by its own runs, and stops no others.

    Args:
        experiment: as loaded.
        base: the folder that relative paths in it start from.
        load: whether policies are imported and made. Where trials are only looked at, nothing of
            an experiment, which may be somebody else's, is run.

    Raises:
        ConfigError: scenarios cannot be loaded, policies not found or made, two cells are the
            same, or others; each fault is a line.
    """
    base = Path(base).resolve()
    settings = experiment.list_cells()
    faults: list[str] = []
    if load:
        faults += [*_check_policies(settings, base), *_check_models(settings)]
    towns: dict[str, _Town | None] = {}
    cells: list[Cell] = []
    for own in settings:
        key = repr((own.run.to_town_config(base), own.run.repeats, own.edits))
        if key not in towns:
            try:
                towns[key] = _prepare_town(own, base)
            except (ScenarioError, ConfigError, PathFault) as error:
                towns[key] = None
                faults += _describe_fault(own, error)
        town = towns[key]
        if town is not None and not faults:
            try:
                cells.append(_build_cell(own, town, experiment, base))
            except ConfigError as error:
                faults.append(f"{_locate(own)}policy_for: {error}")
    faults += _find_equal(cells)
    if faults:
        raise ConfigError("\n".join(dict.fromkeys(faults)))
    return tuple(cells)


@cache
def needs_model(policy: str) -> bool:
    """Return whether a policy asks a model, as far as it can be loaded."""
    try:
        return find_policy_class(policy).needs_model
    # A user's file, or a package that is missing: its own runs report why it cannot be loaded.
    except (Exception, SystemExit):
        return False


def resolve_policy(policy: str, base: Path) -> str:
    """Return `path/to/file.py:Class` with the file's absolute path; other names as they are."""
    file = find_policy_file(policy)
    if file is None or not (base / file).is_file():
        return policy  # a missing file is reported as the experiment has it
    return f"{(base / file).resolve()}{policy[len(str(file)) :]}"


def _check_policies(settings: Iterable[CellSettings], base: Path) -> Iterator[str]:
    """Yield what is wrong with policies, each looked at once with each of its configurations.

    A file that does not import is a fault: its runs would fail, too. A shipped policy or a plug-in
    whose package is not installed is none: its own runs report it, and the others go on.
    """
    seen = set()
    for own in settings:
        for key, name, config in (
            ("policy", own.run.policy or "", own.run.config),
            *((f"policy_for.{agent}", name, {}) for agent, name in own.run.policy_for.items()),
        ):
            spec = PolicySpec(resolve_policy(name, base), dict(config))
            if repr(spec) not in seen:
                seen.add(repr(spec))
                if fault := _check_policy(spec):
                    yield f"{_locate(own)}{key}: {fault}"


def _check_models(settings: Iterable[CellSettings]) -> Iterator[str]:
    """Yield a fault for each scripted model that is none; servers are asked later, see `sweep`."""
    for own in settings:
        for model in (own.run.model or "", *own.run.model_for.values()):
            try:
                check_scripted(model)
            except ConfigError as error:
                yield f"{_locate(own)}{error}"


def _check_policy(spec: PolicySpec) -> str:
    try:
        check_for_run(spec.name)
        load_policy(spec.name, **spec.config).close()
    except (PolicyError, ConfigError, ImportError) as error:
        cause = error if isinstance(error, ImportError) else error.__cause__
        lacks = isinstance(cause, ImportError) or _LACKS.search(str(error)) is not None
        if lacks and find_policy_file(spec.name) is None:
            return ""  # an extra or a plug-in's package: that policy's runs report it
        return clean(str(error), _LIMIT)
    except Exception as error:  # a user's code, reported as it failed
        return clean(f"{spec.name!r} cannot be made: {type(error).__name__}: {error}", _LIMIT)
    return ""


def _prepare_town(own: CellSettings, base: Path) -> _Town:
    config = own.run.to_town_config(base)
    scenario = change_scenario(config.load_scenario(), own.edits)
    if own.run.repeats is not None:
        scenario = scenario.model_copy(update={"interview_repeats": own.run.repeats})
    env = TownEnv(replace(config, scenario=scenario, people=None, place=None))
    understood = env.world.scenario
    arguments: dict[str, JSON] = {
        "start": understood.start.isoformat(),
        "hours": understood.hours,
        "seconds_per_tick": understood.seconds_per_tick,
    }
    return _Town(scenario, digest_scenario(scenario), arguments, tuple(env.possible_agents))


def _build_cell(own: CellSettings, town: _Town, experiment: Experiment, base: Path) -> Cell:
    run = own.run
    policy = PolicySpec(resolve_policy(run.policy or "", base), dict(run.config))
    others = {agent: resolve_policy(name, base) for agent, name in run.policy_for.items()}
    facts: dict[str, JSON] = {
        "scenario": town.digest,
        "arguments": town.arguments,
        "model": run.model,
        "embedder": run.embedder,
        "interviews": run.interviews,
        "reasoning_effort": experiment.endpoint.reasoning_effort,
        "model_for": dict(run.model_for),
    }
    identity = compute_identity(facts, match_specs(town.names, policy, others))
    block = f"{town.scenario.name} / {', '.join(town.names)}"
    name = " / ".join(own.levels) or str(run.policy)
    config = replace(run.to_town_config(base), scenario=town.scenario, people=None, place=None)
    config = replace(config, **town.arguments)
    spec = RunSpec(config, repeats=run.repeats, policy=policy, policy_for=others)
    options = RunOptions(
        model=_resolve_model(run.model, base),
        model_for=run.model_for or None,
        embedder=run.embedder,
        interviews=run.interviews,
    )
    return Cell(Condition(name, own.levels, block, identity), spec, options)


def _resolve_model(model: str | None, base: Path) -> str | None:
    """Return the absolute path of a model that is a file beside the experiment."""
    if model is None or not model.endswith(".gguf") or not (base / model).is_file():
        return model
    return str((base / model).resolve())


def _find_equal(cells: Iterable[Cell]) -> Iterator[str]:
    """Yield a fault for each cell that is the same town and mind as one before it."""
    seen: dict[str, str] = {}
    for cell in cells:
        own = cell.condition
        if own.identity in seen:
            yield f"factors: {own.name!r} is the same town and mind as {seen[own.identity]!r}"
        seen.setdefault(own.identity, own.name)


def _describe_fault(own: CellSettings, error: Exception) -> Iterator[str]:
    lead = _locate(own) if isinstance(error, PathFault) else f"scenario {own.run.scenario}: "
    for line in error.faults if isinstance(error, ScenarioError) else str(error).splitlines():
        yield f"{lead}{line}"


def _locate(own: CellSettings) -> str:
    return f"{' / '.join(own.levels)}: " if own.levels else ""
