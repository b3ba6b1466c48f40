"""The experiment file: which arms are run how often, on what, and within which budget."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError
from genagents_env.record.degradation import MAX_FALLBACKS
from genagents_env.run import Limits
from genagents_env.scenario import list_scenario_names
from genagents_env.sweep.design.consistency import find_contradictions
from genagents_env.sweep.design.endpoint_table import EndpointTable
from genagents_env.sweep.design.fields import (
    ArmName,
    AsTuple,
    Config,
    Dollars,
    EmbedderName,
    ExperimentName,
    Hours,
    PeopleField,
    PeopleFields,
    PolicyFor,
    Repeats,
    SecondsPerTick,
    Seeds,
    ShortText,
    Start,
    Word,
    Words,
)
from genagents_env.sweep.design.toml import format_faults, read_toml

Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class _Table(BaseModel):
    """Strict and frozen: unknown keys and silent conversions are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Arm(_Table):
    """A policy with its configuration, under the name by which tables and figures call it.

    Attributes:
        name: 1 to 40 letters, digits, spaces and `. _ -`, a letter or digit first.
        policy: a name, or `path/to/file.py:Class`, relative to the experiment file.
        config: the policy's own options.
        policy_for: a policy's name for some people.
    """

    name: ArmName
    policy: Word
    config: Config = Field(default_factory=dict)
    policy_for: PolicyFor = Field(default_factory=dict)


class RunEntry(Arm):
    """One condition given outright: an arm, and the town it is run in.

    What is left out is the experiment's.
    """

    scenario: Word | None = None
    people: PeopleField | None = None
    model: Word | None = None
    start: Start | None = None
    hours: Hours | None = None
    place: Word | None = None
    seconds_per_tick: SecondsPerTick | None = None
    repeats: Repeats | None = None
    seeds: Seeds | None = None

    def to_town_config(self, base: Path) -> TownConfig:
        """Return the town that is asked for; a scenario's path starts from the folder `base`."""
        return TownConfig(
            resolve_scenario(self.scenario or "", base),
            start=self.start,
            hours=self.hours,
            people=self.people,
            place=self.place,
            seconds_per_tick=self.seconds_per_tick,
        )

    @property
    def cast(self) -> str:
        """Who takes part, in words: a cast's name, names, or `everyone`."""
        if self.people is None:
            return "everyone"
        return self.people if isinstance(self.people, str) else ", ".join(self.people)

    @property
    def seed_list(self) -> tuple[int, ...]:
        """The seeds; none where they are left out."""
        return _list_seeds(self.seeds or ())


class BudgetLimits(_Table):
    """What may be spent; None is no limit. Dollars are exact, as text: `"0.50"`."""

    calls: Count | None = None
    tokens: Count | None = None
    dollars: Dollars | None = None
    seconds: Seconds | None = None

    def limits(self) -> Limits:
        """Return these as the limits of a budget."""
        return Limits(self.calls, self.tokens, self.dollars, self.seconds)


class BudgetTable(_Table):
    """The budget of each run, and of all of them together."""

    run: BudgetLimits = BudgetLimits()
    total: BudgetLimits = BudgetLimits()


class RateLimit(_Table):
    """What an endpoint allows in a minute, shared by all workers; None is no limit."""

    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None


class JudgeSpec(_Table):
    """A judge of the answers.

    Attributes:
        name: of a rubric, or the path of one, relative to the experiment file.
        kind: `rubric` rates each answer, `pairwise` compares the answers of two conditions.
        model: None is the runs' own.
        repeats: how often each question is put to the judge.
    """

    name: Word
    kind: Literal["rubric", "pairwise"] = "rubric"
    model: Word | None = None
    repeats: Repeats = 3


DegradedRuns = Literal["exclude", "include"]


