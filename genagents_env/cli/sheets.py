"""Sheets for people who judge: a blank one is written, a filled one read."""

from pathlib import Path

from genagents_env.cli.judged_runs import JudgedRuns, print_summary
from genagents_env.cli.screen import say
from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.study.judge import Rubric, Verdicts, read_sheet, write_sheet
from genagents_env.study.judge.sheets import Form, format_instructions, make_rows


def write_blank(
    about: JudgedRuns, out: Path, rubric: Rubric, form: Form, seed: int, sample: int | None
) -> None:
    """Write a sheet to be filled in, and what a rater must know beside it.

    Raises:
        ConfigError: `out` exists, or there is nothing to judge in this form.
    """
    with guard_files(out):
        if out.exists() and not out.is_file():
            what = "a folder" if out.is_dir() else "no regular file"
            raise ConfigError(f"{out} cannot be written: this is {what}; name a file")
        if out.exists():
            raise ConfigError(f"{out} exists, and may be filled in; name another file")
    answers = about.load_texts(rubric, "after")
    instructions = find_inside(out.parent, out.with_suffix(".txt").name)
    rows = make_rows(answers, rubric, form)
    with replace_file(instructions) as file:
        file.write(format_instructions(rows, rubric, form).encode())
    written = write_sheet(answers, out, rubric, form, seed=seed, sample=sample)
    rest = f", {len(rows) - written:,} others are left out" if written < len(rows) else ""
    say(f"{out}: {written:,} rows to fill in{rest}; {instructions} tells raters how")


def read_filled(about: JudgedRuns, file: Path, rater: str | None, rubric: Rubric) -> None:
    """Store what a person judged, and print what all verdicts come to."""
    if rater is None:
        raise ConfigError("--rater: whoever filled the sheet in needs a name")
    answers = about.load_texts(rubric)
    filled = read_sheet(file, answers, rubric, rater)
    with Verdicts(about.verdicts) as kept:
        for verdict in filled.verdicts:
            kept.add(verdict)
    summary = about.summarise(kept, {said.id for said in answers})
    empty = f", {filled.empty:,} of them empty" if filled.empty else ""
    say(f"{file}: {filled.rows:,} rows{empty}; {len(filled.verdicts):,} verdicts of {rater}")
    print_summary(summary)
