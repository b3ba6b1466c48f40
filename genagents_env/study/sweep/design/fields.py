"""What an experiment file holds: kinds of values, each with its own words, and small tables."""

import re
from collections.abc import Mapping
from dataclasses import replace
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
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

People: TypeAlias = str | tuple[str, ...]


def _clean(limit: int) -> BeforeValidator:
    return BeforeValidator(lambda value: clean(value, limit) if isinstance(value, str) else value)


def _check_seeds(value: object) -> tuple[int, ...]:
    """Return the seeds, each once: 0 to n - 1 where a number n is given."""
    if type(value) is not int and not isinstance(value, list | tuple):
        raise ValueError("a number of seeds, or a list of them, is wanted")
    count = value if isinstance(value, int) else len(value)
    if not 1 <= count <= MOST_SEEDS:
        raise ValueError(f"{count} seeds are not allowed; 1 to {MOST_SEEDS} are")
    seeds = tuple(range(value)) if isinstance(value, int) else tuple(value)
    for seed in seeds:
        if type(seed) is not int or seed not in SEEDS:
            raise ValueError(f"{seed!r} is no seed; whole numbers from 0 to 2**63 - 1 are")
    if len(set(seeds)) < count:
        raise ValueError("a seed comes twice; each counts once")
    return seeds


def _check_people(value: object) -> People:
    if isinstance(value, str) and value.strip():
        return clean(value)
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise ValueError("a list of names, or a cast's name, is wanted")
    names = tuple(clean(name) for name in value)
    if not names or not all(names) or len(set(names)) < len(names):
        raise ValueError("name at least one person, and nobody twice")
    return names


def _check_config(value: dict[str, object]) -> dict[str, object]:
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


AsTuple = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)
_AsIsoText = BeforeValidator(
    lambda value: value.isoformat() if isinstance(value, datetime | time) else value
)
_AsNumber = BeforeValidator(lambda value: repr(value) if type(value) in (int, float) else value)
ShortText = Annotated[str, _clean(2000)]
Word = Annotated[str, _clean(300), Field(min_length=1)]
Words = Annotated[tuple[Word, ...], AsTuple]
Seeds = Annotated[tuple[int, ...], PlainValidator(_check_seeds)]
PeopleField = Annotated[People, PlainValidator(_check_people)]
Start = Annotated[str, _AsIsoText]
Repeats = Annotated[int, Field(ge=1, le=20)]
Count = Annotated[int, Field(ge=0)]
Price = Annotated[str, _AsNumber]
Patience = Annotated[float, Field(gt=0)]
Config = Annotated[dict[str, object], AfterValidator(_check_config)]
EmbedderName = Annotated[Word, AfterValidator(_check_embedder)]
ExperimentName = Annotated[str, AfterValidator(_check_name)]


class StrictTable(BaseModel):
    """Strict and frozen: unknown keys and silent conversions are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class BudgetLimits(StrictTable):
    """What may be spent; None is no limit. Dollars are exact, as text: `"0.50"`."""

    calls: Count | None = None
    tokens: Count | None = None
    dollars: Annotated[Decimal, Field(ge=0, strict=False)] | None = None
    seconds: Annotated[float, Field(ge=0)] | None = None

    def limits(self) -> Limits:
        """Return these as the limits of a budget."""
        return Limits(self.calls, self.tokens, self.dollars, self.seconds)


class BudgetTable(StrictTable):
    """The budget of each run, and of all of them together."""

    run: BudgetLimits = BudgetLimits()
    total: BudgetLimits = BudgetLimits()

    def limit_run(self) -> Limits:
        """Return the limits of one run; one on all runs' dollars wants a price of each, too."""
        own = self.run.limits()
        return own if own.dollars is not None else replace(own, dollars=self.total.dollars)


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
        """Return these as options; ConfigErrors are found as the file is read."""
        price = parse_price(self.price_in, self.price_out)
        how = self.timeout, self.deadline, self.thinking, self.reasoning_effort
        return ModelOptions(*how, price)

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
