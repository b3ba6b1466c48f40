"""`genagents rate`: models rate answers by a rubric, or say which of two is the better."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated

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
from genagents_env.cli.screen import print_json, say, say_lines, warn

if TYPE_CHECKING:
    from genagents_env.judge import JudgedText, JudgingResult, Rubric, Verdicts
    from genagents_env.judge.verdicts import Judgement
    from genagents_env.llm.model_options import ModelOptions
    from genagents_env.run import Limits

app = typer.Typer()
_REPEATS = {False: 3, True: 1}  # of a rating; of a comparison, in each order


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """What one judge is asked: to rate by a rubric, or to compare pairs by it."""

    rubric: "Rubric"
    pairwise: bool
    repeats: int
    model: str | None


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
            help="Times everything is asked: 3 of a rating, 1 of a pair in each order.",
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

    No judge is told a condition. Every verdict is kept as it is given: the same command goes on
    where it stopped, and only asks what is new. Without --model it is the runs' own; without
    --rubric and --pairwise it is what the sweep's experiment names as its judges, or else
    believability. Limits count from here.

    Example: genagents rate sweeps/gossip --pairwise --model gpt-4o-mini
    """
    from genagents_env.judge import Verdicts
    from genagents_env.judge.summary import filter_by_answers

    limits = opt.make_limits(max_calls, None, max_dollars, None)
    how = opt.make_model_options(endpoint)
    about = find_judged_runs(sources, verdicts)
    kept = Verdicts(about.verdicts)
    done: list[JudgingResult] = []
    ids: set[str] = set()
    options = {
        "--rubric": rubric,
        "--model": model,
        "--repeats": repeats,
        "--verdicts": verdicts,
    }
    again = _format_command(sources, pairwise, options)
    for task in _list_tasks(about, rubric, pairwise, repeats, model):
        answers = about.load_texts(task.rubric, "after")
        ids.update(said.id for said in answers)
        request = JudgeRequest(answers, kept, quiet or as_json, how)
        done.append(request.ask(task, limits, concurrency, again))
        limits = limits.subtract(done[-1].spent)
        if done[-1].exit_code:
            break
    _print_results(done, filter_by_answers(kept, ids), about, as_json)
    raise typer.Exit(max((one.exit_code for one in done), default=0))


def rate_sweep(
    folder: Path, limits: "Limits", how: "ModelOptions", quiet: bool, *, aside: bool = False
) -> int:
    """Ask the judges that the experiment of a sweep names; return the exit code of the worst.

    Args:
        folder: of the sweep, with a finished run in it.
        limits: what its judges may spend together.
        how: how they are asked.
        quiet: show no progress.
        aside: say what came of it on stderr.
    """
    from genagents_env.judge import Verdicts

    about = find_judged_runs([folder], None)
    kept, code = Verdicts(about.verdicts), 0
    for task in _list_tasks(about, None, False, None, None):
        answers = about.load_texts(task.rubric, "after")
        request = JudgeRequest(answers, kept, quiet, how)
        heard = request.ask(task, limits, 8, f"genagents rate {folder}")
        limits, code = limits.subtract(heard.spent), max(code, heard.exit_code)
        say(_format_result(heard), error=aside)
        if heard.message:
            warn(f"{heard.message}")
            break
    return code


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What judges read, and where their verdicts go."""

    answers: "Sequence[JudgedText]"
    verdicts: "Verdicts"
    quiet: bool
    how: "ModelOptions"

    def ask(
        self, task: JudgeTask, limits: "Limits", concurrency: int | None, again: str
    ) -> "JudgingResult":
        """Return how the judging stands once a model was asked all it will answer now."""
        from genagents_env.cli.progress import show_judging_progress
        from genagents_env.judge import compare
        from genagents_env.judge import rate as rating
        from genagents_env.run import RunOptions

        run_options = RunOptions(
            model=task.model, model_options=self.how, limits=limits, concurrency=concurrency
        )
        with show_judging_progress(self.quiet) as watch:
            if not task.pairwise:
                return rating(
                    self.answers,
                    task.rubric,
                    run_options,
                    self.verdicts,
                    task.repeats,
                    watch=watch,
                    again=again,
                )
            return compare(
                self.answers,
                run_options,
                self.verdicts,
                task.rubric,
                repeats=task.repeats,
                watch=watch,
                again=again,
            )


def _list_tasks(
    about: JudgedRuns, rubric: str | None, pairwise: bool, repeats: int | None, model: str | None
) -> list[JudgeTask]:
    """Return what is asked: by the options, or by the experiment's judges where there are none."""
    own = about.model
    specs = () if about.folder is None else about.folder.experiment.judges
    if rubric is None and not pairwise and specs and about.folder is not None:
        base = about.folder.base
        return [
            JudgeTask(
                load_rubric_at(spec.name, base),
                spec.kind == "pairwise",
                repeats or spec.repeats,
                model or spec.model or own,
            )
            for spec in specs
        ]
    return [
        JudgeTask(
            load_rubric_at(rubric or DEFAULT_RUBRIC),
            pairwise,
            repeats or _REPEATS[pairwise],
            model or own,
        )
    ]


def _format_command(sources: Sequence[Path], pairwise: bool, options: Mapping[str, object]) -> str:
    """Return the command that goes on; `options` by their names, None where not given."""
    given = [str(part) for name, value in options.items() if value for part in (name, value)]
    return join(
        ["genagents", "rate", *map(str, sources), *(["--pairwise"] if pairwise else []), *given]
    )


def _print_results(
    done: "Sequence[JudgingResult]", given: "Sequence[Judgement]", about: JudgedRuns, as_json: bool
) -> None:
    summary = JudgingSummary(given, about)
    if as_json:
        heard = [_to_json(one) for one in done]
        told = {"verdicts": str(about.verdicts), "judges": heard, **summary.to_json()}
        print_json(told)
    else:
        for one in done:
            say(_format_result(one))
        say_lines(summary.format_lines())
    for one in done:
        if one.message:
            warn(f"{one.message}")


def _format_result(done: "JudgingResult") -> str:
    if not done.asked:
        return "Nothing to judge: no answer of these runs is one that the rubric is about"
    told = f"Judge {done.judge}: {done.before + done.given:,} of {done.asked:,} verdicts, "
    told += f"{done.given:,} of them new"
    if done.unusable:
        told += f"; {done.unusable:,} replies were no verdict: the same command asks again"
    return told


def _to_json(done: "JudgingResult") -> dict[str, object]:
    return asdict(done) | {"spent": {"calls": done.spent.calls, "tokens": done.spent.tokens}}
