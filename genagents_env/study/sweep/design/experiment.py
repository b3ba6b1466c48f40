"""The experiment file: what is varied, how often, in which town, and within which budget."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, PlainValidator, ValidationError, model_validator

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError
from genagents_env.files import read_text
from genagents_env.llm.open import ModelOptions
from genagents_env.llm.prices import find_price
from genagents_env.record.degradation import MAX_FALLBACKS
from genagents_env.record.rows import JSON
from genagents_env.scenario import list_scenario_names
from genagents_env.scenario.faults import list_faults, quote, suggest
from genagents_env.study.evaluate.measures import DEFAULT
from genagents_env.study.stats.effects import BETWEEN
from genagents_env.study.sweep.design.factors import OF_RUN, TABLES, KeyPath, Levels, parse_factors
from genagents_env.study.sweep.design.fields import (
    AsTuple,
    BudgetTable,
    Config,
    EmbedderName,
    EndpointTable,
    ExperimentName,
    JudgeSpec,
    PeopleField,
    Repeats,
    Seeds,
    ShortText,
    Start,
    StrictTable,
    Word,
    Words,
)
from genagents_env.text import clean

DegradedRuns = Literal["exclude", "include"]
_MOST_BYTES = 1 << 20  # of a file
_FAULT_LIMIT = 1000  # characters
# What may be changed without editing a file: the place of each key in it.
CHANGES: dict[str, tuple[str, ...]] = {
    **{key: (key,) for key in ("model", "embedder", "seeds", "hours", "max_fallbacks")},
    "concurrency": ("concurrency",),
    **{f"max_{kind}": ("budget", "total", kind) for kind in ("tokens", "dollars")},
    **{key: ("endpoint", key) for key in EndpointTable.model_fields},
}


class RunSettings(StrictTable):
    """What defines a run but for its seed; every key may be a factor.

    None leaves a key to the scenario or to the default. Paths are relative to the file.
    """

    policy: Word | None = None
    config: Config = Field(default_factory=dict)
    policy_for: dict[str, str] = Field(default_factory=dict)
    model: Word | None = None
    model_for: dict[str, str] = Field(default_factory=dict)
    embedder: EmbedderName | None = None
    scenario: Word | None = None
    people: PeopleField | None = None
    place: Word | None = None
    start: Start | None = None
    hours: Annotated[float, Field(gt=0, le=24 * 366)] | None = None
    seconds_per_tick: Annotated[int, Field(ge=1, le=3600)] | None = None
    repeats: Repeats | None = None
    interviews: bool = True

    def to_town_config(self, base: Path) -> TownConfig:
        """Return the town that is asked for; a scenario's path starts from the folder `base`."""
        scenario = self.scenario or ""
        if scenario not in list_scenario_names() and (base / scenario).exists():
            scenario = str((base / scenario).resolve())
        return TownConfig(
            scenario,
            start=self.start,
            hours=self.hours,
            people=self.people,
            place=self.place,
            seconds_per_tick=self.seconds_per_tick,
        )


@dataclass(frozen=True)
class CellSettings:
    """A level of every factor, by label, the settings of its runs and edits of its scenario."""

    levels: tuple[str, ...]
    run: RunSettings
    edits: Mapping[KeyPath, object]


Factors = Annotated[dict[str, Levels], PlainValidator(parse_factors)]


