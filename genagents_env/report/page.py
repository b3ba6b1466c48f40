"""The pages of a sweep's report, in HTML and Markdown; all words of people are escaped."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jinja2

from genagents_env.report import sweep_tables
from genagents_env.report.picture import FigureFile
from genagents_env.report.results import SweepResults
from genagents_env.report.table import Table, escape_markdown
from genagents_env.report.trial import MeasuredTrial
from genagents_env.text import clean

_FOLDER = Path(__file__).parent
_LONG = 60  # rows of a table that is folded


@dataclass(frozen=True, slots=True)
class Section:
    """A table, its figures, which of its rows are primary, and where their first cells lead."""

    anchor: str
    table: Table
    pictures: tuple[FigureFile, ...] = ()
    strong: frozenset[int] = frozenset()
    links: Mapping[int, str] = field(default_factory=dict)

    @property
    def long(self) -> bool:
        """Whether it is folded on the page."""
        return len(self.table.rows) > _LONG

    def format_markdown(self) -> str:
        """Return the table with primary rows in bold and the links."""
        head, rule, *lines = self.table.format_markdown().split("\n")
        return "\n".join([head, rule, *(self._line(k, line) for k, line in enumerate(lines))])

    def _line(self, k: int, line: str) -> str:
        if k not in self.strong and k not in self.links:
            return line
        cells = [escape_markdown(word) for word in self.table.format_rows()[k]]
        if k in self.strong:
            cells = [f"**{cell}**" if cell.strip() else cell for cell in cells]
        if k in self.links:
            cells[0] = f"[{cells[0]}]({self.links[k]})"
        return f"| {' | '.join(cells)} |"


def html(known: SweepResults, parts: Sequence[Section], notes: Sequence[str]) -> str:
    """Return the page, complete in itself: it loads nothing and runs nothing.

    Args:
        known: the sweep.
        parts: its tables and figures.
        notes: what could not be made.
    """
    return _template("page.html.jinja", escape=True).render(
        known=known, sections=parts, notes=notes, embedded=_embedded, design=design(known)
    )


def markdown(known: SweepResults, parts: Sequence[Section], notes: Sequence[str]) -> str:
    """Return the same in Markdown; the figures are files in `figures/` beside it."""
    return _template("page.md.jinja", escape=False).render(
        known=known, sections=parts, notes=notes, design=design(known)
    )


def run_pages(known: SweepResults) -> Iterator[tuple[MeasuredTrial, str]]:
    """Yield a page for each run that can be read.

    On it stand its head, its measures, what happened, and what was answered.
    """
    template = _template("run.html.jinja", escape=True)
    for run in known.runs:
        if run.narrative is not None:
            yield run, _run_page(template, known, run)


def _run_page(template: jinja2.Template, known: SweepResults, run: MeasuredTrial) -> str:
    head = {
        "condition": run.condition.name,
        "seed": str(run.seed),
        "state": run.state,
        "why": sweep_tables.problem(run),
        "game ticks": f"{run.tick:,}",
        "run file": sweep_tables.relative(run.file, known.folder),
        "identity": run.identity,
        "canonical hash": run.hash,
        "scenario hash": run.scenario,
    }
    return template.render(
        known=known,
        run=run,
        head={key: value for key, value in head.items() if value},
        values=sweep_tables.own_values(known, run),
        answers=sweep_tables.answers(run),
    )


def design(known: SweepResults) -> tuple[tuple[str, str], ...]:
    """Return how the experiment was laid out, as names and words."""
    plan = known.plan
    conditions = [side.condition.name for block in known.blocks for side in block.conditions]
    states = ("finished", "stopped", "failed", "damaged", "due")
    counts = [f"{known.count(state)} {state}" for state in states if known.count(state)]
    paired = (
        "paired by seed (common random numbers: the conditions share town, people, outside events "
        "and seeds)"
        if plan.paired
        else "not paired: the conditions differ in more than their name"
    )
    return (
        ("Conditions", ", ".join(conditions)),
        ("Design", paired),
        ("Seeds", f"{len(plan.seeds)} ({', '.join(map(str, plan.seeds))})"),
        ("Runs", f"{len(known.runs)} planned: {', '.join(counts) or 'none'}"),
        ("Primary", ", ".join(known.titles[name] for name in known.primary) or "none"),
        ("Compared with", plan.baseline or "one another"),
    )


def _embedded(picture: FigureFile) -> str:
    return f"data:image/png;base64,{b64encode(picture.png).decode('ascii')}"


def _fenced(text: str, language: str) -> str:
    """Return text as a code block of Markdown that no line of it can end."""
    kept = "\n".join(
        clean(line, 2000) if not line.isprintable() else line for line in text.split("\n")
    )
    fence = "```"
    while fence in kept:
        fence += "`"
    return f"{fence}{language}\n{kept.rstrip()}\n{fence}"


def _template(name: str, *, escape: bool) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        undefined=jinja2.StrictUndefined,
        autoescape=escape,  # noqa: S701 (Markdown is escaped word by word, see `plain`)
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["escape_markdown"] = lambda text: escape_markdown(clean(text, 4000))
    environment.filters["fenced"] = _fenced
    return environment.get_template(name)
