"""Answers that people write as somebody of a run: a sheet of the questions, and its import.

The fifth condition of Park et al. 2023, section 6.2: people watched a life and answered for it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.study.judge.completed_sheets import read_table
from genagents_env.study.judge.kept_answers import WordedAnswer
from genagents_env.study.judge.sheets import write_csv
from genagents_env.text import FORMULA_MARK, clean, escape_formula

COLUMNS = ("agent", "question", "answer")
_CELL = 2000  # characters
_MOST_FAULTS = 20


def write_question_sheet(path: Path, put: Mapping[str, Sequence[str]]) -> int:
    """Write a sheet with a row for each question, its answer left to be written; return the rows.

    Raises:
        FileError: it cannot be written.
    """
    rows = [
        (escape_formula(agent), escape_formula(question), "")
        for agent, questions in put.items()
        for question in questions
    ]
    write_csv(path, [COLUMNS, *rows])
    return len(rows)


def read_written_answers(
    path: Path, put: Mapping[str, Sequence[str]]
) -> dict[str, list[WordedAnswer]]:
    """Return the answers in a sheet by agent; questions left empty are left out.

    Raises:
        ConfigError: a column is missing, a row is of nobody or no question that was put, one is
            answered twice, or none is; all faults are listed.
    """
    heads, rows = read_table(path)
    missing = [name for name in COLUMNS if heads.count(name) != 1]
    if missing:
        raise ConfigError(f"{path}: row 1: one column of each name is wanted: {', '.join(missing)}")
    given: dict[str, dict[str, str]] = {}
    faults: list[str] = []
    for number, cells in rows:
        row = dict(zip(heads, cells, strict=False))
        agent, question, answer = (_read_cell(row.get(name, "")) for name in COLUMNS)
        if not answer:
            continue
        if question not in put.get(agent, ()):
            faults.append(f"{path}: row {number}: {agent!r} is not asked {question!r}")
        elif question in given.get(agent, {}):
            faults.append(f"{path}: row {number}: a second answer to {question!r} by {agent}")
        else:
            given.setdefault(agent, {})[question] = answer
    if faults:
        raise ConfigError("\n".join(faults[:_MOST_FAULTS]))
    if not given:
        raise ConfigError(f"{path}: nothing is answered in it")
    return {
        agent: [WordedAnswer(question, text) for question, text in answers.items()]
        for agent, answers in given.items()
    }


def _read_cell(words: str) -> str:
    text = words.strip()
    bare = text.removeprefix(FORMULA_MARK)
    return clean(bare if escape_formula(bare) == text else text, _CELL)
