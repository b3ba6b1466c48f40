"""Sheets for people who judge: a blank one is written, a filled one read."""

from pathlib import Path

from genagents_env.cli.judged_runs import JudgedRuns, print_summary
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.study.judge import Rubric, Verdicts, read_sheet, write_sheets
from genagents_env.study.judge.sheets import Form, format_instructions, make_rows, name_sheets


def write_blank(
    about: JudgedRuns,
    out: Path,
    rubric: Rubric,
    form: Form,
    seed: int,
    sample: int | None,
    raters: int,
) -> None:
    """Write a sheet for each rater to fill in, and what they must know beside it.

    Raises:
        ConfigError: a sheet exists, or there is nothing to judge in this form.
    """
    for path in [out] if out.is_dir() else name_sheets(out, raters):
        _check_free(path)
    answers = about.load_texts(rubric, "after")
    instructions = find_inside(out.parent, out.with_suffix(".txt").name)
    rows = make_rows(answers, rubric, form)
    with replace_file(instructions) as file:
        file.write(format_instructions(rows, rubric, form).encode())
    sizes, left = write_sheets(answers, out, rubric, form, seed=seed, sample=sample, raters=raters)
    for path, size in sizes.items():
        say(f"{path}: {size:,} rows to fill in; {instructions} tells raters how")
    if left:
        say(f"{left:,} other rows are in no sheet")


def _check_free(path: Path) -> None:
    with guard_files(path):
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no regular file"
            raise ConfigError(f"{path} cannot be written: this is {what}; name a file")
        if path.exists():
            raise ConfigError(f"{path} exists, and may be filled in; name another file")


def read_filled(about: JudgedRuns, file: Path, rater: str | None, rubric: Rubric) -> None:
    """Store what a person judged, and print what all verdicts come to."""
    if rater is None:
        raise ConfigError("--by: whoever filled the sheet in needs a name")
    answers = about.load_texts(rubric)
    filled = read_sheet(file, answers, rubric, rater)
    with Verdicts(about.verdicts) as kept:
        for verdict in (*filled.verdicts, *filled.copies):
            kept.add(verdict)
    summary = about.summarise(kept, {said.id for said in answers})
    empty = f", {filled.empty:,} of them empty" if filled.empty else ""
    copied = f", {len(filled.copies):,} more for the same words elsewhere" if filled.copies else ""
    say(
        f"{file}: {filled.rows:,} rows{empty}; {len(filled.verdicts):,} verdicts of {rater}{copied}"
    )
    print_summary(summary)
