"""What prompts are made of, by purpose: tokens, sections, memories, and what found no room."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field

from genagents_env.llm.calls import Message
from genagents_env.llm.tokens import bound_prompt_tokens, bound_tokens
from genagents_env.record import RunReader
from genagents_env.record.notes import PromptCuts, count_cuts
from genagents_env.record.rows import JSON, CallRow, NoteRow

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


@dataclass
class _PromptSums:
    """Sums over prompts."""

    prompts: int = 0
    tokens: list[int] = field(default_factory=list)
    bounds: list[int] = field(default_factory=list)
    memories: int = 0
    sections: Counter[str] = field(default_factory=Counter)
    notes: list[NoteRow] = field(default_factory=list)

    def add(self, call: CallRow, messages: list[Message], names: Sequence[str]) -> None:
        """Count the prompt of a call in a town of these `names`."""
        self.prompts += 1
        if call.prompt_tokens and call.attempts == 1:
            self.tokens.append(call.prompt_tokens)
        self.bounds.append(bound_prompt_tokens(messages))
        for section, text in split_sections(messages, names):
            self.sections[section] += bound_tokens(text)
            self.memories += section == MEMORIES

    def sum_up(self, purpose: str) -> PromptShares:
        """Return what was counted."""
        whole, count = sum(self.sections.values()), len(self.tokens)
        return PromptShares(
            purpose,
            self.prompts,
            count,
            sum(self.tokens) / count if count else None,
            max(self.tokens, default=0),
            sum(self.bounds) / self.prompts,
            max(self.bounds),
            self.memories / self.prompts,
            tuple((name, n / whole) for name, n in self.sections.most_common() if n),
            count_cuts(self.notes, self.prompts),
        )


def measure_prompts(runs: Sequence[RunReader]) -> list[PromptShares]:
    """Return the prompts of all `runs` together by purpose, by name, and last those of `all`.

    None without a call.
    """
    sums: dict[str | None, _PromptSums] = defaultdict(_PromptSums)  # None is all
    for run in runs:
        # Whoever is named is a person, and a name within another's does not come before it.
        names = sorted(run.meta.names, key=len, reverse=True)
        for call, messages in run.prompts():
            for purpose in (call.purpose, None):
                sums[purpose].add(call, messages, names)
        for note in run.notes():
            for purpose in (note.purpose, None):
                if purpose in sums:
                    sums[purpose].notes.append(note)
    whole = sums.pop(None, None)
    by_purpose = [sums[one].sum_up(one) for one in sorted(filter(None, sums))]
    return by_purpose if whole is None else [*by_purpose, whole.sum_up(ALL)]


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
