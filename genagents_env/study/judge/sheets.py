"""Sheets for people, who judge or answer: spreadsheets that are written, and read once filled in.

A sheet for judges is blind: rows are shuffled, no condition is named, and a row's id reveals
nothing, though it can be resolved with the run files. No cell is a formula to any spreadsheet.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, read_text, replace_file
from genagents_env.rng import draw_bits
from genagents_env.scenario.faults import quote
from genagents_env.study.judge.by_rubric import copy_ratings, group_comparable, make_blank
from genagents_env.study.judge.kept_answers import WordedAnswer
from genagents_env.study.judge.prompting import parse_whole
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.session import NAME_LIMIT
from genagents_env.study.judge.texts import JudgedText
from genagents_env.study.judge.verdicts import Choice, Judgement
from genagents_env.text import FORMULA_MARK, clean, escape_formula, fold

# The answers that are judged together, as they stand from the left.
SheetRow: TypeAlias = tuple[JudgedText, ...]
Cells: TypeAlias = Mapping[str, str]  # of one row, by the heads of their columns

LETTERS = "abcdefghijklmnopqrst"  # of the answers in a row
QUESTION_COLUMNS = ("agent", "question", "answer")
_SHOWN, _WRITTEN, _NOTE = 4000, 2000, 500  # characters of what is read, is answered, of a note
_FIFTH = 5  # one row in five is every rater's
_MOST_FAULTS = 50  # listed at once
_MOST = 50_000_000  # bytes of a file


@dataclass(frozen=True, slots=True)
class CompletedSheet:
    """What one person made of a sheet.

    Attributes:
        verdicts: in the order of the rows; of ranks one for each pair of answers in a row.
        rows: of the sheet.
        empty: how many of these were left empty.
        copies: of ratings, for what reads the very same elsewhere.
    """

    verdicts: tuple[Judgement, ...]
    rows: int
    empty: int
    copies: tuple[Judgement, ...] = ()


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
        _check_free(file)
    rows = _shuffle(make_rows(answers, rubric, ranks=ranks), rubric, seed)
    sheets = _deal(rows, rubric, raters, sample, seed)
    with replace_file(find_inside(path.parent, path.with_suffix(".txt").name)) as out:
        out.write(_format_instructions(rows, rubric, ranks).encode())
    for file, own in zip(paths, sheets, strict=True):
        _write(file, own, rubric, ranks, max(map(len, rows)))
    written = {row for own in sheets for row in own}
    return dict(zip(paths, map(len, sheets), strict=True)), len(rows) - len(written)


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
        rows = list({(one.when, rubric.digest_shown(one)): (one,) for one in covered}.values())
    if not rows:
        what = "no two conditions have an answer in common" if ranks else "no answer of these runs"
        raise ConfigError(f"{what} that rubric {rubric.name} is about: there is nothing to judge")
    return sorted(rows, key=lambda row: row[0].seed)


def read_sheet(
    path: Path, answers: Iterable[JudgedText], rubric: Rubric, rater: str
) -> CompletedSheet:
    """Return the verdicts in a filled sheet; rows left empty are counted and passed over.

    The columns show whether answers are rated or ranked. Commas, semicolons or tabs may part them,
    in any order, with any line ends, with a mark at the beginning or none.

    Args:
        path: of the CSV file.
        answers: that the sheet was made of, and any others.
        rubric: that it was made for.
        rater: who filled it in.

    Raises:
        ConfigError: the file has faults: all are listed, each with row, column and what is allowed.
    """
    name = clean(rater, NAME_LIMIT)
    if not name:
        raise ConfigError("rater: whoever filled the sheet in needs a name")
    known = {said.id: said for said in answers}
    heads, rows = _read_table(path)
    width = sum(head.startswith("answer_") for head in heads)
    _, to_fill = _list_columns(width)
    _check_heads(path, heads, ("id", *to_fill))
    reading = _SheetReader(known, rubric, name, to_fill)
    given = [reading.read_row(number, cells) for number, cells in rows]
    _raise_faults(path, reading.faults)
    found = tuple(one for several in given for one in several)
    copies = tuple(copy_ratings(found, known.values(), rubric))
    return CompletedSheet(found, len(rows), sum(not several for several in given), copies)


def write_question_sheet(path: Path, put: Mapping[str, Sequence[str]]) -> int:
    """Write a sheet with a row for each question, its answer left to be written; return the rows.

    People who watched a life answer for it: the fifth condition of Park et al. 2023, section 6.2.

    Args:
        path: of the CSV file.
        put: questions by whom they are put to.

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
    faults: list[str] = []
    for number, row in rows:
        agent, question, answer = (_read_words(row.get(name, "")) for name in QUESTION_COLUMNS)
        if not answer:
            continue
        if question not in put.get(agent, ()):
            faults.append(f"row {number}: {agent!r} is not asked {question!r}")
        elif question in given.get(agent, {}):
            faults.append(f"row {number}: a second answer to {question!r} by {agent}")
        else:
            given.setdefault(agent, {})[question] = answer
    _raise_faults(path, faults)
    if not given:
        raise ConfigError(f"{path}: nothing is answered in it")
    return {name: [WordedAnswer(*one) for one in own.items()] for name, own in given.items()}


