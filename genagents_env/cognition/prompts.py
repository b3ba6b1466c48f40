"""Prompt files, filled in within a budget of tokens.

A file has two parts. Above its line `---` is the system message, the same for everybody, so that
servers cache it. Below it is the user message: the person (`{{ me }}`), the data (`{{ data }}`),
and the question.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from jinja2 import Template

from genagents_env.cognition.sections import (
    Section,
    count_tokens,
    fit_sections,
    shorten_line,
    shorten_text,
)
from genagents_env.llm.calls import JSONValue, Message
from genagents_env.llm.prompts import fence, load_prompt, run_fence, split_prompt
from genagents_env.llm.tokens import bound_prompt_tokens, bound_tokens
from genagents_env.policy import Profile

T = TypeVar("T")
_MARK = 6  # characters of the fence's mark: small models read it, and it cannot be forged anyway
# The largest share of a prompt for the person: the first that leaves this share for data.
_SELF_SHARES, _DATA_SHARE = (0.3, 0.15, 0.05), 0.25
_MEMORY_SHARE = 0.25  # of the room for data, at least, where there are memories
_NAME, _PLACE = 24, 36  # tokens at most of a name or a place outside the fence
_NAMED = 3  # people named at most
_LINE_TOKENS = 60  # that a memory may take, however little room there is for all of them
MEMORIES = "memories"  # the name of their section
PERSON = "person"  # the name under which cut sentences about the person are counted
_NO_COUNTS: Mapping[str, int] = MappingProxyType({})


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
