"""What minds wanted in vain, and what their prompts had no room for: rows of a table."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import get_args

from genagents_env.policy import NoteKind
from genagents_env.record.connection import RunConnection
from genagents_env.record.rows import JSON, NoteRow, encode
from genagents_env.record.tables import NOTES

_IN_ORDER = "tick, rowid"


def put_notes(connection: RunConnection, rows: Sequence[NoteRow]) -> None:
    """Write notes, in a transaction of the caller's."""
    if rows:
        NOTES.put(connection, map(astuple, rows))


def read_notes(connection: RunConnection) -> list[NoteRow]:
    """Return every note, by tick, then as they were written.

    Raises:
        ValueError: one is none.
    """
    rows = [NoteRow(*values) for values in NOTES.read(connection, _IN_ORDER)]
    for row in rows:
        check_note(row)
    return rows


def format_note_lines(connection: RunConnection) -> Iterator[str]:
    """Yield a line of the canonical hash for each note."""
    for row in NOTES.read(connection, _IN_ORDER):
        yield f"note {encode(row)}"


def parse_cuts(text: str) -> dict[str, int]:
    """Return the lines by section that a note of the kind `cut` tells of.

    Raises:
        ValueError: it tells of none.
    """
    cuts = json.loads(text)
    if not isinstance(cuts, dict) or not cuts:
        raise ValueError(f"{text:.40} is no count of lines by section")
    if any(type(lines) is not int or lines < 1 for lines in cuts.values()):
        raise ValueError(f"{text:.40} has a count that is none")
    return cuts


def parse_turn(text: str) -> dict[str, JSON]:
    """Return what a note of the kind `turn` tells, by name.

    Raises:
        ValueError: it tells nothing.
    """
    turn = json.loads(text)
    if not isinstance(turn, dict) or not isinstance(turn.get("verdict"), str):
        raise ValueError(f"{text:.40} is no account of a turn")
    return turn


def check_note(row: NoteRow) -> None:
    """Raise ValueError unless `row` has a kind, and text of that kind."""
    if row.kind not in get_args(NoteKind):
        raise ValueError(f"{row.kind!r:.40} is no kind of note")
    if row.kind == "cut":
        parse_cuts(row.text)
    elif row.kind == "turn":
        parse_turn(row.text)
