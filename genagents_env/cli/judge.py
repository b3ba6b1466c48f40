"""`genagents judge`: models and people say what answers come to, rate them, or compare them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from shlex import join
from typing import Annotated, Literal, TypeAlias

import typer

from genagents_env.cli import options as opt
from genagents_env.cli.judged_runs import KEPT, JudgedRuns, find_judged_runs
from genagents_env.cli.progress import show_judging_progress
from genagents_env.cli.screen import find_width, print_json, say, say_lines, warn
from genagents_env.errors import ConfigError
from genagents_env.llm.budget import NO_LIMITS
from genagents_env.record import RunReader
from genagents_env.run import RunOptions
from genagents_env.study.judge import (
    JudgingResult,
    Rubric,
    Verdicts,
    judge_run,
    judge_texts,
    load_rubric,
    read_sheet,
    write_sheets,
)
from genagents_env.study.sweep.design.fields import JudgeSpec
from genagents_env.study.sweep.folder import SweepFolder
from genagents_env.study.sweep.ledger import write_spend
from genagents_env.study.sweep.trial_status import JUDGED

Counts: TypeAlias = Mapping[str, Mapping[str, int]]  # of verdicts, by check
Tasks: TypeAlias = Sequence[tuple[JudgeSpec, Rubric]]

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
        typer.Option(min=0, help="Random seed of the order of the sheet's rows; else 0."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Most rows of a sheet, with --ranks groups; drawn by --seed."),
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
    the judges of its experiment, else by `believability`, within the budget of all its runs. The
    same command goes on where one stopped. The judge is --model, else the runs' own model. Limits
    are of the command, however many runs it names.

    Examples: genagents judge run.sqlite --model gpt-4o-mini

    genagents judge sweeps/gossip --pairwise --model gpt-4o-mini

    genagents judge sweeps/gossip --sheet ranks.csv --ranks; once it is filled in:
    genagents judge sweeps/gossip --read ranks.csv --by Ana
    """
    by_checks = not (rubric or pairwise or sheet or read) and all(map(_is_run_file, sources))
    opt.refuse_without({"--sheet": sheet}, "a command without --read", not read)
    of_sheets = {"--ranks": ranks, "--sample": sample, "--seed": seed, "--raters": raters}
    opt.refuse_without(of_sheets, "--sheet", sheet)
    opt.refuse_without({"--by": by}, "a model as judge, or --read", not sheet)
    of_models: dict[str, object] = {"--pairwise": pairwise, "--model": model, "--limit": limit}
    of_models |= {"--repeats": repeats, "--endpoint": endpoint, "--json": as_json}
    by_people = sheet or read
    opt.refuse_without(of_models, "a model as judge, without --sheet or --read", not by_people)
    opt.refuse_without({"--repeats": repeats}, "--rubric or --pairwise", not by_checks)
    if sheet is not None:
        own = load_rubric(rubric or _DEFAULT_RUBRIC)
        texts = find_judged_runs(sources).load_texts(own)
        sizes, left = write_sheets(
            texts, sheet, own, ranks=ranks, seed=seed or 0, sample=sample, raters=raters or 1
        )
        told = sheet.with_suffix(".txt")
        say_lines(
            f"{file}: {n:,} rows to fill in; {told} tells raters how" for file, n in sizes.items()
        )
        say_lines([f"{left:,} other rows are in no sheet"] if left else [])
        return
    given = {"--rubric": rubric, "--model": model, "--by": by, "--repeats": repeats}
    words = [str(word) for pair in given.items() if pair[1] for word in pair]
    for option, values in (("--limit", limit), ("--endpoint", endpoint)):
        words += [word for value in values or () for word in (option, value)]
    again = join(["genagents", "judge", *map(str, sources), *["--pairwise"] * pairwise, *words])
    limits = (*opt.SPEND_LIMITS, opt.LIFT) if by_checks else opt.SPEND_LIMITS
    own_model = model if by_checks else None  # otherwise each task has its own
    options = opt.make_options(endpoint=endpoint, limit=limit, limits=limits, model=own_model)
    if by_checks:
        raise typer.Exit(_judge_checks(sources, options, by, again, as_json=as_json))
    about = find_judged_runs(sources)
    if read is not None:
        done, ids = _read_filled(about, read, by, load_rubric(rubric or _DEFAULT_RUBRIC))
    else:
        tasks = _list_tasks(about, rubric, pairwise, repeats, model)
        with _share_budget(about.folder, options, as_runs=endpoint is None) as within:
            done, ids = _ask(about, tasks, within, by, as_runs=endpoint is None, quiet=as_json)
    _print_results(about, done, ids, as_json=as_json)
    raise typer.Exit(_warn(done, again))


