"""What stands on a report's page: figures, and tables."""

from dataclasses import dataclass

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
    """A table, and which of its rows are primary."""

    table: Table
    strong: frozenset[int] = frozenset()

    @property
    def is_long(self) -> bool:
        """Whether it is folded on the page."""
        return len(self.table.rows) > _LONG

    def format_markdown(self) -> str:
        """Return the table with primary rows in bold."""
        head, rule, *lines = self.table.format_markdown().split("\n")
        for k in self.strong:
            cells = map(escape_markdown, self.table.format_rows()[k])
            bold = (f"**{cell}**" if cell.strip() else cell for cell in cells)
            lines[k] = f"| {' | '.join(bold)} |"
        return "\n".join([head, rule, *lines])