def _list_columns(width: int, *, day: bool = False) -> tuple[list[str], list[str]]:
    """Return the heads of what judges read, and of what they fill in besides a note.

    Args:
        width: answers that are ranked in a row; 0 where each is rated.
        day: each answer stands beside its agent's day.
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


def _write(path: Path, rows: Sequence[SheetRow], rubric: Rubric, ranks: bool, width: int) -> None:
    day = "day" in rubric.shows
    shown, to_fill = _list_columns(width if ranks else 0, day=day)
    lines = [[*shown, *to_fill, "note"]]
    for row in rows:
        told = [make_row_id(row, rubric), row[0].agent, row[0].question]
        for said in row:
            told += [said.day, said.text] if day else [said.text]
        cells = [escape_formula(clean(words, _SHOWN, lines=True)) for words in told]
        lines.append(cells + [""] * (len(lines[0]) - len(cells)))
    _write_csv(path, lines)


def _format_instructions(rows: Iterable[SheetRow], rubric: Rubric, ranks: bool) -> str:
    """Return what a rater must know, as text to go with a sheet."""
    if ranks:
        asked, scale = rubric.versus or rubric.ask, []
        fill = "rank_a, rank_b, ...: 1 for the best answer, 2 for the next; equals share one."
    else:
        asked, scale = rubric.ask, [f"  {number}: {words}" for number, words in rubric.scale]
        fill = f"rating: a whole number from {rubric.low} to {rubric.high}."
    lines = [rubric.title, "", asked, "", *scale, "", f"Fill in {fill}"]
    lines.append("Leave a row empty that you cannot judge. The note is yours. Leave ids alone.")
    people = sorted({said.person for row in rows for said in row if said.person})
    if people and rubric.shows_person:
        lines += ["", "Who they are:", *(f"- {person}" for person in people)]
    return "\n".join(lines) + "\n"


@dataclass
class _SheetReader:
    """One sheet while it is read; `faults` fill up."""

    answers: Mapping[str, JudgedText]
    rubric: Rubric
    rater: str
    columns: Sequence[str]  # to be filled in
    faults: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    def read_row(self, number: int, row: Cells) -> list[Judgement]:
        """Return the verdicts in a row; none where it is empty or has a fault."""
        cells = {name: row.get(name, "").strip() for name in self.columns}
        said = self._find_texts(number, row.get("id", "").strip())
        if said is None or not any(cells.values()):
            return []
        values = self._read_numbers(number, cells, len(said))
        note = clean(row.get("note", ""), _NOTE)
        if len(values) < len(said):
            return []
        if not self._is_ranked:
            return [self._judge(said, values[0], note)]
        pairs = combinations(zip(said, values, strict=True), 2)
        return [self._judge([a, b], _choose(i, j), note) for (a, i), (b, j) in pairs]

    @property
    def _is_ranked(self) -> bool:
        return self.columns[0].startswith("rank")

    def _find_texts(self, number: int, id_: str) -> list[JudgedText] | None:
        """Return the answers that an id stands for: one, or of ranks two or more."""
        *ids, edition = id_.split(".")
        fits = 1 < len(ids) <= len(self.columns) if self._is_ranked else len(ids) == 1
        if not fits or not all(one in self.answers for one in ids):
            what = f"{quote(id_)} is no answer of these runs; ids are left as they were written"
        elif edition != f"r{self.rubric.edition}":
            what = f"this sheet was made for another rubric than {self.rubric.name} as it is now"
        elif id_ in self.seen:
            what = f"the same id stands in row {self.seen[id_]}"
        else:
            self.seen[id_] = number
            return [self.answers[one] for one in ids]
        self._note_fault(number, "id", what)
        return None

    def _read_numbers(self, number: int, cells: Cells, due: int) -> list[int]:
        """Return the ratings or ranks of a row; fewer than are `due` where it has a fault."""
        low, high, more = self.rubric.low, self.rubric.high, ", or nothing"
        if self._is_ranked:
            low, high, more = 1, due, " for every answer of the row, or nothing in it"
        found = []
        for column, cell in list(cells.items())[:due]:
            value = parse_whole(cell)
            if isinstance(value, int) and low <= value <= high:
                found.append(value)
                continue
            kind = column.partition("_")[0]
            what = f"{quote(cell)} is no {kind}" if cell else f"this {kind} is missing"
            allowed = f"allowed: a whole number from {low} to {high}{more}"
            self._note_fault(number, column, f"{what}; {allowed}")
        for column, cell in list(cells.items())[due:]:
            if cell:
                self._note_fault(number, column, "there is no such answer in this row")
        return found

    def _judge(self, read: Sequence[JudgedText], value: int | Choice, note: str) -> Judgement:
        return replace(make_blank(read, self.rubric, self.rater, "human"), value=value, why=note)

    def _note_fault(self, number: int, column: str, what: str) -> None:
        self.faults.append(f"row {number}, column {column}: {what}")


def _choose(first: int, second: int) -> Choice:
    """Return which of two ranks is the better."""
    return "tie" if first == second else "first" if first < second else "second"


def _check_free(path: Path) -> None:
    with guard_files(path):
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no regular file"
            raise ConfigError(f"{path} cannot be written: this is {what}; name a file")
        if path.exists():
            raise ConfigError(f"{path} exists, and may be filled in; name another file")


def _write_csv(path: Path, lines: Iterable[Sequence[str]]) -> None:
    """Write a CSV file as RFC 4180 has it: UTF-8 with a mark, as spreadsheets want it."""
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(lines)
    with replace_file(path) as file:
        file.write(out.getvalue().encode("utf-8-sig"))


def _read_table(path: Path) -> tuple[list[str], list[tuple[int, Cells]]]:
    """Return the heads, and every row that has anything, with its number in the spreadsheet."""
    text = read_text(path, _MOST)
    first = text.partition("\n")[0]
    parting = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(StringIO(text, newline=""), delimiter=parting, strict=True))
    except csv.Error as error:
        raise ConfigError(f"{path}: this is no CSV ({error})") from None
    heads = [fold(head).replace(" ", "_") for head in rows[0]] if rows else []
    numbered = enumerate(rows[1:], 2)
    return heads, [
        (number, dict(zip(heads, row, strict=False)))
        for number, row in numbered
        if any(map(str.strip, row))
    ]


def _check_heads(path: Path, heads: Sequence[str], wanted: Iterable[str]) -> None:
    missing = [column for column in wanted if heads.count(column) != 1]
    if missing:
        raise ConfigError(
            f"{path}: row 1: one column of each name is wanted: {', '.join(missing)}; "
            f"there are {', '.join(map(quote, heads)) or 'none'}"
        )


def _raise_faults(path: Path, faults: Sequence[str]) -> None:
    told = [f"{path}: {fault}" for fault in faults[:_MOST_FAULTS]]
    if len(faults) > _MOST_FAULTS:
        told.append(f"and {len(faults) - _MOST_FAULTS} more")
    if told:
        raise ConfigError("\n".join(told))


def _read_words(cell: str) -> str:
    """Return what a person wrote; of a cell that was set off as no formula, as it was before."""
    text = cell.strip()
    bare = text.removeprefix(FORMULA_MARK)
    return clean(bare if escape_formula(bare) == text else text, _WRITTEN)
