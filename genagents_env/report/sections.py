"""The sections of a report's page: which tables it has, and the figures beside each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from genagents_env.report.results import SweepResults
from genagents_env.report.run_tables import make_run_tables
from genagents_env.report.sweep_tables import (
    find_primary_rows,
    link_pages,
    tabulate_differences,
    tabulate_faculties,
    tabulate_identities,
    tabulate_means,
    tabulate_measures,
    tabulate_primary,
    tabulate_trials,
    tabulate_versions,
)
from genagents_env.report.table import Table, escape_markdown

_LONG = 60  # rows of a table that is folded


@dataclass(frozen=True, slots=True)
class FigureFile:
    """A figure as a file.

    Attributes:
        table: the name of the table beside which it stands.
        name: of the file, without ending.
        caption: below it.
        png: the bytes.
    """

    table: str
    name: str
    caption: str
    png: bytes


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A table, its figures, which of its rows are primary, and where their first cells lead."""

    table: Table
    figures: tuple[FigureFile, ...] = ()
    strong: frozenset[int] = frozenset()
    links: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_long(self) -> bool:
        """Whether it is folded on the page."""
        return len(self.table.rows) > _LONG

    def format_markdown(self) -> str:
        """Return the table with primary rows in bold and the links."""
        head, rule, *lines = self.table.format_markdown().split("\n")
        own = (self._format_line(k, line) for k, line in enumerate(lines))
        return "\n".join([head, rule, *own])

    def _format_line(self, k: int, line: str) -> str:
        if k not in self.strong and k not in self.links:
            return line
        cells = [escape_markdown(word) for word in self.table.format_rows()[k]]
        if k in self.strong:
            cells = [f"**{cell}**" if cell.strip() else cell for cell in cells]
        if k in self.links:
            cells[0] = f"[{cells[0]}]({self.links[k]})"
        return f"| {' | '.join(cells)} |"


def make_sections(results: SweepResults, figures: Sequence[FigureFile]) -> list[ReportSection]:
    """Return the sections in the order of the page."""
    if results.plan is not None:
        return _make_sweep_sections(results, figures)
    tables = make_run_tables(results)
    return [ReportSection(table, _select(figures, table)) for table in tables]


def _make_sweep_sections(
    results: SweepResults, figures: Sequence[FigureFile]
) -> list[ReportSection]:
    means = list(tabulate_means(results))
    primary, differences = tabulate_primary(results), tabulate_differences(results)
    alone = Table("figures", "Figures", (), ())
    sections = [ReportSection(one, strong=find_primary_rows(results, one)) for one in means]
    if primary.rows:
        sections.append(ReportSection(primary, _select(figures, primary)))
    if drawn := _select(figures, alone):
        sections.append(ReportSection(alone, drawn))
    sections.append(ReportSection(differences, strong=find_primary_rows(results, differences)))
    if (faculties := tabulate_faculties(results)).rows:
        sections.append(ReportSection(faculties))
    sections += [ReportSection(one) for one in results.judged]
    sections.append(ReportSection(tabulate_trials(results), links=link_pages(results)))
    more = tabulate_measures(results), tabulate_identities(results), tabulate_versions(results)
    return [*sections, *map(ReportSection, more)]


def _select(figures: Sequence[FigureFile], table: Table) -> tuple[FigureFile, ...]:
    return tuple(one for one in figures if one.table == table.name)
