"""Sums over the model calls of a run: tokens, dollars, faculties, and which model answered."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from genagents_env.llm.prices import FREE, Price, unpack_price
from genagents_env.record.connection import RunConnection, guard_reading
from genagents_env.record.faculty_use import SWITCHES, FacultyUse, count_uses, decode_switches
from genagents_env.record.meta import RunMeta, read_rows
from genagents_env.record.rows import FacultyRow
from genagents_env.record.tables import CALLS, RESPONSES, RecordTable
from genagents_env.text import clean

_LIMIT = 100  # characters of a model's name
_SPENT = """SELECT count(*), total(prompt_tokens), total(completion_tokens),
    total(outcome = 'fallback'), total(reasks), total(max(attempts - 1 - reasks, 0)),
    total(truncated) FROM calls"""
_THINKING = """SELECT total(reasoning_tokens), total(unsaid_completion_tokens > 0),
    total(unsaid_prompt_tokens), total(unsaid_completion_tokens) FROM calls"""
# A faculty is the purpose of a call up to its first dot.
_DOLLARS = """SELECT substr(purpose, 1, instr(purpose || '.', '.') - 1), model,
    sum(prompt_tokens + unsaid_prompt_tokens),
    sum(completion_tokens + unsaid_completion_tokens) FROM calls GROUP BY 1, 2 ORDER BY 1, 2"""
_CACHED = """SELECT substr(purpose, 1, instr(purpose || '.', '.') - 1), calls.model,
    sum(cached_tokens), sum(cache_write_tokens)
    FROM calls JOIN responses USING (agent, tick, purpose, number) GROUP BY 1, 2"""
_FACULTIES = """SELECT substr(purpose, 1, instr(purpose || '.', '.') - 1), count(DISTINCT agent),
    count(*), sum(prompt_tokens), sum(completion_tokens), sum(latency_seconds),
    sum(outcome = 'fallback') FROM calls GROUP BY 1 ORDER BY 1"""
_MODELS = """SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens),
    sum(prompt_tokens + unsaid_prompt_tokens), sum(completion_tokens + unsaid_completion_tokens),
    min(tick), max(tick) FROM calls GROUP BY 1 ORDER BY min(started_at), 1"""
_BY_AGENT = """SELECT agent, substr(purpose, 1, instr(purpose || '.', '.') - 1), count(*),
    sum(outcome = 'fallback') FROM calls GROUP BY 1, 2"""
# Of each call, in the order of their ends: the model asked, what answered, its system, the tick.
_ANSWERS = """SELECT calls.model, responses.model, responses.fingerprint, calls.tick FROM responses
    JOIN calls USING (agent, tick, purpose, number)
    WHERE responses.model != '' OR responses.fingerprint != ''
    ORDER BY calls.started_at + calls.latency_seconds, calls.tick"""


@dataclass(frozen=True, slots=True)
class CallTotals:
    """The model calls of a run. `dollars` is None where the price is not known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    fallbacks: int
    reasks: int
    retries: int
    truncated: int
    dollars: Decimal | None


@dataclass(frozen=True, slots=True)
class ModelTotals:
    """The calls of one model in a run, from the tick `first` to `last`; as `CallTotals`."""

    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: Decimal | None
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ThinkingTotals:
    """The thinking of the models of a run.

    Attributes:
        reasoning_tokens: written before replies, and counted with them.
        calls: made again because thinking left no room for the reply.
        unsaid_prompt_tokens: read in those attempts; in no other sum but that of dollars.
        unsaid_completion_tokens: written in those attempts.
    """

    reasoning_tokens: int
    calls: int
    unsaid_prompt_tokens: int
    unsaid_completion_tokens: int


@dataclass(frozen=True, slots=True)
class ModelChange:
    """A change of the model, or of the system behind it, that answers to one name.

    Attributes:
        asked: the model asked for.
        before: the model that answered first, with its fingerprint where it has one.
        now: the model that answered next.
        tick: of the first call that `now` answered.
        more: number of later changes.
    """

    asked: str
    before: str
    now: str
    tick: int
    more: int = 0

    def describe(self) -> str:
        """Describe the change in a sentence."""
        more = f"; {self.more:,} more changes followed" if self.more else ""
        return (
            f"{self.asked} was answered by {self.before} at first, and by {self.now} "
            f"from tick {self.tick:,} on{more}"
        )


