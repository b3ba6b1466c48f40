"""Sheets for people, who judge or answer: spreadsheets that are written, and read once filled in.

A sheet for judges is blind: its rows are shuffled, no condition is named, and a row's id reveals
nothing, though it can be resolved with the run files. No cell is a formula to any spreadsheet.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
from genagents_env.study.judge.texts import JudgedText, Match
from genagents_env.study.judge.verdicts import Choice, Verdicts, find_side
from genagents_env.text import FORMULA_MARK, clean, escape_formula, fold

# One answer that is rated, or those to one question that are ranked, as they stand from the top.
Group: TypeAlias = tuple[JudgedText, ...]
# An answer, what is filled in, and a note.
Filled: TypeAlias = tuple[Sequence[JudgedText], int | None, str]
Cells: TypeAlias = Mapping[str, str]  # of one row, by the heads of their columns
T = TypeVar("T")

_HEADS = ("id", "group", "person", "question", "day", "answer", "rank", "rating", "note")
QUESTION_COLUMNS = ("agent", "question", "answer")
_INSTRUCTIONS = Path(__file__).with_name("sheet.jinja")
_SHOWN, _WRITTEN, _NOTE = 4000, 2000, 500  # characters of what is read, is answered, of a note
_FIFTH = 5  # one group in five is every rater's
_LAST_RANK = 99
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
        ranks: rank one answer of every condition, a group below one another, as the raters of
            Park et al. 2023 did; otherwise each answer is rated, and is a group of its own.
        seed: of the order of groups and of answers in them.
        sample: the most groups of a sheet; None is as many as it takes to have each in one.
        raters: how many; a fifth of their groups is the same, by which they are held against one
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
    groups = _shuffle(make_groups(answers, rubric, ranks=ranks), rubric, seed)
    people = {said.person for own in groups for said in own if said.person and rubric.shows_person}
    told = load_prompt(_INSTRUCTIONS).render(rubric=rubric, ranks=ranks, people=sorted(people))
    with replace_file(find_inside(path.parent, path.with_suffix(".txt").name)) as out:
        out.write(f"{told.strip()}\n".encode())
    sheets = dict(zip(paths, _deal(groups, rubric, raters, sample, seed), strict=True))
    for file, own in sheets.items():
        _write(file, own, rubric, ranks)
    left = set(groups).difference(*sheets.values())
    return {file: sum(map(len, own)) for file, own in sheets.items()}, sum(map(len, left))


def make_groups(
    answers: Iterable[JudgedText], rubric: Rubric, *, ranks: bool = False
) -> list[Group]:
    """Return what is judged together on a sheet, by seed, in the order of the conditions' names.

    Of answers that are rated, those that read the very same are asked for once, and reading the
    sheet copies what is said of them.

    Raises:
        ConfigError: there is nothing to judge, or one condition has two runs of a seed.
    """
    if ranks:
        comparable = group_comparable(answers, rubric).values()
        groups = [tuple(own[name] for name in sorted(own)) for own in comparable if len(own) > 1]
    else:
        covered = (said for said in answers if rubric.covers(said))
        groups = list({rubric.digest_shown(one): (one,) for one in covered}.values())
    if not groups:
        what = "no two conditions have an answer in common" if ranks else "no answer of these runs"
        raise ConfigError(f"{what} that rubric {rubric.name} is about: there is nothing to judge")
    return sorted(groups, key=lambda own: own[0].seed)


def read_sheet(
    path: Path, answers: Iterable[JudgedText], rubric: Rubric, rater: str, verdicts: Verdicts
) -> JudgingResult:
    """Keep the verdicts in a filled sheet, and of ratings a copy for what reads the very same.

    The columns show whether answers are rated or ranked; of ranks there is a verdict for each pair
    of answers in a group. Where nothing is filled in, what was said before stays. Commas,
    semicolons or tabs may part the columns, in any order, with any line ends.

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
        raise ConfigError("by: whoever filled the sheet in needs a name")
    known = {said.id: said for said in answers}
    heads, rows = _read_table(path)
    column = "rank" if "rank" in heads else "rating"
    _check_heads(path, heads, ("id", column))
    ids = Counter(cells.get("id", "").strip() for cells in rows.values())
    filled = _read_rows(path, rows, partial(_read_row, known, rubric, column, ids))
    judged = _compare_ranks(path, filled) if column == "rank" else filled
    read = [
        replace(make_blank(texts, rubric, name, "human"), value=value, why=note)
        for texts, value, note in judged
    ]
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