def _is_run_file(path: Path) -> bool:
    return not path.is_dir() and path.suffix != KEPT


def _read_filled(
    about: JudgedRuns, file: Path, rater: str | None, rubric: Rubric
) -> tuple[list[JudgingResult], set[str]]:
    """Keep what a person judged; return the result, and the ids of the answers."""
    if rater is None:
        raise ConfigError("--by: whoever filled the sheet in needs a name")
    texts = about.load_texts(rubric)
    done = read_sheet(file, texts, rubric, rater, Verdicts(about.verdicts))
    return [done], {said.id for said in texts}


def _judge_checks(
    sources: Sequence[Path], options: RunOptions, by: str | None, again: str, *, as_json: bool
) -> int:
    """Judge run files by their checks, up to the first that stops; return its exit code.

    Limits are of all of them together.
    """
    told: list[dict[str, object]] = []
    due = list(dict.fromkeys(sources))
    several, code = len(due), 0
    try:
        while due and not code:
            path = due.pop(0)
            with show_judging_progress(as_json) as watch:
                done = judge_run(path, options, by=by, watch=watch)
            counts = _count_verdicts(path, done.judge)
            told.append(_tell_checked(path, done, counts))
            if not as_json:
                say_lines([f"{path}:"] if several > 1 else [])
                say(_describe_result(done))
                say_lines(f"    {check}: {_format_counts(own)}" for check, own in counts.items())
            options = replace(options, limits=options.limits.subtract(done.spent))
            code = _warn([done], again)
    finally:
        if as_json and told:
            print_json(told[0] if several == 1 else {"runs": told})
        if due:
            warn(f"{len(due):,} of {several:,} run files were not begun, from {due[0]} on")
    return code


def _count_verdicts(path: Path, judge: str) -> Counts:
    """Count the verdicts of a judge in a run file."""
    counts: dict[str, Counter[str]] = {}
    with RunReader(path) as record:
        for row in record.judgements():
            if row.judge == judge:
                counts.setdefault(row.check, Counter())[row.verdict or _NONE] += 1
    return {check: dict(counted.most_common()) for check, counted in counts.items()}


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{value} {count:,}" for value, count in counts.items())


def _tell_checked(path: Path, done: JudgingResult, counts: Counts) -> dict[str, object]:
    numbers = {"before": done.before, "given": done.given, "unusable": done.unusable}
    head = {"run": str(path), "judge": done.judge, "cases": done.asked}
    return {**head, **numbers, "verdicts": counts}


def _list_tasks(
    about: JudgedRuns,
    rubric: str | None = None,
    pairwise: bool = False,
    repeats: int | None = None,
    model: str | None = None,
) -> Tasks:
    """Return what the options ask for, or the experiment's judges where there are none."""
    specs: Sequence[JudgeSpec] = ()
    base = Path()
    if about.folder is not None and rubric is None and not pairwise:
        specs, base = about.folder.experiment.judges, about.folder.base
    if not specs:
        kind: Literal["rubric", "pairwise"] = "pairwise" if pairwise else "rubric"
        name, times = rubric or _DEFAULT_RUBRIC, 1 if pairwise else 3
        specs, base = [JudgeSpec.model_construct(name=name, kind=kind, repeats=times)], Path()
    asked = {
        spec: {"repeats": repeats or spec.repeats, "model": model or spec.model or about.model}
        for spec in specs
    }
    return [
        (spec.model_copy(update=own), load_rubric(spec.name, base)) for spec, own in asked.items()
    ]


