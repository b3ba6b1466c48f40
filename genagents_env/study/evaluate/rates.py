"""What a mind costs per agent and game hour, per utterance and per human hour, of several runs.

Calls of interviews and judges stand apart. A call belongs to a conversation where
its agent was in one at the call's tick, had left it within the last minute (what one makes of it),
or opened or joined one by the words said in the step that the call led to. Embeddings are not among
the calls: see `faculty_costs.compute_embedding_cost`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from genagents_env.errors import ConfigError
from genagents_env.llm.prices import Price, describe_list, find_price
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON, CallRow, JudgementRow
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.evaluate.presence import Bools, find_awake, find_talking
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.text import clean
from genagents_env.world.events import Event

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
        return _divide(self.calls, self.agent_hours)

    @property
    def tokens_per_hour(self) -> float | None:
        """Tokens per agent and hour; None without any time."""
        return _divide(self.tokens, self.agent_hours)

    @property
    def dollars_per_hour(self) -> float | None:
        """Dollars per agent and hour; None without any time or price."""
        return None if self.dollars is None else _divide(float(self.dollars), self.agent_hours)

    def as_json(self) -> dict[str, JSON]:
        """Return sums and rates as JSON values; dollars as decimal text."""
        return {
            **asdict(self),
            "dollars": None if self.dollars is None else str(self.dollars),
            "calls_per_hour": self.calls_per_hour,
            "tokens_per_hour": self.tokens_per_hour,
            "dollars_per_hour": self.dollars_per_hour,
        }


@dataclass(frozen=True, slots=True)
class Rates:
    """What one run cost.

    Attributes:
        run: the path of its file as it was given, without its ending.
        scenario: its name.
        people: how many took part.
        policy: its label, see `study.evaluate.labels.format_policies`.
        model: its name, or None.
        status: see `RunReader.status`.
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
    def finished(self) -> bool:
        """Whether the run has reached its end; the figures of others may still change."""
        return self.status == "finished"

    @property
    def calls_per_utterance(self) -> float | None:
        """Calls of `whole` per utterance of those who made them; None where nothing was said."""
        return _divide(self.whole.calls, self.utterances)

    @property
    def tokens_per_utterance(self) -> float | None:
        """Tokens of `whole` per utterance; None where nothing was said."""
        return _divide(self.whole.tokens, self.utterances)

    @property
    def dollars_per_utterance(self) -> float | None:
        """Dollars of `whole` per utterance; None where nothing was said or no price is known."""
        dollars = self.whole.dollars
        return None if dollars is None else _divide(float(dollars), self.utterances)

    @property
    def dollars_per_human_hour(self) -> float | None:
        """Dollars per agent and human hour at the game's speed; None where no price is known."""
        dollars = self.whole.dollars_per_hour
        return None if dollars is None else dollars * self.speed

    def as_json(self) -> dict[str, JSON]:
        """Return everything as JSON values."""
        plain: dict[str, JSON] = {name: getattr(self, name) for name in _FIELDS}
        return plain | {name: getattr(self, name).as_json() for name in _PARTS}


_FIELDS = (
    *("run", "scenario", "people", "policy", "model", "status", "agents", "utterances"),
    *("priced_as", "speed", "calls_per_utterance", "tokens_per_utterance"),
    *("dollars_per_utterance", "dollars_per_human_hour"),
)
_PARTS = ("whole", "waking", "inside", "outside", "interviews", "judging")


def find_tariff(model: str) -> Tariff:
    """Return the list price of `model`.

    Raises:
        ConfigError: none is known.
    """
    price = find_price(model)
    if price is None:
        raise ConfigError(f"no list price for {model!r} in {describe_list()}")
    return Tariff(model, price)


def compute_rates(
    run: RunReader | RunData, priced_as: Tariff | None = None, speed: float = GAME_SPEED
) -> Rates:
    """Return what a run cost as far as it is recorded.

    Args:
        run: read; one that is not finished is marked by its status.
        priced_as: the price to use; None is the run's own.
        speed: game hours in a human hour, more than 0.
    """
    if priced_as is None and speed == GAME_SPEED:
        return _compute_own_rates(run)
    return _compute_rates(RunData.of(run), priced_as, speed)


@once_per_run
def _compute_own_rates(data: RunData) -> Rates:
    return _compute_rates(data, None, GAME_SPEED)


