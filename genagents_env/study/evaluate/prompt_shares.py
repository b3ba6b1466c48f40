"""What prompts are made of, by purpose: tokens, sections, memories, and what found no room."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import NamedTuple

from genagents_env.llm.calls import Message
from genagents_env.llm.tokens import bound_prompt_tokens, bound_tokens
from genagents_env.record import RunReader
from genagents_env.record.notes import PromptCuts, count_cuts
from genagents_env.record.rows import JSON, NoteRow

ALL = "all"
SYSTEM, WORDS, MEMORIES, UNNAMED = "(system)", "(words)", "memories", "(unnamed)"
_FENCE = re.compile(r"<<<DATA (\w+)\n(.*?)^\1 END>>>", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"#\d+")
_CLOCK = re.compile(r"\d{1,2}:\d{2}")


@dataclass(frozen=True, slots=True)
class PromptShares:
    """The prompts of one purpose, or of `all`.

    Attributes:
        purpose: of the calls.
        prompts: how many were sent.
        counted: of how many the endpoint counted the tokens of one prompt alone: those answered
            without asking again.
        mean_tokens: of these; None where there are none. `most_tokens`: of the longest.
        mean_bound: by `llm.tokens.bound_tokens`, of all prompts. `most_bound`: of the longest.
        memories: lines of memories in a prompt, on average.
        shares: of all tokens by the same bound, by section: a line of the data counts for the words
            that it begins with, memories are one, `(system)` is the system message and `(words)`
            the rest of the user message. The largest first.
        cuts: what found no room.
    """

    purpose: str
    prompts: int
    counted: int
    mean_tokens: float | None
    most_tokens: int
    mean_bound: float
    most_bound: int
    memories: float
    shares: tuple[tuple[str, float], ...]
    cuts: PromptCuts

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values, with the shares by section."""
        return {**asdict(self), "shares": dict(self.shares)}


class _Prompt(NamedTuple):
    """Tokens of a prompt: as counted, or 0; by the bound; by the bound of each section's parts."""

    counted: int
    bound: int
    sections: tuple[tuple[str, int], ...]


def measure_prompts(runs: Sequence[RunReader]) -> list[PromptShares]:
    """Return the prompts of all `runs` together by purpose, by name, and last those of `all`.

    None without a call.
    """
    prompts: dict[str, list[_Prompt]] = {}
    notes: dict[str, list[NoteRow]] = {}
    for run in runs:
        # Whoever is named is a person, and a name within another's does not come before it.
        names = sorted(run.meta.names, key=len, reverse=True)
        for call, messages in run.prompts():
            parts = split_sections(messages, names)
            sections = tuple((section, bound_tokens(text)) for section, text in parts)
            counted = call.prompt_tokens if call.attempts == 1 else 0
            prompt = _Prompt(counted, bound_prompt_tokens(messages), sections)
            for purpose in (call.purpose, ALL):
                prompts.setdefault(purpose, []).append(prompt)
        for note in run.notes():
            for purpose in (note.purpose, ALL):
                notes.setdefault(purpose, []).append(note)
    purposes = sorted(prompts, key=lambda purpose: (purpose == ALL, purpose))
    return [_sum_up(one, prompts[one], notes.get(one, ())) for one in purposes]


def _sum_up(purpose: str, prompts: Sequence[_Prompt], notes: Sequence[NoteRow]) -> PromptShares:
    tokens = [one.counted for one in prompts if one.counted]
    bounds = [one.bound for one in prompts]
    parts = [part for one in prompts for part in one.sections]
    sections: Counter[str] = Counter()
    for name, bound in parts:
        sections[name] += bound
    return PromptShares(
        purpose,
        prompts=len(prompts),
        counted=len(tokens),
        mean_tokens=fmean(tokens) if tokens else None,
        most_tokens=max(tokens, default=0),
        mean_bound=fmean(bounds),
        most_bound=max(bounds),
        memories=sum(name == MEMORIES for name, _ in parts) / len(prompts),
        shares=tuple((name, n / sections.total()) for name, n in sections.most_common() if n),
        cuts=count_cuts(notes, len(prompts)),
    )


def split_sections(messages: Sequence[Message], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a prompt, each with the name of its section."""
    for message in messages:
        if message.role != "user":
            yield SYSTEM, message.content
            continue
        rest = _FENCE.sub("", message.content)
        yield WORDS, rest
        for found in _FENCE.finditer(message.content):
            for line in found[2].splitlines():
                yield find_section(line, names), line


def find_section(line: str, names: Sequence[str]) -> str:
    """Return the words that a line of data begins with; people and times of day are all alike."""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):  # a policy of one's own may fence anything
        return UNNAMED
    head = next(iter(item), "") if isinstance(item, list | dict) else ""
    if not isinstance(head, str) or not head:
        return UNNAMED
    if _NUMBER.fullmatch(head):
        return MEMORIES
    for name in names:
        head = head.replace(name, "(person)")
    return _CLOCK.sub("(time)", head)
