"""Writing a report: all files are made first, then put in place together."""

from collections.abc import Callable, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.report.frames import encode_parquet
from genagents_env.report.map_pictures import draw_moments
from genagents_env.report.page import format_html, format_markdown, format_run_pages
from genagents_env.report.placing import INDEX, format_index, place_files
from genagents_env.report.results import SweepResults
from genagents_env.report.run_tables import tabulate_run_answers
from genagents_env.report.sections import FigureFile, ReportSection, make_sections
from genagents_env.report.sweep_tables import tabulate_values
from genagents_env.report.table import Table


def write_report(
    results: SweepResults, out: Path | None = None, tell: Callable[[str], None] | None = None
) -> list[Path]:
    """Write the report of a sweep, or of run files.

    `report.html`, the same as `report.md`, `report.json`, a CSV for each table and
    `figures/*.png`; of a sweep also `*.parquet`, and a page for each run in `pages/`. A report that
    is there already is replaced, with the files that only it had and nobody changed; run files and
    all others are left alone, and no link in the folder is followed. What a report lacks for want
    of a library is left out, and the page says so.

    Args:
        results: what is reported.
        out: a folder, made where it is missing; None is the sweep's own.
        tell: is given a sentence where files of the former report had to be left in it.

    Returns:
        The paths, `report.html` first.

    Raises:
        ConfigError: `out` is a file, or cannot be written; or there is neither `out` nor a sweep.
        FileError: a folder inside it is a link.
    """
    folder = results.folder if out is None else out
    if folder is None:
        raise ConfigError("a report of run files needs a folder to be written into")
    return place_files(_make_files(results), folder, tell or (lambda _: None))


def _make_files(results: SweepResults) -> dict[str, bytes]:
    """Return all files of the report by name, the page first."""
    figures, undrawn = _draw_figures(results)
    frames, unframed = _encode_frames(results)
    notes = [note for note in (undrawn, unframed) if note]
    sections, pictures = make_sections(results, figures), _draw_pictures(results)
    texts = {
        "report.html": format_html(results, sections, notes, pictures),
        "report.md": format_markdown(results, sections, notes, pictures),
    }
    tables = _list_tables(results, sections)
    texts |= {f"{one.name}.csv": one.format_csv() for one in tables if one.rows}
    texts |= {trial.page: text for trial, text in format_run_pages(results)}
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    figures += [one for several in pictures.values() for one in several]
    files |= frames | {f"figures/{one.name}.png": one.png for one in figures}
    return files | {INDEX: format_index(files, {"notes": notes, **results.as_json(words=True)})}


def _draw_figures(results: SweepResults) -> tuple[list[FigureFile], str]:
    # Imported here, since matplotlib takes a second to load and is a package of its own.
    extra = "pictures" if results.plan is None else "lab"
    try:
        if results.plan is None:
            from genagents_env.report.run_figures import draw_run_figures as draw
        else:
            from genagents_env.report.sweep_figures import draw_sweep_figures as draw
    except ConfigError:
        return [], f"No figures: matplotlib is not installed: {format_install_command(extra)}"
    return list(draw(results)), ""


def _draw_pictures(results: SweepResults) -> dict[Path, list[FigureFile]]:
    """Return the pictures of the map, by run file: of the first run of each group."""
    first = [group.first for group in results.groups]
    return {run.path: list(draw_moments(run, number)) for number, run in enumerate(first, 1)}


def _encode_frames(results: SweepResults) -> tuple[dict[str, bytes], str]:
    if results.plan is None:
        return {}, ""
    try:
        return encode_parquet(results), ""
    except ConfigError as error:
        return {}, f"No Parquet files: {error}"


def _list_tables(results: SweepResults, sections: Sequence[ReportSection]) -> list[Table]:
    long = (
        tabulate_run_answers(results.summaries)
        if results.plan is None
        else tabulate_values(results)
    )
    return [*(one.table for one in sections), long]
