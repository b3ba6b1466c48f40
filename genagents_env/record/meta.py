"""The head of a run file: everything needed to replay the run from it alone."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Annotated, Any

from pydantic import (
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)

from genagents_env.llm.budget import NO_LIMITS, Limits
from genagents_env.llm.calls import ReasoningEffort
from genagents_env.record.connection import RunConnection, damage_error
from genagents_env.record.degradation import MAX_FALLBACKS
from genagents_env.record.head import (
    Count,
    Hours,
    Prices,
    Share,
    StoredLimits,
    TickSeconds,
    TownTime,
    Words,
    describe,
    parse_part,
    read_scenario,
)
from genagents_env.record.rows import JSON, encode
from genagents_env.record.spending import (
    INTERVIEWED,
    JUDGED,
    SPENDING,
    decode_later_spending,
    decode_spending,
    encode_limits,
)
from genagents_env.record.tables import META
from genagents_env.scenario.schema import Past, Scenario

# What decides the course of a run, besides the scenario. The model and its price are not hashed.
CANONICAL = ("arguments", "policies", "seed", "names", "clock")
ORIGIN = "fork"  # the note of the run that a fork comes from
POLICY_CHANGES = "policy_changes"  # the note of them in a run file
STOPPED = "stopped"  # the note of why a run stopped before its end
_SHOWN = 12  # digits of a checksum in a message
_GROUPS = ("clock", "model", "embedder", "limits")
_PARTS = (*CANONICAL, *_GROUPS, "price", "interviews", "versions", "origins", "takeovers")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Arguments(_Part):
    start: TownTime | None = None
    hours: Hours | None = None
    seconds_per_tick: TickSeconds | None = None


class _Policy(_Part):
    name: Words
    config: dict[Words, JSON]


def _at(*path: str) -> object:
    """Read a field from this path in the head, rather than from the key of its own name."""
    return Field(validation_alias=AliasPath(*path))


def _like(kind: Any) -> PlainValidator:
    """Check a JSON value as a narrower type, and keep it as it is."""
    adapter: TypeAdapter[object] = TypeAdapter(kind)

    def check(value: JSON) -> JSON:
        try:
            adapter.validate_python(value)
        except ValidationError as error:
            raise ValueError(describe(error)) from None
        return value

    return PlainValidator(check)


@dataclass(frozen=True, slots=True)
class PolicyOrigin:
    """Where the code of a policy came from; all None where that is not known, or it is shipped.

    Attributes:
        sha256: of its file alone, not of what the file imports.
        distribution: the installed package of a plug-in.
        version: of that package.
    """

    sha256: str | None = None
    distribution: str | None = None
    version: str | None = None

    def __str__(self) -> str:
        """Describe the origin in words."""
        if self.sha256 is not None:
            return f"sha256 {self.sha256[:_SHOWN]}"
        if self.distribution is not None:
            return f"{self.distribution} {self.version}"
        return "origin not recorded"

    def as_json(self) -> dict[str, JSON]:
        """Return the fields that are known."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A policy that had changed when a run was resumed.

    Attributes:
        policy: its name in the record.
        before: its origin as recorded, in words.
        now: its origin since.
        tick: the last tick that the former played, -1 for none.
    """

    policy: str
    before: str
    now: str
    tick: int


_CHANGES = TypeAdapter(tuple[PolicyChange, ...])


def encode_changes(changes: Iterable[PolicyChange]) -> str:
    """Return the note of policy changes in a run file."""
    return encode([asdict(change) for change in changes])


def decode_changes(note: str | None) -> tuple[PolicyChange, ...]:
    """Return the policy changes in a note; none for None.

    Raises:
        ValueError: it is no such note.
    """
    return _CHANGES.validate_json(note or "[]", strict=True)


@dataclass(frozen=True, slots=True)
class LimitChange:
    """A limit that was set, raised, lowered or lifted after a run had begun.

    Attributes:
        kind: calls, tokens, dollars, seconds or fallbacks.
        before: the number, None where there was no limit.
        now: the number since, None where it was lifted.
        tick: the last one recorded when it changed, -1 for none.
    """

    kind: Words
    before: Words | None
    now: Words | None
    tick: Annotated[int, Field(ge=-1)]


@dataclass(frozen=True, slots=True)
class Origin:
    """The run from which a fork comes.

    Attributes:
        parent: its file, as it was named.
        hash: its canonical hash, as far as it went then.
        tick: the last that both have.
        checksum: of that tick, and through it of all before, in hexadecimal.
    """

    parent: str
    hash: str
    tick: int
    checksum: str


_ORIGIN = TypeAdapter(Origin)


def decode_origin(note: str | None) -> Origin | None:
    """Return the run from which a fork comes, from the note of it; None for none.

    Raises:
        ValueError: it is no such note.
    """
    return None if note is None else _ORIGIN.validate_json(note, strict=True)


@dataclass(frozen=True, slots=True)
class Takeover:
    """An agent that another policy took over, where a run was forked.

    Attributes:
        agent: of whom.
        name: of the policy before.
        config: of the policy before.
        tick: the last that it played.
        past: with which the new one begins; None where it begins with nothing of before.
    """

    agent: Words
    name: Words
    config: dict[Words, JSON]
    tick: Annotated[int, Field(ge=0)]
    past: Past | None = None


_TAKEOVERS = TypeAdapter(tuple[Takeover, ...])


@dataclass(frozen=True)
class RunMeta:
    """The head of a run file.

    Attributes:
        scenario: as loaded, with only the people who take part.
        arguments: of the environment besides the scenario; JSON values.
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
        interviews: whether the scenario's questions are asked at both ends of the run.
        versions: of this package and of Python.
        model_for: how other models were asked for, by person or faculty.
        prices: of the models beside `model` that the run has asked, by their names.
        reasoning_effort: that was asked for.
        contexts: tokens of prompt and reply together that a model takes, by its name; only of
            models whose context limits the prompts.
        max_fallbacks: the share of model calls above which it is degraded; see `Degradation`.
        origins: of each policy that is not shipped, by its name.
        limits: of what it may spend.
        limit_changes: of the limits, oldest first.
        takeovers: agents that another policy took over, oldest first; only of forks.
    """

    scenario: Annotated[Scenario, PlainValidator(read_scenario)]
    arguments: Annotated[Mapping[str, JSON], _like(_Arguments)]
    policies: Annotated[Mapping[str, Mapping[str, JSON]], _like(dict[Words, _Policy])]
    seed: Annotated[int, Field(ge=-(2**63), lt=2**64)]
    names: tuple[Words, ...]
    start: Annotated[TownTime, _at("clock", "start")]
    seconds_per_tick: Annotated[TickSeconds, _at("clock", "seconds_per_tick")]
    model: Annotated[Words | None, _at("model", "name")] = None
    asked_model: Annotated[Words | None, _at("model", "asked")] = None
    price: Prices = None
    embedder: Annotated[Words | None, _at("embedder", "name")] = None
    asked_embedder: Annotated[Words | None, _at("embedder", "asked")] = None
    interviews: bool = True
    versions: Mapping[Words, Words] = field(default_factory=dict)
    origins: Mapping[Words, PolicyOrigin] = field(default_factory=dict)
    model_for: Annotated[Mapping[Words, Words], _at("model", "for")] = field(default_factory=dict)
    prices: Annotated[Mapping[Words, Prices], _at("model", "prices")] = field(default_factory=dict)
    reasoning_effort: Annotated[ReasoningEffort | None, _at("model", "effort")] = None
    contexts: Annotated[Mapping[Words, Count], _at("model", "contexts")] = field(
        default_factory=dict
    )
    limits: StoredLimits = NO_LIMITS
    limit_changes: Annotated[tuple[LimitChange, ...], _at("limits", "changes")] = ()
    max_fallbacks: Annotated[Share, _at("limits", "fallbacks")] = MAX_FALLBACKS
    takeovers: tuple[Takeover, ...] = ()

    def rows(self) -> dict[str, str]:
        """Return the JSON text of each key of the meta table."""
        rows = {"takeovers": encode(_TAKEOVERS.dump_python(self.takeovers, mode="json"))}
        return (rows if self.takeovers else {}) | {
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
            "origins": encode({name: origin.as_json() for name, origin in self.origins.items()}),
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

    def find_policy(self, agent: str, tick: int) -> str:
        """Return the name of the policy that decided for `agent` in `tick`."""
        for each in self.takeovers:
            if each.agent == agent and tick <= each.tick:
                return each.name
        return str(self.policies[agent]["name"])

    def find_since(self, agent: str, tick: int | None = None) -> int:
        """Return the tick after which the policy of `agent` took over, -1 for the start.

        `tick`: of the policy that decided in this tick; None is of the last.
        """
        ticks = (each.tick for each in self.takeovers if each.agent == agent)
        return max((at for at in ticks if tick is None or at < tick), default=-1)

    @property
    def last_takeover(self) -> int:
        """The last tick after which a policy took over, -1 for none."""
        return max((each.tick for each in self.takeovers), default=-1)

    def list_groups(self) -> list[tuple[Mapping[str, JSON], int]]:
        """Return policy and first tick of each policy group, in the order of their states."""
        groups: list[tuple[Mapping[str, JSON], int]] = []
        for agent in self.names:
            if (key := (self.policies[agent], self.find_since(agent))) not in groups:
                groups.append(key)
        return groups

    def list_pasts(self) -> dict[str, Past | None]:
        """Return the past of each agent that another policy took over."""
        return {each.agent: each.past for each in self.takeovers}

    def _describe_others(self) -> dict[str, JSON]:
        """Return the settings of other models and contexts that the run has; mostly none."""
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

    def with_limits(self, limits: Limits, tick: int) -> "RunMeta":
        """Return the same run with other limits from `tick` on, and the changes listed."""
        changes = tuple(
            LimitChange(name, _format(before), _format(now), tick)
            for name in (limit.name for limit in fields(Limits))
            if (before := getattr(self.limits, name)) != (now := getattr(limits, name))
        )
        return replace(self, limits=limits, limit_changes=(*self.limit_changes, *changes))

    def with_max_fallbacks(self, share: float, tick: int) -> "RunMeta":
        """Return the same run with another allowed share of fallbacks, and the change listed."""
        if share == self.max_fallbacks:
            return self
        change = LimitChange("fallbacks", f"{self.max_fallbacks:g}", f"{share:g}", tick)
        return replace(self, max_fallbacks=share, limit_changes=(*self.limit_changes, change))


_META = TypeAdapter(RunMeta)
_STATUS = TypeAdapter(Words)
# How the notes that are checked at opening are read.
_NOTES: Mapping[str, Callable[[str], object]] = {
    "status": _STATUS.validate_json,
    ORIGIN: decode_origin,
    SPENDING: decode_spending,
    INTERVIEWED: decode_later_spending,
    JUDGED: decode_later_spending,
}


def load_meta(connection: RunConnection) -> RunMeta:
    """Return the head of an open run file.

    Raises:
        RecordError: a part of it is missing or was changed.
    """
    rows = read_rows(connection)
    try:
        meta = _parse_meta(rows)
        for key, read in _NOTES.items():
            if key in rows:
                _check_note(key, read, rows[key])
    except (ValueError, RecursionError) as error:
        raise damage_error(connection.path, f"its head: {error}") from None
    return meta


def _parse_meta(rows: Mapping[str, str]) -> RunMeta:
    """Return the head in these rows; raise ValueError where a part is invalid."""
    parts = {key: parse_part(key, rows[key]) for key in _PARTS if key in rows}
    if "scenario" in rows:
        parts["scenario"] = rows["scenario"]
    for key in _GROUPS:
        if not isinstance(parts.get(key, {}), dict):
            raise ValueError(f"{key}: expected an object")
    try:
        meta = _META.validate_json(json.dumps(parts), strict=True)
    except ValidationError as error:
        raise ValueError(describe(error)) from None
    if len({*meta.names}) != len(meta.names) or {*meta.names} != {*meta.policies}:
        raise ValueError("names, policies: expected the same people in both, each once")
    return meta


def _check_note(key: str, read: Callable[[str], object], note: str) -> None:
    try:
        read(note)
    except ValidationError as error:
        raise ValueError(f"{key}: {describe(error)}") from None
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _format(limit: object) -> str | None:
    return None if limit is None else str(limit)


def read_rows(connection: RunConnection) -> dict[str, str]:
    """Return the text of every key of the meta table, each checked against its checksum."""
    return dict(META.read(connection))


def write_rows(connection: RunConnection, rows: Mapping[str, str]) -> None:
    """Set keys of the meta table, in a transaction of the caller's."""
    META.put(connection, rows.items())
