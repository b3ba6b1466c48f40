"""Sheets for people, who judge or answer: spreadsheets that are written, and read once filled in.

A sheet for judges is blind: rows are shuffled, no condition is named, and a row's id reveals
nothing, though it can be resolved with the run files. No cell is a formula to any spreadsheet.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import TypeAlias, TypeVar

from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, read_text, replace_file
from genagents_env.llm.prompts import load_prompt
from genagents_env.rng import draw_bits
from genagents_env.scenario.faults import quote
from genagents_env.study.judge.by_rubric import group_comparable, make_blank, share
from genagents_env.study.judge.kept_answers import WordedAnswer
from genagents_env.study.judge.prompting import parse_whole
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.session import NAME_LIMIT, JudgingResult
from genagents_env.study.judge.texts import JudgedText
from genagents_env.study.judge.verdicts import Choice, Judgement, Verdicts
from genagents_env.text import FORMULA_MARK, clean, escape_formula, fold

# The answers that are judged together, as they stand from the left.
SheetRow: TypeAlias = tuple[JudgedText, ...]
Cells: TypeAlias = Mapping[str, str]  # of one row, by the heads of their columns
T = TypeVar("T")

LETTERS = "abcdefghijklmnopqrst"  # of the answers in a row
QUESTION_COLUMNS = ("agent", "question", "answer")
_INSTRUCTIONS = Path(__file__).with_name("sheet.jinja")
_SHOWN, _WRITTEN, _NOTE = 4000, 2000, 500  # characters of what is read, is answered, of a note
_FIFTH = 5  # one row in five is every rater's
_MOST_FAULTS = 50  # listed at once
_MOST = 50_000_000  # bytes of a file


def write_sheets(
    answers: Iterable[JudgedText],
    path: Path,
    rubric: Rubric,
    *,
    ranks: bool = False,
    seed: int = 0,
    sample: int | None = None,
    raters: int = 1,
) -> tuple[dict[Path, int], int]:
    """Write a sheet for each rater, and beside them, as `.txt`, what raters must know.

    Args:
        answers: of all conditions.
        path: of the CSV file, of several raters with their numbers before its ending: `s-1.csv`;
            UTF-8 with a mark, as spreadsheets want it.
        rubric: that the raters apply.
        ranks: rank one answer of every condition side by side, as the raters of Park et al. 2023
            did; otherwise each answer is rated.
        seed: of the order of rows and sides.
        sample: the most rows of a sheet; None is as many as it takes to have each row in one.
        raters: how many; a fifth of their rows is the same, by which they are held against one
            another.

    Returns:
        The rows of each sheet by its path, and how many rows are in none.

    Raises:
        ConfigError: a sheet is there already, there is nothing to judge, or one condition has two
            runs of a seed.
        FileError: a file cannot be written.
    """
    names = [f"{path.stem}-{k}{path.suffix}" for k in range(1, raters + 1)]
    paths = [path] if raters == 1 else [path.with_name(name) for name in names]
    for file in paths:
        with guard_files(file):
            if file.is_file():
                raise ConfigError(f"{file} exists, and may be filled in; name another file")
            if file.exists():
                raise ConfigError(f"{file} cannot be written: this is no regular file")
    rows = _shuffle(make_rows(answers, rubric, ranks=ranks), rubric, seed)
    people = {one.person for row in rows for one in row if one.person and rubric.shows_person}
    told = load_prompt(_INSTRUCTIONS).render(rubric=rubric, ranks=ranks, people=sorted(people))
    with replace_file(find_inside(path.parent, path.with_suffix(".txt").name)) as out:
        out.write(f"{told.strip()}\n".encode())
    sheets = dict(zip(paths, _deal(rows, rubric, raters, sample, seed), strict=True))
    for file, own in sheets.items():
        _write(file, own, rubric, max(map(len, rows)) if ranks else 0)
    written = {row for own in sheets.values() for row in own}
    return {file: len(own) for file, own in sheets.items()}, len(rows) - len(written)


def make_rows(
    answers: Iterable[JudgedText], rubric: Rubric, *, ranks: bool = False
) -> list[SheetRow]:
    """Return the rows of a sheet, by seed, sides in the order of the conditions' names.

    Of answers that are rated, those that read the very same stand in one row, and reading the sheet
    copies what is said of it.

    Raises:
        ConfigError: there is nothing to judge, there are too many conditions to rank, or one has
            two runs of a seed.
    """
    if ranks:
        groups = group_comparable(answers, rubric).values()
        rows = [tuple(own[name] for name in sorted(own)) for own in groups if len(own) > 1]
        if (most := max(map(len, rows), default=0)) > len(LETTERS):
            raise ConfigError(
                f"{most} conditions are too many to rank side by side; allowed: {len(LETTERS)}"
            )
    else:
        covered = (said for said in answers if rubric.covers(said))
        rows = list({rubric.digest_shown(one): (one,) for one in covered}.values())
    if not rows:
        what = "no two conditions have an answer in common" if ranks else "no answer of these runs"
        raise ConfigError(f"{what} that rubric {rubric.name} is about: there is nothing to judge")
    return sorted(rows, key=lambda row: row[0].seed)


def read_sheet(
    path: Path, answers: Iterable[JudgedText], rubric: Rubric, rater: str, verdicts: Verdicts
) -> JudgingResult:
    """Keep the verdicts in a filled sheet, and of ratings a copy for what reads the very same.

    The columns show whether answers are rated or ranked; of ranks there is a verdict for each pair
    of answers in a row. Where a row is empty, what was said of it before stays. Commas, semicolons
    or tabs may part the columns, in any order, with any line ends.

    Args:
        path: of the CSV file.
        answers: that the sheet was made of, and any others.
        rubric: that it was made for.
        rater: who filled it in.
        verdicts: where they are kept.

    Raises:
        ConfigError: the file has faults: the first of every row is listed, with row, column and
            what is allowed.
        RunLocked: another process adds to these verdicts.
    """
    name = clean(rater, NAME_LIMIT)
    if not name:
        raise ConfigError("rater: whoever filled the sheet in needs a name")
    known = {said.id: said for said in answers}
    heads, rows = _read_table(path)
    _, to_fill = _list_columns(sum(head.startswith("answer_") for head in heads))
    _check_heads(path, heads, ("id", *to_fill))
    ids = Counter(cells.get("id", "").strip() for cells in rows.values())
    form = _Form(known, rubric, name, to_fill, ids)
    read = [one for row in _read_rows(path, rows, form.read_row) for one in row]
    given = [one for one in read if one.value is not None]
    covered = (said for said in known.values() if rubric.covers(said))
    copies = share(given, (make_blank([said], rubric, name, "human") for said in covered))
    with verdicts:
        new = sum(verdicts.get(one.key) != one for one in [*given, *copies])
        shared = sum(verdicts.get(one.key) != one for one in copies)
        verdicts.add(*given, *copies)
    before = len(given) + len(copies) - new
    return JudgingResult(name, len(read) + len(copies), before, new, shared)


def write_question_sheet(path: Path, put: Mapping[str, Sequence[str]]) -> int:
    """Write a sheet with a row for each question, its answer left to be written; return the rows.

    People who watched a life answer for it: the fifth condition of Park et al. 2023, section 6.2.
    `put`: questions by whom they are put to.

    Raises:
        FileError: it cannot be written.
    """
    asked = [(agent, question) for agent, questions in put.items() for question in questions]
    _write_csv(path, [QUESTION_COLUMNS, *((*map(escape_formula, one), "") for one in asked)])
    return len(asked)


def read_written_answers(
    path: Path, put: Mapping[str, Sequence[str]]
) -> dict[str, list[WordedAnswer]]:
    """Return the answers in a sheet by agent; questions left empty are left out.

    Raises:
        ConfigError: a column is missing, a row is of nobody or no question that was put, one is
            answered twice, or none is; all faults are listed.
    """
    heads, rows = _read_table(path)
    _check_heads(path, heads, QUESTION_COLUMNS)
    given: dict[str, dict[str, str]] = {}

    def take(row: Cells) -> None:
        agent, question, answer = (_read_words(row.get(name, "")) for name in QUESTION_COLUMNS)
        if answer and question not in put.get(agent, ()):
            raise ValueError(f"{agent!r} is not asked {question!r}")
        if answer and question in given.setdefault(agent, {}):
            raise ValueError(f"a second answer to {question!r} by {agent}")
        if answer:
            given[agent][question] = answer

    _read_rows(path, rows, take)
    if not given:
        raise ConfigError(f"{path}: nothing is answered in it")
    return {name: [WordedAnswer(*one) for one in own.items()] for name, own in given.items()}


def _list_columns(width: int, *, day: bool = False) -> tuple[list[str], list[str]]:
    """Return the heads of what judges read, and of what they fill in besides a note.

    `width`: answers that are ranked in a row, 0 where each is rated; `day`: beside agents' days.
    """
    ends = [f"_{letter}" for letter in LETTERS[:width]] if width else [""]
    shown = [f"{head}{end}" for end in ends for head in (("day", "answer") if day else ("answer",))]
    fill = "rank" if width else "rating"
    return ["id", "person", "question", *shown], [f"{fill}{end}" for end in ends]


def make_row_id(row: SheetRow, rubric: Rubric) -> str:
    """Return the ids of the answers in a row, and the edition of the rubric they are read for."""
    return ".".join([*(said.id for said in row), f"r{rubric.edition}"])


def _shuffle(rows: Iterable[SheetRow], rubric: Rubric, seed: int) -> list[SheetRow]:
    """Return the rows and their sides in an order that only `seed` decides."""
    named = ((make_row_id(row, rubric), row) for row in rows)
    mixed = [
        tuple(sorted(row, key=lambda said: draw_bits(seed, "side", id_, said.id)))
        for id_, row in named
    ]
    return sorted(mixed, key=lambda row: draw_bits(seed, "row", make_row_id(row, rubric)))


def _deal(
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


def _write(path: Path, rows: Sequence[SheetRow], rubric: Rubric, width: int) -> None:
    day = "day" in rubric.shows
    shown, to_fill = _list_columns(width, day=day)
    lines = [[*shown, *to_fill, "note"]]
    for row in rows:
        told = [make_row_id(row, rubric), row[0].agent, row[0].question]
        for said in row:
            told += [said.day, said.text] if day else [said.text]
        cells = [escape_formula(clean(words, _SHOWN, lines=True)) for words in told]
        lines.append(cells + [""] * (len(lines[0]) - len(cells)))
    _write_csv(path, lines)


@dataclass(frozen=True)
class _Form:
    """What the rows of a sheet are read by; `ids`: how many rows each stands in."""

    answers: Mapping[str, JudgedText]
    rubric: Rubric
    rater: str
    columns: Sequence[str]  # to be filled in
    ids: Mapping[str, int]

    def read_row(self, row: Cells) -> list[Judgement]:
        """Return the verdicts in a row, without a value where it is empty.

        Raises:
            ValueError: the row has a fault.
        """
        cells = {name: row.get(name, "").strip() for name in self.columns}
        said = self._find_texts(row.get("id", "").strip())
        blanks = [
            make_blank(read, self.rubric, self.rater, "human")
            for read in (combinations(said, 2) if self._is_ranked else [said])
        ]
        if not any(cells.values()):
            return blanks
        due = list(cells.items())[: len(said)]
        numbers = [self._read_number(*cell, len(said)) for cell in due]
        if beyond := [name for name in self.columns[len(said) :] if cells[name]]:
            raise ValueError(f"column {beyond[0]}: there is no such answer in this row")
        ranked = [_choose(*ranks) for ranks in combinations(numbers, 2)]
        note = clean(row.get("note", ""), _NOTE)
        return [
            replace(blank, value=value, why=note)
            for blank, value in zip(blanks, ranked or numbers, strict=True)
        ]

    @property
    def _is_ranked(self) -> bool:
        return self.columns[0].startswith("rank")

    def _find_texts(self, id_: str) -> list[JudgedText]:
        """Return the answers that an id stands for: one, or of ranks two or more."""
        *ids, edition = id_.split(".")
        fits = 1 < len(ids) <= len(self.columns) if self._is_ranked else len(ids) == 1
        rubric = self.rubric
        if not (fits and self.answers.keys() >= set(ids) and edition == f"r{rubric.edition}"):
            raise ValueError(
                f"column id: {quote(id_)} is no answer of these runs, or was written for another "
                f"rubric than {rubric.name} as it is now; ids are left as they were written"
            )
        if self.ids[id_] > 1:
            raise ValueError(f"column id: the same id stands in {self.ids[id_]} rows")
        return [self.answers[one] for one in ids]

    def _read_number(self, column: str, cell: str, most: int) -> int:
        """Return a rating, or a rank of at most so many."""
        low, high = (1, most) if self._is_ranked else (self.rubric.low, self.rubric.high)
        value = parse_whole(cell)
        if value is not None and low <= value <= high:
            return value
        what = f"{quote(cell)} is not allowed" if cell else "missing"
        raise ValueError(f"column {column}: {what}; allowed: a whole number from {low} to {high}")


def _choose(first: int, second: int) -> Choice:
    """Return which of two ranks is the better."""
    return "tie" if first == second else "first" if first < second else "second"


def _write_csv(path: Path, lines: Iterable[Sequence[str]]) -> None:
    """Write a CSV file as RFC 4180 has it: UTF-8 with a mark, as spreadsheets want it."""
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(lines)
    with replace_file(path) as file:
        file.write(out.getvalue().encode("utf-8-sig"))


def _read_table(path: Path) -> tuple[list[str], dict[int, Cells]]:
    """Return the heads, and every row that has anything, by its number in the spreadsheet."""
    text = read_text(path, _MOST)
    first = text.partition("\n")[0]
    parting = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=parting, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{path}: this is no CSV ({error})") from None
    heads = [fold(head).replace(" ", "_") for head in rows[0]] if rows else []
    filled = ((number, row) for number, row in enumerate(rows[1:], 2) if any(map(str.strip, row)))
    return heads, {number: dict(zip(heads, row, strict=False)) for number, row in filled}


def _check_heads(path: Path, heads: Sequence[str], wanted: Iterable[str]) -> None:
    missing = [column for column in wanted if heads.count(column) != 1]
    if missing:
        raise ConfigError(
            f"{path}: row 1: one column of each name is wanted: {', '.join(missing)}; "
            f"there are {', '.join(map(quote, heads)) or 'none'}"
        )


def _read_rows(path: Path, rows: Mapping[int, Cells], read: Callable[[Cells], T]) -> list[T]:
    """Return what `read` makes of each row, or raise the faults of all that it finds."""
    found, faults = [], []
    for number, cells in rows.items():
        try:
            found.append(read(cells))
        except ValueError as fault:
            faults.append(f"{path}: row {number}: {fault}")
    if len(faults) > _MOST_FAULTS:
        faults[_MOST_FAULTS:] = [f"and {len(faults) - _MOST_FAULTS} more"]
    if faults:
        raise ConfigError("\n".join(faults))
    return found


def _read_words(cell: str) -> str:
    """Return what a person wrote; of a cell that was set off as no formula, as it was before."""
    text = cell.strip()
    bare = text.removeprefix(FORMULA_MARK)
    return clean(bare if escape_formula(bare) == text else text, _WRITTEN)
