"""The content of a saved mind: memories, plans and ties to others.

Each policy describes its own minds from their state (`Policy.describe_mind`), without an instance:
viewing a run needs no model, and runs no code of policies that are not shipped.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any, Protocol, TypeAlias

BEFORE = -1  # the tick of memories from before the run
_CALL = re.compile(r"(\S+) #(\d+) at tick (\d+)")  # a cause, such as `plan.hours #0 at tick 120`
State: TypeAlias = Mapping[str, Any]  # JSON values


@dataclass(frozen=True, slots=True)
class ContentMemory:
    """A memory as it is shown.

    Attributes:
        id: by which other memories name it as evidence.
        tick: at whose end it first existed; -1 for before the run; None if the mind does not store
            it: then it is as old as the latest of its events, or the saved state.
        kind: known, observation, thought, chat, plan, summary or merged.
        text: in words.
        importance: 1 to 10; None if the mind does not rate its memories.
        evidence: ids of the memories it rests on.
        events: ids of the record's events it comes from.
        call: tick, purpose and number of the call that wrote it; None if there is none or it is not
            stored.
    """

    id: int
    tick: int | None
    kind: str
    text: str
    importance: float | None = None
    evidence: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    call: tuple[int, str, int] | None = None


@dataclass(frozen=True, slots=True)
class ContentPlanLine:
    """A part of a plan; `start` and `end` are clock times such as "07:30", or empty."""

    text: str
    start: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class ContentPlan:
    """A plan, in force from the tick at which it was made."""

    made: int
    title: str
    lines: tuple[ContentPlanLine, ...]


@dataclass(frozen=True, slots=True)
class ContentTie:
    """A tie to somebody, in force from a tick until the next tie of the same name."""

    name: str
    since: int
    text: str


@dataclass(frozen=True, slots=True)
class MindContent:
    """The content of a mind; `note` says in sentences what is missing."""

    memories: tuple[ContentMemory, ...] = ()
    plans: tuple[ContentPlan, ...] = ()
    ties: tuple[ContentTie, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A stored model call of a mind.

    `prompt`: its last message; `reply`: its words, empty for a fallback.
    """

    tick: int
    purpose: str
    number: int
    prompt: str
    reply: str


@dataclass(frozen=True, slots=True)
class CallCause:
    """Calls that can cause something; the cause is the latest of them before it.

    Attributes:
        purposes: of the calls, or their beginnings, such as `ground.`.
        names: whether the reply must name somebody concerned.
    """

    purposes: tuple[str, ...]
    names: bool = False


# The causes of each kind of event, and of the calls of each purpose.
Causes: TypeAlias = Mapping[str, tuple[CallCause, ...]]


@dataclass(frozen=True)
class SavedMind:
    """The data of a mind in a run file.

    Attributes:
        agent: its id.
        people: everybody's names.
        state: of the mind in the last checkpoint, or None.
        calls: ordered by tick, purpose and number.
        start: town time of tick 0.
        seconds_per_tick: of game time.
        last_tick: of the record.
        routine: the usual day by the scenario.
    """

    agent: str
    people: Sequence[str]
    state: State | None
    calls: Sequence[AskedCall]
    start: datetime
    seconds_per_tick: int
    last_tick: int = 0
    routine: Sequence[ContentPlanLine] = ()

    def list_days(self) -> list[int]:
        """Return the first tick of each day of the run."""
        midnight = datetime.combine(self.start.date(), time(0)) - self.start
        first = int(midnight.total_seconds()) // self.seconds_per_tick
        day = 86_400 // self.seconds_per_tick
        return [max(0, tick) for tick in range(first, self.last_tick + 1, day)]

    def find_tick(self, second: int) -> int:
        """Return the tick at whose end a decision at a second of game time shows."""
        return BEFORE if second < 0 else second // self.seconds_per_tick + 1

    def format_clock(self, second: int) -> str:
        """Return the hour of a second of game time, such as "07:30"."""
        return f"{self.start + timedelta(seconds=second):%H:%M}"


def list_stream(saved: SavedMind, stream: State, before: Iterable[str]) -> list[ContentMemory]:
    """Return the memories of `MemoryStream.state()`.

    Args:
        saved: the mind.
        stream: the state.
        before: the causes of memories from before the run.
    """
    names = ("kind", "text", "created", "importance", "evidence", "events", "cause")
    columns = [stream[name] for name in names]
    brought = frozenset(before)
    return [
        ContentMemory(
            id_,
            BEFORE if cause in brought else find_made(saved, created, cause),
            "known" if cause in brought else _KINDS.get(kind, kind),
            text,
            importance,
            tuple(evidence),
            tuple(events),
            find_call(cause),
        )
        for id_, (kind, text, created, importance, evidence, events, cause) in enumerate(
            zip(*columns, strict=True)
        )
    ]


def find_made(saved: SavedMind, created: int, cause: str) -> int:
    """Return the tick at whose end a memory first existed: after the call that made it."""
    call = find_call(cause)
    return max(saved.find_tick(created), call[0] + 1 if call else BEFORE)


def find_call(cause: str) -> tuple[int, str, int] | None:
    """Return tick, purpose and number of the call that a cause names, or None."""
    match = _CALL.fullmatch(cause)
    return (int(match[3]), match[1], int(match[2])) if match else None


def list_items(saved: SavedMind, state: State, first: int = 0) -> list[ContentMemory]:
    """Return the memories of `ForgettingMemory.state()`, numbered from `first` on."""
    names = ("text", "events", "at", "origin")
    rows = zip(*(state[name] for name in names), strict=True)
    return [
        ContentMemory(
            first + number,
            BEFORE if origin == "seed" else saved.find_tick(at),
            _ORIGINS.get(origin, origin),
            text,
            events=tuple(events),
        )
        for number, (text, events, at, origin) in enumerate(rows)
    ]


_KINDS = {"event": "observation"}
_ORIGINS = {"seed": "known", "observed": "observation"}


class _Answered(Protocol):
    @property
    def reply(self) -> str: ...


def read_reply(call: _Answered) -> State:
    """Return the fields of a reply, which are those of its reply model; none of a fallback."""
    text = call.reply
    try:
        fields = json.loads(text[text.find("{") : text.rfind("}") + 1])  # words may stand around it
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}
