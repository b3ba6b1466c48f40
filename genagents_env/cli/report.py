"""`genagents report`: what one run came to, or several side by side; in words or as a page."""

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli.options import refuse_without
from genagents_env.cli.progress import show_count
from genagents_env.cli.screen import find_width, print_json, say, say_lines, warn
from genagents_env.errors import ConfigError
from genagents_env.record import RunReader
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.parting import describe_parting
from genagents_env.study.evaluate.rates import Tariff, compute_rates, find_tariff
from genagents_env.study.evaluate.results import as_json as make_values
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.report import StudyResults, measure_runs, measure_study, write_report
from genagents_env.study.report.study_tables import tabulate_costs, tabulate_means, tabulate_runs
from genagents_env.study.report.writing import check_place
from genagents_env.study.sweep import SweepFolder, count_cores
from genagents_env.study.sweep.design.experiment import DegradedRuns

app = typer.Typer()


@app.command()
def report(
    run_files: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="The run files, or a sweep's folder.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Write a page with figures and tables into this folder.")
    ] = None,
    price_as: Annotated[
        str | None, typer.Option(help="Compute dollars by the list price of this model.")
    ] = None,
    degraded: Annotated[
        DegradedRuns | None,
        typer.Option(help="Include degraded runs in means, or exclude them (the default)."),
    ] = None,
    trust_measures: Annotated[
        bool,
        typer.Option(
            "--trust-measures",
            help="For a sweep: execute the measures that its experiment names by file.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Summarize a run: successes, who heard which fact from whom, attendance, cost.

    --out writes a page: the same, and every measure.

    For a sweep's folder: a page with tables, intervals, differences and figures, and the data as
    CSV and Parquet.
    """
    if out is not None:
        check_place(out)
    files = list(dict.fromkeys(run_files))
    if len(files) < len(run_files):
        warn("what is named twice counts once")
    if any(path.is_dir() for path in files):
        refuse_without({"--price-as": price_as}, "run files, such as those in `runs`", None)
        if len(files) > 1:
            raise ConfigError("one sweep's folder at a time, without run files")
        folder = SweepFolder(files[0])
        results = measure_folder(folder, degraded=degraded, trust_measures=trust_measures)
        if as_json:
            print_json(results.as_json())
            return
    else:
        refuse_without({"--trust-measures": trust_measures}, "a sweep's folder", None)
        tariff = None if price_as is None else find_tariff(price_as)
        if out is None:
            _print_runs(files, tariff, degraded or "exclude", as_json=as_json)
            return
        results = measure_runs(files, tariff, degraded or "exclude")
    page, *_ = write_report(results, out, warn)
    say(str(page))


def _print_runs(
    files: Sequence[Path], tariff: Tariff | None, degraded: DegradedRuns, *, as_json: bool
) -> None:
    """Print what one run came to, or several beside one another, cautions last."""
    with ExitStack() as stack:
        runs = [RunData(stack.enter_context(RunReader(path))) for path in files]
        rates = [compute_rates(one, tariff) for one in runs]
        if as_json:
            pairs = zip(runs, rates, strict=True)
            told = [run_as_json(one) | {"rates": make_values(cost)} for one, cost in pairs]
            print_json(told[0] if len(told) == 1 else {"runs": told})
            return
        width = find_width()
        cautions: tuple[str, ...] = ()
        if len(runs) == 1:
            say_lines(describe_run(runs[0], width))
        else:
            results = measure_runs(files, tariff, degraded)
            cautions = results.cautions
            say_lines(tabulate_runs(results).format_lines(width))
            say_lines(tabulate_means(results).format_lines(width))
        if len(runs) == 2:
            say_lines(describe_parting(*runs))
        costs = tabulate_costs(rates)
        say_lines(costs.format_lines(width) if costs.rows else ())
        say_lines(cautions)


def measure_folder(
    folder: SweepFolder,
    *,
    workers: int | None = None,
    printed: Collection[str] = (),
    degraded: DegradedRuns | None = None,
    trust_measures: bool = False,
) -> StudyResults:
    """Measure all runs of a sweep, and print the problems that are not in `printed`."""
    with show_count("Measuring") as watch:
        results = measure_study(
            folder, watch, workers or count_cores(), degraded, trust_measures=trust_measures
        )
    for problem in results.problems:
        if problem not in printed:
            warn(problem)
    return results
