"""One run as the report sees it: every measure of its record, taken once."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from genagents_env.evaluate import Report
from genagents_env.evaluate import report as report_of
from genagents_env.evaluate.opinions import Opinion, opinions
from genagents_env.evaluate.rates import GAME_SPEED, Rates, Tariff, rates
from genagents_env.evaluate.spans import Spans, spans
from genagents_env.record import InterviewRow, JudgementRow, RunReader
from genagents_env.record.rows import JSON


@dataclass(frozen=True, slots=True)
class Study:
    """What one run came to.

    Attributes:
        path: of the run file, as it was given.
        seed: of the episode.
        report: what `genagents report` tells of it.
        spans: conversation length.
        rates: what it cost.
        opinions: mentions of the values of its checks over time.
        answers: every interview answer.
        judgements: what models made of them.
    """

    path: Path
    seed: int
    report: Report
    spans: Spans
    rates: Rates
    opinions: tuple[Opinion, ...]
    answers: tuple[InterviewRow, ...]
    judgements: tuple[JudgementRow, ...]

    @property
    def hours(self) -> float:
        """Game hours lived."""
        return self.report.last_tick * self.report.seconds_per_tick / 3600

    def clock(self, tick: int) -> str:
        """Return the town time at `tick`, to the second."""
        gone = timedelta(seconds=tick * self.report.seconds_per_tick)
        return f"{self.report.start + gone:%H:%M:%S}"

    def as_json(self) -> dict[str, JSON]:
        """Return the report, with conversation length, cost and opinions, as JSON values."""
        return self.report.as_json() | {
            "run": str(self.path),
            "seed": self.seed,
            "conversation_length": self.spans.as_json(),
            "rates": self.rates.as_json(),
            "opinions": [one.as_json() for one in self.opinions],
        }


def studied(run: RunReader, priced_as: Tariff | None = None, speed: float = GAME_SPEED) -> Study:
    """Return every measure of `run`, as far as it is recorded; see `rates` for the arguments."""
    return Study(
        path=run.path,
        seed=run.meta.seed,
        report=report_of(run),
        spans=spans(run),
        rates=rates(run, priced_as, speed),
        opinions=opinions(run),
        answers=tuple(run.interviews()),
        judgements=tuple(run.judgements()),
    )