class CallSums:
    """Sums over the calls in an open run file, whose rows are checked first."""

    path: Path
    meta: RunMeta
    _connection: RunConnection
    _checked: set[str]

    def find_note(self, key: str) -> str | None:
        """Return the note that `RunWriter.note` wrote under `key`, or None."""
        with guard_reading(self.path):
            return read_rows(self._connection).get(key)

    @property
    def price(self) -> Price | None:
        """The price of tokens in this run; None where it is not known."""
        if self.meta.price is None:
            return FREE if self.meta.model is None else None
        return unpack_price(self.meta.price)

    def find_price(self, model: str) -> Price | None:
        """Return the price of tokens of `model` in this run; None where it is not known."""
        if model not in self.meta.prices:
            return self.price
        stored = self.meta.prices[model]
        return None if stored is None else unpack_price(stored)

    def list_price_sources(self) -> list[str]:
        """Return the sources of the run's list prices, each once; none where the user gave them."""
        prices = (self.price, *map(self.find_price, self.meta.prices))
        known = (price.source for price in prices if price is not None and price.source)
        return list(dict.fromkeys(known))

    def sum_calls(self) -> CallTotals:
        """Sum up the stored model calls."""
        (counts,) = self._sum(CALLS, _SPENT)
        calls, read, written, fallbacks, reasks, retries, truncated = map(int, counts)
        dollars = self.sum_dollars()[None]
        return CallTotals(calls, read, written, fallbacks, reasks, retries, truncated, dollars)

    def sum_models(self) -> list[ModelTotals]:
        """Sum up the stored calls of each model that was asked, in the order of first calls."""
        cached: dict[str, tuple[int, int]] = {}
        for (_, model), (read, written) in self._sum_cached().items():
            before = cached.get(model, (0, 0))
            cached[model] = before[0] + read, before[1] + written
        found = []
        for model, calls, read, written, paid, made, first, last in self._sum(CALLS, _MODELS):
            price = self.find_price(model)
            cost = None if price is None else price.cost(paid, made, *cached.get(model, (0, 0)))
            name = clean(model, _LIMIT)
            found.append(ModelTotals(name, calls, read, written, cost, first, last))
        return found

    def sum_thinking(self) -> ThinkingTotals:
        """Sum up the thinking in the stored calls."""
        (counts,) = self._sum(CALLS, _THINKING)
        return ThinkingTotals(*map(int, counts))

    def count_askers(self) -> int:
        """Count the agents that made a model call."""
        ((count,),) = self._sum(CALLS, "SELECT count(DISTINCT agent) FROM calls")
        return int(count)

    def sum_faculties(self) -> list[FacultyRow]:
        """Sum up the stored model calls of each faculty, ordered by name."""
        return [FacultyRow(*row) for row in self._sum(CALLS, _FACULTIES)]

    def list_faculty_uses(self) -> tuple[FacultyUse, ...]:
        """Return the use of each faculty that can be switched off; none where nothing is noted.

        Raises:
            RecordError: the note of the switches is damaged.
        """
        with guard_reading(self.path):
            policies = decode_switches(self.find_note(SWITCHES))
        rows = self._sum(CALLS, _BY_AGENT)
        counts = {(agent, faculty): (calls, lost) for agent, faculty, calls, lost in rows}
        return tuple(count_uses(policies, counts))

    def find_model_changes(self) -> list[ModelChange]:
        """Return the changes of models that answered; none where endpoints do not name them."""
        self._check_rows(CALLS)
        return list(_list_model_changes(self._sum(RESPONSES, _ANSWERS)))

    def sum_dollars(self) -> dict[str | None, Decimal | None]:
        """Return the dollars of each faculty's stored calls, and under None of all of them.

        Attempts in which a model only thought are included. None where a price is not known.
        """
        cached = self._sum_cached()
        sums: dict[str | None, Decimal | None] = {None: None if self.price is None else Decimal(0)}
        for faculty, model, read, written in self._sum(CALLS, _DOLLARS):
            price = self.find_price(model)
            cost = None
            if price is not None:
                cost = price.cost(read, written, *cached.get((faculty, model), (0, 0)))
            for key in (faculty, None):
                before = sums.get(key, Decimal(0))
                sums[key] = None if before is None or cost is None else before + cost
        return sums

    def sum_cached_tokens(self) -> int:
        """Count the tokens of prompts that endpoints read from their caches."""
        return sum(cached for cached, _ in self._sum_cached().values())

    def _sum_cached(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Return the tokens read from and written to caches, by faculty and model."""
        rows = self._sum(RESPONSES, _CACHED)
        return {(faculty, model): (cached, written) for faculty, model, cached, written in rows}

    def _sum(self, table: RecordTable, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query over a checked table; none where the file lacks it."""
        with guard_reading(self.path):
            if not table.is_in(self._connection):
                return []
            self._check_rows(table)
            return self._connection.execute(query).fetchall()

    def _check_rows(self, table: RecordTable) -> None:
        """Check the rows of a table against their checksums, once."""
        if table.name not in self._checked:
            with guard_reading(self.path):
                table.verify(self._connection)
            self._checked.add(table.name)


def _list_model_changes(answers: Iterable[tuple[str, str, str, int]]) -> Iterator[ModelChange]:
    """Yield the first change of each model asked for; `answers` are rows of `_ANSWERS`."""
    periods: dict[str, list[tuple[str, int]]] = {}  # by model asked for: who answered, since when
    for asked, model, fingerprint, tick in answers:
        own = periods.setdefault(asked, [])
        name = _format(model, fingerprint)
        if not own or own[-1][0] != name:
            own.append((name, tick))
    for asked, ((before, _), *later) in periods.items():
        if later:
            now, tick = later[0]
            yield ModelChange(clean(asked, _LIMIT), before, now, tick, len(later) - 1)


def _format(model: str, fingerprint: str) -> str:
    name = clean(model, _LIMIT) or "a model without a name"
    return f"{name} ({clean(fingerprint, _LIMIT)})" if fingerprint else name
