"""`genagents sheet`: a spreadsheet for human raters, and what they made of it."""

from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli.judged_runs import (
    DEFAULT_RUBRIC,
    JudgedRuns,
    JudgingSummary,
    Pairwise,
    RubricName,
    Sources,
    find_judged_runs,
    load_rubric_at,
)
from genagents_env.cli.screen import say, say_lines
from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.judge import Rubric, Verdicts, read_sheet, write_sheet
from genagents_env.judge.sheets import Form, format_instructions, make_rows
from genagents_env.judge.summary import filter_by_answers

app = typer.Typer()


@app.command()
def sheet(
    sources: Sources,
    out: Annotated[
        Path | None, typer.Option(help="The CSV file to write; the instructions go beside it.")
    ] = None,
    read: Annotated[
        Path | None, typer.Option(metavar="FILLED", help="A filled sheet to read.")
    ] = None,
    rater: Annotated[str | None, typer.Option(help="Name of the person who filled it in.")] = None,
    rubric: RubricName = None,
    pairwise: Pairwise = False,
    ranks: Annotated[
        bool, typer.Option("--ranks", help="Rank the answers of all conditions side by side.")
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed of the order of rows and sides.")
    ] = 0,
) -> None:
    """Write a blind sheet for people to rate, compare or rank answers; or read a filled one.

    Rows and sides are shuffled and name no condition. A filled sheet may use commas or semicolons
    and have gaps; its verdicts are stored beside those of models.

    Example: genagents sheet sweeps/gossip --ranks --out ranks.csv; once it is filled in:
    genagents sheet sweeps/gossip --read ranks.csv --rater Ana
    """
    if (out is None) == (read is None):
        raise ConfigError("give --out FILE to write a sheet, or --read FILE --rater NAME; one")
    if pairwise and ranks:
        raise ConfigError("--pairwise, --ranks: one of them")
    about = find_judged_runs(sources, None)
    by = load_rubric_at(rubric or DEFAULT_RUBRIC)
    if read is not None:
        _read_sheet(about, read, rater, by)
    elif out is not None:
        _check_place(out)
        _write_sheet(about, out, by, "pairs" if pairwise else "ranks" if ranks else "rubric", seed)


def _check_place(out: Path) -> None:
    """Raise ConfigError where a sheet at `out` would replace something that is kept."""
    with guard_files(out):
        if out.exists() and not out.is_file():
            what = "a folder" if out.is_dir() else "no regular file"
            raise ConfigError(f"{out} cannot be written: this is {what}; name a file")
        if out.exists():
            raise ConfigError(f"{out} exists, and may be filled in; name another file")


def _write_sheet(about: JudgedRuns, out: Path, rubric: Rubric, form: Form, seed: int) -> None:

    answers = about.load_texts(rubric, "after")
    instructions = find_inside(out.parent, out.with_suffix(".txt").name)
    text = format_instructions(make_rows(answers, rubric, form), rubric, form)
    with replace_file(instructions) as file:
        file.write(text.encode())
    rows = write_sheet(answers, out, rubric, form, seed=seed)
    say(f"{out}: {rows:,} rows to fill in; {instructions} tells raters how")


def _read_sheet(about: JudgedRuns, file: Path, rater: str | None, rubric: Rubric) -> None:

    if rater is None:
        raise ConfigError("--rater: whoever filled the sheet in needs a name")
    answers = about.load_texts(rubric)
    filled = read_sheet(file, answers, rubric, rater)
    with Verdicts(about.verdicts) as kept:
        for verdict in filled.verdicts:
            kept.add(verdict)
    summary = JudgingSummary(filter_by_answers(kept, {said.id for said in answers}), about)
    empty = f", {filled.empty:,} of them empty" if filled.empty else ""
    say(f"{file}: {filled.rows:,} rows{empty}; {len(filled.verdicts):,} verdicts of {rater}")
    say_lines(summary.format_lines())