class Experiment(_Table):
    """What an experiment file says; see the documentation of sweeps for each key.

    Either `arms`, run on every one of the scenarios, casts and models with every seed; or
    `runs`, a list of conditions each given outright. `degraded` says whether degraded runs count
    in means and tests, `max_fallbacks` above which share of fallbacks a run is one.
    """

    name: ExperimentName
    question: ShortText = ""
    seeds: Seeds = 1
    baseline: str | None = None
    primary: Words = ()
    measures: Words = ()
    scenario: Word | None = None
    scenarios: Words = ()
    people: PeopleField | None = None
    casts: PeopleFields = ()
    start: Start | None = None
    hours: Hours | None = None
    place: Word | None = None
    seconds_per_tick: SecondsPerTick | None = None
    repeats: Repeats | None = None
    interviews: bool = True
    model: Word | None = None
    models: Words = ()
    embedder: EmbedderName | None = None
    judge: bool = True
    degraded: DegradedRuns = "exclude"
    max_fallbacks: Share = MAX_FALLBACKS
    concurrency: Annotated[int, Field(ge=1, le=1000)] | None = None
    budget: BudgetTable = BudgetTable()
    rate: RateLimit = RateLimit()
    endpoint: EndpointTable = EndpointTable()
    arms: Annotated[tuple[Arm, ...], AsTuple] = ()
    runs: Annotated[tuple[RunEntry, ...], AsTuple] = ()
    judges: Annotated[tuple[JudgeSpec, ...], AsTuple] = ()

    @property
    def seed_list(self) -> tuple[int, ...]:
        """The seeds, each once: 0 to n - 1 where a number n is given."""
        return _list_seeds(self.seeds)

    @property
    def cells(self) -> tuple[RunEntry, ...]:
        """Every condition, nothing left out but what is left to the scenario or to the default.

        Of a grid arm by arm within model within cast within scenario, as the file names them.
        """
        if self.runs:
            return tuple(self._fill_in(run) for run in self.runs)
        return tuple(
            self._fill_in(RunEntry(**dict(arm), scenario=scenario, people=people, model=model))
            for scenario in self.scenarios or (self.scenario,)
            for people in self.casts or (self.people,)
            for model in self.models or (self.model,)
            for arm in self.arms
        )

    @property
    def paired(self) -> bool:
        """Whether the arms of every block share their seeds and the town they are run in.

        Then differences between arms are paired by seed. A grid always is.
        """
        blocks: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
        for run in self.cells:
            alike = (run.start, run.hours, run.place, run.seconds_per_tick)
            block = blocks.setdefault((run.scenario, run.cast, run.model), set())
            block.add((frozenset(run.seed_list), *alike))
        return all(len(block) == 1 for block in blocks.values())

    def _fill_in(self, run: RunEntry) -> RunEntry:
        keys = ("scenario", "people", "model", "start", "hours", "place", "seconds_per_tick")
        own = {key: getattr(self, key) for key in (*keys, "repeats", "seeds")}
        return run.model_copy(
            update={key: value for key, value in own.items() if getattr(run, key) is None}
        )


def resolve_scenario(scenario: str, base: Path) -> str:
    """Return a shipped name as it is, and a path as it is from `base`."""
    if scenario in list_scenario_names() or not (base / scenario).exists():
        return scenario  # a wrong name is reported as the file has it
    return str((base / scenario).resolve())


def load_experiment(path: Path) -> Experiment:
    """Return what the experiment file at `path` says.

    Raises:
        ConfigError: it cannot be read, or has faults; all are listed, each on a line of its own
            as `file: key: what; allowed: ...`.
    """
    path = Path(path)
    raw = read_toml(path)
    faults = find_contradictions(raw)
    try:
        experiment = Experiment.model_validate(raw)
    except ValidationError as error:
        faults = format_faults(error, Experiment) + faults
    if faults:
        raise ConfigError("\n".join(f"{path.name}: {fault}" for fault in faults))
    return experiment


def _list_seeds(seeds: int | tuple[int, ...]) -> tuple[int, ...]:
    return tuple(range(seeds)) if isinstance(seeds, int) else seeds