class Experiment(RunSettings):
    """What an experiment file says; see the documentation of sweeps for each key.

    The factors are crossed with one another and with the seeds, or `only` lists the cells to run.
    `degraded` says whether degraded runs count in means and tests, `max_fallbacks` above which
    share of fallbacks a run is one.
    """

    name: ExperimentName
    question: ShortText = ""
    seeds: Seeds = (0,)
    baseline: Word | dict[str, str] | None = None
    primary: Words = ()
    measures: Words = ()
    judge: bool = True
    degraded: DegradedRuns = "exclude"
    max_fallbacks: Annotated[float, Field(ge=0, le=1)] = MAX_FALLBACKS
    concurrency: Annotated[int, Field(ge=1, le=1000)] | None = None
    budget: BudgetTable = BudgetTable()
    endpoint: EndpointTable = EndpointTable()
    factors: Factors = Field(default_factory=dict)
    only: Annotated[tuple[dict[str, str], ...], AsTuple] = ()
    judges: Annotated[tuple[JudgeSpec, ...], AsTuple] = ()

    @property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The labels of each factor's levels, by the factor's name."""
        return {name: tuple(levels) for name, levels in self.factors.items()}

    @property
    def baselines(self) -> dict[str, str]:
        """The level with which others are compared, by factor; of the others each with each."""
        if self.baseline is None or not isinstance(self.baseline, str):
            return dict(self.baseline or {})
        return {name: self.baseline for name, own in self.factors.items() if self.baseline in own}

    def options_for(self, model: str | None) -> ModelOptions:
        """Return how a model is asked: by a declared price if it is `model`, or in no price list.

        Any other has its list price, on this machine too, where a server may pass questions on.
        """
        how = self.endpoint.make_options()
        if how.price is None or model in (None, self.model):
            return how
        return replace(how, price=find_price(str(model)) or how.price)

    def list_measures(self) -> tuple[str, ...]:
        """Return the names of the measures that are taken of each run, judges aside."""
        primary = [split_primary(words)[0] for words in self.primary]
        names = dict.fromkeys((*primary, *(self.measures or DEFAULT)))
        return tuple(name for name in names if not name.startswith("judge."))

    def list_cells(self) -> tuple[CellSettings, ...]:
        """Return every cell, in the order of the file: the last factor varies fastest.

        Raises:
            ConfigError: a level sets a value that is not allowed; each fault is a line.
        """
        combinations = list(product(*self.levels.values()))
        if self.only:
            combinations = [tuple(one[name] for name in self.levels) for one in self.only]
        faults: list[str] = []
        cells = []
        for labels in combinations:
            try:
                cells.append(self._make_cell(labels))
            except ValidationError as error:
                lines = format_faults(error, RunSettings)
                faults += [f"{' / '.join(labels)}: {line}" for line in lines]
        if faults:
            raise ConfigError("\n".join(dict.fromkeys(faults)))
        return tuple(cells)

    def _make_cell(self, labels: tuple[str, ...]) -> CellSettings:
        data = {key: getattr(self, key) for key in RunSettings.model_fields}
        data["model_for"] = {**self.endpoint.model_for, **self.model_for}
        edits: dict[KeyPath, object] = {}
        for levels, label in zip(self.factors.values(), labels, strict=True):
            for path, value in levels[label].items():
                head, *rest = path
                if not rest and head in OF_RUN:
                    data[head] = value
                elif head in TABLES:
                    data[head] = {**data[head], ".".join(rest): value}
                else:
                    edits[path] = value
        return CellSettings(labels, RunSettings.model_validate(data), edits)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if faults := list(self._find_contradictions()):
            raise ValueError("\n".join(faults))
        return self

    def _find_contradictions(self) -> Iterator[str]:
        varied = {path for own in self.factors.values() for one in own.values() for path in one}
        for key, hint in (("policy", "scripted, or path/to/file.py:Class"), ("scenario", "tiny")):
            if getattr(self, key) is None and (key,) not in varied:
                yield f"{key}: missing; allowed: a name such as {hint}, here or as a factor"
        if isinstance(self.baseline, str) and not self.baselines:
            every = [label for labels in self.levels.values() for label in labels]
            yield f"baseline: no level {quote(self.baseline)}; {suggest(self.baseline, every)}"
        for name, label in self.baselines.items():
            if label not in self.levels.get(name, ()):
                known = self.levels.get(name) or [f"{one} = .." for one in self.levels]
                yield f"baseline: no level {quote(label)} of {name}; {suggest(label, known)}"
        for at, cell in enumerate(self.only):
            whole = all(cell.get(name) in labels for name, labels in self.levels.items())
            if not whole or len(cell) != len(self.levels):
                yield f"only.{at}: a level of each factor is wanted: {', '.join(self.levels)}"
        if self.only and 0 < len(self.baselines) < len(self.levels):
            factors = ", ".join(self.levels)
            yield f"baseline: with `only` a whole cell is wanted, a level of each: {factors}"
        for words in self.primary:
            yield from self._check_primary(*split_primary(words))

    def _check_primary(self, measure: str, effect: str) -> Iterator[str]:
        for name in effect.split(BETWEEN) if effect else ():
            if name not in self.levels:
                known = suggest(name, list(self.levels))
                yield f"primary: {quote(effect)}: no factor {quote(name)}; {known}"
        if effect and self.only:
            yield f"primary: {quote(effect)}: with `only` whole cells are compared; leave it out"
        rubric = measure.partition("judge.")[2]
        asked = [Path(one.name).stem for one in self.judges if one.kind == "rubric"]
        if rubric and rubric not in asked:
            yield f"primary: {quote(measure)}: add [[judges]] with name = {quote(rubric)}"


def split_primary(words: str) -> tuple[str, str]:
    """Return measure and effect of an entry of `primary`: `heard.party: mind`; or no effect."""
    measure, _, effect = words.partition(": ")
    return measure.strip(), effect.strip()


def read_experiment_text(path: Path) -> str:
    """Return the text of an experiment file, its lines ended as TOML counts them; or FileError."""
    return read_text(path, _MOST_BYTES).replace("\r\n", "\n")


def load_experiment(
    path: Path, changes: Mapping[str, JSON] | None = None, text: str | None = None
) -> Experiment:
    """Return what an experiment file says, but for changes.

    Args:
        path: of the file, with whose name faults begin.
        changes: in place of what it says, by names that are keys of `CHANGES`. `model` also
            replaces the factor of models.
        text: of the file, where it is read already.

    Raises:
        ConfigError: it cannot be read, or has faults; all are listed, each on a line of its own
            as `file: key: what; allowed: ...`.
    """
    if unknown := [key for key in changes or () if key not in CHANGES]:
        raise ConfigError(f"change {unknown[0]!r}: unknown; allowed: {', '.join(CHANGES)}")
    try:
        data = tomllib.loads(read_experiment_text(path) if text is None else text)
        experiment = Experiment.model_validate(data)
        for key, value in (changes or {}).items():
            *tables, last = CHANGES[key]
            reduce(lambda inner, table: inner.setdefault(table, {}), tables, data)[last] = value
            if key == "model" and data.get("factors", {}).pop(key, None):
                data.pop("only", None)
        return Experiment.model_validate(data) if changes else experiment
    except ValidationError as error:
        lines = [f"{path.name}: {fault}" for fault in format_faults(error, Experiment)]
        raise ConfigError("\n".join(lines)) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {clean(str(error))}") from None
    except (RecursionError, ValueError):
        raise ConfigError(f"{path}: nested too deeply, or a number is too long") from None


def format_faults(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Return everything wrong with the data of `model`, each as `key: what; allowed: ...`."""
    lines = []
    for fault in list_faults(error, model):
        key = ".".join(clean(str(part), 60) or '""' for part in fault.loc)
        if key and key != "factors":
            lines.append(f"{key}: {fault.text}")
            continue
        for one in fault.text.splitlines():  # our own, mostly with their keys
            lead = f"{key}." if key else ""
            lines.append(f"{lead}{one}" if ": " in one else f"{key or 'file'}: {one}")
    return [clean(line, _FAULT_LIMIT) for line in lines]
