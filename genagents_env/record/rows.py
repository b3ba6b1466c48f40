"""What the tables hold, as data, and the one JSON text in which values are stored."""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from genagents_env.llm.prices import Price
from genagents_env.policy import NoteKind

# Sorted, compact and ASCII: the stored text is canonical, so it is hashed as it is, and
# no lone surrogate can break the file. SQLite's json_extract gives the characters back.
encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode

JSON: TypeAlias = Any  # what `encode` takes: None, bool, int, float, str, lists and dicts of them

FaultKind: TypeAlias = Literal["raised", "hung", "nonsense"]


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A policy failed to decide for an agent, who idled.

    `kind`: it raised; it did not answer in time; its answer was not an action.
    """

    tick: int
    agent: str
    policy: str
    kind: FaultKind
    text: str


@dataclass(frozen=True, slots=True)
class NoteRow:
    """What a mind wanted in vain, or what its prompt had no room for; see `policy.MindNote`.

    Attributes:
        tick: with which it was written: the one that the decision led to, or that of an interview.
        call_tick: with `agent`, `purpose` and `number` it names the call, whose tick this is.
        agent: whose it is.
        purpose: of the call; empty where no call led to it.
        number: of the call.
        kind: `cut`, `wish` or `turn`.
        text: of a cut the number of lines by section, as JSON; of a wish what was named, and what
            was allowed; of a turn what it was read as, as JSON.
    """

    tick: int
    call_tick: int
    agent: str
    purpose: str
    number: int
    kind: NoteKind
    text: str


@dataclass(frozen=True, slots=True)
class InterviewRow:
    """What an agent answered to a question, and the ids of the events the answer rests on.

    `repeat`: which of the interviews held from the same state of mind, from 0.
    """

    tick: int
    agent: str
    question: str
    answer: str
    evidence: tuple[int, ...]
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class RememberedRow:
    """A memory that states a fact of the scenario, held by an agent at a tick.

    `events`: the ids of the events it comes from; none where it was known from the start.
    """

    tick: int
    agent: str
    fact: str
    text: str
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JudgementRow:
    """What a model made of an answer.

    Attributes:
        judge: the model's name.
        check: the id of the scenario's check.
        tick: of the interview.
        agent: who answered.
        question: in words, as it was asked.
        repeat: of the interview.
        verdict: `yes`, `no` or a value; None where no usable reply came.
        reply: the model's words.
        prompt_tokens: read.
        completion_tokens: written.
    """

    judge: str
    check: str
    tick: int
    agent: str
    question: str
    repeat: int
    verdict: str | None
    reply: str
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class FacultyRow:
    """Sums over the model calls of one faculty: the part of their purpose before the first dot.

    `agents`: how many made such a call. `seconds`: of wall clock, waited for the model.
    """

    faculty: str
    agents: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    fallbacks: int


@dataclass(frozen=True, slots=True)
class CallRow:
    """One stored model call; see `llm.cassette.RecordedReply`.

    `messages`: the prompt as JSON. `cached_tokens`, `cache_write_tokens`: as in `ResponseRow`.
    """

    agent: str
    tick: int
    purpose: str
    number: int
    prompt_hash: str
    messages: str
    outcome: str
    reply: str
    prompt_tokens: int
    completion_tokens: int
    attempts: int
    reasks: int
    truncated: int
    fault: str | None
    latency_seconds: float
    started_at: float
    model: str = ""
    reasoning_tokens: int = 0
    unsaid_prompt_tokens: int = 0
    unsaid_completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0

    def cost(self, price: Price) -> Decimal:
        """Return what it cost, with the attempts in which the model only thought."""
        read = self.prompt_tokens + self.unsaid_prompt_tokens
        written = self.completion_tokens + self.unsaid_completion_tokens
        return price.cost(read, written, self.cached_tokens, self.cache_write_tokens)


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """What an endpoint said of itself as it answered the call of this agent, tick, purpose, number.

    Attributes:
        agent: as the three that follow, the key of the call.
        tick: of the call.
        purpose: of the call.
        number: of the call.
        model: that answered, by its own word; empty where it did not say.
        fingerprint: of the system behind it; empty where it did not say.
        cached_tokens: of the prompt, those that were read from a cache.
        cache_write_tokens: of the prompt, those that were written to it; some vendors charge more.
    """

    agent: str
    tick: int
    purpose: str
    number: int
    model: str = ""
    fingerprint: str = ""
    cached_tokens: int = 0
    cache_write_tokens: int = 0
