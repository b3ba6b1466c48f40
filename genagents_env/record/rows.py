"""The rows of the tables as data, and the canonical JSON text of stored values."""

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from genagents_env.llm.prices import Price
from genagents_env.policy import NoteKind

# Sorted, compact and ASCII: the stored text is hashed as it is, and no lone surrogate can break
# the file. SQLite's json_extract decodes the characters.
encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode

JSON: TypeAlias = Any  # what `encode` takes: None, bool, int, float, str, lists and dicts of them

FaultKind: TypeAlias = Literal["raised", "hung", "nonsense", "interview"]


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A policy failed to decide for an agent, who idled, or to answer when it was interviewed.

    `kind`: the policy raised, did not answer in time, or answered with something else; or any of
    that in an interview.
    """

    tick: int
    agent: str
    policy: str
    kind: FaultKind
    text: str


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note of a mind; see `policy.MindNote`.

    Attributes:
        tick: to which the decision led, or that of an interview.
        call_tick: of the call that led to the note.
        agent: of the mind, and of the call.
        purpose: of the call; empty where no call led to the note.
        number: of the call.
        kind: `cut`, lines left out of a prompt; `wish`, something named that is not allowed;
            `turn`, how a reply by tools was read.
        text: of a cut the number of lines by section, as JSON; of a wish what was named, and what
            was allowed; of a turn the reading, as JSON.
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
    """An agent's answer to a question, and the ids of the events that the answer rests on.

    `repeat`: number of the interview among those from the same state of mind, from 0.
    """

    tick: int
    agent: str
    question: str
    answer: str
    evidence: tuple[int, ...]
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class RememberedRow:
    """A memory of an agent at a tick that states a fact of the scenario.

    `events`: the ids of the events it comes from; none where it was known from the start.
    """

    tick: int
    agent: str
    fact: str
    text: str
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JudgementRow:
    """The verdict of a model on an answer.

    Attributes:
        judge: the model's name.
        check: the id of the scenario's check.
        tick: of the interview.
        agent: who answered.
        question: as it was asked.
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
    """Sums over the model calls of one faculty, the part of their purpose before the first dot.

    `agents`: number of agents that made such a call. `seconds`: wall clock waited for the model.
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
        """Return the dollars of the call, with the attempts in which the model only thought."""
        read = self.prompt_tokens + self.unsaid_prompt_tokens
        written = self.completion_tokens + self.unsaid_completion_tokens
        return price.cost(read, written, self.cached_tokens, self.cache_write_tokens)


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """What an endpoint reported of itself as it answered a call.

    Attributes:
        agent: of the call, whose key this and the next three are.
        tick: of the call.
        purpose: of the call.
        number: of the call.
        model: that answered; empty where the endpoint did not report it.
        fingerprint: of the system behind the model; empty as well.
        cached_tokens: tokens of the prompt read from a cache.
        cache_write_tokens: tokens of the prompt written to the cache; some vendors charge more.
    """

    agent: str
    tick: int
    purpose: str
    number: int
    model: str = ""
    fingerprint: str = ""
    cached_tokens: int = 0
    cache_write_tokens: int = 0
