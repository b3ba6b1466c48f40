"""The head of a run file as it must be: the type, the range and the form of every part."""

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Annotated, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from genagents_env.files import parse_json
from genagents_env.llm.calls import ReasoningEffort
from genagents_env.record.degradation import MAX_FALLBACKS
from genagents_env.record.rows import JSON
from genagents_env.scenario.schema import Scenario
from genagents_env.text import is_clean

_MOST_HOURS = 24 * 366  # as in a scenario file
_MOST = 10**12  # calls and tokens
_LAST_YEAR = 9000  # so that no time of a run is past what a date can be
_SCENARIOS = 8  # of those seen last; a sweep has few


def _check_words(text: str) -> str:
    if not is_clean(text):
        raise ValueError("signs that no text has here")
    return text


def _check_time(text: str) -> str:
    time = datetime.fromisoformat(text)
    if time.tzinfo is not None or not 1 < time.year <= _LAST_YEAR:
        raise ValueError("a time of the town is wanted, without a zone")
    return text


def _check_amount(text: str) -> str:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise ValueError("a decimal number is wanted") from None
    if not amount.is_finite() or not 0 <= amount <= _MOST or len(text) > 60:
        raise ValueError("an amount from 0 on is wanted")
    return text


Words = Annotated[str, Field(max_length=5000), AfterValidator(_check_words)]
TownTime = Annotated[str, Field(max_length=40), AfterValidator(_check_time)]
TickSeconds = Annotated[int, Field(ge=1, le=3600)]
Hours = Annotated[float, Field(gt=0, le=_MOST_HOURS)]
Amount = Annotated[str, AfterValidator(_check_amount)]
Count = Annotated[int, Field(ge=0, le=_MOST)]
Share = Annotated[float, Field(ge=0, le=1)]
Spent = tuple[Count, Count, Amount]  # calls, tokens, dollars
_Price = tuple[Amount, Amount] | tuple[Amount, Amount, Amount | None, Amount | None, Words]
Seconds = Annotated[float, Field(ge=0, le=_MOST)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _Arguments(_Part):
    model_config = ConfigDict(extra="forbid")
    start: TownTime | None = None
    hours: Hours | None = None
    seconds_per_tick: TickSeconds | None = None


class _PolicyPart(_Part):
    model_config = ConfigDict(extra="forbid")
    name: Words
    config: dict[Words, JSON]


class _Clock(_Part):
    start: TownTime
    seconds_per_tick: TickSeconds


class _ModelPart(_Part):
    name: Words | None
    asked: Words | None


class _ModelsPart(_ModelPart):
    chosen: dict[Words, Words] = Field(default_factory=dict, alias="for")
    prices: dict[Words, _Price | None] = Field(default_factory=dict)
    effort: ReasoningEffort | None = None
    contexts: dict[Words, Count] = Field(default_factory=dict)


class _SpendingNote(_Part):
    spent: Spent
    in_flight: Spent
    seconds: Seconds
    lost: Count
    clipped: Count


class _Limits(_Part):
    calls: Count | None = None
    tokens: Count | None = None
    dollars: Amount | None = None
    seconds: Seconds | None = None


class _LimitChange(_Part):
    kind: Words
    before: Words | None
    now: Words | None
    tick: Annotated[int, Field(ge=-1)]


class _LimitsPart(_Limits):
    fallbacks: Share = MAX_FALLBACKS
    changes: tuple[_LimitChange, ...] = ()


class _LaterNote(_Part):
    done: _SpendingNote
    begun: _SpendingNote
    limits: _Limits


class Head(_Part):
    """The parts of the head but the scenario, each of its type; see `RunMeta`."""

    arguments: _Arguments
    policies: dict[Words, _PolicyPart]
    seed: Annotated[int, Field(ge=-(2**63), lt=2**64)]
    names: tuple[Words, ...]
    clock: _Clock
    model: _ModelsPart
    embedder: _ModelPart
    price: _Price | None
    interviews: bool
    versions: dict[Words, Words]
    status: Words = ""
    limits: _LimitsPart = _LimitsPart()
    spent: _SpendingNote | None = None
    interviewed: _LaterNote | None = None
    judged: _LaterNote | None = None


def read_head(rows: Mapping[str, str]) -> tuple[Scenario, Head]:
    """Return the scenario and the other parts of a head, whose texts are `rows`.

    Raises:
        ValueError: one is missing or not as it must be; the first is named.
    """
    known = {key: _parse(key, rows[key]) for key in Head.model_fields if key in rows}
    try:
        head = Head.model_validate_json(json.dumps(known))
    except ValidationError as error:
        raise ValueError(_describe(error)) from None
    if "scenario" not in rows:
        raise ValueError("scenario: it is missing")
    scenario = read_scenario(rows["scenario"])
    if len({*head.names}) != len(head.names) or {*head.names} != {*head.policies}:
        raise ValueError("names, policies: the same people are wanted in both, each once")
    return scenario, head


def read_spending(note: str | None) -> dict[str, JSON] | None:
    """Return the note of what a run had spent, None where it has none.

    Raises:
        ValueError: it is no such note.
    """
    return _read_note(_SpendingNote, note)


def read_later_spending(note: str | None) -> dict[str, JSON] | None:
    """Return the note of what was spent on a run after its end, None where it has none.

    Raises:
        ValueError: it is no such note.
    """
    return _read_note(_LaterNote, note)


def _read_note(kind: type[_Part], note: str | None) -> dict[str, JSON] | None:
    if note is None or note == "null":
        return None
    try:
        return kind.model_validate_json(note).model_dump()
    except ValidationError as error:
        raise ValueError(f"a note of what was spent: {_describe(error)}") from None


def _parse(key: str, text: str) -> JSON:
    try:
        return cast(JSON, parse_json(text))
    except (ValueError, RecursionError):
        raise ValueError(f"{key}: this is no JSON") from None


@lru_cache(maxsize=_SCENARIOS)
def read_scenario(text: str) -> Scenario:
    """Return the scenario that JSON text describes; those read last are kept.

    Raises:
        ValueError: it is none.
    """
    try:
        return Scenario.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(f"scenario: {_describe(error)}") from None


def _describe(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
