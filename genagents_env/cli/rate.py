"""`genagents rate`: models rate answers by a rubric, or say which of two is the better."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli import sheet
from genagents_env.cli.judged_runs import (
    Against,
    AnswersOf,
    JudgedRuns,
    Pairwise,
    RubricName,
    Sources,
    VerdictsFile,
    find_judged_runs,
    load_rubric_at,
)
from genagents_env.cli.model_flags import NO_FLAGS, ModelFlags, take_model_flags
from genagents_env.cli.options import (
    AsJson,
    Concurrency,
    JudgeName,
    MaxCalls,
    MaxDollars,
    MaxTokens,
    Model,
    NoProgress,
    make_limits,
)
from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.judge import JudgedText, JudgingResult, Rubric, Verdicts
    from genagents_env.judge.verdicts import Judgement
    from genagents_env.llm.open import ModelOptions
    from genagents_env.run import Limits

_DEFAULT = "believability"
_REPEATS = {False: 3, True: 1}  # of a rating; of a comparison, in each order


def add_to(app: typer.Typer) -> None:
    """Add `rate` and `sheet`."""
    app.command()(rate)
    sheet.add_to(app)


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """What one judge is asked: to rate by a rubric, or to compare pairs by it."""

    rubric: "Rubric"
    pairwise: bool
    repeats: int
    model: str | None


@take_model_flags
def rate(
    sources: Sources,
    rubric: RubricName = None,
    pairwise: Pairwise = False,
    against: Against = None,
    when: AnswersOf = "after",
    model: Model = None,
    by: JudgeName = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="Times everything is asked: 3 of a rating, 1 of a pair in each order.",
        ),
    ] = None,
    verdicts: VerdictsFile = None,
    as_json: AsJson = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    concurrency: Concurrency = None,
    model_flags: ModelFlags = NO_FLAGS,
    quiet: NoProgress = False,
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

    limits = make_limits(max_calls, max_tokens, max_dollars, None)
    how = model_flags.make_options()
    about = find_judged_runs(sources, verdicts)
    kept = Verdicts(about.verdicts)
    done: list[JudgingResult] = []
    ids: set[str] = set()
    options = {
        "--rubric": rubric,
        "--against": against,
        "--when": None if when == "after" else when,
        "--model": model,
        "--by": by,
        "--repeats": repeats,
        "--verdicts": verdicts,
    }
    again = _format_command(sources, pairwise, options)
    for task in _list_tasks(about, rubric, pairwise, repeats, model):
        answers = about.load_texts(task.rubric, when)
        ids.update(said.id for said in answers)
        request = JudgeRequest(answers, kept, against, by, quiet or as_json, how)
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
        request = JudgeRequest(answers, kept, None, None, quiet, how)
        heard = request.ask(task, limits, 8, f"genagents rate {folder}")
        limits, code = limits.subtract(heard.spent), max(code, heard.exit_code)
        say(_format_result(heard), error=aside)
        if heard.message:
            say(f"genagents: {heard.message}", error=True)
            break
    return code


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What judges read, and where their verdicts go."""

    answers: "Sequence[JudgedText]"
    verdicts: "Verdicts"
    against: str | None
    by: str | None
    quiet: bool
    how: "ModelOptions"

    def ask(
        self, task: JudgeTask, limits: "Limits", concurrency: int | None, again: str
    ) -> "JudgingResult":
        """Return how the judging stands once a model was asked all it will answer now."""
        from genagents_env.cli.judged_progress import show_judging_progress
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
                    judge=self.by,
                    watch=watch,
                    again=again,
                )
            return compare(
                self.answers,
                run_options,
                self.verdicts,
                task.rubric,
                against=self.against,
                repeats=task.repeats,
                judge=self.by,
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
            load_rubric_at(rubric or _DEFAULT),
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
    from genagents_env.cli.judged_tables import JudgingSummary

    summary = JudgingSummary(given, about)
    if as_json:
        heard = [_to_json(one) for one in done]
        told = {"verdicts": str(about.verdicts), "judges": heard, **summary.to_json()}
        typer.echo(json.dumps(told, indent=2))
    else:
        for one in done:
            say(_format_result(one))
        for line in summary.format_lines():
            say(line, indent=4)
    for one in done:
        if one.message:
            say(f"genagents: {one.message}", error=True)


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
