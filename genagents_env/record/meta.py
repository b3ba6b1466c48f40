"""What a run is: everything needed to replay it from its file alone."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from decimal import Decimal
from pathlib import Path

from genagents_env.llm.budget import NO_LIMITS, Limits
from genagents_env.llm.prices import StoredPrice
from genagents_env.record.connection import RunConnection
from genagents_env.record.degradation import MAX_FALLBACKS
from genagents_env.record.guard import damage_error
from genagents_env.record.head import read_head, read_scenario
from genagents_env.record.policy_origin import PolicyOrigin, load_origins
from genagents_env.record.rows import JSON, encode
from genagents_env.record.tables import META
from genagents_env.scenario.schema import Scenario

# What decides the course of a run, besides the scenario. The model and its price are not hashed.
CANONICAL = ("arguments", "policies", "seed", "names", "clock")


@dataclass(frozen=True, slots=True)
class LimitChange:
    """A limit that was set, raised, lowered or lifted once a run had begun.

    Attributes:
        kind: calls, tokens, dollars, seconds or fallbacks.
        before: the number, None where there was no limit.
        now: the number since, None where it was lifted.
        tick: the last one recorded when it changed.
    """

    kind: str
    before: str | None
    now: str | None
    tick: int


@dataclass(frozen=True)
class RunMeta:
    """The head of a run file.

    Attributes:
        scenario: as loaded, with only the people who take part.
        arguments: what the environment was built with, besides the scenario; JSON values.
        policies: for each agent the policy's `name` and `config`.
        seed: of the episode.
        names: the agents, in the order of a tick's positions.
        start: town time of tick 0, ISO 8601.
        seconds_per_tick: simulated seconds.
        model: the name of the model, or None where no policy needs one.
        asked_model: how the model was asked for (a name, a path), None for the default.
        price: as `Price.pack` gives it, or None where it is not known.
        embedder: the name of the model of embeddings, or None where no policy needs one.
        asked_embedder: how it was asked for, None for the default.
        interviews: whether the scenario's questions are asked at both ends of the run. Files
            that do not say so were begun before interviews were held.
        versions: of this package and of Python.
        model_for: how other models were asked for, by person or faculty.
        prices: of the models beside `model` that the run has asked, by their names.
        reasoning_effort: that was asked for.
        contexts: tokens of prompt and reply together that a model takes, where so few that prompts
            follow it; by its name.
        max_fallbacks: the share of model calls above which it is degraded; see `Degradation`.
        origins: where each policy that is not shipped came from, by its name; see `PolicyOrigin`.
        limits: of what it may spend. Files that do not say so have none.
        limit_changes: of the limits, oldest first.
    """

    scenario: Scenario
    arguments: Mapping[str, JSON]
    policies: Mapping[str, Mapping[str, JSON]]
    seed: int
    names: tuple[str, ...]
    start: str
    seconds_per_tick: int
    model: str | None = None
    asked_model: str | None = None
    price: StoredPrice | None = None
    embedder: str | None = None
    asked_embedder: str | None = None
    interviews: bool = True
    versions: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, PolicyOrigin] = field(default_factory=dict)
    model_for: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, StoredPrice | None] = field(default_factory=dict)
    reasoning_effort: str | None = None
    contexts: Mapping[str, int] = field(default_factory=dict)
    limits: Limits = NO_LIMITS
    limit_changes: tuple[LimitChange, ...] = ()
    max_fallbacks: float = MAX_FALLBACKS

    def rows(self) -> dict[str, str]:
        """Return the JSON text of each key of the meta table."""
        return {
            "scenario": self.scenario.model_dump_json(),
            "arguments": encode(dict(self.arguments)),
            "policies": encode({agent: dict(spec) for agent, spec in self.policies.items()}),
            "seed": encode(self.seed),
            "names": encode(list(self.names)),
            "clock": encode({"start": self.start, "seconds_per_tick": self.seconds_per_tick}),
            "model": encode(
                {"name": self.model, "asked": self.asked_model, **self._describe_others()}
            ),
            "price": encode(list(self.price) if self.price else None),
            "embedder": encode({"name": self.embedder, "asked": self.asked_embedder}),
            "interviews": encode(self.interviews),
            "versions": encode(dict(self.versions)),
            "origins": encode({name: one.as_json() for name, one in self.origins.items()}),
            "limits": encode(
                encode_limits(self.limits)
                | {"fallbacks": self.max_fallbacks}
                | {"changes": [asdict(c) for c in self.limit_changes]}
            ),
        }

    @property
    def horizon(self) -> int:
        """The tick at which it ends."""
        hours = self.arguments.get("hours") or self.scenario.hours
        return max(1, round(hours * 3600 / self.seconds_per_tick))

    def _describe_others(self) -> dict[str, JSON]:
        """Return what a run has of models beside its own: nothing, mostly."""
        others: dict[str, JSON] = {
            "for": dict(self.model_for),
            "prices": {name: list(price) if price else None for name, price in self.prices.items()},
            "effort": self.reasoning_effort,
            "contexts": dict(self.contexts),
        }
        return {key: value for key, value in others.items() if value}

    def with_hours(self, hours: float) -> "RunMeta":
        """Return the same run with another horizon."""
        return replace(self, arguments={**self.arguments, "hours": hours})

    def with_model(
        self, model: str, price: StoredPrice | None, asked: str | None = None
    ) -> "RunMeta":
        """Return the same run with another model, its price, and how it was asked for."""
        return replace(self, model=model, price=price, asked_model=asked)

    def with_embedder(self, embedder: str, asked: str | None = None) -> "RunMeta":
        """Return the same run with another model of embeddings, and how it was asked for."""
        return replace(self, embedder=embedder, asked_embedder=asked)

    def with_limits(self, limits: Limits, tick: int) -> "RunMeta":
        """Return the same run with other limits from `tick` on, which it tells of."""
        changes = tuple(
            LimitChange(name, _format(before), _format(now), tick)
            for name in (one.name for one in fields(Limits))
            if (before := getattr(self.limits, name)) != (now := getattr(limits, name))
        )
        return replace(self, limits=limits, limit_changes=(*self.limit_changes, *changes))

    def with_max_fallbacks(self, share: float, tick: int) -> "RunMeta":
        """Return the same run with another allowed share of fallbacks, which it tells of."""
        if share == self.max_fallbacks:
            return self
        change = LimitChange("fallbacks", f"{self.max_fallbacks:g}", f"{share:g}", tick)
        return replace(self, max_fallbacks=share, limit_changes=(*self.limit_changes, change))


def encode_limits(limits: Limits) -> dict[str, JSON]:
    """Return limits as JSON values."""
    dollars = None if limits.dollars is None else str(limits.dollars)
    return asdict(limits) | {"dollars": dollars}


def decode_limits(stored: Mapping[str, JSON]) -> Limits:
    """Return limits that `encode_limits` made JSON values of, once their types are checked."""
    given = {one.name: stored[one.name] for one in fields(Limits)}
    dollars = given["dollars"]
    return Limits(**given | {"dollars": None if dollars is None else Decimal(dollars)})


def load_meta(path: Path, connection: RunConnection) -> RunMeta:
    """Return the head of an open run file.

    Raises:
        RecordError: a part of it is missing or was changed.
    """
    rows = read_rows(path, connection)
    try:
        scenario, head = read_head(rows)
        origins = load_origins(json.loads(rows.get("origins", "{}")))
    except (ValueError, TypeError, RecursionError) as error:
        raise damage_error(path, f"its head: {error}") from None
    return RunMeta(
        scenario=scenario,
        arguments=json.loads(rows["arguments"]),
        policies=json.loads(rows["policies"]),
        seed=head.seed,
        names=head.names,
        start=head.clock.start,
        seconds_per_tick=head.clock.seconds_per_tick,
        model=head.model.name,
        asked_model=head.model.asked,
        price=head.price,
        embedder=head.embedder.name,
        asked_embedder=head.embedder.asked,
        interviews=head.interviews,
        versions=head.versions,
        origins=origins,
        model_for=head.model.chosen,
        prices=head.model.prices,
        reasoning_effort=head.model.effort,
        contexts=head.model.contexts,
        limits=decode_limits(head.limits.model_dump()),
        limit_changes=tuple(LimitChange(**one.model_dump()) for one in head.limits.changes),
        max_fallbacks=head.limits.fallbacks,
    )


def _format(limit: object) -> str | None:
    return None if limit is None else str(limit)


def parse_scenario(rows: Mapping[str, str]) -> Scenario:
    """Return the scenario in these rows of the meta table.

    Raises:
        KeyError, ValueError: it is missing, or no scenario.
    """
    return read_scenario(rows["scenario"])


def read_rows(path: Path, connection: RunConnection) -> dict[str, str]:
    """Return the text of every key of the meta table, each checked against its checksum."""
    return dict(META.read(path, connection))


def write_rows(connection: RunConnection, rows: Mapping[str, str]) -> None:
    """Set keys of the meta table, in a transaction of the caller's."""
    META.put(connection, rows.items())
