"""What a report of run files shows: each whole, and grouped by condition with means over seeds."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from genagents_env.evaluate.published import PublishedCost, list_published_costs
from genagents_env.evaluate.rates import GAME_SPEED, Tariff
from genagents_env.evaluate.run_summary import RunSummary, summarize
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.report.cautions import (
    Cautioned,
    warn_of_cuts,
    warn_of_degraded,
    warn_of_model_changes,
)
from genagents_env.report.groups import RunGroup, group_runs
from genagents_env.report.later_answers import add_later_answers
from genagents_env.sweep.design.experiment import DegradedRuns


@dataclass(frozen=True, slots=True)
class RunResults:
    """All that a report of run files shows. Nothing is compared or tested: that takes a study.

    Attributes:
        summaries: of every run file, in the order given.
        groups: the runs by condition.
        published: figures of others, to stand beside the cost of these runs.
        cautions: for the reader, a sentence each.
    """

    summaries: tuple[RunSummary, ...]
    groups: tuple[RunGroup, ...]
    published: tuple[PublishedCost, ...]
    cautions: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The scenarios and how many runs there are."""
        scenarios = ", ".join(dict.fromkeys(one.rates.scenario for one in self.summaries))
        return f"{scenarios}: {len(self.summaries)} run{'' if len(self.summaries) == 1 else 's'}"

    def as_json(self, *, words: bool = False) -> dict[str, JSON]:
        """Return it as JSON values.

        Args:
            words: also what was said and answered; see `RunSummary.words_as_json`.
        """
        return {
            "runs": [
                one.as_json() | (one.words_as_json() if words else {}) for one in self.summaries
            ],
            "published": [asdict(one) for one in self.published],
        }


def measure_runs(
    paths: Iterable[Path],
    priced_as: Tariff | None = None,
    speed: float = GAME_SPEED,
    degraded: DegradedRuns = "exclude",
) -> RunResults:
    """Read run files, each once, and return what they amount to.

    Args:
        paths: at least one.
        priced_as: see `evaluate.rates.compute_rates`.
        speed: see `evaluate.rates.compute_rates`.
        degraded: whether degraded runs are in the means of their group.

    Raises:
        RecordError: a file cannot be read.
    """
    found = []
    for path in dict.fromkeys(paths):
        with RunReader(path) as reader:
            found.append(add_later_answers(summarize(reader, priced_as, speed)))
    results = group_summaries([summary for summary, _ in found], degraded)
    more = tuple(caution for _, caution in found if caution)
    return replace(results, cautions=(*results.cautions, *more))


def group_summaries(
    summaries: Sequence[RunSummary], degraded: DegradedRuns = "exclude"
) -> RunResults:
    """Return runs that have been read, grouped by condition.

    Args:
        summaries: at least one, all with one speed of the game.
        degraded: see `measure_runs`.
    """
    groups = group_runs(summaries, degraded)
    left_out = {id(one) for group in groups for one in group.excluded}
    runs = [
        Cautioned(
            *(str(one.path), one.degradation, one.prompt_cuts, one.model_changes),
            id(one) in left_out,
        )
        for one in summaries
    ]
    others = list_published_costs(summaries[0].rates.speed)
    cautions = (*warn_of_degraded(runs), *warn_of_model_changes(runs), *warn_of_cuts(runs))
    return RunResults(tuple(summaries), groups, others, cautions)