def _compute_rates(data: RunData, priced_as: Tariff | None, speed: float) -> Rates:
    meta, last, calls, events = data.meta, data.last_tick, data.calls, data.events
    askers = [name for name in meta.names if name in {call.agent for call in calls}]
    in_talk = find_talking(data.memberships, askers, last)
    up = find_awake(events, askers, last)
    hour = 3600 / meta.seconds_per_tick
    price = data.reader.find_price if priced_as is None else lambda model: priced_as.price
    acting = [call for call in calls if not _is_apart(call)]
    after = math.ceil(_AFTERMATH / meta.seconds_per_tick)
    inside, outside = _split(acting, askers, in_talk, events, after)
    return Rates(
        run=clean(data.path.with_suffix("").as_posix(), _NAME),
        scenario=meta.scenario.name,
        people=len(meta.names),
        policy=format_policies(meta),
        model=meta.model,
        status=data.reader.status,
        agents=len(askers),
        utterances=sum(event.kind == "say" and event.agent in askers for event in events),
        priced_as=None if priced_as is None else priced_as.model,
        speed=speed,
        whole=_sum_calls(acting, price, len(askers) * last / hour),
        waking=_sum_calls(acting, price, up[:, :last].sum() / hour),
        inside=_sum_calls(inside, price, in_talk[:, :last].sum() / hour),
        outside=_sum_calls(outside, price, (up & ~in_talk)[:, :last].sum() / hour),
        interviews=_sum_calls([call for call in calls if _is_apart(call)], price),
        judging=_sum_judging(data, priced_as),
    )


def _is_apart(call: CallRow) -> bool:
    return call.purpose.split(".")[0] in _APART


def _split(
    calls: Sequence[CallRow],
    names: Sequence[str],
    in_talk: Bools,
    events: Iterable[Event],
    after: int,
) -> tuple[list[CallRow], list[CallRow]]:
    row, last = {name: i for i, name in enumerate(names)}, in_talk.shape[1] - 1
    spoke = {(event.agent, event.tick) for event in events if event.kind == "say"}
    inside, outside = list[CallRow](), list[CallRow]()
    for call in calls:
        # The calls of a tick that was not finished any more see the state of the one before.
        at, then = min(call.tick, last), min(call.tick + 1, last)
        member = in_talk[row[call.agent]]
        joining = member[then] and (call.agent, then) in spoke
        lately = member[max(0, at - after) : at + 1].any()
        (inside if lately or joining else outside).append(call)
    return inside, outside


def _sum_calls(
    calls: Sequence[CallRow], find: Callable[[str], Price | None], hours: float | None = None
) -> CallCosts:
    read = sum(call.prompt_tokens for call in calls)
    written = sum(call.completion_tokens for call in calls)
    parts = [
        _price_calls([call for call in calls if call.model == model], find(model))
        for model in sorted({call.model for call in calls}) or [""]
    ]
    known = [part for part in parts if part is not None]
    dollars = sum(known, Decimal(0)) if len(known) == len(parts) else None
    return CallCosts(len(calls), read, written, dollars, None if hours is None else float(hours))


def _price_calls(calls: Sequence[CallRow], price: Price | None) -> Decimal | None:
    """Return what calls of one model cost, with the attempts in which it only thought."""
    return None if price is None else sum((call.cost(price) for call in calls), Decimal(0))


def _sum_verdicts(rows: Sequence[JudgementRow], price: Price | None) -> CallCosts:
    read = sum(row.prompt_tokens for row in rows)
    written = sum(row.completion_tokens for row in rows)
    return CallCosts(len(rows), read, written, None if price is None else price.cost(read, written))


def _sum_judging(data: RunData, priced_as: Tariff | None) -> CallCosts:
    rows = data.judgements
    parts = [
        _sum_verdicts(
            [row for row in rows if row.judge == judge], _find_judge_price(data, judge, priced_as)
        )
        for judge in sorted({row.judge for row in rows})
    ]
    paid = [part.dollars for part in parts if part.dollars is not None]
    return CallCosts(
        sum(part.calls for part in parts),
        sum(part.prompt_tokens for part in parts),
        sum(part.completion_tokens for part in parts),
        sum(paid, Decimal(0)) if len(paid) == len(parts) else None,
    )


def _find_judge_price(data: RunData, judge: str, priced_as: Tariff | None) -> Price | None:
    if priced_as is not None:
        return priced_as.price
    return data.reader.price if judge == data.meta.model else find_price(judge)


def _divide(sum_: float, by: float | None) -> float | None:
    return sum_ / by if by else None
