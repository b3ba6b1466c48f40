"""Prompt files, filled in within a budget of tokens, and the sections of their data.

A file has two parts. Above its line `---` is the system message, the same for everybody, so that
servers cache it. Below it is the user message: the person (`{{ me }}`), the data (`{{ data }}`),
and the question.

The data are sections, of which those of time, place and people nearby, only what is perceived,
come first. Where not all lines fit, room is given by rank, then in the order of the sections. A
text that is too long loses whole sentences, and words only if its first sentence does not fit.
Lines that are left out or shortened are counted by section.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol, TypeVar

from jinja2 import Template

from genagents_env.llm.calls import JSONValue, Message
from genagents_env.llm.prompts import fence, load_prompt, run_fence, split_prompt
from genagents_env.llm.tokens import bound_prompt_tokens, bound_tokens
from genagents_env.percept import Percept, SeenObject, SeenPerson
from genagents_env.policy import Profile
from genagents_env.text import SENTENCE_END

T = TypeVar("T")
RESERVED, SPOKEN, REMEMBERED = 0, 1, 2  # ranks; the lowest gets room first
NOW, HERE = "now", "here"  # the names of the first sections
_MARK = 6  # characters of the fence's mark: small models read it, and it cannot be forged anyway
# The largest share of a prompt for the person: the first that leaves this share for data.
_SELF_SHARES, _DATA_SHARE = (0.3, 0.15, 0.05), 0.25
_MEMORY_SHARE = 0.25  # of the room for data, at least, where there are memories
_NAME, _PLACE = 24, 36  # tokens at most of a name or a place outside the fence
_NAMED = 3  # people named at most
_LINE_TOKENS = 60  # that a line may take, however little room there is for all of them
MEMORIES = "memories"  # the name of their section
PERSON = "person"  # the name under which cut sentences about the person are counted
_NO_COUNTS: Mapping[str, int] = MappingProxyType({})
_EMPTY_FENCE = bound_tokens(fence([], ""))
_EMPTY_LINE = bound_tokens(fence([""], ""))
_QUOTED = re.compile(r"((?<!\w)'[^']*'(?!\w))")
_COMPANY = 12  # people named at most, the nearest


# The lines of sections, fitted.


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
    most = max(_LINE_TOKENS, room // 2)
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
    return (
        _find_beginning(SENTENCE_END.split(text), str, most)
        or _find_beginning(text.split(" "), _break_off, most)
        or _cut_characters(text, most)
    )


def _cut_characters(text: str, most: int) -> str:
    """Return the first characters of one long word, and an ellipsis; nothing where none fits."""
    while text and (length := _count_text(f"{text}…")) > most:
        text = text[: min(len(text) - 1, len(text) * max(0, most) // length)]
    return f"{text}…" if text else ""


def _find_beginning(parts: Sequence[str], end: Callable[[str], str], most: int) -> str:
    """Return as many of `parts`, not all, as have at most `most` tokens once ended; "" for none."""

    def join(kept: int) -> str:
        return end(" ".join(parts[:kept]))

    kept = bisect_right(range(1, len(parts)), most, key=lambda kept: _count_text(join(kept)))
    return join(kept) if kept else ""


def _break_off(words: str) -> str:
    return f"{words.rstrip(',;:-')}…"


def _count_text(text: str) -> int:
    return bound_tokens(fence([text], "")) - _EMPTY_LINE


def _has_words(line: JSONValue) -> bool:
    return not isinstance(line, list) or bool(line and line[-1])


# Here and now.


def format_date(time: datetime) -> str:
    """Return a day as people write it: Monday 13 February 2023."""
    return f"{time:%A} {time.day} {time:%B %Y}"


def format_clock(time: datetime) -> str:
    """Return a moment: Monday 13 February 2023, 08:00."""
    return f"{format_date(time)}, {time:%H:%M}"


def describe_now(time: datetime, place: str) -> Section:
    """Return the section of time and place; without the place where it is empty."""
    where: list[JSONValue] = [["you are at", place]] if place else []
    return Section(NOW, [["now", format_clock(time)], *where])


def describe_here_and_now(percept: Percept) -> list[Section]:
    """Return the sections of time, place, and people nearby, the nearest first."""
    if percept.me.asleep:
        now = describe_now(percept.time, percept.me.place)
        return [Section(NOW, [*now.lines, ["you are", "asleep"]])]
    people: list[JSONValue] = [
        ["here with you", person.name, _describe_doing(percept, person)]
        for person in percept.people[:_COMPANY]
    ]
    if more := len(percept.people) - _COMPANY:
        people += [["here with you", f"{more} others"]] if more > 0 else []
    return [
        describe_now(percept.time, percept.me.place),
        Section(HERE, people or [["here with you", "nobody"]]),
    ]


def _describe_doing(percept: Percept, seen: SeenPerson) -> str:
    """Return somebody's activity, with the observer's name as "you", unless it is quoted."""
    if seen.asleep:
        return "asleep"
    name = re.escape(percept.me.name)
    if not name:
        return seen.doing
    parts = _QUOTED.split(seen.doing)
    for at in range(0, len(parts), 2):
        owned = re.sub(rf"\b{name}['\u2019]s\b", "your", parts[at])
        parts[at] = re.sub(rf"\b{name}\b", "you", owned)
    return "".join(parts)


def find_person(percept: Percept, name: str) -> SeenPerson | None:
    """Find somebody in sight by name."""
    return next((seen for seen in percept.people if seen.name == name), None)


def find_object(percept: Percept, object_id: str) -> SeenObject | None:
    """Find an object in sight by its id."""
    return next((item for item in percept.objects if item.id == object_id), None)


# Prompts.


class PromptMemory(Protocol):
    """A memory, as far as a prompt shows it."""

    @property
    def id(self) -> int:
        """Its id in the mind."""

    @property
    def text(self) -> str:
        """Its text."""


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """A prompt, and an account of its lines.

    Attributes:
        messages: to be sent.
        memories: ids of those shown; number n in the prompt is `memories[n - 1]`.
        shown: lines by section.
        cuts: lines left out or shortened, by section that lost some. Memories only fill the room
            that is left, so leaving some out is no cut.
    """

    messages: tuple[Message, ...]
    memories: tuple[int, ...] = ()
    shown: Mapping[str, int] = field(default_factory=lambda: _NO_COUNTS)
    cuts: Mapping[str, int] = field(default_factory=lambda: _NO_COUNTS)

    def find_ids(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Return the memories of these numbers; skip numbers that the prompt does not have."""
        ids = (self.memories[n - 1] for n in numbers if 1 <= n <= len(self.memories))
        return tuple(dict.fromkeys(ids))


