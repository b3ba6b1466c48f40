"""`genagents report`: what one run came to, or several side by side; in words or as a page."""

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.evaluate.run_summary import RunSummary
    from genagents_env.report.results import SweepResults
    from genagents_env.report.table import Table
    from genagents_env.sweep import SweepFolder


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(report)


def report(
    run_files: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="The run files, or a sweep's folder.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="A folder for the page, its figures and tables; made where missing. Of a sweep: "
            "its own."
        ),
    ] = None,
    price_as: Annotated[
        str | None, typer.Option(help="Reckon dollars by the list price of this model.")
    ] = None,
    speed: Annotated[float, typer.Option(help="Game hours in a human hour.")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Tell what it came to: successes, who heard which fact and from whom, who came, its cost.

    Of a sweep: a page with tables, intervals, differences and figures, CSV and Parquet beside it.
    """
    if any(path.is_dir() for path in run_files):
        _of_sweep(run_files, out, as_json)
        return
    from genagents_env.report.run_writing import as_json as all_as_json
    from genagents_env.report.run_writing import write_report

    studies = _studied(run_files, price_as, speed)
    if out is not None:
        page, *_ = write_report(studies, out, [tuple(_told(study)) for study in studies])
        say(str(page))
    elif as_json:
        alone = studies[0].as_json() if len(studies) == 1 else all_as_json(studies)
        typer.echo(json.dumps(alone, indent=2))
    elif len(studies) == 1:
        for line in _told(studies[0]):
            say(line, indent=4)
    else:
        for line in _compared(studies):
            say(line, indent=4)


def _of_sweep(folders: Sequence[Path], out: Path | None, as_json: bool) -> None:
    from genagents_env.report.results import as_json as all_as_json
    from genagents_env.report.writing import write_lab
    from genagents_env.sweep import SweepFolder

    if len(folders) > 1:
        raise ConfigError("one sweep's folder at a time, without run files")
    found = measured(SweepFolder(folders[0]), quiet=as_json)
    if as_json:
        typer.echo(json.dumps(all_as_json(found), indent=2))
    else:
        page, *_ = write_lab(found, out)
        say(str(page))


def measured(
    folder: "SweepFolder", *, quiet: bool, workers: int | None = None, told: Collection[str] = ()
) -> "SweepResults":
    """Measure all runs of a sweep, and say what could not be done but for what was `told`."""
    from genagents_env.cli.sweep_progress import show_count
    from genagents_env.report.results import measure_sweep
    from genagents_env.sweep import count_cores

    with show_count("Measuring", quiet) as watch:
        found = measure_sweep(folder, watch, workers or count_cores())
    for problem in found.problems:
        if problem not in told:
            say(f"genagents: {problem}", error=True)
    return found


def _studied(run_files: Sequence[Path], price_as: str | None, speed: float) -> "list[RunSummary]":
    from genagents_env.evaluate.rates import tariff
    from genagents_env.evaluate.run_summary import summarize
    from genagents_env.record import RunReader

    if not 0 < speed < float("inf"):
        raise ConfigError(f"--speed {speed:g} is no speed; expected a number above 0")
    priced_as = None if price_as is None else tariff(price_as)
    studies = []
    for path in dict.fromkeys(run_files):
        with RunReader(path) as record:
            studies.append(summarize(record, priced_as, speed))
    return studies


def _told(study: "RunSummary") -> Iterator[str]:
    """Yield what one run came to, line by line."""
    from genagents_env.cli.summary import summary
    from genagents_env.evaluate.published import published
    from genagents_env.report import run_tables as tables
    from genagents_env.report.groups import group_runs

    yield from summary(study)
    if study.spans.conversations:
        yield from aligned(tables.lengths(group_runs([study])))
    if study.rates.agents:
        yield from aligned(tables.rates([study], published(study.rates.speed)))


def _compared(studies: "Sequence[RunSummary]") -> Iterator[str]:
    """Yield the tables of several runs beside one another."""
    from genagents_env.evaluate.published import published
    from genagents_env.report import run_tables as tables
    from genagents_env.report.groups import group_runs

    groups = group_runs(studies)
    for table in (
        tables.runs(studies),
        tables.successes(groups),
        tables.agreement(studies),
        tables.flow(groups),
        tables.lengths(groups),
        tables.rates(studies, published(studies[0].rates.speed)),
    ):
        if table.rows:
            yield from aligned(table)


def aligned(table: "Table") -> Iterator[str]:
    """Yield a table for the terminal: its title, heads and rows in columns, its note."""
    rows = [list(table.columns), *table.format_rows()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [
        all(cell is None or isinstance(cell, int | float) for cell in column)
        for column in zip(*table.rows, strict=True)
    ]
    yield f"{table.title}:"
    for row in rows:
        cells = zip(row, widths, right, strict=True)
        told = "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in cells)
        yield f"    {told.rstrip()}"
    if table.note:
        yield f"    {table.note}"
