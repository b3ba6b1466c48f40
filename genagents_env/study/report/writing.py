"""The report of a study or of run files: every file is made first, then all are put in place."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.study.report.headlines import describe_effect
from genagents_env.study.report.placing import INDEX, check_fuller, format_index, place_files
from genagents_env.study.report.study import CELL, StudyResults
from genagents_env.study.report.study_tables import make_study_sections, tabulate_values
from genagents_env.study.report.table import Table
from genagents_env.study.stats.effects import PRIMARY
from genagents_env.study.stats.extra import import_extra

if TYPE_CHECKING:
    from genagents_env.study.report.study_figures import FigureFile

Tell = Callable[[str], None]

_STATES = ("finished", "stopped", "failed", "damaged", "due")


def write_report(
    results: StudyResults, out: Path | None = None, tell: Tell | None = None
) -> list[Path]:
    """Write the report of a study, or of run files.

    `report.html`, `report.json`, a CSV for each table, the tidy table also as `values.parquet`, and
    `figures/*.png`. A report that is there already is replaced, with the files that only it had and
    nobody changed; run files and all others are left alone, and no link in the folder is followed.
    A study's report that counts more finished runs than this one stays. What a report lacks for
    want of a library is left out, and the page says so.

    Args:
        results: what is reported.
        out: a folder, made where it is missing; None is the study's own.
        tell: is given a sentence where files of the former report had to be left in it, and where
            a library is missing.

    Returns:
        The paths, `report.html` first.

    Raises:
        ConfigError: `out` is a file, or cannot be written; there is neither `out` nor a study; or
            the report that is there is fuller.
        FileError: a folder inside it is a link.
    """
    if results.is_of_files and out is None:
        raise ConfigError("a report of run files needs a folder to be written into")
    folder = results.folder if out is None else out
    if not results.is_of_files:
        check_fuller(folder, results.count("finished"))
    tell = tell or (lambda _: None)
    return place_files(_make_files(results, tell), folder, tell)


def _make_files(study: StudyResults, tell: Tell) -> dict[str, bytes]:
    """Return all files of a report by name, the page first."""
    figures, undrawn = _draw(study)
    tables, values = list(make_study_sections(study)), tabulate_values(study)
    frames, unframed = _encode_parquet(values)
    notes = [note for note in (undrawn, unframed) if note]
    for note in notes:
        tell(note)
    texts = {"report.html": format_study(study, tables, figures, notes)}
    texts |= {f"{one.name}.csv": one.format_csv() for one in (*tables, values) if one.rows}
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    files |= frames | {f"figures/{one.name}.png": one.png for one in figures}
    told = {"notes": notes, "finished": study.count("finished"), **study.describe()}
    return files | {INDEX: format_index(files, told)}


def format_study(
    study: StudyResults,
    tables: Sequence[Table],
    figures: "Sequence[FigureFile]" = (),
    notes: Sequence[str] = (),
) -> str:
    """Return the page of a study, complete in itself: it loads nothing and runs nothing.

    Args:
        study: measured; all words of people and models in it are escaped.
        tables: of its appendix.
        figures: of the page.
        notes: what could not be made.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("study.html.jinja").render(
        results=study,
        figures=[(one, b64encode(one.png).decode("ascii")) for one in figures],
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
    failed = sum(bool(run.degraded) for run in study.runs)
    degraded = f" ({failed} degraded, {study.excluded} of them left out)" if failed else ""
    yield "runs", f"{len(study.runs)} planned: {', '.join(counts) or 'none'}{degraded}"
    yield "primary", ", ".join(study.title_of(name) for name in study.primary) or "none"


def _list_seeds(seeds: Sequence[int]) -> str:
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 2 and list(seeds) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seeds))


# matplotlib takes a second to load and is a package of its own, so it is loaded to draw.
def _draw(study: StudyResults) -> "tuple[list[FigureFile], str]":
    try:
        from genagents_env.study.report.study_figures import draw_study_figures
    except ConfigError:
        return [], f"No figures: matplotlib is not installed: {format_install_command('lab')}"
    return list(draw_study_figures(study)), ""


def _encode_parquet(table: Table) -> tuple[dict[str, bytes], str]:
    try:
        pandas = import_extra("pandas")
        import_extra("pyarrow")
    except ConfigError as error:
        return {}, f"No Parquet files: {error}"
    buffer = BytesIO()
    frame = pandas.DataFrame(table.rows, columns=table.columns)
    frame.to_parquet(buffer, engine="pyarrow", index=False)
    return {f"{table.name}.parquet": buffer.getvalue()}, ""
