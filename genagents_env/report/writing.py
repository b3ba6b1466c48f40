"""Writing a sweep's report: everything is made first, so that nothing stands half-written."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.report import page, sweep_tables
from genagents_env.report.frames import encode_parquet
from genagents_env.report.naming import find_page
from genagents_env.report.page import Section
from genagents_env.report.picture import FigureFile
from genagents_env.report.placing import INDEX, place_files
from genagents_env.report.results import SweepResults
from genagents_env.report.table import Table

_OURS = re.compile(
    r"figures/[a-z0-9_]+\.png|pages/[A-Za-z0-9_-]+\.html|[a-z0-9_]+\.(csv|parquet)|report\.(html|md)"
)


@dataclass(frozen=True, slots=True)
class Made:
    """The files of a report by name, the page first, and what could not be made."""

    files: Mapping[str, bytes]
    notes: tuple[str, ...]


def write_lab(gathered: SweepResults, out: Path | None = None) -> list[Path]:
    """Write the report of a sweep.

    `report.html` and its twin `report.md`, `report.json`, a CSV for each table, `*.parquet`,
    `figures/*.png`, and a page for each run in `pages/`. A report that is there already is
    replaced, with the files that only it had; run files and all others are left alone. What needs
    a library that is missing is left out, and the page says so.

    Args:
        gathered: the sweep.
        out: a folder, made where it is missing; None is the sweep's own.

    Returns:
        The paths, `report.html` first.

    Raises:
        ConfigError: `out` is a file, or cannot be written.
    """
    return place_files(made(gathered).files, gathered.folder if out is None else out, _OURS)


def made(known: SweepResults) -> Made:
    """Return all files of the report, and a note for each library that is missing."""
    pictures, undrawn = _pictures(known)
    frames, unframed = _frames(known)
    notes = tuple(note for note in (undrawn, unframed) if note)
    own = _sections(known, pictures)
    texts = {
        "report.html": page.html(known, own, notes),
        "report.md": page.markdown(known, own, notes),
    }
    texts |= {f"{one.name}.csv": one.format_csv() for one in _tabled(known, own) if one.rows}
    texts |= {find_page(run): text for run, text in page.run_pages(known)}
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    files |= frames | {f"figures/{one.name}.png": one.png for one in pictures}
    listed = {"files": sorted(files), "notes": list(notes), **known.as_json()}
    return Made(files | {INDEX: json.dumps(listed, indent=1).encode()}, notes)


def _pictures(known: SweepResults) -> tuple[list[FigureFile], str]:
    # Here, since matplotlib takes a second to load and is a package of its own.
    try:
        from genagents_env.report.sweep_figures import pictures
    except ConfigError:
        return [], 'No figures: matplotlib is not installed: pip install "genagents-env[lab]"'
    return list(pictures(known)), ""


def _frames(known: SweepResults) -> tuple[dict[str, bytes], str]:
    try:
        return encode_parquet(known), ""
    except ConfigError as error:
        return {}, f"No Parquet files: {error}"


def _sections(known: SweepResults, pictures: Sequence[FigureFile]) -> list[Section]:
    means = list(sweep_tables.means(known))
    decisive, differences = sweep_tables.decisive(known), sweep_tables.differences(known)
    figures = Table("figures", "Figures", (), ())
    own = [Section(one.name, one, strong=sweep_tables.primary_rows(known, one)) for one in means]
    drawn = tuple(one for one in pictures if one.table == decisive.name)
    own += [Section(decisive.name, decisive, drawn)] if decisive.rows else []
    drawn = tuple(one for one in pictures if one.table == figures.name)
    own += [Section(figures.name, figures, drawn)] if drawn else []
    strong = sweep_tables.primary_rows(known, differences)
    own.append(Section(differences.name, differences, strong=strong))
    own += [Section(one.name, one) for one in known.judged]
    runs = sweep_tables.runs(known)
    own.append(Section(runs.name, runs, links=sweep_tables.linked(known)))
    more = (
        sweep_tables.measures(known),
        sweep_tables.identities(known),
        sweep_tables.versions(known),
    )
    return [*own, *(Section(one.name, one) for one in more)]


def _tabled(known: SweepResults, own: Sequence[Section]) -> list[Table]:
    return [*(one.table for one in own), sweep_tables.values(known)]
