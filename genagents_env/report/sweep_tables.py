"""The tables of a sweep's report."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from genagents_env.report.comparing import ConditionBlock, slug_blocks
from genagents_env.report.measure_order import PRIMARY, find_group
from genagents_env.report.results import SweepResults
from genagents_env.report.table import CellValue, Table
from genagents_env.report.trial import MeasuredTrial
from genagents_env.report.untested import collect_uses
from genagents_env.stats import Contrast

SHORT = 12  # hexadecimal digits of a hash in a table that is read


def tabulate_means(results: SweepResults) -> Iterator[Table]:
    """Yield for each block its measures by condition, the primary ones first."""
    several = len(results.blocks) > 1
    for block, slug in zip(results.blocks, slug_blocks(results.blocks), strict=True):
        yield Table(
            f"means_{slug}" if several else "means",
            f"Measures: {block.name}" if several else "Measures",
            ("about", "measure", "unit", *(side.label for side in block.conditions)),
            tuple(_make_mean_row(results, block, name) for name in results.names_in(block)),
            "Mean over finished runs with its 95 % bootstrap interval over seeds, and their "
            f"number; a dash where no run has a value.{results.exclusion_note}",
        )


def _make_mean_row(
    results: SweepResults, block: ConditionBlock, name: str
) -> tuple[CellValue, ...]:
    mine = {
        cell.compared.label: cell.mean
        for cell in results.cells
        if (cell.block, cell.measure) == (block.name, name)
    }
    about = PRIMARY if name in results.primary else find_group(name)
    head = (about, results.titles[name], results.units[name])
    return (*head, *(mine.get(side.label) for side in block.conditions))


def tabulate_primary(results: SweepResults) -> Table:
    """Return the contrasts of the primary measures, by which the question is decided."""
    whole = tabulate_differences(results)
    rows = tuple(whole.rows[k] for k in sorted(find_primary_rows(results, whole)))
    return Table("primary", "Differences in the primary measures", whole.columns, rows, whole.note)


def tabulate_differences(results: SweepResults) -> Table:
    """Return every contrast."""
    several = len(results.blocks) > 1
    rows = tuple(_make_difference_row(results, one, several) for one in results.contrasts)
    columns = (
        *("measure", *(["block"] if several else []), "first", "second"),
        *("mean of first", "mean of second", "difference", "low", "high"),
        *("p", "p after Holm", "effect size", "n", "paired", "family", "note"),
    )
    note = (
        "Second less first, with its 95 % interval. Two-sided permutation test over the runs of "
        "equal seed; Holm's correction is over the primary family; exploratory p values are not "
        "corrected and only point to what a study of its own might ask. The effect size is in "
        "standard deviations of the differences (paired), or pooled, corrected after Hedges."
        f"{results.exclusion_note}"
    )
    return Table("contrasts", "All differences between conditions", columns, rows, note)


def _make_difference_row(
    results: SweepResults, one: Contrast, several: bool
) -> tuple[CellValue, ...]:
    return (
        *(results.titles[one.measure], *([one.block] if several else []), one.first, one.second),
        *(one.first_mean, one.second_mean, one.difference, one.low, one.high),
        *(one.p, one.p_holm, one.effect, one.n, one.paired, one.family, one.note),
    )


def tabulate_faculties(results: SweepResults) -> Table:
    """Return for each condition the faculties that can be switched off, and whether they ran."""
    rows: list[tuple[CellValue, ...]] = []
    for side in (side for block in results.blocks for side in block.conditions):
        for (policy, switch), uses in collect_uses(side, results.runs).items():
            calls = sum(one.calls for one in uses) / len(uses)
            lost = sum(one.fallbacks for one in uses) / len(uses)
            ran = sum(one.ran for one in uses)
            on = "on" if all(one.on for one in uses) else "off"
            rows.append((side.condition.name, policy, switch, on, len(uses), ran, calls, lost))
    columns = (
        *("condition", "policy", "faculty", "switched", "runs", "ran in"),
        *("calls in a run", "fallbacks in a run"),
    )
    note = (
        "Over finished runs. A faculty ran where any of its model calls had a usable reply; one "
        "that never ran where it is on is tested by no comparison."
    )
    return Table("faculties", "Faculties", columns, tuple(rows), note)


def tabulate_trials(results: SweepResults) -> Table:
    """Return every trial: its state, its usage, its primary values."""
    titles = results.titles
    columns = (
        *("run", "condition", "seed", "state", "game tick", "canonical hash"),
        *("calls", "dollars", "wall seconds", "fallbacks"),
        *(titles[name] for name in results.primary),
        *("file", "note"),
    )
    note = (
        "Only finished runs go into means and differences; values of a run that stopped early are "
        "as far as it came. The hash is over all that happened: a run lived again has the same."
    )
    rows = tuple(_make_trial_row(results, run) for run in results.runs)
    return Table("runs", "Runs", columns, rows, note)


def _make_trial_row(results: SweepResults, run: MeasuredTrial) -> tuple[CellValue, ...]:
    took = run.usage
    spent: tuple[CellValue, ...] = (
        (None, None, None, None)
        if took is None
        else (took.calls, took.dollars, took.seconds, took.fallbacks)
    )
    return (
        *(run.trial, run.condition.name, run.seed, run.state),
        *(run.tick if run.tick >= 0 else None, run.hash[:SHORT] or None, *spent),
        *(run.values.get(name) for name in results.primary),
        *(make_relative(run.file, results.folder), describe_problem(run)),
    )


def describe_problem(run: MeasuredTrial) -> str:
    """Return why a run is not finished or degraded, and what can be done; else nothing."""
    if run.degraded and run.degradation is not None:
        use = "in no mean" if run.excluded else "counted, as asked"
        return f"degraded, {use}: {'; '.join(run.degradation.describe())}"
    why = f"{run.status}: {run.problem}" if run.status and run.problem else run.problem
    why = why or run.status
    ways = {
        "stopped": "`genagents sweep --resume DIR` goes on from its checkpoint",
        "failed": "`genagents sweep --resume DIR` tries it again",
        "damaged": "`genagents sweep --resume DIR` sets it aside and lives it again",
        "due": "`genagents sweep --resume DIR` lives it",
    }
    way = ways.get(run.state)
    return "" if way is None else f"{why}; {way}" if why else way


def make_relative(path: Path, folder: Path | None) -> str:
    """Return where a file lies in the folder; its whole path where it is elsewhere."""
    return (
        path.relative_to(folder).as_posix()
        if folder is not None and path.is_relative_to(folder)
        else str(path)
    )


def tabulate_values(results: SweepResults) -> Table:
    """Return every value of every run that has any, a row each, for further analysis."""
    rows = tuple(
        (
            *(run.trial, run.condition.name, run.condition.arm, run.condition.scenario),
            *(run.condition.cast, run.condition.model, run.seed, run.state, name, value),
        )
        for run in results.runs
        for name, value in run.values.items()
    )
    return Table("values", "Values", VALUES, rows)


VALUES = (
    *("trial", "condition", "arm", "scenario", "cast", "model", "seed", "state"),
    *("measure", "value"),
)


def tabulate_measures(results: SweepResults) -> Table:
    """Return each measure with its definition and source."""
    rows = tuple(
        (one.name, one.title, one.unit, one.better or None, one.definition, one.source)
        for one in results.measures
    )
    columns = ("name", "measure", "unit", "better", "definition", "source")
    return Table("measures", "What was measured", columns, rows)


def tabulate_identities(results: SweepResults) -> Table:
    """Return the hashes in full, by which a repeated run is recognised."""
    rows = tuple(
        (run.trial, run.identity, run.hash or None, run.scenario or None, _format_versions(run))
        for run in results.runs
    )
    columns = ("run", "identity", "canonical hash", "scenario hash", "lived by")
    note = (
        "The identity is of what defines a run, the canonical hash of all that happened in it, "
        "both SHA-256."
    )
    return Table("identities", "Hashes", columns, rows, note)


def tabulate_versions(results: SweepResults) -> Table:
    """Return the versions that made the report."""
    return Table("versions", "Versions", ("package", "version"), tuple(results.versions.items()))


def tabulate_answers(run: MeasuredTrial) -> Table:
    """Return what was answered in the interviews of one run."""
    found = () if run.narrative is None else run.narrative.answers
    rows = tuple((one.time, one.agent, one.question, one.repeat, one.text) for one in found)
    columns = ("time", "agent", "question", "repeat", "answer")
    return Table("answers", "Interviews", columns, rows)


def tabulate_own_values(results: SweepResults, run: MeasuredTrial) -> Table:
    """Return the measures of one run."""
    units = results.units
    rows = tuple(
        (results.titles.get(name, name), units.get(name, ""), value)
        for name, value in run.values.items()
    )
    return Table("values", "Measures", ("measure", "unit", "value"), rows)


def _format_versions(run: MeasuredTrial) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(run.versions.items()))


def link_pages(results: SweepResults) -> dict[int, str]:
    """Return the page of each run that has one, by its row in the table of runs."""
    return {row: run.page for row, run in enumerate(results.runs) if run.narrative is not None}


def find_primary_rows(results: SweepResults, table: Table) -> frozenset[int]:
    """Return the rows of a table of means or contrasts that are of primary measures."""
    titles = {results.titles[name] for name in results.primary}
    column: Sequence[CellValue] = [
        row[1] if "about" in table.columns else row[0] for row in table.rows
    ]
    return frozenset(k for k, cell in enumerate(column) if cell in titles)
