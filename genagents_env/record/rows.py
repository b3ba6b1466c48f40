"""What the tables hold, as data, and the one JSON text in which values are stored."""

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

# Sorted, compact and ASCII: the stored text is canonical, so it is hashed as it lies there, and
# no lone surrogate can break the file. SQLite's json_extract gives the characters back.
encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode

JSON: TypeAlias = Any  # what `encode` takes: None, bool, int, float, str, lists and dicts of them

FaultKind: TypeAlias = Literal["raised", "hung", "nonsense"]


@dataclass(frozen=True, slots=True)
class PolicyFault:
    """A policy failed to decide for an agent, who idled.

    `kind`: it raised; it did not answer in time; its answer was not an action.
    """

    tick: int
    agent: str
    policy: str
    kind: FaultKind
    text: str


@dataclass(frozen=True, slots=True)
class InterviewRow:
    """What an agent answered to a question, and the ids of the events the answer rests on."""

    tick: int
    agent: str
    question: str
    answer: str
    evidence: tuple[int, ...]


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
    """One stored model call; see `llm.cassette.Recorded`. `messages`: the prompt as JSON."""

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
