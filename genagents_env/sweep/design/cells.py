"""The conditions of an experiment with all that their trials share, or everything wrong with it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, GenagentsError, PolicyError, ScenarioError
from genagents_env.run import PolicySpec, RunSpec
from genagents_env.run.policy_groups import match_specs
from genagents_env.sweep.design.arms import check_arm, make_default_policy, resolve_own_policies
from genagents_env.sweep.design.experiment import Experiment, RunEntry
from genagents_env.sweep.design.towns import PreparedTown, prepare_town


@dataclass(frozen=True)
class Cell:
    """A condition with all that its trials share.

    Attributes:
        run: as the experiment says it.
        town: in which it is run.
        policies: of each agent; own ones by absolute path.
        spec: what is run, with seed 0.
    """

    run: RunEntry
    town: PreparedTown
    policies: Mapping[str, PolicySpec]
    spec: RunSpec


@dataclass(frozen=True)
class _Fault:
    kind: type[GenagentsError]
    line: str


def build_cells(experiment: Experiment, base: Path, *, load: bool = True) -> tuple[Cell, ...]:
    """Return the cells, in the order of `Experiment.cells`.

    Args:
        experiment: as loaded.
        base: the folder that relative paths in it start from.
        load: whether policies are imported and made.

    Raises:
        ScenarioError, PolicyError, ConfigError: as `build_trials`.
    """
    faults = list(_check_arms(experiment, base)) if load else []
    refused = bool(faults)
    towns: dict[tuple[str | None, TownConfig, int | None], PreparedTown | None] = {}
    cells: list[Cell] = []
    for at, run in enumerate(experiment.cells):
        config = run.to_town_config(base)
        key = (run.scenario, config, run.repeats)
        where = f"runs.{at}." if experiment.runs else ""
        if key not in towns:
            towns[key], lines = _try_town(run, config)
            faults += [_Fault(kind, f"{where}{line}") for kind, line in lines]
        town = towns[key]
        if town is None or refused:
            continue
        try:
            cells.append(_build_cell(run, town, base))
        except ConfigError as error:
            where = where or f"arms.{at % len(experiment.arms)}."
            faults.append(_Fault(ConfigError, f"{where}policy_for: {error}"))
    _raise(faults)
    return tuple(cells)


def _check_arms(experiment: Experiment, base: Path) -> Iterator[_Fault]:
    kind, arms = ("runs", experiment.runs) if experiment.runs else ("arms", experiment.arms)
    for at, arm in enumerate(arms):
        for line in check_arm(arm, base):
            yield _Fault(PolicyError, f"{kind}.{at}.{line}")


def _try_town(
    run: RunEntry, config: TownConfig
) -> tuple[PreparedTown | None, list[tuple[type[GenagentsError], str]]]:
    try:
        return prepare_town(config, run.repeats), []
    except ScenarioError as error:
        return None, [(ScenarioError, f"scenario {run.scenario}: {line}") for line in error.faults]
    except ConfigError as error:
        return None, [(ConfigError, f"scenario {run.scenario}: {error}")]


def _build_cell(run: RunEntry, town: PreparedTown, base: Path) -> Cell:
    policy, others = make_default_policy(run, base), resolve_own_policies(run, base)
    spec = RunSpec(
        TownConfig(
            town.scenario,
            start=town.start,
            hours=town.hours,
            seconds_per_tick=town.seconds_per_tick,
        ),
        repeats=run.repeats,
        policy=policy,
        policy_for=others,
    )
    return Cell(run, town, match_specs(town.names, policy, others), spec)


def _raise(faults: Iterable[_Fault]) -> None:
    lines = list(dict.fromkeys(fault.line for fault in faults))
    kinds = {fault.kind for fault in faults}
    if kinds == {ScenarioError}:
        raise ScenarioError(lines)
    if lines:
        raise (PolicyError if kinds == {PolicyError} else ConfigError)("\n".join(lines))
