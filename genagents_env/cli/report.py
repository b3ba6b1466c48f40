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
from genagents_env.record.rows import JSON
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.parting import describe_parting
from genagents_env.study.evaluate.rates import GAME_SPEED, Rates, compute_rates, find_tariff
from genagents_env.study.evaluate.results import as_json as make_values
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.report import StudyResults, measure_runs, measure_study, write_report
from genagents_env.study.report.placing import check_place
from genagents_env.study.report.quotes import describe_words, words_as_json
from genagents_env.study.report.study_tables import tabulate_costs, tabulate_means, tabulate_runs
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
    speed: Annotated[
        float | None,
        typer.Option(help=f"Game hours per real hour; else {GAME_SPEED:g}."),
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
    quotes: Annotated[
        bool,
        typer.Option(
            "--quotes", help="Also print the words in which facts were told, and every answer."
        ),
    ] = False,
) -> None:
    """Summarize a run: successes, who heard which fact from whom, attendance, cost.

    --out writes a page: the same, and every measure; --quotes prints who told whom in which words,
    and the answers with their evidence.

    For a sweep's folder: a page with tables, intervals, differences and figures, and the data as
    CSV and Parquet.
    """
    if out is not None:
        check_place(out)
    if any(path.is_dir() for path in run_files):
        of_files = {"--quotes": quotes, "--price-as": price_as, "--speed": speed}
        refuse_without(of_files, "run files; name those in the sweep's folder `runs`", None)
        _report_sweep(run_files, out, as_json, degraded, trust_measures)
        return

    refuse_without({"--trust-measures": trust_measures}, "a sweep's folder", None)
    speed = GAME_SPEED if speed is None else speed
    if not 0 < speed < float("inf"):
        raise ConfigError(f"--speed {speed:g} is no speed; expected a number above 0")
    tariff = None if price_as is None else find_tariff(price_as)
    files = list(dict.fromkeys(run_files))
    results = None
    if out is not None or (len(files) > 1 and not as_json):
        results = measure_runs(files, tariff, speed, degraded or "exclude")
    if out is not None and results is not None:
        page, *_ = write_report(results, out, warn)
        say(str(page))
        return
    with ExitStack() as stack:
        runs = [RunData(stack.enter_context(RunReader(path))) for path in files]
        rates = [compute_rates(one, tariff, speed) for one in runs]
        if as_json:
            told = [_tell_run(*one, quotes=quotes) for one in zip(runs, rates, strict=True)]
            print_json(told[0] if len(told) == 1 else {"runs": told})
        else:
            _print_runs(runs, rates, results, quotes=quotes)


def _print_runs(
    runs: Sequence[RunData],
    rates: Sequence[Rates],
    results: StudyResults | None,
    *,
    quotes: bool,
) -> None:
    """Print what one run came to, or several beside one another, cautions last."""
    width = find_width()
    if results is None:
        say_lines(describe_run(runs[0], width))
    else:
        say_lines(tabulate_runs(results).format_lines(width))
        say_lines(tabulate_means(results).format_lines(width))
    if len(runs) == 2:
        say_lines(describe_parting(*runs))
    costs = tabulate_costs(rates)
    say_lines(costs.format_lines(width) if costs.rows else ())
    for one in runs if quotes else ():
        say_lines(describe_words(one), indent=0)
    say_lines(() if results is None else results.cautions)


def _tell_run(data: RunData, rates: Rates, *, quotes: bool) -> dict[str, JSON]:
    told = run_as_json(data) | {"rates": make_values(rates)}
    return told | words_as_json(data) if quotes else told


def _report_sweep(
    folders: Sequence[Path],
    out: Path | None,
    as_json: bool,
    degraded: DegradedRuns | None,
    trust_measures: bool,
) -> None:
    if len(folders) > 1:
        raise ConfigError("one sweep's folder at a time, without run files")
    results = measure_folder(
        SweepFolder(folders[0]), degraded=degraded, trust_measures=trust_measures
    )
    if as_json:
        print_json(results.as_json())
    else:
        page, *_ = write_report(results, out, warn)
        say(str(page))


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
