"""What a mind costs per agent and game hour, per utterance and per human hour, of several runs.

Calls of interviews and judges stand apart. A call belongs to a conversation where
its agent was in one at the call's tick, had left it within the last minute (what one makes of it),
or opened or joined one by the words said in the step that the call led to. Embeddings are not among
the calls: see `faculty_costs.compute_embedding_cost`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from genagents_env.errors import ConfigError
from genagents_env.llm.prices import Price, describe_list, find_price
from genagents_env.record.rows import JSON, CallRow, JudgementRow
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
        agent_hours: of game time to which they belong, all agents together; None where that has
            no meaning, as for interviews.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: Decimal | None
    agent_hours: float | None = None

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def calls_per_hour(self) -> float | None:
        """Calls per agent and hour; None without any time."""
        return ratio(self.calls, self.agent_hours)

    @property
    def tokens_per_hour(self) -> float | None:
        """Tokens per agent and hour; None without any time."""
        return ratio(self.tokens, self.agent_hours)

    @property
    def dollars_per_hour(self) -> float | None:
        """Dollars per agent and hour; None without any time or price."""
        return None if self.dollars is None else ratio(float(self.dollars), self.agent_hours)


@dataclass(frozen=True, slots=True)
class Rates:
    """What one run cost.

    Attributes:
        run: the path of its file as it was given, without its ending.
        scenario: its name.
        people: how many took part.
        policy: its label, see `study.evaluate.labels.format_policies`.
        model: its name, or None; of several all of them.
        status: see `RunReader.status`; the figures of a run that is not finished may still change.
        agents: who made any model call; only they are counted in hours and utterances.
        utterances: of these agents.
        priced_as: the model by whose price costs are computed; None is the run's own.
        speed: game hours in a human hour.
        whole: every call but those of interviews and judges; its hours are the agents' times the
            hours simulated, as in `faculty_costs`.
        waking: the same calls; its hours are those in which an agent was awake.
        inside: the calls in conversations; its hours are the agents' in them.
        outside: the other calls; its hours are those awake and in no conversation.
        interviews: calls whose purpose is `interview` or begins with `interview.`.
        judging: what judges read and wrote about the answers.
    """

    run: str
    scenario: str
    people: int
    policy: str
    model: str | None
    status: str
    agents: int
    utterances: int
    priced_as: str | None
    speed: float
    whole: CallCosts
    waking: CallCosts
    inside: CallCosts
    outside: CallCosts
    interviews: CallCosts
    judging: CallCosts

    @property
    def calls_per_utterance(self) -> float | None:
        """Calls of `whole` per utterance of those who made them; None where nothing was said."""
        return ratio(self.whole.calls, self.utterances)

    @property
    def tokens_per_utterance(self) -> float | None:
        """Tokens of `whole` per utterance; None where nothing was said."""
        return ratio(self.whole.tokens, self.utterances)

    @property
    def dollars_per_utterance(self) -> float | None:
        """Dollars of `whole` per utterance; None where nothing was said or no price is known."""
        dollars = self.whole.dollars
        return None if dollars is None else ratio(float(dollars), self.utterances)

    @property
    def dollars_per_human_hour(self) -> float | None:
        """Dollars per agent and human hour at the game's speed; None where no price is known."""
        dollars = self.whole.dollars_per_hour
        return None if dollars is None else dollars * self.speed

    def as_json(self) -> dict[str, JSON]:
        """Return everything as JSON values, the parts of the calls last; dollars as text."""
        parts = ("whole", "waking", "inside", "outside", "interviews", "judging")
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
        data: of the run; one that is not finished is marked by its status.
        priced_as: the price to use; None is the run's own.
        speed: game hours in a human hour, more than 0.
    """
    meta, last, calls, events = data.meta, data.last_tick, data.calls, data.events
    askers = sorted({call.agent for call in calls} & {*meta.names}, key=data.row.__getitem__)
    rows = [data.row[name] for name in askers]
    in_talk, up = data.talking[rows, :last], data.waking[rows]
    price = data.reader.find_price if priced_as is None else lambda model: priced_as.price
    acting = [call for call in calls if not is_apart(call)]
    inside, outside = _split(data, acting)
    return Rates(
        run=clean(data.path.with_suffix("").as_posix(), _NAME),
        scenario=meta.scenario.name,
        people=len(meta.names),
        policy=format_policies(meta),
        model=" and ".join(one.model for one in data.reader.sum_models()) or meta.model,
        status=data.reader.status,
        agents=len(askers),
        utterances=sum(event.kind == "say" and event.agent in askers for event in events),
        priced_as=None if priced_as is None else priced_as.model,
        speed=speed,
        whole=_sum_calls(acting, price, len(askers) * last / data.hour),
        waking=_sum_calls(acting, price, up.sum() / data.hour),
        inside=_sum_calls(inside, price, in_talk.sum() / data.hour),
        outside=_sum_calls(outside, price, (up & ~in_talk).sum() / data.hour),
        interviews=_sum_calls([call for call in calls if is_apart(call)], price),
        judging=_sum_judging(data, priced_as),
    )


def is_apart(call: CallRow) -> bool:
    """Return whether a call is of an interview or a judge."""
    return call.purpose.split(".")[0] in _APART


def _split(data: RunData, calls: Iterable[CallRow]) -> tuple[list[CallRow], list[CallRow]]:
    """Return the calls inside conversations, and those outside."""
    last, after = data.last_tick, math.ceil(_AFTERMATH / data.meta.seconds_per_tick)
    spoke = {(event.agent, event.tick) for event in data.of_kind("say")}
    inside, outside = list[CallRow](), list[CallRow]()
    for call in calls:
        # The calls of a tick that was not finished any more see the state of the one before.
        at, then = min(call.tick, last), min(call.tick + 1, last)
        member = data.talking[data.row[call.agent]]
        joining = member[then] and (call.agent, then) in spoke
        lately = member[max(0, at - after) : at + 1].any()
        (inside if lately or joining else outside).append(call)
    return inside, outside


def _sum_calls(
    calls: Sequence[CallRow], find: Callable[[str], Price | None], hours: float | None = None
) -> CallCosts:
    models = {call.model for call in calls} or {""}
    known = {model: price for model in models if (price := find(model)) is not None}
    costs = (call.cost(known[call.model]) for call in calls)
    dollars = sum(costs, Decimal(0)) if len(known) == len(models) else None
    return _sum_tokens(calls, dollars, None if hours is None else float(hours))


def _sum_tokens(
    rows: Sequence[CallRow | JudgementRow], dollars: Decimal | None, hours: float | None = None
) -> CallCosts:
    read = sum(row.prompt_tokens for row in rows)
    written = sum(row.completion_tokens for row in rows)
    return CallCosts(len(rows), read, written, dollars, hours)


def _sum_judging(data: RunData, priced_as: Tariff | None) -> CallCosts:
    dollars: Decimal | None = Decimal(0)
    for judge in sorted({row.judge for row in data.judgements}):
        own = _sum_tokens([row for row in data.judgements if row.judge == judge], None)
        price = _find_judge_price(data, judge, priced_as)
        if dollars is not None and price is not None:
            dollars += price.cost(own.prompt_tokens, own.completion_tokens)
        else:
            dollars = None
    return _sum_tokens(data.judgements, dollars)


def _find_judge_price(data: RunData, judge: str, priced_as: Tariff | None) -> Price | None:
    if priced_as is not None:
        return priced_as.price
    return data.reader.price if judge == data.meta.model else find_price(judge)
