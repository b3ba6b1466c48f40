"""A measured trial: what it is, its status, its values, and what is shown of it."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from genagents_env.evaluate.checks import Verdict
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.record import Degradation, FacultyUse, PromptCuts
from genagents_env.record.call_sums import ModelChange
from genagents_env.record.rows import JSON
from genagents_env.sweep.design.trials import Condition

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class PlotData:
    """What figures need of a run beyond single numbers.

    Attributes:
        names: N people.
        partners: N rows of N; how often the one of the row spoke to the one of the column.
        arenas: M places.
        stays: N rows of M; seconds that each spent there.
        curves: for each fact the seconds since the start at which one more knew it, and how many
            then knew, in order.
        seconds: simulated, of game time.
    """

    names: tuple[str, ...]
    partners: Matrix
    arenas: tuple[str, ...]
    stays: Matrix
    curves: Mapping[str, tuple[tuple[float, float], ...]]
    seconds: float


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """An interview answer, with the town time."""

    time: str
    agent: str
    question: str
    repeat: int
    text: str


@dataclass(frozen=True, slots=True)
class RunNarrative:
    """The text on a run's page: its findings in words, its transcript, its answers.

    `happened` holds the first lines of the transcript, of `lines` in all.
    """

    findings: tuple[str, ...]
    happened: tuple[str, ...]
    lines: int
    answers: tuple[TimedAnswer, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run used. `dollars` is None where no price is known, `seconds` of wall clock too."""

    calls: int
    tokens: int
    fallbacks: int
    dollars: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class MeasuredTrial:
    """One trial of a sweep, or a run file.

    Attributes:
        trial: its name, which is also that of its file.
        condition: of which it is a seed.
        seed: of the episode.
        identity: the hash of what defines it; empty for a run file.
        file: its run file.
        state: finished, stopped, failed, damaged or due.
        status: as the run file has it.
        tick: the last one in the file, -1 where there is none.
        problem: why it is not finished; empty where it is.
        hash: canonical, of a finished run.
        scenario: the hash of the scenario as it was run.
        versions: that the file names.
        usage: None where no file can be read.
        values: each measure by its name; None where it is not defined in this run.
        unmeasured: a message for each measure that failed on this record.
        plot_data: for the figures; None where no file can be read.
        narrative: for its page; None where no file can be read.
        summary: the whole summary of the run; kept of run files, not of a sweep's trials, of
            which there may be thousands.
        verdicts: of the rules and models that judged its answers.
        degradation: what took the place of decisions; None where no file can be read.
        prompt_cuts: what prompts had no room for; None where no file can be read.
        model_changes: where another model answered than before.
        uses: what came of the faculties that can be switched off.
        excluded: it is finished, but in no mean: it is degraded.
    """

    trial: str
    condition: Condition
    seed: int
    identity: str
    file: Path
    state: str
    status: str = ""
    tick: int = -1
    problem: str = ""
    hash: str = ""
    scenario: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    usage: Usage | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()
    plot_data: PlotData | None = None
    narrative: RunNarrative | None = None
    summary: RunSummary | None = None
    verdicts: tuple[Verdict, ...] = ()
    degradation: Degradation | None = None
    prompt_cuts: PromptCuts | None = None
    model_changes: tuple[ModelChange, ...] = ()
    uses: tuple[FacultyUse, ...] = ()
    excluded: bool = False

    @property
    def page(self) -> str:
        """Where in the folder of a report its page lies; safe for any name in an experiment."""
        return f"pages/{re.sub(r'[^A-Za-z0-9_-]', '_', self.trial)}.html"

    @property
    def counted(self) -> bool:
        """Whether it counts in means: only a finished run does that is not excluded."""
        return self.state == "finished" and not self.excluded

    @property
    def degraded(self) -> bool:
        """Whether it is finished, but a policy failed or too many model calls fell back."""
        found = self.degradation
        return self.state == "finished" and found is not None and found.degraded

    def as_json(self) -> dict[str, JSON]:
        """Return identity, status, usage and values as JSON values, without its narrative.

        `degraded`, `policy_failures` and `excluded` are there only where it is degraded.
        """
        usage, found = self.usage, self.degradation
        told: dict[str, JSON] = {}
        if self.degraded and found is not None:
            failures = [asdict(one) for one in found.failures]
            told = {
                "degraded": list(found.describe()),
                "policy_failures": failures,
                "excluded": self.excluded,
            }
        return told | {
            "trial": self.trial,
            "condition": self.condition.name,
            "arm": self.condition.arm,
            "scenario": self.condition.scenario,
            "cast": self.condition.cast,
            "model": self.condition.model,
            "seed": self.seed,
            "state": self.state,
            "status": self.status,
            "tick": self.tick,
            "problem": self.problem,
            "identity": self.identity,
            "canonical_hash": self.hash,
            "scenario_hash": self.scenario,
            "versions": dict(self.versions),
            "calls": None if usage is None else usage.calls,
            "tokens": None if usage is None else usage.tokens,
            "fallbacks": None if usage is None else usage.fallbacks,
            "dollars": None if usage is None else usage.dollars,
            "seconds": None if usage is None else usage.seconds,
            "values": dict(self.values),
            "unmeasured": list(self.unmeasured),
        }


def make_trial(summary: RunSummary, condition: Condition) -> MeasuredTrial:
    """Return a run file as a trial of the condition that it belongs to."""
    return MeasuredTrial(
        str(summary.path),
        condition,
        summary.seed,
        "",
        summary.path,
        "finished" if summary.rates.finished else "stopped",
        summary.status,
        summary.last_tick,
        summary=summary,
        degradation=summary.degradation,
        prompt_cuts=summary.prompt_cuts,
        model_changes=summary.model_changes,
        uses=summary.faculty_uses,
    )
