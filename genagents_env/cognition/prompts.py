"""Prompt files, filled in so that a prompt never grows past its budget of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from jinja2 import Template

from genagents_env.llm.calls import JSONValue, Message
from genagents_env.llm.prompts import fence, load_prompt, run_fence
from genagents_env.llm.token_bound import bound_prompt_tokens, bound_tokens
from genagents_env.policy import Profile

_MARK = 6  # characters of the fence's mark: small models read it, and it cannot be forged anyway
_SYSTEM_SHARE = 0.3  # of the prompt at most for who one is
_MEMORY_SHARE = 0.25  # of what is left for data at least, where there are memories
_EMPTY_FENCE = bound_tokens(fence([], ""))
_LINE = 160  # characters of a memory that are shown
_NAME, _PLACE = 24, 36  # tokens at most of a name or a place outside the fence
_NAMED = 3  # people named at most
_LINE_TOKENS = 60  # that a line may take, however little room there is for all of them


class PromptMemory(Protocol):
    """Something remembered, as far as a prompt shows it."""

    @property
    def id(self) -> int:
        """By which it is found again."""

    @property
    def text(self) -> str:
        """What is remembered."""


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """A prompt, and the memories that stand in it; number n in the prompt is `memories[n - 1]`.

    `lines`: how many of the lines given stand in it.
    """

    messages: tuple[Message, ...]
    memories: tuple[int, ...]
    lines: int = 0

    def find_ids(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Return the memories that a reply names by their numbers; others are passed over."""
        found = (self.memories[n - 1] for n in numbers if 1 <= n <= len(self.memories))
        return tuple(dict.fromkeys(found))


class PromptFiles:
    """The prompt files of one run.

    Args:
        folder: of the files; `system.jinja` among them says who one is.
        seed: of the run; decides the mark of the fence.
        limit: tokens of a prompt at most, by `llm.token_bound`.
    """

    def __init__(self, folder: Path, seed: int, limit: int) -> None:
        self.folder, self.limit, self.mark = folder, limit, run_fence(seed)[:_MARK]
        self._templates: dict[str, Template] = {}
        self._systems: dict[str, Message] = {}

    def fill(
        self,
        name: str,
        profile: Profile,
        *,
        lines: Sequence[JSONValue] = (),
        memories: Sequence[tuple[str, PromptMemory]] = (),
        **fields: object,
    ) -> FilledPrompt:
        """Return the prompt `name`.jinja for one person.

        The template gets `fields` and `data`: the fence with `lines`, then as many `memories`,
        best first, as fit the budget, each numbered. Lines are others' words and must stand in
        the fence; if they alone are too long, the longest are cut and the oldest (first) go.

        Args:
            name: of a file in the folder.
            profile: whose prompt it is; the system message depends on it alone.
            lines: shown first, in order.
            memories: each with the words for its time.
            fields: what else the template names.
        """
        system = self.get_system(profile)
        template = self._load_template(name)
        room = self.limit - bound_prompt_tokens([system, Message("user", "")])
        empty = bound_tokens(template.render(data=fence([], self.mark), **fields).strip())
        share = 1.0 - _MEMORY_SHARE if memories else 1.0
        kept = fit_lines(lines, int((room - empty) * share))
        left = room - empty - sum(_count_tokens(line) for line in kept)
        shown: list[tuple[JSONValue, int]] = []
        for when, memory in memories:
            line: JSONValue = [f"#{len(shown) + 1}", when, memory.text[:_LINE]]
            line = _cut(line, max(_LINE_TOKENS, left // 2))
            cost = _count_tokens(line)
            if cost <= left:
                shown.append((line, memory.id))
                left -= cost
        if len(kept) < len(lines):  # what the memories left over goes to the lines
            room = left + sum(_count_tokens(line) for line in kept)
            kept = fit_lines(lines, room)
        data = fence([*kept, *(line for line, _ in shown)], self.mark)
        user = Message("user", template.render(data=data, **fields).strip())
        return FilledPrompt((system, user), tuple(id_ for _, id_ in shown), len(kept))

    def get_system(self, profile: Profile) -> Message:
        """Return who one is: the same words in every call, so that their prefix is cached."""
        if profile.agent not in self._systems:
            self._systems[profile.agent] = Message("system", self._format_system(profile))
        return self._systems[profile.agent]

    def _format_system(self, profile: Profile) -> str:
        sentences = [part.strip() for part in profile.persona.split(";") if part.strip()]
        limit, render = int(self.limit * _SYSTEM_SHARE), self._system_template.render
        for kept in range(len(sentences), -1, -1):
            text = render(
                name=_shorten(profile.name, limit // 4),
                age=profile.age,
                traits=_shorten(", ".join(profile.traits)[:80], limit // 6),
                persona="; ".join(sentences[:kept]),
                home=_shorten(profile.home[:80], limit // 6),
                workplace=_shorten((profile.workplace or "")[:80], limit // 6),
            ).strip()
            if bound_tokens(text) <= limit or not kept:
                return text
        raise AssertionError("the last round returns")

    @cached_property
    def _system_template(self) -> Template:
        return load_prompt(self.folder / "system.jinja")

    def _load_template(self, name: str) -> Template:
        if name not in self._templates:
            self._templates[name] = load_prompt(self.folder / f"{name}.jinja")
        return self._templates[name]


_EMPTY_LINE = bound_tokens(fence([""], ""))


def _count_tokens(line: JSONValue) -> int:
    """Return the tokens that a line adds to the fence."""
    return bound_tokens(fence([line], "")) - _EMPTY_FENCE + 1


def fit_lines(lines: Sequence[JSONValue], room: int) -> list[JSONValue]:
    """Return the last of `lines` that fit into `room` tokens, in their order.

    A line that would take more than half of it is cut.
    """
    most = min(room, max(_LINE_TOKENS, room // 2))
    kept: list[JSONValue] = []
    for whole in reversed(lines):
        line = _cut(whole, most)
        room -= _count_tokens(line)
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]


def _cut(line: JSONValue, most: int) -> JSONValue:
    """Return `line` with as much of its last text as leaves it at most `most` tokens long."""
    if not isinstance(line, list) or not line or not isinstance(line[-1], str):
        return line
    around = _count_tokens([*line[:-1], ""])
    return [*line[:-1], _shorten(line[-1], most - around)] if _count_tokens(line) > most else line


def _shorten(text: str, most: int) -> str:
    """Return the beginning of `text` that, quoted, has at most `most` tokens."""
    while text and (length := bound_tokens(fence([text], "")) - _EMPTY_LINE) > most:
        text = text[: min(len(text) - 1, len(text) * max(0, most) // length)].rstrip()
    return text


# Names and places in a prompt's own sentences, outside the fence: there `fill` cuts nothing, and
# a name of sixty Chinese characters would take a third of a prompt.


def shorten_name(words: str) -> str:
    """Return a person's name, or as much of it as is short."""
    return _fit_words(words, _NAME)


def shorten_names(several: Sequence[str]) -> str:
    """Return the first few of several names, as a list in words."""
    return ", ".join(shorten_name(words) for words in several[:_NAMED])


def shorten_place(words: str) -> str:
    """Return the id of a place, or as much of it as is short."""
    return _fit_words(words, _PLACE)


def _fit_words(words: str, most: int) -> str:
    while bound_tokens(words) > most:
        words = words[: len(words) * 3 // 4]
    return words
