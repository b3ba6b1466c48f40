"""`genagents judge`: models and people say what answers come to, rate them, or compare them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shlex import join
from typing import Annotated

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.judged_runs import (
    JudgedRuns,
    find_judged_runs,
    load_rubric_at,
    print_summary,
)
from genagents_env.cli.progress import show_judging_progress, show_progress
from genagents_env.cli.screen import print_json, say, say_lines, warn
from genagents_env.cli.sheets import read_filled, write_blank
from genagents_env.errors import ConfigError
from genagents_env.llm.open import ModelOptions
from genagents_env.record import RunReader
from genagents_env.run import Limits, RunOptions
from genagents_env.study.judge import (
    JudgedText,
    JudgingResult,
    Rubric,
    Verdicts,
    compare,
    judge_run,
    rate,
)
from genagents_env.study.judge.sheets import Form
from genagents_env.study.report.judging import JudgementSummary

_REPEATS = {False: 3, True: 1}  # of a rating; of a comparison, in each order
_DEFAULT_RUBRIC = "believability"
_NONE = "no verdict"
_AT_ONCE = 8  # questions, where the experiment says nothing
app = typer.Typer()


@app.command()
def judge(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|RUN...",
            help="The folder of a sweep, run files, or answers that `interview` stored (.jsonl).",
        ),
    ],
    rubric: Annotated[
        str | None,
        typer.Option(
            help="`believability`, `persona`, `formality`, `dialogue_formality`, or a .toml file.",
        ),
    ] = None,
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="Compare answers in pairs of conditions.")
    ] = False,
    model: opt.Model = None,
    by: opt.JudgeName = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="Times each question is asked; else 3 for ratings, 1 for each order of a pair.",
        ),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ask people: write a blind CSV sheet; the instructions go beside it.",
        ),
    ] = None,
    ranks: Annotated[
        bool,
        typer.Option("--ranks", help="On the sheet, rank the answers of all conditions."),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Random seed of the order of the sheet's rows and sides; else 0."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Most rows of a sheet, drawn by --seed.")
    ] = None,
    raters: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=100,
            help="Write a sheet for each of so many people; a fifth of their rows is the same.",
        ),
    ] = None,
    read: Annotated[
        Path | None, typer.Option(metavar="FILLED", help="A filled sheet to read.")
    ] = None,
    as_json: opt.AsJson = False,
    limit: opt.SpendLimit = None,
    endpoint: opt.Endpoint = None,
) -> None:
    """Let a model, or people, judge answers, blind to conditions; what was given is kept.

    Run files alone are judged by the checks of their scenario, and the verdicts stored in them.
    With --rubric answers are rated, with --pairwise compared; so are those of a sweep's folder, by
    the judges of its experiment, else by `believability`. The same command goes on where one
    stopped. The judge is --model, else the runs' own model. Limits are of the command, however many
    runs it names.

    Examples: genagents judge run.sqlite --model gpt-4o-mini

    genagents judge sweeps/gossip --pairwise --model gpt-4o-mini

    genagents judge sweeps/gossip --sheet ranks.csv --ranks; once it is filled in:
    genagents judge sweeps/gossip --read ranks.csv --by Ana
    """
    of_people = {"--sheet": sheet, "--read": read}
    of_models: dict[str, object] = {"--model": model, "--repeats": repeats, "--limit": limit}
    of_models |= {"--endpoint": endpoint, "--json": as_json}
    by_checks = not (rubric or pairwise or sheet or read) and all(map(_is_run_file, sources))
    _refuse_together(of_people)
    _refuse_together({"--pairwise": pairwise, "--ranks": ranks})
    of_sheets = {"--ranks": ranks, "--sample": sample, "--seed": seed, "--raters": raters}
    opt.refuse_without(of_sheets, "--sheet", sheet)
    opt.refuse_without({"--by": by}, "a model as judge, or --read", not sheet)
    opt.refuse_without({"--pairwise": pairwise}, "a model as judge, or --sheet", not read)
    if sheet or read:
        opt.refuse_without(of_models, "a model as judge, without --sheet or --read", None)
        about = find_judged_runs(sources)
        own = load_rubric_at(rubric or _DEFAULT_RUBRIC)
        if read is not None:
            read_filled(about, read, by, own)
        elif sheet is not None:
            form: Form = "pairs" if pairwise else "ranks" if ranks else "rubric"
            write_blank(about, sheet, own, form, seed or 0, sample, raters or 1)
        return
    if by_checks:
        opt.refuse_without({"--repeats": repeats}, "--rubric or --pairwise", None)
    options = opt.make_options(
        endpoint=endpoint,
        limit=limit,
        limits=(*opt.SPEND_LIMITS, *([opt.LIFT] if by_checks else [])),
        model=model if by_checks else None,
    )
    if by_checks:
        raise typer.Exit(_judge_checks(sources, options, by, as_json=as_json))
    about = find_judged_runs(sources)
    tasks = _list_tasks(about, rubric, pairwise, repeats, model)
    own_options = {"--rubric": rubric, "--model": model, "--by": by, "--repeats": repeats}
    again = _format_command(sources, pairwise, own_options)
    done, ids = _ask_tasks(about, tasks, options, by, quiet=as_json, again=again)
    summary = about.summarise(Verdicts(about.verdicts), ids)
    _print_results(done, summary, about.verdicts, as_json)
    raise typer.Exit(max((result.exit_code for result in done), default=0))


def _is_run_file(path: Path) -> bool:
    return not path.is_dir() and path.suffix != ".jsonl"


def _refuse_together(options: Mapping[str, object]) -> None:
    if sum(map(bool, options.values())) > 1:
        raise ConfigError(f"{', '.join(options)}: one of them")


def _judge_checks(
    sources: Sequence[Path], options: RunOptions, by: str | None, *, as_json: bool
) -> int:
    """Judge run files by their checks, up to the first that stops; return its exit code.

    Limits are of all of them together.
    """
    told: list[dict[str, object]] = []
    code, paths = 0, list(dict.fromkeys(sources))
    left = len(paths)
    try:
        for path in paths:
            left -= 1
            with show_progress(as_json) as watch:
                done = judge_run(path, replace(options, watch=watch), by=by)
            with RunReader(path) as record:
                counts = _count_verdicts(record, done.judge)
            told.append(_tell_checked(path, done, counts))
            if not as_json:
                say_lines(_describe_checked(path, done, counts, several=len(paths) > 1))
            if done.message:
                warn(done.message)
            options = replace(options, limits=options.limits.subtract(done.spent))
            if code := done.exit_code:
                break
    finally:
        if as_json and told:
            print_json(told[0] if len(paths) == 1 else {"runs": told})
        if left:
            warn(f"{left:,} of {len(paths):,} run files were not begun, from {paths[-left]} on")
    return code


def _count_verdicts(record: RunReader, name: str) -> dict[str, dict[str, int]]:
    """Count the verdicts of a judge, by check."""
    counts: dict[str, Counter[str]] = {}
    for row in record.judgements():
        if row.judge == name:
            counts.setdefault(row.check, Counter())[row.verdict or _NONE] += 1
    return {check: dict(counted.most_common()) for check, counted in counts.items()}


def _describe_checked(
    path: Path, done: JudgingResult, counts: Mapping[str, Mapping[str, int]], *, several: bool
) -> Iterator[str]:
    if several:
        yield f"{path}:"
    if not done.asked:
        yield (
            "Nothing to judge: no answer in this run is one that a check of its scenario is about; "
            "--rubric asks for more"
        )
        return
    yield _describe_result(done)
    for check, values in counts.items():
        yield f"    {check}: {', '.join(f'{value} {count:,}' for value, count in values.items())}"


def _tell_checked(
    path: Path, done: JudgingResult, counts: Mapping[str, Mapping[str, int]]
) -> dict[str, object]:
    return {
        "run": str(path),
        "judge": done.judge,
        "cases": done.asked,
        "before": done.before,
        "given": done.given,
        "unusable": done.unusable,
        "verdicts": counts,
    }


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
        by: str | None,
        *,
        quiet: bool,
        again: str,
    ) -> JudgingResult:
        """Ask the model for all open verdicts, and return the result."""
        options = replace(options, model=self.model)
        ask = compare if self.pairwise else rate
        with show_judging_progress(quiet) as watch:
            return ask(
                *(answers, self.rubric, options, verdicts, self.repeats),
                judge=by,
                watch=watch,
                again=again,
            )


def _ask_tasks(
    about: JudgedRuns,
    tasks: Sequence[JudgeTask],
    options: RunOptions,
    by: str | None,
    *,
    quiet: bool,
    again: str,
) -> tuple[list[JudgingResult], set[str]]:
    """Return the results of the tasks up to the first that stopped, and the answers' ids."""
    kept, ids = Verdicts(about.verdicts), set[str]()
    done: list[JudgingResult] = []
    for task in tasks:
        answers = about.load_texts(task.rubric, "after")
        ids.update(said.id for said in answers)
        done.append(task.ask(answers, kept, options, by, quiet=quiet, again=again))
        options = replace(options, limits=options.limits.subtract(done[-1].spent))
        if done[-1].exit_code:
            break
    return done, ids


