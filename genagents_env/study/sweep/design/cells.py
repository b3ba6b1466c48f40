"""The cells of an experiment with all that their runs share, or everything wrong with them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from genagents_env.config import TownConfig
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
from genagents_env.study.sweep.design.factors import PathFault, change_scenario
from genagents_env.study.sweep.design.identity import compute_identity, make_slug
from genagents_env.text import clean

_IDENTITY = 8  # hexadecimal digits of an identity in a file's name
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
class Trial:
    """One run of an experiment. Two trials of the same identity are the same run."""

    condition: Condition
    seed: int

    @cached_property
    def identity(self) -> str:
        """64 hexadecimal digits, of its condition and its seed."""
        return sha256(f"{self.condition.identity} {self.seed}".encode()).hexdigest()

    @cached_property
    def name(self) -> str:
        """The name of its run file, without `.sqlite`."""
        return f"{make_slug(self.condition.name)}-{self.suffix}"

    @property
    def suffix(self) -> str:
        """The part of the name that stays when a level is given another name."""
        return f"s{self.seed}-{self.identity[:_IDENTITY]}"


@dataclass(frozen=True)
class Cell:
    """A condition with all that its runs share.

    Attributes:
        condition: its name and identity.
        spec: what is run, with seed 0: the scenario loaded, with its people, place and repeats;
            start, hours and seconds per tick as the environment understands them; own policies by
            absolute path.
        options: models, embedder and interviews, as asked for; limits, and how models are asked.
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


class _Town(NamedTuple):
    """A town as it is run: its scenario changed, start and hours as the environment has them."""

    config: TownConfig
    scenario: Scenario
    digest: str
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
    base, settings = Path(base).resolve(), experiment.list_cells()
    faults = list(_check_minds(settings, base)) if load else []
    towns: dict[str, _Town | None] = {}
    cells: dict[str, Cell] = {}
    for own in settings:
        key = repr((own.run.to_town_config(base), own.run.repeats, own.edits))
        if key not in towns:
            towns[key] = _try_town(own, base, faults)
        town = towns[key]
        if town is None or faults:
            continue
        try:
            cell = _build_cell(own, town, experiment, base)
        except ConfigError as error:
            faults.append(f"{_locate(own)}policy_for: {error}")
            continue
        other = cells.setdefault(cell.condition.identity, cell)
        if other is not cell:
            names = f"{cell.condition.name!r} is the same town and mind as {other.condition.name!r}"
            faults.append(f"factors: {names}")
    if faults:
        raise ConfigError("\n".join(dict.fromkeys(faults)))
    return tuple(cells.values())


def list_trials(conditions: Sequence[Condition], seeds: Iterable[int]) -> tuple[Trial, ...]:
    """Return every trial, seed by seed: all conditions of the first seed, then of the next."""
    return tuple(Trial(one, seed) for seed in seeds for one in conditions)


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


def _check_minds(settings: Iterable[CellSettings], base: Path) -> Iterator[str]:
    """Yield what is wrong with policies, each looked at once with each of its configurations.

    Then a fault for each scripted model that is none; servers are asked later, see `sweep`.
    """
    seen = set()
    for own in settings:
        named = [("policy", own.run.policy or "", own.run.config)]
        named += [(f"policy_for.{agent}", name, {}) for agent, name in own.run.policy_for.items()]
        for key, name, config in named:
            spec = PolicySpec(resolve_policy(name, base), dict(config))
            if repr(spec) not in seen and (fault := _check_policy(spec)):
                yield f"{_locate(own)}{key}: {fault}"
            seen.add(repr(spec))
    for own in settings:
        for model in (own.run.model or "", *own.run.model_for.values()):
            try:
                check_scripted(model)
            except ConfigError as error:
                yield f"{_locate(own)}{error}"


def _check_policy(spec: PolicySpec) -> str:
    """Return why a policy cannot be made; empty where it can, or its own runs report it.

    Those do where the package of a shipped policy or a plug-in is not installed, so that others go
    on; a file that does not import is a fault, for its runs would fail, too.
    """
    try:
        check_for_run(spec.name)
        load_policy(spec.name, **spec.config).close()
    except (PolicyError, ConfigError, ImportError) as error:
        cause = error if isinstance(error, ImportError) else error.__cause__
        lacks = isinstance(cause, ImportError) or _LACKS.search(str(error)) is not None
        is_own = find_policy_file(spec.name) is not None
        return clean(str(error), _LIMIT) if is_own or not lacks else ""
    except Exception as error:  # a user's code, reported as it failed
        return clean(f"{spec.name!r} cannot be made: {type(error).__name__}: {error}", _LIMIT)
    return ""


def _try_town(own: CellSettings, base: Path, faults: list[str]) -> _Town | None:
    """Return the town of a cell; None where it has faults, which are added."""
    try:
        return _prepare_town(own, base)
    except (ScenarioError, ConfigError, PathFault) as error:
        lead = _locate(own) if isinstance(error, PathFault) else f"scenario {own.run.scenario}: "
        lines = error.faults if isinstance(error, ScenarioError) else str(error).splitlines()
        faults += [f"{lead}{line}" for line in lines]
        return None


def _prepare_town(own: CellSettings, base: Path) -> _Town:
    config = own.run.to_town_config(base)
    scenario = change_scenario(config.load_scenario(), own.edits)
    if own.run.repeats is not None:
        scenario = scenario.model_copy(update={"interview_repeats": own.run.repeats})
    config = replace(config, scenario=scenario, people=None, place=None)
    env = TownEnv(config)
    understood = env.world.scenario
    config = replace(
        config,
        start=understood.start.isoformat(),
        hours=understood.hours,
        seconds_per_tick=understood.seconds_per_tick,
    )
    return _Town(config, scenario, digest_scenario(scenario), tuple(env.possible_agents))


def _build_cell(own: CellSettings, town: _Town, experiment: Experiment, base: Path) -> Cell:
    run = own.run
    policy = PolicySpec(resolve_policy(run.policy or "", base), dict(run.config))
    others = {agent: resolve_policy(name, base) for agent, name in run.policy_for.items()}
    arguments = ("start", "hours", "seconds_per_tick")
    facts: dict[str, JSON] = {
        "scenario": town.digest,
        "arguments": {key: getattr(town.config, key) for key in arguments},
        "model": run.model,
        "embedder": run.embedder,
        "interviews": run.interviews,
        "reasoning_effort": experiment.endpoint.reasoning_effort,
        "model_for": dict(run.model_for),
    }
    identity = compute_identity(facts, match_specs(town.names, policy, others))
    block = f"{town.scenario.name} / {', '.join(town.names)}"
    model = run.model
    if model is not None and model.endswith(".gguf") and (base / model).is_file():
        model = str((base / model).resolve())  # a file beside the experiment
    return Cell(
        Condition(" / ".join(own.levels) or str(run.policy), own.levels, block, identity),
        RunSpec(town.config, repeats=run.repeats, policy=policy, policy_for=others),
        RunOptions(
            model=model,
            model_for=run.model_for or None,
            embedder=run.embedder,
            interviews=run.interviews,
            limits=experiment.budget.limit_run(),
            concurrency=experiment.concurrency,
            model_options=experiment.options_for(run.model),
            max_fallbacks=experiment.max_fallbacks,
        ),
    )


def _locate(own: CellSettings) -> str:
    return f"{' / '.join(own.levels)}: " if own.levels else ""
