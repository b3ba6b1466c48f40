"""Writing a report: all files are made first, then put in place together."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.extras import format_install_command
from genagents_env.study.report.page import HTML, MARKDOWN, FigureFile, format_study
from genagents_env.study.report.placing import INDEX, check_fuller, format_index, place_files
from genagents_env.study.report.study import StudyResults
from genagents_env.study.report.study_tables import make_study_sections, tabulate_values
from genagents_env.study.report.table import Table
from genagents_env.study.stats.extra import import_extra

Tell = Callable[[str], None]


def write_report(
    results: StudyResults, out: Path | None = None, tell: Tell | None = None
) -> list[Path]:
    """Write the report of a study, or of run files.

    `report.html`, the same as `report.md`, `report.json`, a CSV for each table, the tidy table
    also as `values.parquet`, and `figures/*.png`. A report
    that is there already is replaced, with the files that only it had and nobody changed; run files
    and all others are left alone, and no link in the folder is followed. A study's report that
    counts more finished runs than this one stays. What a report lacks for want of a library is left
    out, and the page says so.

    Args:
        results: what is reported.
        out: a folder, made where it is missing; None is the study's own.
        tell: is given a sentence where files of the former report had to be left in it.

    Returns:
        The paths, `report.html` first.

    Raises:
        ConfigError: `out` is a file, or cannot be written; there is neither `out` nor a study; or
            the report that is there is fuller.
        FileError: a folder inside it is a link.
    """
    if results.is_of_files:
        if out is None:
            raise ConfigError("a report of run files needs a folder to be written into")
        folder = out
    else:
        folder = results.folder if out is None else out
        check_fuller(folder, results.count("finished"))
    return place_files(_make_files(results), folder, tell or (lambda _: None))


def _make_files(study: StudyResults) -> dict[str, bytes]:
    """Return all files of a report by name, the page first."""
    figures, undrawn = _draw(study)
    tables, values = list(make_study_sections(study)), tabulate_values(study)
    frames, unframed = _encode_parquet(values)
    notes = [note for note in (undrawn, unframed) if note]
    texts = {
        f"report.{form}": format_study(study, tables, figures, notes, form)
        for form in (HTML, MARKDOWN)
    }
    texts |= {f"{one.name}.csv": one.format_csv() for one in (*tables, values) if one.rows}
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    files |= frames | {f"figures/{one.name}.png": one.png for one in figures}
    told = {"notes": notes, "finished": study.count("finished"), **study.describe()}
    return files | {INDEX: format_index(files, told)}


# matplotlib takes a second to load and is a package of its own, so it is loaded to draw.
def _draw(study: StudyResults) -> tuple[list[FigureFile], str]:
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
