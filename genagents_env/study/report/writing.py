"""The report of a study or of run files: every file is made first, then all are put in place.

Completely or not at all; no other file is touched.
"""

import json
import os
import re
import tempfile
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path, PurePath

import jinja2

from genagents_env.errors import ConfigError, FileError
from genagents_env.extras import format_install_command
from genagents_env.files import find_inside, guard_files, parse_json, read_text
from genagents_env.record.rows import JSON
from genagents_env.study.report.sentences import describe_effect
from genagents_env.study.report.study import CELL, StudyResults
from genagents_env.study.report.study_tables import make_study_sections, tabulate_values
from genagents_env.study.report.table import Table, list_some
from genagents_env.study.stats.effects import PRIMARY
from genagents_env.study.stats.extra import import_extra

Tell = Callable[[str], None]
FigureFile = tuple[str, str, bytes]  # name, caption, PNG
INDEX = "report.json"
_OURS = re.compile(r"figures/[a-z0-9_]+\.png|[a-z0-9_]+\.(csv|parquet)")
_FILES = "files"  # in the index: their names
_MOST = 64 << 20  # bytes of an index


def write_report(
    results: StudyResults, out: Path | None = None, tell: Tell | None = None
) -> list[Path]:
    """Write the report of a study, or of run files.

    `report.html`, `report.json`, a CSV for each table, the tidy table also as `values.parquet`, and
    `figures/*.png`. A report that is there already is replaced, but by one that counts fewer
    finished runs; all other files are left alone, and no link in the folder is followed. What a
    report lacks for want of a library is left out, and the page says so.

    Args:
        results: what is reported.
        out: a folder, made where it is missing; None is the study's own.
        tell: is given a sentence where the former report had files that this one has not, and where
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
    folder, finished = out or results.folder, results.count("finished")
    if not results.is_of_files:
        _check_fuller(folder, finished)
    tell = tell or (lambda _: None)
    figures, undrawn = _draw(results)
    tables, values = list(make_study_sections(results)), tabulate_values(results)
    frames, unframed = _encode_parquet(values)
    notes = [note for note in (undrawn, unframed) if note]
    for note in notes:
        tell(note)
    texts = {"report.html": format_study(results, tables, figures, notes)}
    texts |= {f"{one.name}.csv": one.format_csv() for one in (*tables, values) if one.rows}
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    files |= frames | {f"figures/{name}.png": png for name, _, png in figures}
    told = {"notes": notes, "finished": finished, **results.describe()}
    return _place_files(files, told, folder, tell)


def format_study(
    study: StudyResults,
    tables: Sequence[Table],
    figures: Sequence[FigureFile] = (),
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
        figures=[(words, b64encode(png).decode("ascii")) for _, words, png in figures],
        notes=notes,
        whole="each of these" if CELL in study.plan.levels else "every combination",
        states=Counter(run.state for run in study.runs),
        degraded=sum(bool(run.degraded) for run in study.runs),
        primary=[
            describe_effect(study, one)
            + (f" {one.note[0].upper()}{one.note[1:]}." if one.note else "")
            for one in study.effects
            if one.family == PRIMARY and not one.found
        ],
        tables=tables,
    )


# matplotlib takes a second to load and is a package of its own, so it is loaded to draw.
def _draw(study: StudyResults) -> tuple[list[FigureFile], str]:
    try:
        from genagents_env.study.report.figures import draw_figures
    except ConfigError:
        return [], f"No figures: matplotlib is not installed: {format_install_command('lab')}"
    return draw_figures(study), ""


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


def check_place(folder: Path) -> None:
    """Raise where no report can be put into `folder`, before anything is measured for it.

    Raises:
        ConfigError: it is a file, or a part of its path is one.
        FileError: its name is too long, or leads in a circle.
    """
    with guard_files(folder):
        if folder.is_symlink() and not folder.exists():
            raise ConfigError(f"{folder} is a link to nowhere; a report needs a folder")
        there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
        if not there.is_dir():
            raise ConfigError(f"{there} is a file; a report needs a folder")


def _place_files(
    files: Mapping[str, bytes], data: Mapping[str, JSON], folder: Path, tell: Tell
) -> list[Path]:
    """Write `files` and an index of them, and return their paths in this order, the index last.

    Nothing is removed: files that only the former report had are named. No link in `folder` is
    followed. The page, which is the first of `files`, is put in place last.
    """
    index = json.dumps({_FILES: sorted(files), **data}, indent=1).encode()
    files = {**files, INDEX: index}
    check_place(folder)
    with guard_files(folder):
        stale = [name for name in _list_former(folder) if name not in files]
        beside = folder if folder.is_dir() else folder.parent  # of one file system with it
        beside.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".report-", dir=beside) as made:
            _put(Path(made), folder, files)
    if stale:
        tell(f"{folder}: of the report before, and not of this one: {list_some(stale)}")
    return [folder / name for name in files]


def _check_fuller(folder: Path, finished: int) -> None:
    """Raise ConfigError where the report that is in `folder` counts more finished runs."""
    found = _read_index(folder).get("finished")
    if isinstance(found, int) and found > finished:
        raise ConfigError(
            f"{folder}: the report there counts {found} finished runs, this one would count "
            f"{finished}; it was left as it is. Move it away, or name another folder with --out"
        )


def _put(made: Path, folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files into the folder `made`, then move them all into `folder`."""
    for name, content in files.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_bytes(content)
        find_inside(folder, str(PurePath(name).parent))
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise FileError(f"{folder / name} is a folder where the report has a file; remove it")
    for name in reversed(list(files)):  # the page last: what it links to is there
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(made / name, folder / name)


def _list_former(folder: Path) -> list[str]:
    """Return the files in `folder` that its index names, as far as a report has such files."""
    names = _read_index(folder).get(_FILES)
    listed = map(str, names) if isinstance(names, list | dict) else ()
    return [name for name in listed if _OURS.fullmatch(name) and os.path.lexists(folder / name)]


def _read_index(folder: Path) -> dict[str, JSON]:
    """Return the index of the report in `folder`; empty where there is none that can be read."""
    if not os.path.lexists(folder / INDEX):
        return {}
    try:
        found = parse_json(read_text(find_inside(folder, INDEX), _MOST))
    except (FileError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
