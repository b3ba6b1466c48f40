"""What a mind costs per agent and game hour, per utterance and per human hour, of several runs.

Calls of interviews and judges are left out. A call belongs to a conversation where
its agent was in one at the call's tick, had left it within the last minute (what one makes of it),
or opened or joined one by the words said in the step that the call led to. Embeddings are not among
the calls: see `faculty_costs.compute_embedding_cost`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from genagents_env.errors import ConfigError
from genagents_env.llm.prices import Price, describe_list, find_price
from genagents_env.record.rows import CallRow
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.evaluate.measure import ratio
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
class Rates:
    """What one run cost, without interviews and judges; of rates none over nothing or unpriced.

    Attributes:
        run: the path of its file as it was given, without its ending.
        policy: its label, see `study.evaluate.labels.format_policies`.
        model: its name, or None; of several all of them.
        agents: who made any model call; only they are counted in hours and utterances.
        utterances: of these agents.
        calls: that they made.
        prompt_tokens: read by the model.
        completion_tokens: written by the model.
        dollars: None where no price is known.
        agent_hours: of game time in town, all these agents together, asleep or awake.
        waking_hours: of these, those awake.
        outside_calls: the calls outside conversations.
        outside_hours: the hours awake and in no conversation.
        priced_as: the model by whose price costs are computed; None is the run's own.
        speed: game hours in a human hour.
    """

    run: str
    policy: str
    model: str | None
    agents: int
    utterances: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: Decimal | None
    agent_hours: float
    waking_hours: float
    outside_calls: int
    outside_hours: float
    priced_as: str | None
    speed: float

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def calls_per_hour(self) -> float | None:
        """Calls per agent and hour."""
        return ratio(self.calls, self.agent_hours)

    @property
    def calls_per_waking_hour(self) -> float | None:
        """Calls per agent and hour awake."""
        return ratio(self.calls, self.waking_hours)

    @property
    def calls_per_outside_hour(self) -> float | None:
        """Calls outside conversations per agent and hour awake and in none."""
        return ratio(self.outside_calls, self.outside_hours)

    @property
    def tokens_per_hour(self) -> float | None:
        """Tokens per agent and hour."""
        return ratio(self.tokens, self.agent_hours)

    @property
    def dollars_per_hour(self) -> float | None:
        """Dollars per agent and hour."""
        return None if self.dollars is None else ratio(float(self.dollars), self.agent_hours)

    @property
    def dollars_per_human_hour(self) -> float | None:
        """Dollars per agent and human hour at the game's speed."""
        rate = self.dollars_per_hour
        return None if rate is None else rate * self.speed

    @property
    def calls_per_utterance(self) -> float | None:
        """Calls per utterance of those who made them."""
        return ratio(self.calls, self.utterances)

    @property
    def tokens_per_utterance(self) -> float | None:
        """Tokens per utterance."""
        return ratio(self.tokens, self.utterances)

    @property
    def dollars_per_utterance(self) -> float | None:
        """Dollars per utterance."""
        return None if self.dollars is None else ratio(float(self.dollars), self.utterances)


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
def compute_rates(data: RunData, priced_as: Tariff | None = None) -> Rates:
    """Return what a run cost as far as it is recorded.

    Args:
        data: of the run.
        priced_as: the price to use; None is the run's own.
    """
    askers = sorted({call.agent for call in data.calls} & {*data.names}, key=data.row.__getitem__)
    rows = [data.row[name] for name in askers]
    awake, talking = data.waking[rows], data.talking[rows, : data.ticks]
    calls = list_own_calls(data)
    return Rates(
        run=clean(data.path.with_suffix("").as_posix(), _NAME),
        policy=format_policies(data.meta),
        model=" and ".join(one.model for one in data.reader.sum_models()) or data.meta.model,
        agents=len(askers),
        utterances=sum(event.agent in askers for event in data.utterances),
        calls=len(calls),
        prompt_tokens=sum(call.prompt_tokens for call in calls),
        completion_tokens=sum(call.completion_tokens for call in calls),
        dollars=_sum_dollars(data, calls, priced_as),
        agent_hours=float((data.where[rows] >= 0).sum() / data.hour),
        waking_hours=float(awake.sum() / data.hour),
        outside_calls=_count_outside(data, calls),
        outside_hours=float((awake & ~talking).sum() / data.hour),
        priced_as=None if priced_as is None else priced_as.model,
        speed=GAME_SPEED,
    )


def list_own_calls(data: RunData) -> list[CallRow]:
    """Return the calls of a run but those of interviews and judges."""
    return [call for call in data.calls if call.purpose.split(".")[0] not in _APART]


def _count_outside(data: RunData, calls: Iterable[CallRow]) -> int:
    """Return how many calls are outside conversations."""
    last, after = data.last_tick, math.ceil(_AFTERMATH / data.meta.seconds_per_tick)
    spoke = {(event.agent, event.tick) for event in data.of_kind("say")}
    count = 0
    for call in calls:
        # The calls of a tick that was not finished any more see the state of the one before.
        at, then = min(call.tick, last), min(call.tick + 1, last)
        member = data.talking[data.row[call.agent]]
        joining = member[then] and (call.agent, then) in spoke
        count += not joining and not member[max(0, at - after) : at + 1].any()
    return count


def _sum_dollars(
    data: RunData, calls: Sequence[CallRow], priced_as: Tariff | None
) -> Decimal | None:
    models = {call.model for call in calls} or {""}
    find = data.reader.find_price
    prices = {model: find(model) if priced_as is None else priced_as.price for model in models}
    known = {model: price for model, price in prices.items() if price is not None}
    if len(known) < len(models):
        return None
    return sum((call.cost(known[call.model]) for call in calls), Decimal(0))
