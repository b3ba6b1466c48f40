"""Sheets for human raters: a spreadsheet with one row for each answer, pair, or question.

A sheet is blind: rows are shuffled, no condition is named, and a row's id reveals nothing, though
it can be resolved with the run files. No cell is a formula to any spreadsheet.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from genagents_env.errors import ConfigError
from genagents_env.files import replace_file
from genagents_env.rng import draw_bits
from genagents_env.scenario.faults import quote, suggest
from genagents_env.study.judge.by_rubric import group_comparable, make_pairs
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.texts import JudgedText
from genagents_env.text import clean, escape_formula

Form: TypeAlias = Literal["rubric", "pairs", "ranks"]
# The answers that are judged together, as they stand from the left.
SheetRow: TypeAlias = tuple[JudgedText, ...]

LETTERS = "abcdefghijklmnopqrst"  # of the answers in a row

_CELL = 4000  # characters
_FIFTH = 5  # one row in five is every rater's


def make_row_id(row: SheetRow, rubric: Rubric) -> str:
    """Return the ids of the answers in a row, and the edition of the rubric they are read for."""
    return ".".join([*(said.id for said in row), f"r{rubric.edition}"])


def list_columns(form: Form, width: int = 1, *, day: bool = False) -> list[str]:
    """Return the heads of a sheet; `width`: answers in a row, `day`: each with its agent's day."""
    if form == "rubric":
        return ["id", "person", "question", *(["day"] if day else []), "answer", "rating", "note"]
    letters = LETTERS[:width]
    answers = [
        head
        for letter in letters
        for head in (*([f"day_{letter}"] if day else []), f"answer_{letter}")
    ]
    to_fill = ["rating"] if form == "pairs" else [f"rank_{letter}" for letter in letters]
    return ["id", "person", "question", *answers, *to_fill, "note"]


def write_sheets(
    answers: Iterable[JudgedText],
    path: Path,
    rubric: Rubric,
    form: Form = "rubric",
    *,
    against: str | None = None,
    seed: int = 0,
    sample: int | None = None,
    raters: int = 1,
) -> tuple[dict[Path, int], int]:
    """Write a sheet for each rater, and return its rows by its path, and how many are in none.

    Args:
        answers: of all conditions.
        path: of the CSV file, of several raters with their numbers before its ending: `s-1.csv`;
            UTF-8 with a mark, as spreadsheets want it.
        rubric: that the raters apply.
        form: `rubric` rates each answer; `pairs` compares two; `ranks` ranks one answer of every
            condition side by side, as the raters of Park et al. 2023 did.
        against: of pairs, the condition that the others are compared with; None is every pair.
        seed: of the order of rows and sides.
        sample: the most rows of a sheet; None is as many as it takes to have each row in one.
        raters: how many; a fifth of their rows is the same, by which they are held against one
            another.

    Raises:
        ConfigError: as `make_rows`, or a file cannot be written.
    """
    rows = _shuffle(make_rows(answers, rubric, form, against=against), rubric, seed)
    sheets = deal_rows(rows, rubric, raters, sample, seed)
    paths = name_sheets(path, raters)
    width = max(map(len, rows))
    for file, own in zip(paths, sheets, strict=True):
        _write(file, own, rubric, form, width)
    written = {row for own in sheets for row in own}
    return dict(zip(paths, map(len, sheets), strict=True)), len(rows) - len(written)


def name_sheets(path: Path, raters: int) -> list[Path]:
    """Return the path of each rater's sheet."""
    if raters == 1:
        return [path]
    return [path.with_name(f"{path.stem}-{k}{path.suffix}") for k in range(1, raters + 1)]


