"""`genagents rate`: models rate answers by a rubric, or say which of two is the better."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import join
from typing import Annotated

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.judged_runs import (
    DEFAULT_RUBRIC,
    JudgedRuns,
    JudgingSummary,
    Pairwise,
    RubricName,
    Sources,
    VerdictsFile,
    find_judged_runs,
    load_rubric_at,
)
from genagents_env.cli.progress import show_judging_progress
from genagents_env.cli.screen import print_json, say, say_lines, warn
from genagents_env.judge import JudgedText, JudgingResult, Rubric, Verdicts, compare
from genagents_env.judge import rate as rate_answers
from genagents_env.judge.summary import filter_by_answers
from genagents_env.judge.verdicts import Judgement
from genagents_env.llm.open import ModelOptions
from genagents_env.run import Limits, RunOptions

app = typer.Typer()
_REPEATS = {False: 3, True: 1}  # of a rating; of a comparison, in each order


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """The task of one judge: to rate by a rubric, or to compare pairs by it."""

    rubric: Rubric
    pairwise: bool
    repeats: int
    model: str | None

    def ask(
        self,
        answers: Sequence[JudgedText],
        verdicts: Verdicts,
        options: RunOptions,
        *,
        quiet: bool,
        again: str,
    ) -> JudgingResult:
        """Ask the model for all open verdicts, and return the result."""
        options = replace(options, model=self.model)
        with show_judging_progress(quiet) as watch:
            if self.pairwise:
                rubric, repeats = self.rubric, self.repeats
                return compare(
                    answers, options, verdicts, rubric, repeats=repeats, watch=watch, again=again
                )
            return rate_answers(
                answers, self.rubric, options, verdicts, self.repeats, watch=watch, again=again
            )


@app.command()
def rate(
    sources: Sources,
    rubric: RubricName = None,
    pairwise: Pairwise = False,
    model: opt.Model = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="Times each question is asked; else 3 for ratings, 1 for each order of a pair.",
        ),
    ] = None,
    verdicts: VerdictsFile = None,
    as_json: opt.AsJson = False,
    max_calls: opt.MaxCalls = None,
    max_dollars: opt.MaxDollars = None,
    concurrency: opt.Concurrency = None,
    endpoint: opt.Endpoint = None,
    quiet: opt.NoProgress = False,
) -> None:
    """Let a model rate the answers of many runs, or compare them between conditions.

    Judges see no condition. Every verdict is stored at once: the same command continues where it
    stopped. The judge is --model, else the runs' own model. Without --rubric and --pairwise the
    judges of the sweep's experiment are asked, else `believability` is rated. Limits are of this
    command.

    Example: genagents rate sweeps/gossip --pairwise --model gpt-4o-mini
    """
    run_options = opt.make_options(
        endpoint=endpoint, max_calls=max_calls, max_dollars=max_dollars, concurrency=concurrency
    )
    about = find_judged_runs(sources, verdicts)
    kept = Verdicts(about.verdicts)
    done: list[JudgingResult] = []
    ids: set[str] = set()
    own = {"--rubric": rubric, "--model": model, "--repeats": repeats, "--verdicts": verdicts}
    again = _format_command(sources, pairwise, own)
    for task in _list_tasks(about, rubric, pairwise, repeats, model):
        answers = about.load_texts(task.rubric, "after")
        ids.update(said.id for said in answers)
        silent = quiet or as_json
        done.append(task.ask(answers, kept, run_options, quiet=silent, again=again))
        limits = run_options.limits.subtract(done[-1].spent)
        run_options = replace(run_options, limits=limits)
        if done[-1].exit_code:
            break
    _print_results(done, filter_by_answers(kept, ids), about, as_json)
    raise typer.Exit(max((result.exit_code for result in done), default=0))


def rate_sweep(
    folder: Path, limits: Limits, how: ModelOptions, quiet: bool, *, aside: bool = False
) -> int:
    """Ask the judges that the experiment of a sweep names; return the exit code of the worst.

    Args:
        folder: of the sweep, with a finished run in it.
        limits: what its judges may spend together.
        how: how they are asked.
        quiet: show no progress.
        aside: say what came of it on stderr.
    """
    about = find_judged_runs([folder], None)
    kept, code = Verdicts(about.verdicts), 0
    for task in _list_tasks(about, None, False, None, None):
        answers = about.load_texts(task.rubric, "after")
        options = RunOptions(model_options=how, limits=limits, concurrency=8)
        again = f"genagents rate {folder}"
        result = task.ask(answers, kept, options, quiet=quiet, again=again)
        limits, code = limits.subtract(result.spent), max(code, result.exit_code)
        say(_format_result(result), error=aside)
        if result.message:
            warn(result.message)
            break
    return code


def _list_tasks(
    about: JudgedRuns, rubric: str | None, pairwise: bool, repeats: int | None, model: str | None
) -> list[JudgeTask]:
    """Return the tasks of the options, or of the experiment's judges where there are none."""
    own = about.model
    specs = () if about.folder is None else about.folder.experiment.judges
    if rubric is None and not pairwise and specs and about.folder is not None:
        base = about.folder.base
        tasks = []
        for spec in specs:
            read, times = load_rubric_at(spec.name, base), repeats or spec.repeats
            by = model or spec.model or own
            tasks.append(JudgeTask(read, spec.kind == "pairwise", times, by))
        return tasks
    read, times = load_rubric_at(rubric or DEFAULT_RUBRIC), repeats or _REPEATS[pairwise]
    return [JudgeTask(read, pairwise, times, model or own)]


def _format_command(sources: Sequence[Path], pairwise: bool, options: Mapping[str, object]) -> str:
    """Return the command that goes on; `options` by their names, None where not given."""
    words = ["genagents", "rate", *map(str, sources), *(["--pairwise"] if pairwise else [])]
    for name, value in options.items():
        words += [name, str(value)] if value else []
    return join(words)


def _print_results(
    done: Sequence[JudgingResult], given: Sequence[Judgement], about: JudgedRuns, as_json: bool
) -> None:
    summary = JudgingSummary(given, about)
    if as_json:
        judges = [_to_json(result) for result in done]
        print_json({"verdicts": str(about.verdicts), "judges": judges, **summary.to_json()})
    else:
        say_lines(map(_format_result, done))
        say_lines(summary.format_lines())
    for result in done:
        if result.message:
            warn(result.message)


def _format_result(done: JudgingResult) -> str:
    if not done.asked:
        return "Nothing to judge: no answer of these runs is one that the rubric is about"
    text = f"Judge {done.judge}: {done.before + done.given:,} of {done.asked:,} verdicts, "
    text += f"{done.given:,} of them new"
    if done.unusable:
        text += f"; {done.unusable:,} replies were no verdict: the same command asks again"
    return text


def _to_json(done: JudgingResult) -> dict[str, object]:
    return asdict(done) | {"spent": {"calls": done.spent.calls, "tokens": done.spent.tokens}}
