"""A report of run files: the tidy table of their values, without factors; nothing is compared."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from genagents_env.llm.prices import describe_list
from genagents_env.record import RunReader
from genagents_env.show.summary import describe_run
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.evaluate.measure import Measure
from genagents_env.study.evaluate.measures import DEFAULT, find_measures
from genagents_env.study.evaluate.rates import GAME_SPEED, Rates, Tariff, compute_rates
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.report.cautions import warn_of_equal_lives
from genagents_env.study.report.quotes import describe_words, find_answers
from genagents_env.study.report.study import StudyPlan, StudyResults, compare_runs
from genagents_env.study.report.study_runs import StudyRun
from genagents_env.study.report.study_tables import drop_unmeasured, tabulate_means, tabulate_runs
from genagents_env.study.report.table import Table
from genagents_env.study.sweep.design.cells import Condition
from genagents_env.study.sweep.design.experiment import DegradedRuns
from genagents_env.study.sweep.measured import measure_run


def measure_runs(
    paths: Iterable[Path],
    priced_as: Tariff | None = None,
    speed: float = GAME_SPEED,
    degraded: DegradedRuns = "exclude",
    primary: Sequence[str] = (),
) -> StudyResults:
    """Read run files, each once, and return what they amount to, as a study without factors.

    Runs of one policy, model, scenario and number of people share a condition, which is called by
    those of the four that differ. Where two of them have the same seed, as a fork and its parent
    have, each stands by itself. A run that is not finished counts as far as it is recorded, and a
    caution says so.

    Args:
        paths: at least one.
        priced_as: see `study.evaluate.rates.compute_rates`.
        speed: see `study.evaluate.rates.compute_rates`.
        degraded: whether degraded runs are in means.
        primary: measures that stand first, beside those that are always taken.

    Raises:
        RecordError: a file cannot be read.
    """
    measures, unknown = find_measures(tuple(dict.fromkeys((*primary, *DEFAULT))))
    files = [_read_file(path, measures, priced_as, speed) for path in dict.fromkeys(paths)]
    runs = [
        replace(one.run, condition=condition, excluded=degraded == "exclude" and one.run.degraded)
        for one, condition in zip(files, _make_conditions(files), strict=True)
    ]
    scenarios = ", ".join(dict.fromkeys(one.rates.scenario for one in files))
    title = f"{scenarios}: {len(runs)} run{'' if len(runs) == 1 else 's'}"
    seeds = tuple(dict.fromkeys(run.seed for run in runs))
    plan = StudyPlan(title, "", "", {}, seeds, primary=tuple((name, "") for name in primary))
    costs = tabulate_costs([one.rates for one in files])
    more = (caution for one in files for caution in one.cautions)
    return replace(
        compare_runs(Path(), plan, runs, measures),
        remarks=(*unknown, *more, *warn_of_equal_lives(runs)),
        tables=(costs,) if costs.rows else (),
        summaries=tuple((one.run.name, one.words) for one in files),
    )


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """A run file, read.

    Attributes:
        run: its values; its condition is not named yet.
        parts: its policy, model, scenario and number of people.
        rates: what it cost.
        words: its summary and quotes, line by line.
        cautions: a sentence each.
    """

    run: StudyRun
    parts: tuple[str, ...]
    rates: Rates
    words: tuple[str, ...]
    cautions: tuple[str, ...]


def _read_file(
    path: Path, measures: Sequence[Measure], priced_as: Tariff | None, speed: float
) -> _ReadFile:
    measured = measure_run(path, measures)
    with RunReader(path) as reader:
        data, status = RunData(reader), reader.status
        state = "finished" if status == "finished" else "stopped"
        parts = _list_parts(data)
        condition = Condition("", (), ", ".join(parts[2:]), measured.hash)
        head = (str(path), condition, reader.meta.seed, measured.hash, path)
        _, caution = find_answers(data)
        cautions = [caution] if caution else []
        if state == "stopped":
            cautions.append(f"{path} is {status}: its values are of what there is so far.")
        return _ReadFile(
            StudyRun(*head, state=state, status=status, measured=measured),
            parts,
            compute_rates(data, priced_as, speed),
            (*describe_run(data), *describe_words(data)),
            tuple(cautions),
        )


def _list_parts(data: RunData) -> tuple[str, ...]:
    people = len(data.names)
    count = f"{people} agent{'' if people == 1 else 's'}"
    model = data.meta.model or "no model"
    return format_policies(data.meta), model, data.scenario.name, count


def _make_conditions(files: Sequence[_ReadFile]) -> Iterator[Condition]:
    """Yield the condition of each file: its policy, what else differs, the file if seeds recur."""
    kept = [k for k in range(4) if k == 0 or len({one.parts[k] for one in files}) > 1]
    names = [", ".join(one.parts[k] for k in kept) for one in files]
    seeds = Counter((name, one.run.seed) for name, one in zip(names, files, strict=True))
    twice = {name for (name, _), count in seeds.items() if count > 1}
    for name, one in zip(names, files, strict=True):
        own = f"{name} ({one.run.name})" if name in twice else name
        yield replace(one.run.condition, name=own)


def describe_runs(results: StudyResults, width: int = 0) -> Iterator[str]:
    """Yield what run files came to beside one another: a table of runs, and one of measures.

    Args:
        results: of `measure_runs`.
        width: characters of a line; 0 for as many as the tables need.
    """
    yield from tabulate_runs(results).format_lines(width)
    yield from drop_unmeasured(tabulate_means(results)).format_lines(width)


def tabulate_costs(rates: Sequence[Rates]) -> Table:
    """Return what the agents of each run cost who asked a model; of runs without calls no row."""
    asked = [one for one in rates if one.agents]
    rows = tuple(
        (
            *(r.run, r.policy, r.model, r.waking.calls_per_hour, r.outside.calls_per_hour),
            *(r.whole.tokens_per_hour, r.whole.dollars_per_hour, r.calls_per_utterance),
            *(r.tokens_per_utterance, r.dollars_per_utterance, r.dollars_per_human_hour),
        )
        for r in asked
    )
    columns = (
        *("run", "policy", "model", "calls/hour awake", "calls/hour outside conversation"),
        *("tokens/game hour", "$/game hour", "calls/utterance", "tokens/utterance"),
        *("$/utterance", "$/human hour"),
    )
    note = ""
    if asked:
        by = asked[0].priced_as
        priced = "at each run's own price" if by is None else f"as {by} by {describe_list()}"
        note = (
            f"Per agent that asked a model. Dollars {priced}, embeddings not counted; a human "
            f"hour is {asked[0].speed:g} game hours. Interviews and judging are left out."
        )
    return Table("costs", "What an agent costs", columns, rows, note)
