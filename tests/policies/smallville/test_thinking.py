import asyncio
import copy
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest
from pydantic import BaseModel

from genagents_env.cognition.prompts import FilledPrompt
from genagents_env.cognition.query import Moment as Now
from genagents_env.cognition.query import PreparedQuery, Query, QueryData, QueryHandler, QueryReply
from genagents_env.cognition.scheduler import CallScheduler
from genagents_env.errors import BudgetExceeded, LLMUnavailable, ModelOutage
from genagents_env.llm.budget import Budget
from genagents_env.llm.calls import Completion, CompletionRequest, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.client import ModelClient
from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.policies import smallville
from genagents_env.policies.smallville import SmallvillePolicy
from genagents_env.policies.smallville.mind import SmallvilleMind
from genagents_env.testing.compare import find_difference, to_plain
from tests.policies.harness import fields_of, make_scheduler, moment
from tests.policies.percepts import Moment
from tests.policies.smallville.days import Alone
from tests.policies.smallville.minds import Town, make_mind, make_talkative_rule

SLOW = {"latency_ticks": {"plan": 4, "ground": 2, "perceive": 3, "converse": 1, "summary": 6}}


class Word(BaseModel):
    """What the made-up handlers ask for."""

    word: str


def handler(
    taken: list[str], follow: Sequence[Query] = (), instead: Query | None = None
) -> QueryHandler[SmallvilleMind]:
    """Return a handler that notes what it is asked and what is taken."""

    async def ask(mind: SmallvilleMind, data: QueryData, now: Now) -> PreparedQuery | Query | None:
        if instead is not None:
            return instead
        cuts = data.get("cuts", {})
        prompt = FilledPrompt((Message("user", data["name"]),), cuts=cuts)
        return PreparedQuery(prompt, data) if data["name"] else None

    async def take(mind: SmallvilleMind, now: Now, reply: QueryReply) -> Sequence[Query]:
        kind, data = "default" if reply.fallback else "reply", reply.data
        taken.append(f"{data['name']} {kind} at {now.tick}")
        if wish := data.get("wish"):
            mind.note_wish(wish)
        return follow

    default = Word(word="-")
    return QueryHandler(ask, lambda data: Word, lambda data: default, take, lambda data: 99)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list in which the made-up faculties note what is taken."""
    notes: list[str] = []
    then = Query("react.then", {"name": "then"})
    handlers = {
        "plan.a": handler(notes),
        "plan.b": handler(notes, [then]),
        "react.then": handler(notes),
        "react.instead": handler(notes, instead=then),
    }
    monkeypatch.setattr(smallville, "HANDLERS", handlers)
    return notes


def ask(name: str, purpose: str = "plan.a") -> Query:
    return Query(purpose, {"name": name})


def live(
    mind: SmallvilleMind, thoughts: dict[int, list[Query]], ticks: int
) -> CallScheduler[SmallvilleMind]:
    """Live some ticks with these thoughts; return the thinking."""
    thinking = make_scheduler(mind)

    async def ticking() -> None:
        for tick in range(ticks):
            percept = Moment().later(10 * tick)
            await thinking.run(mind, thoughts.get(tick, []), moment(mind, percept))

    asyncio.run(ticking())
    return thinking


def test_without_latency_all_that_follows_happens_within_the_tick(taken: list[str]) -> None:
    live(make_mind(), {0: [ask("b", "plan.b"), ask("a")]}, 1)
    assert taken == ["b reply at 0", "a reply at 0", "then reply at 0"]


def test_with_latency_a_reply_takes_effect_exactly_so_many_ticks_later(taken: list[str]) -> None:
    mind = make_mind(latency_ticks={"plan": 3, "react": 2})
    live(mind, {0: [ask("first")], 2: [ask("second", "plan.b")]}, 8)
    assert taken == ["first reply at 3", "second reply at 5", "then reply at 7"]
    assert mind.pending == []


def test_a_thought_may_stand_in_for_another_and_one_may_ask_nothing(taken: list[str]) -> None:
    mind = make_mind()
    live(mind, {0: [ask("x", "react.instead"), ask("")]}, 1)
    assert taken == ["then reply at 0"]
    assert [row.purpose for row in mind.services.model.ledger.rows()] == ["react.then"]


# Calls under way over a checkpoint.


def resume_alone(alone: Alone) -> Alone:
    """Return a copy that goes on from its state, as after a kill."""
    other = copy.copy(alone)
    other.actions = list(alone.actions)
    other.endpoint = ScriptedEndpoint(alone.endpoint.rule)
    other.begin()
    other.policy.load_state(json.loads(json.dumps(alone.policy.state())))
    return other


def check_alike(alone: Alone, other: Alone, ticks: int) -> None:
    """Check that two live some ticks alike."""
    for _ in range(ticks):
        assert alone.step() == other.step()
    assert to_plain(alone.mind.state()) == to_plain(other.mind.state())


def test_a_reply_that_had_come_is_neither_asked_for_nor_counted_again() -> None:
    alone = Alone(config=SLOW, seconds=10)
    for _ in range(2):
        alone.step()
    alone.policy._run(alone.policy.settle())
    other = resume_alone(alone)
    assert [p.answer is not None for p in other.mind.pending] == [True] * len(alone.mind.pending)
    assert len(alone.mind.pending) >= 2
    before = len(alone.endpoint.requests)
    check_alike(alone, other, 8)
    assert len(other.endpoint.requests) > 0
    assert other.endpoint.requests == alone.endpoint.requests[before:]


def test_a_reply_that_had_not_come_is_asked_for_again_with_the_same_words() -> None:
    alone = Alone(config=SLOW, seconds=10)
    for _ in range(2):
        alone.step()
    state = alone.policy.state()
    for mind in state.values():
        for pending in mind["pending"]:
            pending["answer"] = None
    other = resume_alone(alone)
    other.policy.load_state(json.loads(json.dumps(state)))
    check_alike(alone, other, 6)
    first = {r.seed: r.messages for r in alone.endpoint.requests}
    assert {r.seed: r.messages for r in other.endpoint.requests}.items() <= first.items()
    assert len(other.endpoint.requests) == len(first)


async def long(request: CompletionRequest) -> None:
    """Take longer than a tick."""
    for _ in range(200):
        await asyncio.sleep(0)


class Failing(ScriptedEndpoint):
    """An endpoint that fails for outlines at once, and takes its time for everything else."""

    begun = ended = 0

    async def complete(self, request: CompletionRequest) -> Completion:
        if fields_of(request)[0] == "wake_hour":
            raise LLMUnavailable("gone")
        self.begun += 1
        await long(request)
        completion = await super().complete(request)
        self.ended += 1
        return completion


@pytest.mark.parametrize("config", [{}, {"latency_ticks": {"plan": 1, "summary": 1}}])
def test_an_outage_is_raised_when_all_other_calls_have_been_answered(
    config: Mapping[str, object],
) -> None:
    town = Town("valentines_party", config=config, start="08:00", hours=0.5)
    cassette, endpoint = MemoryCassette(), Failing()
    model = ModelClient(
        endpoint,
        run_seed=3,
        cassette=cassette,
        outage_after=3,
        max_in_flight=100,
        retry=RetryPolicy(attempts=1),
    )
    town.policy.scheduler = CallScheduler(model, smallville.HANDLERS)
    if config:
        town.step()
    with pytest.raises(ModelOutage):
        town.step()
    with suppress(LLMUnavailable, ModelOutage):  # those under way for later are settled
        town.policy._run(town.policy.settle())
    assert endpoint.begun == endpoint.ended > 10
    stored = [k for k, row in cassette.rows.items() if row.outcome == "reply"]
    assert len(stored) == endpoint.ended


def test_what_a_budget_refuses_ends_the_run_and_not_in_a_fallback() -> None:
    alone = Alone(seconds=10)
    model = ModelClient(alone.endpoint, run_seed=3, budget=Budget(calls=2))
    alone.policy.scheduler = CallScheduler(model, smallville.HANDLERS)
    with pytest.raises(BudgetExceeded):
        alone.step()
    assert len(alone.endpoint.requests) == 2


# Kill and resume.


@pytest.mark.parametrize(
    "config", [{}, SLOW, {"grounding": "recursive", **SLOW}], ids=["quick", "slow", "recursive"]
)
def test_killed_at_any_tick_of_planning_it_goes_on_as_if_it_never_was(
    config: Mapping[str, object],
) -> None:
    whole = Alone(config=config, seconds=10)
    stops: list[Alone] = []
    for _ in range(24):
        whole.step()
        stop = resume_alone(whole)
        stop.percept, stop.events = whole.percept, whole.events
        stops.append(stop)
    for _ in range(8):
        whole.step()
    end = to_plain(whole.mind.state())
    for stop in stops:
        while len(stop.actions) < len(whole.actions):
            stop.step()
        assert stop.actions == whole.actions
        assert find_difference(to_plain(stop.mind.state()), end) is None


def move_town(town: Town, config: Mapping[str, object]) -> Town:
    """Return a fresh town and policy that go on from where this one is."""
    other = copy.copy(town)
    other.env, other.infos = copy.deepcopy((town.env, town.infos))
    other.endpoint = ScriptedEndpoint(town.endpoint.rule)
    other.policy = SmallvillePolicy(**config)
    other.begin(other.policy)
    other.policy.load_state(json.loads(json.dumps(town.policy.state())))
    return other


@pytest.mark.parametrize("slow", [{}, SLOW], ids=["quick", "slow"])
def test_killed_in_mid_conversation_it_goes_on_as_if_it_never_was(
    slow: Mapping[str, object],
) -> None:
    config = {"talk_again_seconds": 0, "react_again_minutes": 1, **slow}
    town = Town("tiny", make_talkative_rule(1, 9, where="Cottage/kitchen"), config=config)
    stops: list[tuple[int, Town]] = []
    happened: list[object] = []
    for tick in range(50):
        talking = any(mind.dialogue is not None for mind in town.policy.minds.values())
        if talking and tick % 3 == 0:
            stops.append((tick, move_town(town, config)))
        happened.append(to_plain(town.step()))
    assert len(stops) > 3
    end = to_plain(town.policy.state())
    for tick, other in stops:
        for expected in happened[tick:]:
            assert to_plain(other.step()) == expected
        assert find_difference(to_plain(other.policy.state()), end) is None
