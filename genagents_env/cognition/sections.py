"""The sections of a prompt's data, and the choice of their lines where not all fit.

Room is given by rank, then in the order of the sections. A text that is too long loses whole
sentences, and words only if its first sentence does not fit. Lines that are left out or shortened
are counted by section.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from genagents_env.llm.calls import JSONValue
from genagents_env.llm.prompts import fence
from genagents_env.llm.tokens import bound_tokens
from genagents_env.text import SENTENCE_END

RESERVED, SPOKEN, REMEMBERED = 0, 1, 2  # ranks; the lowest gets room first
_EMPTY_FENCE = bound_tokens(fence([], ""))
_EMPTY_LINE = bound_tokens(fence([""], ""))
_LEAST_LINE = 60  # tokens that a line may take, however little room there is for all of them


@dataclass(frozen=True, slots=True)
class Section:
    """Lines of a prompt's data that belong together.

    Attributes:
        name: under which its lines are counted, such as `plan`.
        lines: lists of texts, heads first: `["you are at", "Hobbs Cafe/cafe"]`.
        rank: `RESERVED`, `SPOKEN` or `REMEMBERED`.
        keep: the lines that stay where not all fit.
    """

    name: str
    lines: Sequence[JSONValue]
    rank: int = RESERVED
    keep: Literal["first", "last"] = "first"


@dataclass(frozen=True, slots=True)
class FittedSection:
    """The lines of a section in a prompt; `cut` of them are missing or shortened."""

    name: str
    lines: tuple[JSONValue, ...]
    cut: int
    tokens: int


def fit_sections(sections: Sequence[Section], room: int) -> list[FittedSection]:
    """Return as much of `sections` as fits `room` tokens, in their order."""
    fitted: dict[int, FittedSection] = {}
    most = max(_LEAST_LINE, room // 2)
    for at in sorted(range(len(sections)), key=lambda at: sections[at].rank):
        fitted[at] = _fit_section(sections[at], room, min(most, room))
        room -= fitted[at].tokens
    return [fitted[at] for at in range(len(sections))]


def _fit_section(section: Section, room: int, most: int) -> FittedSection:
    """Return the lines of a section that fit `room` tokens, none longer than `most`."""
    lines = section.lines if section.keep == "first" else section.lines[::-1]
    kept: list[JSONValue] = []
    used = shortened = 0
    for whole in lines:
        line = shorten_line(whole, most if kept else min(most, room))
        cost = count_tokens(line)
        if used + cost > room or (line != whole and not _has_words(line)):
            break
        kept.append(line)
        used += cost
        shortened += line != whole
    shown = kept if section.keep == "first" else kept[::-1]
    return FittedSection(section.name, tuple(shown), len(lines) - len(kept) + shortened, used)


def count_tokens(line: JSONValue) -> int:
    """Return the tokens that a line adds to the data, by `llm.tokens`."""
    return _count_quoted(json.dumps(line, ensure_ascii=False))


@lru_cache(maxsize=2**15)  # memories stand in prompt after prompt
def _count_quoted(quoted: str) -> int:
    return bound_tokens(fence([json.loads(quoted)], "")) - _EMPTY_FENCE + 1


def shorten_line(line: JSONValue, most: int) -> JSONValue:
    """Return `line` with its last text shortened, so that it has at most `most` tokens."""
    if count_tokens(line) <= most:
        return line
    if not isinstance(line, list) or not line or not isinstance(line[-1], str):
        return line
    around = count_tokens([*line[:-1], ""])
    return [*line[:-1], shorten_text(line[-1], most - around)]


def shorten_text(text: str, most: int) -> str:
    """Return the first sentences of `text` that, quoted, have at most `most` tokens.

    If not even one fits: its first words, or else its first characters, and an ellipsis.
    """
    if _count_text(text) <= most:
        return text
    for kept in _list_beginnings(SENTENCE_END.split(text)):
        if _count_text(kept) <= most:
            return kept
    for kept in _list_beginnings(text.split(" ")):
        if _count_text(words := f"{kept.rstrip(',;:-')}…") <= most:
            return words
    return _cut_characters(text, most)


def _cut_characters(text: str, most: int) -> str:
    """Return the first characters of one long word, and an ellipsis; nothing where none fits."""
    while text and (length := _count_text(f"{text}…")) > most:
        text = text[: min(len(text) - 1, len(text) * max(0, most) // length)]
    return f"{text}…" if text else ""


def _list_beginnings(parts: Sequence[str]) -> Iterator[str]:
    """Yield the text of `parts` without the last, without the last two, down to the first."""
    return (" ".join(parts[:kept]) for kept in range(len(parts) - 1, 0, -1))


def _count_text(text: str) -> int:
    return bound_tokens(fence([text], "")) - _EMPTY_LINE


def _has_words(line: JSONValue) -> bool:
    return not isinstance(line, list) or bool(line and line[-1])
