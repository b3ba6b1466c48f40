"""What a mind costs per agent and game hour, per utterance and per human hour, of several runs.

Calls of interviews and judges are left out. A call belongs to a conversation where
its agent was in one at the call's tick, had left it within the last minute (what one makes of it),
or opened or joined one by the words said in the step that the call led to. Embeddings are not among
the calls: see `faculty_costs.compute_embedding_cost`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from genagents_env.errors import ConfigError
from genagents_env.llm.prices import Price, describe_list, find_price
from genagents_env.record.rows import JSON, CallRow
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.evaluate.measure import ratio
from genagents_env.study.evaluate.results import as_json
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.text import clean

GAME_SPEED = 10.0  # times real time; Lyfe Agents (Kaiya et al. 2023), appendix F
_APART = ("interview", "judge")
_AFTERMATH = 60  # seconds
_NAME = 200  # characters of a path


@dataclass(frozen=True, slots=True)
class Tariff:
    """The price used in place of the run's own, and the model whose price it is."""

    model: str
    price: Price


@dataclass(frozen=True, slots=True)
class CallCosts:
    """Some of the model calls of a run.

    Attributes:
        calls: how many.
        prompt_tokens: read by the model.
        completion_tokens: written by the model.
        dollars: None where no price is known.
        agent_hours: of game time to which they belong, all agents together. Rates per hour are per
            agent; None without any time.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: Decimal | None
    agent_hours: float

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def calls_per_hour(self) -> float | None:
        """Calls per agent and hour."""
        return ratio(self.calls, self.agent_hours)

    @property
    def tokens_per_hour(self) -> float | None:
        """Tokens per agent and hour."""
        return ratio(self.tokens, self.agent_hours)

    @property
    def dollars_per_hour(self) -> float | None:
        """Dollars per agent and hour; None without a price, too."""
        return None if self.dollars is None else ratio(float(self.dollars), self.agent_hours)


@dataclass(frozen=True, slots=True)
class Rates:
    """What one run cost.

    Attributes:
        run: the path of its file as it was given, without its ending.
        policy: its label, see `study.evaluate.labels.format_policies`.
        model: its name, or None; of several all of them.
        agents: who made any model call; only they are counted in hours and utterances.
        utterances: of these agents.
        priced_as: the model by whose price costs are computed; None is the run's own.
        speed: game hours in a human hour.
        whole: every call; its hours are the agents' times the hours simulated, as in
            `faculty_costs`.
        waking: the same calls; its hours are those in which an agent was awake.
        outside: the calls outside conversations; its hours are those awake and in none.
    """

    run: str
    policy: str
    model: str | None
    agents: int
    utterances: int
    priced_as: str | None
    speed: float
    whole: CallCosts
    waking: CallCosts
    outside: CallCosts

    @property
    def calls_per_utterance(self) -> float | None:
        """Calls per utterance of those who made them; None where nothing was said."""
        return ratio(self.whole.calls, self.utterances)

    @property
    def tokens_per_utterance(self) -> float | None:
        """Tokens per utterance; None where nothing was said."""
        return ratio(self.whole.tokens, self.utterances)

    @property
    def dollars_per_utterance(self) -> float | None:
        """Dollars per utterance; None where nothing was said or no price is known."""
        dollars = self.whole.dollars
        return None if dollars is None else ratio(float(dollars), self.utterances)

    @property
    def dollars_per_human_hour(self) -> float | None:
        """Dollars per agent and human hour at the game's speed; None where no price is known."""
        dollars = self.whole.dollars_per_hour
        return None if dollars is None else dollars * self.speed

    def as_json(self) -> dict[str, JSON]:
        """Return everything as JSON values, the parts of the calls last; dollars as text."""
        parts = ("whole", "waking", "outside")
        told = as_json(self, *parts)
        return told | {name: as_json(getattr(self, name), "tokens") for name in parts}


def find_tariff(model: str) -> Tariff:
    """Return the list price of `model`.

    Raises:
        ConfigError: none is known.
    """
    price = find_price(model)
    if price is None:
        raise ConfigError(f"no list price for {model!r} in {describe_list()}")
    return Tariff(model, price)


@once_per_run
def compute_rates(
    data: RunData, priced_as: Tariff | None = None, speed: float = GAME_SPEED
) -> Rates:
    """Return what a run cost as far as it is recorded.

    Args:
        data: of the run.
        priced_as: the price to use; None is the run's own.
        speed: game hours in a human hour, more than 0.
    """
    askers = sorted({call.agent for call in data.calls} & {*data.names}, key=data.row.__getitem__)
    rows = [data.row[name] for name in askers]
    awake, talking = data.waking[rows], data.talking[rows, : data.ticks]
    price = data.reader.find_price if priced_as is None else lambda model: priced_as.price
    calls = list_own_calls(data)
    return Rates(
        run=clean(data.path.with_suffix("").as_posix(), _NAME),
        policy=format_policies(data.meta),
        model=" and ".join(one.model for one in data.reader.sum_models()) or data.meta.model,
        agents=len(askers),
        utterances=sum(event.agent in askers for event in data.utterances),
        priced_as=None if priced_as is None else priced_as.model,
        speed=speed,
        whole=_sum_calls(calls, price, len(askers) * data.ticks / data.hour),
        waking=_sum_calls(calls, price, awake.sum() / data.hour),
        outside=_sum_calls(
            list(_find_outside(data, calls)), price, (awake & ~talking).sum() / data.hour
        ),
    )


def list_own_calls(data: RunData) -> list[CallRow]:
    """Return the calls of a run but those of interviews and judges."""
    return [call for call in data.calls if call.purpose.split(".")[0] not in _APART]


def _find_outside(data: RunData, calls: Iterable[CallRow]) -> Iterator[CallRow]:
    """Yield the calls outside conversations."""
    last, after = data.last_tick, math.ceil(_AFTERMATH / data.meta.seconds_per_tick)
    spoke = {(event.agent, event.tick) for event in data.of_kind("say")}
    for call in calls:
        # The calls of a tick that was not finished any more see the state of the one before.
        at, then = min(call.tick, last), min(call.tick + 1, last)
        member = data.talking[data.row[call.agent]]
        joining = member[then] and (call.agent, then) in spoke
        if not joining and not member[max(0, at - after) : at + 1].any():
            yield call


def _sum_calls(
    calls: Sequence[CallRow], find: Callable[[str], Price | None], hours: float
) -> CallCosts:
    models = {call.model for call in calls} or {""}
    known = {model: price for model in models if (price := find(model)) is not None}
    costs = (call.cost(known[call.model]) for call in calls)
    return CallCosts(
        len(calls),
        sum(call.prompt_tokens for call in calls),
        sum(call.completion_tokens for call in calls),
        sum(costs, Decimal(0)) if len(known) == len(models) else None,
        float(hours),
    )
