"""What stands on a report's page: figures, and tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from genagents_env.study.report.table import Table, escape_markdown

_LONG = 60  # rows of a table that is folded


@dataclass(frozen=True, slots=True)
class FigureFile:
    """A figure as a file.

    Attributes:
        name: of the file, without ending.
        caption: below it.
        png: the bytes.
    """

    name: str
    caption: str
    png: bytes


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A table, which of its rows are primary, and where their first cells lead."""

    table: Table
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