def judge_sweep(
    folder: Path,
    limits: Limits,
    how: ModelOptions,
    concurrency: int | None,
    *,
    aside: bool = False,
) -> int:
    """Ask the judges that the experiment of a sweep names; return the exit code of the worst.

    Args:
        folder: of the sweep, with a finished run in it.
        limits: what its judges may spend together.
        how: how they are asked.
        concurrency: questions at once; None is eight.
        aside: say what came of it on stderr.
    """
    about = find_judged_runs([folder])
    options = RunOptions(model_options=how, limits=limits, concurrency=concurrency or _AT_ONCE)
    tasks = _list_tasks(about, None, False, None, None)
    done, _ = _ask_tasks(
        about, tasks, options, None, quiet=False, again=f"genagents judge {folder}"
    )
    for result in done:
        say(_describe_result(result), error=aside)
        if result.message:
            warn(result.message)
    return max((result.exit_code for result in done), default=0)


def _list_tasks(
    about: JudgedRuns, rubric: str | None, pairwise: bool, repeats: int | None, model: str | None
) -> list[JudgeTask]:
    """Return the tasks of the options, or of the experiment's judges where there are none."""
    own, folder = about.model, about.folder
    if rubric is None and not pairwise and folder is not None and folder.experiment.judges:
        return [
            JudgeTask(
                load_rubric_at(spec.name, folder.base),
                spec.kind == "pairwise",
                repeats or spec.repeats,
                model or spec.model or own,
            )
            for spec in folder.experiment.judges
        ]
    read, times = load_rubric_at(rubric or _DEFAULT_RUBRIC), repeats or _REPEATS[pairwise]
    return [JudgeTask(read, pairwise, times, model or own)]


