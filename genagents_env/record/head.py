"""The types of the head of a run file and of its notes, which a stranger may have written."""

import json
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Annotated, cast

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)

from genagents_env.errors import ConfigError
from genagents_env.files import parse_json
from genagents_env.llm.budget import MOST, Limits, Spend
from genagents_env.record.rows import JSON
from genagents_env.scenario.schema import Scenario
from genagents_env.text import is_clean

_MOST_HOURS = 24 * 366  # as in a scenario file
_LAST_YEAR = 9000  # so that no time of a run exceeds the largest date
_SCENARIOS = 8  # cached; a sweep has few


def _check_words(text: str) -> str:
    if not is_clean(text):
        raise ValueError("it has control characters")
    return text


def _check_time(text: str) -> str:
    time = datetime.fromisoformat(text)
    if time.tzinfo is not None or not 1 < time.year <= _LAST_YEAR:
        raise ValueError("expected a town time without a zone")
    return text


def _check_amount(text: str) -> str:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise ValueError("expected a decimal number") from None
    if not amount.is_finite() or not 0 <= amount <= MOST:
        raise ValueError("expected an amount of 0 or more")
    return text


def _parse_spend(stored: JSON) -> Spend:
    if not (isinstance(stored, list) and [type(part) for part in stored] == [int, int, str]):
        raise ValueError("expected calls, tokens and dollars")
    calls, tokens, dollars = stored
    if not (0 <= calls <= MOST and 0 <= tokens <= MOST and len(dollars) <= _DIGITS):
        raise ValueError("expected amounts of 0 or more")
    return Spend(calls, tokens, Decimal(_check_amount(dollars)))


def _parse_limits(stored: JSON) -> Limits:
    try:
        return _LIMITS.validate_json(json.dumps(stored), strict=True)
    except ValidationError as error:
        raise ValueError(describe(error)) from None
    except ConfigError as error:
        raise ValueError(str(error)) from None


_DIGITS = 60
_LIMITS = TypeAdapter(Limits)
Words = Annotated[str, Field(max_length=5000), AfterValidator(_check_words)]
TownTime = Annotated[str, Field(max_length=40), AfterValidator(_check_time)]
TickSeconds = Annotated[int, Field(ge=1, le=3600)]
Hours = Annotated[float, Field(gt=0, le=_MOST_HOURS)]
Amount = Annotated[str, Field(max_length=_DIGITS), AfterValidator(_check_amount)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Seconds = Annotated[float, Field(ge=0, le=MOST)]
Share = Annotated[float, Field(ge=0, le=1)]
StoredSpend = Annotated[Spend, PlainValidator(_parse_spend)]
StoredLimits = Annotated[Limits, PlainValidator(_parse_limits)]
Prices = tuple[Amount, Amount] | tuple[Amount, Amount, Amount | None, Amount | None, Words] | None


def parse_part(key: str, text: str) -> JSON:
    """Parse a part of the head as JSON; raise ValueError where it is something else."""
    try:
        return cast(JSON, parse_json(text))
    except (ValueError, RecursionError):
        raise ValueError(f"{key}: this is not JSON") from None


@lru_cache(maxsize=_SCENARIOS)
def read_scenario(text: str) -> Scenario:
    """Return the scenario in JSON text, cached; raise ValueError where it is invalid."""
    try:
        return Scenario.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(describe(error)) from None


def describe(error: ValidationError) -> str:
    """Return the first fault of a validation, in short."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
