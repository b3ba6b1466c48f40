"""`genagents judge`: a model says what the answers of a run come to."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.progress import show_progress
from genagents_env.cli.screen import print_json, say_lines, warn
from genagents_env.judge import JudgingResult
from genagents_env.judge import judge_run as judging
from genagents_env.record import RunReader

Verdicts = dict[str, dict[str, int]]

_NONE = "no verdict"
app = typer.Typer()


@app.command()
def judge(
    run_file: opt.RunFile,
    model: opt.Model = None,
    by: opt.JudgeName = None,
    as_json: opt.AsJson = False,
    max_calls: opt.MaxCalls = None,
    max_dollars: opt.MaxDollars = None,
    no_limit: opt.NoLimit = False,
    concurrency: opt.Concurrency = None,
    endpoint: opt.Endpoint = None,
    quiet: opt.NoProgress = False,
) -> None:
    """Let a model judge the answers of a run by the scenario's checks.

    The judge is --model, else the run's own model; several models can judge a run, and no verdict
    is asked for twice. Limits are of this judging, and count what a stopped one has spent; a limit
    above the run's own raises that.

    Example: genagents judge run.sqlite --model gpt-4o-mini
    """
    with show_progress(quiet or as_json) as watch:
        options = opt.make_options(
            model=model,
            endpoint=endpoint,
            max_calls=max_calls,
            max_dollars=max_dollars,
            no_limit=no_limit,
            concurrency=concurrency,
            watch=watch,
        )
        done = judging(run_file, options, by=by)
    with RunReader(run_file) as record:
        verdicts = _count_verdicts(record, done.judge)
    if as_json:
        print_json(_to_json(run_file, done, verdicts))
    else:
        say_lines(_format_lines(done, verdicts))
    if done.message:
        warn(done.message)
    raise typer.Exit(done.exit_code)


def _count_verdicts(record: RunReader, name: str) -> Verdicts:
    """Count the verdicts of a judge, by check."""
    counts: dict[str, Counter[str]] = {}
    for row in record.judgements():
        if row.judge == name:
            counts.setdefault(row.check, Counter())[row.verdict or _NONE] += 1
    return {check: dict(counted.most_common()) for check, counted in counts.items()}


def _format_lines(done: JudgingResult, verdicts: Verdicts) -> Iterator[str]:
    if not done.asked:
        yield (
            "Nothing to judge: no answer in this run is one that a check of its scenario is about"
        )
        return
    count = done.before + done.given
    yield f"Judge {done.judge}: {count:,} of {done.asked:,} verdicts, {done.given:,} of them new"
    if done.unusable:
        yield f"    {done.unusable:,} replies were no verdict; judge again to ask for them"
    for check, counts in verdicts.items():
        yield f"    {check}: {', '.join(f'{value} {count:,}' for value, count in counts.items())}"


def _to_json(path: Path, done: JudgingResult, verdicts: Verdicts) -> dict[str, object]:
    return {
        "run": str(path),
        "judge": done.judge,
        "cases": done.asked,
        "before": done.before,
        "given": done.given,
        "unusable": done.unusable,
        "verdicts": verdicts,
    }
