"""From an experiment to its trials: each condition with each seed, ready to be run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.run import RunSpec
from genagents_env.sweep.design.cells import Cell, build_cells
from genagents_env.sweep.design.experiment import Experiment
from genagents_env.sweep.design.identity import compute_identity, make_slug

__all__ = ["Condition", "Trial", "build_trials", "compute_identity"]

_IDENTITY = 8  # hexadecimal digits of an identity in a file's name


@dataclass(frozen=True)
class Condition:
    """What differs between trials, but for the seed.

    Attributes:
        name: the arm, and ` / scenario`, ` / cast`, ` / model` where the experiment has several.
        arm: its name.
        scenario: its name; as the experiment writes it where two scenarios have one name.
        cast: a cast's name, names, or `everyone`.
        model: as asked for; None is the default.
    """

    name: str
    arm: str
    scenario: str
    cast: str
    model: str | None

    @property
    def block(self) -> str:
        """What the conditions compared with this one share: scenario, cast and model."""
        return " / ".join((self.scenario, self.cast, self.model or "default model"))


@dataclass(frozen=True)
class Trial:
    """One run of an experiment. Two trials of the same identity are the same run.

    Attributes:
        condition: it belongs to.
        seed: of the episode.
        spec: what is run: the scenario loaded, with its people, place and repeats; start, hours
            and seconds per tick as the environment understands them; own policies by absolute
            path. In comparisons the identity stands for it.
        model: as `RunOptions.model`.
        embedder: as `RunOptions.embedder`.
        interviews: as `RunOptions.interviews`.
        identity: 64 hexadecimal digits, see `compute_identity`.
    """

    condition: Condition
    seed: int
    spec: RunSpec = field(compare=False, repr=False)
    model: str | None
    embedder: str | None
    interviews: bool
    identity: str

    @property
    def name(self) -> str:
        """The name of its run file, without `.sqlite`."""
        return f"{make_slug(self.condition.name)}-{self.suffix}"

    @property
    def suffix(self) -> str:
        """The part of the name that stays when an arm is given another name."""
        return f"s{self.seed}-{self.identity[:_IDENTITY]}"


def build_trials(experiment: Experiment, base: Path, *, load: bool = True) -> tuple[Trial, ...]:
    """Return every trial, seed by seed: all conditions of the first seed, then of the next.

    Every scenario is loaded and every policy made once, so that what is wrong is reported
    before anything runs. What a policy lacks to be made here (a package that is not installed) is
    reported by its own runs, and stops no others.

    Args:
        experiment: as loaded.
        base: the folder that relative paths in it start from.
        load: whether policies are imported and made. Where trials are only looked at, nothing of
            an experiment, which may be somebody else's, is run.

    Raises:
        ScenarioError: of scenarios that cannot be loaded.
        PolicyError: of policies that cannot be found or made.
        ConfigError: of other faults, or several kinds of them. Each fault is a line.
    """
    base = Path(base).resolve()
    cells = build_cells(experiment, base, load=load)
    conditions = _name_conditions(cells)
    trials = tuple(
        _build_trial(cell, condition, seed, experiment, base)
        for seed in dict.fromkeys(seed for cell in cells for seed in cell.run.seed_list)
        for cell, condition in zip(cells, conditions, strict=True)
        if seed in cell.run.seed_list
    )
    _check_distinct(trials)
    return trials


def _build_trial(
    cell: Cell, condition: Condition, seed: int, experiment: Experiment, base: Path
) -> Trial:
    identity = compute_identity(
        scenario=cell.town.digest,
        arguments=cell.town.arguments,
        policies=cell.policies,
        seed=seed,
        model=cell.run.model,
        embedder=experiment.embedder,
        interviews=experiment.interviews,
        reasoning_effort=experiment.endpoint.reasoning_effort,
        model_for=experiment.endpoint.model_for,
    )
    return Trial(
        condition,
        seed,
        replace(cell.spec, seed=seed),
        _resolve_model(cell.run.model, base),
        experiment.embedder,
        experiment.interviews,
        identity,
    )


def _resolve_model(model: str | None, base: Path) -> str | None:
    """Return the absolute path of a model that is a file beside the experiment."""
    if model is None or not model.endswith(".gguf") or not (base / model).is_file():
        return model
    return str((base / model).resolve())


def _name_conditions(cells: Sequence[Cell]) -> list[Condition]:
    """Return the condition of each cell; its name says what differs, and no more."""
    facts = [
        (cell.run.name, scenario, cell.run.cast, cell.run.model)
        for cell, scenario in zip(cells, _name_scenarios(cells), strict=True)
    ]
    differs = [len(set(column)) > 1 for column in zip(*facts, strict=True)]
    return [
        Condition(" / ".join(_name_parts(fact, differs)), arm, scenario, cast, model)
        for fact in facts
        for arm, scenario, cast, model in (fact,)
    ]


def _name_parts(fact: Sequence[str | None], differs: Sequence[bool]) -> Iterable[str]:
    arm, *others = fact
    yield str(arm)
    for word, several in zip(others, differs[1:], strict=True):
        if several:
            yield word or "default model"


def _name_scenarios(cells: Sequence[Cell]) -> list[str]:
    """Return the name of each cell's scenario, as the file writes it where names are shared."""
    written: dict[str, set[str]] = {}
    for cell in cells:
        written.setdefault(cell.town.scenario.name, set()).add(str(cell.run.scenario))
    return [
        str(cell.run.scenario) if len(written[name]) > 1 else name
        for cell in cells
        for name in (cell.town.scenario.name,)
    ]


def _check_distinct(trials: Iterable[Trial]) -> None:
    """Raise ConfigError where two trials would be one file."""
    seen: dict[str, Trial] = {}
    for trial in trials:
        other = seen.setdefault(trial.name, trial)
        if other is not trial:
            names = f"{other.condition.name!r} and {trial.condition.name!r}"
            raise ConfigError(f"{names} are the same run under names too alike; rename an arm")
