"""Notes of minds: impossible wishes, lines cut from prompts, turns; rows of a table."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import get_args

from genagents_env.policy import NoteKind
from genagents_env.record.connection import RunConnection
from genagents_env.record.rows import JSON, NoteRow, encode
from genagents_env.record.tables import NOTES

_IN_ORDER = "tick, rowid"
CAUTION_ABOVE = 0.01  # of the prompts; the one rule for terminal, summary and report


def put_notes(connection: RunConnection, rows: Sequence[NoteRow]) -> None:
    """Write notes, within the caller's transaction."""
    if rows:
        NOTES.put(connection, map(astuple, rows))


def read_notes(connection: RunConnection) -> list[NoteRow]:
    """Return every note, by tick, then as written; raise ValueError where one is invalid."""
    rows = [NoteRow(*values) for values in NOTES.read(connection, _IN_ORDER)]
    for row in rows:
        check_note(row)
    return rows


def format_note_lines(connection: RunConnection) -> Iterator[str]:
    """Yield a line of the canonical hash for each note."""
    for row in NOTES.read(connection, _IN_ORDER):
        yield f"note {encode(row)}"


def parse_cuts(text: str) -> dict[str, int]:
    """Return the lines cut by section, from a note of kind `cut`, or raise ValueError."""
    cuts = json.loads(text)
    if not isinstance(cuts, dict) or not cuts:
        raise ValueError(f"{text:.40} is no count of lines by section")
    if any(type(lines) is not int or lines < 1 for lines in cuts.values()):
        raise ValueError(f"{text:.40} has a count that is none")
    return cuts


def parse_turn(text: str) -> dict[str, JSON]:
    """Return the fields of a note of kind `turn`, or raise ValueError."""
    turn = json.loads(text)
    if not isinstance(turn, dict) or not isinstance(turn.get("verdict"), str):
        raise ValueError(f"{text:.40} is no account of a turn")
    return turn


def check_note(row: NoteRow) -> None:
    """Raise ValueError unless a note has a known kind, and text of that kind."""
    if row.kind not in get_args(NoteKind):
        raise ValueError(f"{row.kind!r:.40} is no kind of note")
    if row.kind == "cut":
        parse_cuts(row.text)
    elif row.kind == "turn":
        parse_turn(row.text)


@dataclass(frozen=True, slots=True)
class SectionCut:
    """The number of prompts that lost lines of a section, and the number of these lines."""

    section: str
    prompts: int
    lines: int


@dataclass(frozen=True, slots=True)
class PromptCuts:
    """The prompts that lost lines for lack of room.

    Attributes:
        prompts: that were sent.
        cut: how many of them lost lines.
        sections: that lost lines, most prompts first.
    """

    prompts: int = 0
    cut: int = 0
    sections: tuple[SectionCut, ...] = ()

    @property
    def matters(self) -> bool:
        """Whether more than 1 % of the prompts lost something."""
        return self.cut > CAUTION_ABOVE * self.prompts

    def describe(self) -> Iterator[str]:
        """Yield a caution if the cuts matter."""
        if self.matters:
            named = ", ".join(f"{cut.section} ({cut.prompts:,})" for cut in self.sections)
            yield (
                f"{self.cut:,} of {self.prompts:,} prompts had no room for all lines of a section: "
                f"{named}; a larger `prompt_tokens` of the policy gives room"
            )


def count_cuts(notes: Iterable[NoteRow], prompts: int) -> PromptCuts:
    """Sum up the cuts in `notes`, out of `prompts` prompts."""
    cut, sections_cut, lines = 0, Counter[str](), Counter[str]()
    for note in notes:
        if note.kind == "cut":
            cuts = parse_cuts(note.text)
            cut += 1
            sections_cut.update(cuts.keys())
            lines.update(cuts)
    sections = [SectionCut(name, count, lines[name]) for name, count in sections_cut.items()]
    sections.sort(key=lambda section: (-section.prompts, section.section))
    return PromptCuts(prompts, cut, tuple(sections))
