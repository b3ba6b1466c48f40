"""`genagents judge`: a model says what the answers of a run come to."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from genagents_env.cli.model_flags import NO_FLAGS, ModelFlags, take_model_flags
from genagents_env.cli.options import (
    AsJson,
    Concurrency,
    JudgeName,
    MaxCalls,
    MaxDollars,
    MaxSeconds,
    MaxTokens,
    Model,
    NoLimit,
    NoProgress,
    RunFile,
    make_limits,
)
from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.judge import JudgingResult
    from genagents_env.record import RunReader

Verdicts = dict[str, dict[str, int]]

_NONE = "no verdict"


def add_to(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(judge)


@take_model_flags
def judge(
    run_file: RunFile,
    model: Model = None,
    by: JudgeName = None,
    as_json: AsJson = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    max_seconds: MaxSeconds = None,
    no_limit: NoLimit = False,
    concurrency: Concurrency = None,
    model_flags: ModelFlags = NO_FLAGS,
    quiet: NoProgress = False,
) -> None:
    """Let a model judge the answers of a run by the scenario's checks.

    What it has judged is not asked again; several models can judge the same run. Without --model
    it is the run's own. Limits given here are those of the judging, also once it is repeated after
    a stop, within those of the run: a larger number raises these, too.

    Example: genagents judge run.sqlite --model gpt-4o-mini
    """
    from genagents_env.cli.progress import show_progress
    from genagents_env.judge import judge_run as judging
    from genagents_env.record import RunReader
    from genagents_env.run import RunOptions

    limits = make_limits(max_calls, max_tokens, max_dollars, max_seconds)
    how = model_flags.make_options()
    with show_progress(quiet or as_json) as watch:
        options = RunOptions(
            model=model,
            model_options=how,
            limits=limits,
            no_limit=no_limit,
            concurrency=concurrency,
            watch=watch,
        )
        done = judging(run_file, options, by=by)
    with RunReader(run_file) as record:
        verdicts = _count_verdicts(record, done.judge)
    if as_json:
        typer.echo(json.dumps(_to_json(run_file, done, verdicts), indent=2))
    else:
        for line in _format_lines(done, verdicts):
            say(line, indent=4)
    if done.message:
        say(f"genagents: {done.message}", error=True)
    raise typer.Exit(done.exit_code)


def _count_verdicts(record: "RunReader", name: str) -> Verdicts:
    """Return how often this judge gave which verdict, by check."""
    counts: dict[str, Counter[str]] = {}
    for row in record.judgements():
        if row.judge == name:
            counts.setdefault(row.check, Counter())[row.verdict or _NONE] += 1
    return {check: dict(counted.most_common()) for check, counted in counts.items()}


def _format_lines(done: "JudgingResult", verdicts: Verdicts) -> Iterator[str]:
    if not done.asked:
        yield (
            "Nothing to judge: no answer in this run is one that a check of its scenario is about"
        )
        return
    given = done.before + done.given
    yield f"Judge {done.judge}: {given:,} of {done.asked:,} verdicts, {done.given:,} of them new"
    if done.unusable:
        yield f"    {done.unusable:,} replies were no verdict; judge again to ask for them"
    for check, counts in verdicts.items():
        yield f"    {check}: {', '.join(f'{value} {count:,}' for value, count in counts.items())}"


def _to_json(path: Path, done: "JudgingResult", verdicts: Verdicts) -> dict[str, object]:
    return {
        "run": str(path),
        "judge": done.judge,
        "cases": done.asked,
        "before": done.before,
        "given": done.given,
        "unusable": done.unusable,
        "verdicts": verdicts,
    }