def _ask(
    about: JudgedRuns,
    tasks: Tasks,
    options: RunOptions,
    by: str | None = None,
    *,
    as_runs: bool,
    quiet: bool,
) -> tuple[list[JudgingResult], set[str]]:
    """Return the results of the tasks up to the first that stopped, and the answers' ids.

    `as_runs`: the experiment says how their models are asked.
    """
    kept, ids = Verdicts(about.verdicts), set[str]()
    done: list[JudgingResult] = []
    for spec, rubric in tasks:
        texts = about.load_texts(rubric)
        ids.update(said.id for said in texts)
        if as_runs and about.folder is not None:
            how = about.folder.experiment.options_for(spec.model)
            options = replace(options, model_options=how)
        with show_judging_progress(quiet) as watch:
            result = judge_texts(
                texts,
                rubric,
                replace(options, model=spec.model),
                kept,
                pairwise=spec.kind == "pairwise",
                repeats=spec.repeats,
                judge=by,
                watch=watch,
            )
        done.append(result)
        options = replace(options, limits=options.limits.subtract(result.spent))
        if result.exit_code:
            break
    return done, ids


@contextmanager
def _share_budget(
    folder: SweepFolder | None, options: RunOptions, *, as_runs: bool
) -> Iterator[RunOptions]:
    """Give options of judges that spend of what all runs of a sweep may spend together.

    `as_runs`: the experiment says how they are asked.
    """
    if folder is None:
        yield options
        return
    own = folder.experiment
    total = own.budget.total.limits()
    if as_runs:
        options = replace(options, concurrency=own.concurrency or _AT_ONCE)
    if folder.is_at_home:
        told = folder.restored_note
        with folder.open_ledger("judges") as ledger:
            dollars = total.dollars if options.limits.dollars is None else options.limits.dollars
            limits = replace(options.limits, dollars=dollars)  # whose price has to be known
            before = ledger.spent
            if folder.restored_note != told:
                warn(folder.restored_note)
            try:
                yield replace(options, limits=limits, shared_budget=ledger)
            finally:
                spent = {"spent": ledger.spent, "own": ledger.spent - before}
                folder.log.append(event=JUDGED, **{key: write_spend(spent[key]) for key in spent})
    elif total == NO_LIMITS:
        yield options
    else:
        raise ConfigError(
            f"{folder.path}: what its budget has left is known at {folder.plan.host}; judge there"
        )


def judge_sweep(folder: SweepFolder, *, aside: bool = False) -> int:
    """Ask the judges that the experiment of a sweep names; return the exit code of the worst.

    `folder`: with a finished run in it. `aside`: say what came of it on stderr.
    """
    about = find_judged_runs([folder.path])
    with _share_budget(folder, RunOptions(), as_runs=True) as options:
        done, _ = _ask(about, _list_tasks(about), options, as_runs=True, quiet=False)
    for result in done:
        say(_describe_result(result), error=aside)
    return _warn(done, f"genagents judge {folder.path}")


def _print_results(
    about: JudgedRuns, done: Sequence[JudgingResult], ids: set[str], *, as_json: bool
) -> None:
    """Print what judges said now, and the tables of all they said of these answers."""
    summary = about.summarise(Verdicts(about.verdicts), ids)
    if as_json:
        judges = [
            asdict(one) | {"spent": {"calls": one.spent.calls, "tokens": one.spent.tokens}}
            for one in done
        ]
        print_json({"verdicts": str(about.verdicts), "judges": judges, **summary.as_json()})
        return
    say_lines(map(_describe_result, done))
    for table in summary.list_tables():
        say()
        say_lines(table.format_lines(find_width()))


def _warn(done: Iterable[JudgingResult], again: str) -> int:
    """Say what stopped early, and the command that goes on; return the exit code of the worst."""
    code = 0
    for result in done:
        code = max(code, result.exit_code)
        if result.message:
            warn(f"{result.message}; go on with `{again}`")
    return code


def _describe_result(done: JudgingResult) -> str:
    if not done.asked:
        return (
            "Nothing to judge: no answer of these runs is one that the checks or rubric are about"
        )
    told = f"Judge {done.judge}: {done.before + done.given:,} of {done.asked:,} verdicts, "
    told += f"{done.given:,} of them new"
    if done.shared:
        told += f", {done.shared:,} of these given to the same answer elsewhere"
    if done.unusable:
        told += f"; {done.unusable:,} replies were no verdict: the same command asks again"
    return told