class PromptFiles:
    """The prompt files of one run.

    Args:
        folder: of the files; `self.jinja` among them describes the person.
        seed: of the run; decides the mark of the fence.
        limit: tokens of a prompt at most, by `llm.tokens`.
        small: whether a small model reads them, which needs instructions to write plainly.
    """

    def __init__(self, folder: Path, seed: int, limit: int, *, small: bool = False) -> None:
        self.folder, self.limit, self.small = folder, limit, small
        self.mark = run_fence(seed)[:_MARK]
        self._files: dict[str, tuple[Message, Template]] = {}
        self._selves: dict[tuple[str, tuple[str, ...], float], tuple[str, int]] = {}

    def fill(
        self,
        name: str,
        profile: Profile,
        sections: Sequence[Section] = (),
        *,
        memories: Sequence[tuple[str, PromptMemory]] = (),
        **fields: object,
    ) -> FilledPrompt:
        """Return the prompt `name`.jinja for one person.

        The user's part gets `fields`, `me` and `data`: the fence with the `sections`, then as
        many `memories`, best first, as fit the budget, each numbered. Words of others belong in
        the fence.

        Args:
            name: of a file in the folder.
            profile: of the person.
            sections: shown first, in order.
            memories: each with the words for its time.
            fields: other names in the template.
        """
        system, template = self._load_file(name)
        fields, room, lost = {**fields, "small": self.small}, 0, 0
        for share in _SELF_SHARES:
            fields["me"], lost = self._describe_self(profile, share)
            empty = Message("user", template.render(data=fence([], self.mark), **fields).strip())
            room = self.limit - bound_prompt_tokens([system, empty])
            if room >= self.limit * _DATA_SHARE:
                break
        fitted = fit_sections(sections, int(room * (1.0 - _MEMORY_SHARE if memories else 1.0)))
        shown = _fit_memories(memories, room - sum(section.tokens for section in fitted))
        if any(section.cut for section in fitted):  # lines get the room that memories left
            left = room - sum(count_tokens(line) for line, _ in shown)
            fitted = fit_sections(sections, left)
        lines = [line for section in fitted for line in section.lines]
        data = fence([*lines, *(line for line, _ in shown)], self.mark)
        user = Message("user", template.render(data=data, **fields).strip())
        counts = {section.name: len(section.lines) for section in fitted}
        cuts = {section.name: section.cut for section in fitted if section.cut}
        return FilledPrompt(
            (system, user),
            tuple(id_ for _, id_ in shown),
            {**counts, MEMORIES: len(shown)},
            {**({PERSON: lost} if lost else {}), **cuts},
        )

    def _describe_self(self, profile: Profile, share: float) -> tuple[str, int]:
        """Describe the person in a share of the prompt; count the sentences left out."""
        key = profile.agent, profile.traits, share
        if key not in self._selves:
            self._selves[key] = self._format_self(profile, share)
        return self._selves[key]

    def _format_self(self, profile: Profile, share: float) -> tuple[str, int]:
        sentences = [part.strip() for part in profile.persona.split(";") if part.strip()]
        limit, render = int(self.limit * share), self._self_template.render
        for kept in range(len(sentences), -1, -1):
            text = render(
                name=shorten_text(profile.name, limit // 4),
                age=profile.age,
                traits=shorten_text(", ".join(profile.traits), limit // 6),
                persona="; ".join(sentences[:kept]),
                home=shorten_text(profile.home, limit // 6),
                workplace=shorten_text(profile.workplace or "", limit // 6),
            ).strip()
            if bound_tokens(text) <= limit or not kept:
                return text, len(sentences) - kept
        raise AssertionError("the last round returns")

    @cached_property
    def _self_template(self) -> Template:
        return load_prompt(self.folder / "self.jinja")

    def _load_file(self, name: str) -> tuple[Message, Template]:
        """Return the system message and the template of the user message."""
        if name not in self._files:
            system, user = split_prompt(self.folder / f"{name}.jinja")
            words = system.render(small=self.small).strip()
            self._files[name] = Message("system", words), user
        return self._files[name]


def fill_with_items(
    fill: Callable[[Sequence[T]], FilledPrompt], items: Sequence[T], section: str
) -> tuple[FilledPrompt, Sequence[T]]:
    """Fill a prompt with as many of `items` as it has room for in `section`, at least one."""
    shown = fill(items)
    while len(items) > 1 and shown.shown[section] < len(items):
        items = items[: max(1, shown.shown[section])]
        shown = fill(items)
    return shown, items


def _fit_memories(
    memories: Sequence[tuple[str, PromptMemory]], room: int
) -> list[tuple[JSONValue, int]]:
    """Return the memories that fit `room` tokens, as numbered lines with their ids."""
    shown: list[tuple[JSONValue, int]] = []
    for when, memory in memories:
        line: JSONValue = [f"#{len(shown) + 1}", when, memory.text]
        line = shorten_line(line, max(_LINE_TOKENS, room // 2))
        cost = count_tokens(line)
        if cost <= room:
            shown.append((line, memory.id))
            room -= cost
    return shown


# For names and places in a prompt's own sentences, outside the fence, where `fill` cuts nothing:
# a name of sixty Chinese characters would take a third of a prompt.


def shorten_name(words: str) -> str:
    """Return a person's name, cut to a short one."""
    return _fit_words(words, _NAME)


def shorten_names(several: Sequence[str]) -> str:
    """Return the first few of several names, as a list in words."""
    return ", ".join(shorten_name(words) for words in several[:_NAMED])


def shorten_place(words: str) -> str:
    """Return the id of a place, cut to a short one."""
    return _fit_words(words, _PLACE)


def _fit_words(words: str, most: int) -> str:
    while bound_tokens(words) > most:
        words = words[: len(words) * 3 // 4]
    return words
