"""What an experiment file holds: kinds of values, each with its own words, and small tables."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, time
from decimal import Decimal
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    model_validator,
)

from genagents_env.config import SEEDS
from genagents_env.errors import ConfigError
from genagents_env.llm.budget import Limits
from genagents_env.llm.calls import ReasoningEffort
from genagents_env.llm.open import ModelOptions, parse_price
from genagents_env.record.rows import encode
from genagents_env.scenario.faults import quote
from genagents_env.text import clean

MOST_SEEDS = 10_000
_TEXT_LIMIT = 2000
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

People: TypeAlias = str | tuple[str, ...]


def _to_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _clean_text(limit: int) -> Callable[[object], object]:
    def check(value: object) -> object:
        return clean(value, limit) if isinstance(value, str) else value

    return check


def _check_seeds(value: object) -> int | tuple[int, ...]:
    if not isinstance(value, list | tuple):
        if type(value) is not int:
            raise ValueError("a number of seeds, or a list of them, is wanted")
        if not 1 <= value <= MOST_SEEDS:
            raise ValueError(f"{value} seeds are not allowed; 1 to {MOST_SEEDS} are")
        return value
    if not 1 <= len(value) <= MOST_SEEDS:
        raise ValueError(f"{len(value)} seeds are not allowed; 1 to {MOST_SEEDS} are")
    for at, seed in enumerate(value):
        if type(seed) is not int or seed not in SEEDS:
            raise ValueError(f"{seed!r} is no seed; whole numbers from 0 to 2**63 - 1 are")
        if seed in value[:at]:
            raise ValueError(f"seed {seed} comes twice; each counts once")
    return tuple(value)


def _check_people(value: object) -> People:
    if isinstance(value, str) and value.strip():
        return clean(value)
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise ValueError("a list of names, or a cast's name, is wanted")
    names = tuple(clean(name) for name in value)
    if not names or not all(names) or len(set(names)) < len(names):
        raise ValueError("name at least one person, and nobody twice")
    return names


def _format_start(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return value.strftime("%H:%M:%S") if isinstance(value, time) else value


def _format_number(value: object) -> object:
    return repr(value) if type(value) in (int, float) else value


def _check_config(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError("a table is wanted, such as { k = 3 }")
    try:
        encode(value)
    except (TypeError, ValueError):
        raise ValueError("text, numbers, true or false, lists and tables are allowed") from None
    return value


def _check_name(value: str) -> str:
    if _NAME.fullmatch(value) is None:
        raise ValueError(
            f"{quote(value)} is no name; lower-case letters, digits, _ and - are allowed, a letter "
            "first, at most 40"
        )
    return value


def _check_embedder(value: str) -> str:
    kind, colon, rest = value.partition(":")
    width = rest.isascii() and rest.isdigit()
    known = (kind == "hashed" and (not colon or width)) or (kind == "endpoint" and rest)
    if not known and value != "local":
        raise ValueError(f"{value!r} is unknown; local, hashed, hashed:WIDTH or endpoint:MODEL")
    return value


AsTuple = BeforeValidator(_to_tuple)  # TOML has lists only
ShortText = Annotated[str, BeforeValidator(_clean_text(_TEXT_LIMIT))]
Word = Annotated[str, BeforeValidator(_clean_text(300)), Field(min_length=1)]
Words = Annotated[tuple[Word, ...], AsTuple]
Seeds = Annotated[int | tuple[int, ...], PlainValidator(_check_seeds)]
PeopleField = Annotated[People, PlainValidator(_check_people)]
Start = Annotated[str, BeforeValidator(_format_start)]
Hours = Annotated[float, Field(gt=0, le=24 * 366)]
SecondsPerTick = Annotated[int, Field(ge=1, le=3600)]
Repeats = Annotated[int, Field(ge=1, le=20)]
Count = Annotated[int, Field(ge=0)]
Dollars = Annotated[Decimal, Field(ge=0, strict=False)]
Price = Annotated[str, BeforeValidator(_format_number)]
Patience = Annotated[float, Field(gt=0)]
Config = Annotated[Mapping[str, object], PlainValidator(_check_config)]
PolicyFor = dict[str, str]
EmbedderName = Annotated[Word, AfterValidator(_check_embedder)]
ExperimentName = Annotated[str, AfterValidator(_check_name)]


class StrictTable(BaseModel):
    """Strict and frozen: unknown keys and silent conversions are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class BudgetLimits(StrictTable):
    """What may be spent; None is no limit. Dollars are exact, as text: `"0.50"`."""

    calls: Count | None = None
    tokens: Count | None = None
    dollars: Dollars | None = None
    seconds: Annotated[float, Field(ge=0)] | None = None

    def limits(self) -> Limits:
        """Return these as the limits of a budget."""
        return Limits(self.calls, self.tokens, self.dollars, self.seconds)


class BudgetTable(StrictTable):
    """The budget of each run, and of all of them together."""

    run: BudgetLimits = BudgetLimits()
    total: BudgetLimits = BudgetLimits()


class EndpointTable(StrictTable):
    """How models are asked, as `ModelOptions`; prices are dollars per million tokens.

    `model_for`: other models, by person or faculty, as in `RunOptions`.
    """

    timeout: Patience | None = None
    deadline: Patience | None = None
    thinking: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    price_in: Price | None = None
    price_out: Price | None = None
    model_for: Mapping[str, str] = Field(default_factory=dict)

    def make_options(self) -> ModelOptions:
        """Return these as options.

        Raises:
            ConfigError: two of them contradict each other, or one is out of range.
        """
        return ModelOptions(
            self.timeout,
            self.deadline,
            self.thinking,
            self.reasoning_effort,
            parse_price(self.price_in, self.price_out),
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        try:
            self.make_options()
        except ConfigError as error:
            raise ValueError(str(error)) from None
        return self


class JudgeSpec(StrictTable):
    """A judge of the answers.

    Attributes:
        name: of a rubric, or the path of one, relative to the experiment file.
        kind: `rubric` rates each answer, `pairwise` compares the answers of two conditions.
        model: None is the runs' own.
        repeats: how often each question is put to the judge.
    """

    name: Word
    kind: Literal["rubric", "pairwise"] = "rubric"
    model: Word | None = None
    repeats: Repeats = 3
