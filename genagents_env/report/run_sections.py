"""The tables of run files as readers get them; the CSV files have all that is left out here."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from genagents_env.report.groups import Mean, RunGroup
from genagents_env.report.run_results import RunResults
from genagents_env.report.run_tables import make_run_tables
from genagents_env.report.sections import FigureFile, ReportSection, select_figures
from genagents_env.report.table import Table


def make_run_sections(results: RunResults, figures: Sequence[FigureFile]) -> list[ReportSection]:
    """Return the sections of a page of run files, in its order."""
    tables = make_run_tables(results)
    return [ReportSection(table, select_figures(figures, table)) for table in tables]


def show_run_sections(
    results: RunResults, sections: Sequence[ReportSection]
) -> list[ReportSection]:
    """Return the sections without what readers need not see."""
    names: Collection[str] = ()
    if len(results.summaries) == 1:
        names = list_names(results.groups)
        sections = [one for one in sections if one.table.name != "successes"]  # told run by run
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
        own: what it calls the one run it is of: no mean is then of several. Empty for several
            runs.
    """
    shown = _drop_label(table, own).fold_sparse_rows(own)
    if own:
        shown = _drop_label(_simplify(shown), own)
    return shown.drop_blanks()


def _drop_label(table: Table, own: Collection[str]) -> Table:
    """Return a table without the column of runs or groups where all rows have the same there.

    Which one that is stands in the note, unless it is the only one of the report.
    """
    for head in ("run", "runs"):
        labels = table.list_words(head)
        if len(labels) == 1 and (own or len(table.rows) > 1):
            (label,) = labels
            note = table.note if label in own else f"{table.note} All of {label}.".strip()
            return replace(table.drop_column(head), note=note)
    return table


def _simplify(table: Table) -> Table:
    """Return a table of one run without saying of each mean that it is of one."""
    rows = tuple(
        tuple(cell.value if isinstance(cell, Mean) and cell.n == 1 else cell for cell in row)
        for row in table.rows
    )
    return replace(table, rows=rows)