def _format_command(sources: Sequence[Path], pairwise: bool, options: Mapping[str, object]) -> str:
    """Return the command that goes on; `options` by their names, None where not given."""
    words = ["genagents", "judge", *map(str, sources), *(["--pairwise"] if pairwise else [])]
    for name, value in options.items():
        words += [name, str(value)] if value else []
    return join(words)


def _print_results(
    done: Sequence[JudgingResult], summary: JudgementSummary, verdicts: Path, as_json: bool
) -> None:
    if as_json:
        judges = [
            asdict(one) | {"spent": {"calls": one.spent.calls, "tokens": one.spent.tokens}}
            for one in done
        ]
        print_json({"verdicts": str(verdicts), "judges": judges, **summary.as_json()})
    else:
        say_lines(map(_describe_result, done))
        print_summary(summary)
    for result in done:
        if result.message:
            warn(result.message)


def _describe_result(done: JudgingResult) -> str:
    if not done.asked:
        return "Nothing to judge: no answer of these runs is one that the rubric is about"
    told = f"Judge {done.judge}: {done.before + done.given:,} of {done.asked:,} verdicts, "
    told += f"{done.given:,} of them new"
    if done.shared:
        told += f", {done.shared:,} of these given to the same answer elsewhere"
    if done.unusable:
        told += f"; {done.unusable:,} replies were no verdict: the same command asks again"
    return told
