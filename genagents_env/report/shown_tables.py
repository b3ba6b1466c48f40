"""The tables of run files as readers get them; the CSV files have all that is left out here."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from genagents_env.report.groups import Mean, RunGroup
from genagents_env.report.results import SweepResults
from genagents_env.report.sections import ReportSection
from genagents_env.report.table import Table


def make_shown_sections(
    results: SweepResults, sections: Sequence[ReportSection]
) -> list[ReportSection]:
    """Return the sections of a page; those of a sweep as they are."""
    if results.plan is not None:
        return list(sections)
    names = list_names(results.groups) if len(results.summaries) == 1 else ()
    tables = [show_table(one.table, names) for one in sections]
    return [
        replace(one, table=table)
        for one, table in zip(sections, tables, strict=True)
        if table.rows or one.figures
    ]


def list_names(groups: Iterable[RunGroup]) -> frozenset[str]:
    """Return all that tables call these runs and their groups."""
    runs = [(group.label, one) for group in groups for one in group.summaries]
    return frozenset(name for label, one in runs for name in (label, one.rates.run, str(one.path)))


def show_table(table: Table, own: Collection[str] = ()) -> Table:
    """Return a table without rows of mostly dashes and columns of nothing else.

    Args:
        table: of run files.
        own: what it calls the one run it is of, whose name need not stand in every row; no mean
            is then of several. Empty for several runs.
    """
    shown = table.fold_sparse_rows(own)
    return (_simplify(shown, own) if own else shown).drop_blanks()


def _simplify(table: Table, own: Collection[str]) -> Table:
    rows = tuple(
        tuple(cell.value if isinstance(cell, Mean) and cell.n == 1 else cell for cell in row)
        for row in table.rows
    )
    found = replace(table, rows=rows)
    at = next((k for k, head in enumerate(table.columns) if head in ("run", "runs")), None)
    if at is None:
        return found
    if all(row[at] in own for row in rows):
        return found.drop_column(table.columns[at])
    renamed = (
        (*row[:at], "this run" if row[at] in own else row[at], *row[at + 1 :]) for row in rows
    )
    return replace(found, rows=tuple(renamed))
