"""The pages of a report, in HTML and Markdown; all words of people and models are escaped."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from genagents_env.report.narrative import ToldRun, tell_run
from genagents_env.report.results import SweepResults
from genagents_env.report.run_text import describe_run
from genagents_env.report.sections import FigureFile, ReportSection
from genagents_env.report.shown_tables import make_shown_sections
from genagents_env.report.sweep_tables import (
    describe_problem,
    make_relative,
    tabulate_answers,
    tabulate_own_values,
)
from genagents_env.report.table import escape_markdown
from genagents_env.report.trial import MeasuredTrial
from genagents_env.text import clean

_FOLDER = Path(__file__).parent
_STATES = ("finished", "stopped", "failed", "damaged", "due")


def format_html(
    results: SweepResults,
    sections: Sequence[ReportSection],
    notes: Sequence[str],
    pictures: Mapping[Path, Sequence[FigureFile]] | None = None,
) -> str:
    """Return the page, complete in itself: it loads nothing and runs nothing.

    Args:
        results: of a sweep; or of run files, whose words and answers stand on this page.
        sections: its tables and figures.
        notes: what could not be made.
        pictures: of the map, of run files by their path.
    """
    template = _load_template("page.html.jinja" if results.plan else "runs.html.jinja", escape=True)
    return template.render(
        results=results,
        sections=make_shown_sections(results, sections),
        notes=notes,
        design=_describe_design(results),
        runs=list(_describe_runs(results, pictures or {})),
    )


def format_markdown(
    results: SweepResults,
    sections: Sequence[ReportSection],
    notes: Sequence[str],
    pictures: Mapping[Path, Sequence[FigureFile]] | None = None,
) -> str:
    """Return the same in Markdown; the figures are files in `figures/` beside it."""
    template = _load_template("page.md.jinja" if results.plan else "runs.md.jinja", escape=False)
    return template.render(
        results=results,
        sections=make_shown_sections(results, sections),
        notes=notes,
        design=_describe_design(results),
        runs=list(_describe_runs(results, pictures or {})),
    )


def format_run_pages(results: SweepResults) -> Iterator[tuple[MeasuredTrial, str]]:
    """Yield a page for each trial of a sweep that can be read.

    On it stand its head, its measures, what happened, and what was answered.
    """
    template = _load_template("run.html.jinja", escape=True)
    for trial in results.runs:
        if trial.narrative is not None:
            yield trial, _format_run_page(template, results, trial)


def _format_run_page(template: jinja2.Template, results: SweepResults, trial: MeasuredTrial) -> str:
    head = {
        "condition": trial.condition.name,
        "seed": str(trial.seed),
        "state": trial.state,
        "why": describe_problem(trial),
        "game ticks": f"{trial.tick:,}",
        "run file": make_relative(trial.file, results.folder),
        "identity": trial.identity,
        "canonical hash": trial.hash,
        "scenario hash": trial.scenario,
    }
    return template.render(
        results=results,
        run=trial,
        head={key: value for key, value in head.items() if value},
        values=tabulate_own_values(results, trial),
        answers=tabulate_answers(trial),
    )


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run file on the page: what is told of it, its policies and model, its summary in lines."""

    told: ToldRun
    label: str
    lines: tuple[str, ...]


def _describe_runs(
    results: SweepResults, pictures: Mapping[Path, Sequence[FigureFile]]
) -> Iterator[ShownRun]:
    for summary in results.summaries:
        rates = summary.rates
        label = rates.policy if rates.model is None else f"{rates.policy}, {rates.model}"
        told = tell_run(summary, pictures.get(summary.path, ()))
        yield ShownRun(told, label, tuple(describe_run(summary)))


def _describe_design(results: SweepResults) -> tuple[tuple[str, str], ...]:
    """Return how the experiment was laid out, as names and words; nothing without a plan."""
    plan = results.plan
    if plan is None:
        return ()
    conditions = [one.condition.name for block in results.blocks for one in block.conditions]
    counts = [f"{results.count(state)} {state}" for state in _STATES if results.count(state)]
    failed = sum(run.degraded for run in results.runs)
    degraded = f" ({failed} degraded, {results.excluded} of them left out)" if failed else ""
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
        ("Runs", f"{len(results.runs)} planned: {', '.join(counts) or 'none'}{degraded}"),
        ("Primary", ", ".join(results.titles[name] for name in results.primary) or "none"),
        ("Compared with", plan.baseline or "one another"),
    )


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