def make_id(group: Sequence[JudgedText], rubric: Rubric) -> str:
    """Return the ids of answers, and the edition of the rubric they are read for."""
    return ".".join([*(said.id for said in group), f"r{rubric.edition}"])


def _shuffle(groups: Iterable[Group], rubric: Rubric, seed: int) -> list[Group]:
    """Return the groups, and the answers in them, in an order that only `seed` decides."""
    named = ((make_id(group, rubric), group) for group in groups)
    mixed = [
        tuple(sorted(group, key=lambda said: draw_bits(seed, "side", id_, said.id)))
        for id_, group in named
    ]
    return sorted(mixed, key=lambda group: draw_bits(seed, "row", make_id(group, rubric)))


def _deal(
    groups: Sequence[Group], rubric: Rubric, raters: int, sample: int | None, seed: int
) -> list[list[Group]]:
    """Return each rater's groups: a fifth of them the same for all, where there are several."""
    if raters == 1:
        return [list(groups[:sample])]
    sizes = range(1, len(groups) + 1)
    enough = next(n for n in sizes if raters * n - (raters - 1) * -(-n // _FIFTH) >= len(groups))
    size = min(sample or enough, enough)
    shared = -(-size // _FIFTH)
    rest = groups[shared:]
    dealt = ([*groups[:shared], *rest[k::raters][: size - shared]] for k in range(raters))
    return [
        sorted(own, key=lambda group: draw_bits(seed, "rater", k, make_id(group, rubric)))
        for k, own in enumerate(dealt)
    ]


def _write(path: Path, groups: Iterable[Group], rubric: Rubric, ranks: bool) -> None:
    """Write a sheet with a row for each answer, and the columns that its rubric needs."""
    used = {"group": ranks, "day": "day" in rubric.shows, "rank": ranks, "rating": not ranks}
    heads = [head for head in _HEADS if used.get(head, True)]
    lines = [heads]
    for number, group in enumerate(groups, 1):
        for said in group:
            told = {"id": make_id([said], rubric), "group": str(number), "person": said.agent}
            told |= {"question": said.question, "day": said.day, "answer": said.text}
            cells = (clean(told.get(head, ""), _SHOWN, lines=True) for head in heads)
            lines.append(list(map(escape_formula, cells)))
    _write_csv(path, lines)


def _read_row(
    answers: Mapping[str, JudgedText],
    rubric: Rubric,
    column: str,
    ids: Mapping[str, int],
    row: Cells,
) -> Filled:
    """Return the answer in a row, what is filled in, and the note.

    Raises:
        ValueError: the row has a fault.
    """
    id_, cell = row.get("id", "").strip(), row.get(column, "").strip()
    own, _, edition = id_.partition(".")
    if own not in answers or edition != f"r{rubric.edition}":
        raise ValueError(
            f"column id: {quote(id_)} is no answer of these runs, or was written for another "
            f"rubric than {rubric.name} as it is now; ids are left as they were written"
        )
    if ids[id_] > 1:
        raise ValueError(f"column id: the same id stands in {ids[id_]} rows")
    low, high = (1, _LAST_RANK) if column == "rank" else (rubric.low, rubric.high)
    value = parse_whole(cell)
    if cell and (value is None or not low <= value <= high):
        allowed = f"a whole number from {low} to {high}, or nothing"
        raise ValueError(f"column {column}: {quote(cell)} is not allowed; allowed: {allowed}")
    return [answers[own]], value, clean(row.get("note", ""), _NOTE)


def _compare_ranks(
    path: Path, filled: Iterable[Filled]
) -> Iterator[tuple[Sequence[JudgedText], Choice | None, str]]:
    """Yield every two answers of a group with the better one by their ranks, and their notes."""
    groups: dict[Match, list[Filled]] = {}
    for texts, rank, note in filled:
        groups.setdefault(texts[0].match, []).append((texts, rank, note))
    for (_, _, agent, _, question, _), group in groups.items():
        ranks = [rank for _, rank, _ in group]
        if None in ranks and any(ranks):
            what = f"{quote(question)} to {agent}: rank every answer of this group, or none"
            raise ConfigError(f"{path}: {what}")
        for (one, first, note), (other, second, more) in combinations(group, 2):
            better = None if first is None or second is None else find_side(second - first)
            yield [*one, *other], better, "; ".join(filter(None, (note, more)))


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
