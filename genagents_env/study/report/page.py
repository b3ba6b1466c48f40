"""The pages of a report, in HTML and Markdown; all words of people and models are escaped."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from genagents_env.study.report.headlines import describe_effect
from genagents_env.study.report.study import CELL, StudyResults
from genagents_env.study.report.table import Table, escape_markdown
from genagents_env.study.stats.effects import PRIMARY
from genagents_env.text import clean

_FOLDER = Path(__file__).parent
_STATES = ("finished", "stopped", "failed", "damaged", "due")
HTML, MARKDOWN = "html", "md"


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


def format_study(
    study: StudyResults,
    tables: Sequence[Table],
    figures: Sequence[FigureFile],
    notes: Sequence[str],
    form: str,
) -> str:
    """Return the page of a study, complete in itself: it loads nothing and runs nothing.

    Args:
        study: measured.
        tables: of its appendix.
        figures: of the page; in Markdown they are files in `figures/` beside it.
        notes: what could not be made.
        form: `html` or `md`.
    """
    template = _load_template(f"study.{form}.jinja", escape=form == HTML)
    return template.render(
        results=study,
        figures=figures,
        notes=notes,
        design=[] if study.is_of_files else list(_describe_design(study)),
        primary=[
            describe_effect(study, one)
            + (f" {one.note[0].upper()}{one.note[1:]}." if one.note else "")
            for one in study.effects
            if one.family == PRIMARY and not one.found
        ],
        tables=tables,
    )


def _describe_design(study: StudyResults) -> Iterator[tuple[str, str]]:
    """Yield how the study was laid out, as names and words."""
    plan = study.plan
    for name, labels in plan.levels.items():
        base = f" (compared with {plan.baseline[name]})" if name in plan.baseline else ""
        yield name, f"{', '.join(labels)}{base}"
    if plan.levels:
        what = "each of these" if CELL in plan.levels else "every combination"
        yield "design", f"{what} with every seed; differences are taken seed by seed"
    yield "seeds", f"{len(plan.seeds)} ({_list_seeds(plan.seeds)})"
    counts = [f"{study.count(state)} {state}" for state in _STATES if study.count(state)]
    failed = sum(run.degraded for run in study.runs)
    degraded = f" ({failed} degraded, {study.excluded} of them left out)" if failed else ""
    yield "runs", f"{len(study.runs)} planned: {', '.join(counts) or 'none'}{degraded}"
    yield "primary", ", ".join(study.title_of(name) for name in study.primary) or "none"


def _list_seeds(seeds: Sequence[int]) -> str:
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 2 and list(seeds) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seeds))


def _embed(figure: FigureFile) -> str:
    return f"data:image/png;base64,{b64encode(figure.png).decode('ascii')}"


def _fence(text: str, language: str) -> str:
    """Return text as a code block of Markdown that no line of it can end."""
    lines = (clean(line, 2000) if not line.isprintable() else line for line in text.split("\n"))
    code = "\n".join(lines)
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


def _load_template(name: str, *, escape: bool) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        undefined=jinja2.StrictUndefined,
        autoescape=escape,  # noqa: S701 (Markdown is escaped word by word, see `escape_markdown`)
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["escape_markdown"] = lambda text: escape_markdown(clean(text, 4000))
    environment.filters["fence"] = _fence
    environment.globals["embed"] = _embed
    return environment.get_template(name)
