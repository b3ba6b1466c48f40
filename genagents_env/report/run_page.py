"""The report as one page of HTML and as Markdown; all words of people and models are escaped."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from genagents_env.report.picture import FigureFile
from genagents_env.report.table import Table, escape_markdown

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Section:
    """A table and the figures beside it."""

    table: Table
    pictures: tuple[FigureFile, ...]


@dataclass(frozen=True, slots=True)
class RunSection:
    """What stands in the page of one run: lines of its summary, and its interviews."""

    anchor: str
    title: str
    lines: tuple[str, ...]
    answers: Table


def sections(tables: Sequence[Table], pictures: Sequence[FigureFile]) -> tuple[Section, ...]:
    """Return the tables, each with its figures."""
    return tuple(
        Section(table, tuple(one for one in pictures if one.table == table.name))
        for table in tables
    )


def html(title: str, parts: Sequence[Section], runs: Sequence[RunSection]) -> str:
    """Return the page, complete in itself: it loads nothing and runs nothing."""
    return _template("run_page.html.jinja", escape=True).render(
        title=title, sections=parts, runs=runs, embedded=_embedded
    )


def markdown(title: str, parts: Sequence[Section]) -> str:
    """Return tables and figures; the figures are files in `figures/` beside it."""
    return _template("run_page.md.jinja", escape=False).render(title=title, sections=parts)


def _embedded(picture: FigureFile) -> str:
    return f"data:image/png;base64,{b64encode(picture.png).decode('ascii')}"


def _template(name: str, *, escape: bool) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        undefined=jinja2.StrictUndefined,
        autoescape=escape,  # noqa: S701 (Markdown is escaped cell by cell, see `Table.markdown`)
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["escape_markdown"] = escape_markdown
    return environment.get_template(name)