def deal_rows(
    rows: Sequence[SheetRow], rubric: Rubric, raters: int, sample: int | None, seed: int
) -> list[list[SheetRow]]:
    """Return each rater's rows: a fifth of them the same in all sheets, where there are several."""
    if raters == 1:
        return [list(rows[:sample])]
    sizes = range(1, len(rows) + 1)
    enough = next(n for n in sizes if raters * n - (raters - 1) * -(-n // _FIFTH) >= len(rows))
    size = min(sample or enough, enough)
    shared = -(-size // _FIFTH)
    rest = rows[shared:]
    dealt = ([*rows[:shared], *rest[k::raters][: size - shared]] for k in range(raters))
    return [
        sorted(own, key=lambda row: draw_bits(seed, "rater", k, make_row_id(row, rubric)))
        for k, own in enumerate(dealt)
    ]


def _write(path: Path, rows: Sequence[SheetRow], rubric: Rubric, form: Form, width: int) -> None:
    day = "day" in rubric.shows
    heads = list_columns(form, width, day=day)
    lines = [heads]
    for row in rows:
        told = [make_row_id(row, rubric), row[0].agent, row[0].question]
        for said in row:
            told += [said.day, said.text] if day else [said.text]
        lines.append([_format_cell(words) for words in told] + [""] * (len(heads) - len(told)))
    write_csv(path, lines)


def write_csv(path: Path, lines: Iterable[Sequence[str]]) -> None:
    """Write a CSV file as RFC 4180 has it: UTF-8 with a mark, as spreadsheets want it.

    Raises:
        FileError: it cannot be written.
    """
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(lines)
    with replace_file(path) as file:
        file.write(out.getvalue().encode("utf-8-sig"))


def make_rows(
    answers: Iterable[JudgedText], rubric: Rubric, form: Form, *, against: str | None = None
) -> list[SheetRow]:
    """Return the rows of a sheet, by seed, sides in the order of the conditions' names.

    Of answers that are rated, those that read the very same stand in one row, and reading the sheet
    copies what is said of it.

    Raises:
        ConfigError: there is nothing to judge in this form, or one condition has two runs of a
            seed.
    """
    if form not in get_args(Form):
        raise ConfigError(f"form {quote(form)} is unknown; {suggest(form, get_args(Form))}")
    answers = list(answers)
    rows = list(_group_rows(answers, rubric, form, against))
    if not rows:
        what = "no answer of these runs is" if form == "rubric" else "no two conditions have"
        how = "one that" if form == "rubric" else "an answer in common that"
        raise ConfigError(f"{what} {how} rubric {rubric.name} is about: there is nothing to judge")
    return sorted(rows, key=lambda row: row[0].seed)


def format_instructions(rows: Iterable[SheetRow], rubric: Rubric, form: Form) -> str:
    """Return what a rater must know, as text to go with a sheet."""
    scale = [f"  {number}: {words}" for number, words in rubric.scale]
    fill = {
        "rubric": f"rating: a whole number from {rubric.low} to {rubric.high}.",
        "pairs": "rating: a or b, whichever answer is the better, or tie.",
        "ranks": "rank_a, rank_b, ...: 1 for the best answer, 2 for the next; equals share one.",
    }
    asked = rubric.ask if form == "rubric" else rubric.versus or rubric.ask
    lines = [rubric.title, "", asked, ""]
    lines += [*(scale if form == "rubric" else ()), "", f"Fill in {fill[form]}"]
    lines.append("Leave a row empty that you cannot judge. The note is yours. Leave ids alone.")
    people = sorted({said.person for row in rows for said in row if said.person})
    if people and ("person" in rubric.shows or rubric.about != "answer"):
        lines += ["", "Who they are:", *(f"- {person}" for person in people)]
    return "\n".join(lines) + "\n"


def _group_rows(
    answers: Sequence[JudgedText], rubric: Rubric, form: Form, against: str | None
) -> Iterator[SheetRow]:
    """Yield the answers that stand in one row."""
    if form == "rubric":
        covered = (said for said in answers if rubric.covers(said))
        yield from {(one.when, rubric.digest_shown(one)): (one,) for one in covered}.values()
    elif form == "pairs":
        yield from make_pairs(answers, rubric, against)
    else:
        groups = group_comparable(answers, rubric).values()
        most = max((len(group) for group in groups), default=0)
        if most > len(LETTERS):
            raise ConfigError(
                f"{most} conditions are too many to rank side by side; allowed: {len(LETTERS)}"
            )
        for group in groups:
            if len(group) > 1:
                yield tuple(group[name] for name in sorted(group))


def _shuffle(rows: Iterable[SheetRow], rubric: Rubric, seed: int) -> list[SheetRow]:
    """Return the rows and their sides in an order that only `seed` decides."""
    named = ((make_row_id(row, rubric), row) for row in rows)
    mixed = [
        tuple(sorted(row, key=lambda said: draw_bits(seed, "side", id_, said.id)))
        for id_, row in named
    ]
    return sorted(mixed, key=lambda row: draw_bits(seed, "row", make_row_id(row, rubric)))


def _format_cell(words: str) -> str:
    return escape_formula(clean(words, _CELL, lines=True))
