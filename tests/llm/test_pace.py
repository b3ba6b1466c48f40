"""The pace of calls by hand, without a clock, a client that follows it, and what is tried again."""

import asyncio
import math
from collections.abc import Iterable
from email.utils import formatdate

import pytest

from genagents_env.errors import LLMUnavailable, ModelOutage
from genagents_env.llm.calls import AttemptFailed, CallKey, Completion, CompletionRequest
from genagents_env.llm.pace import AT_FIRST, MOST, Pace
from genagents_env.llm.retries import retry_after, with_retries
from genagents_env.llm.scripted import ScriptedEndpoint
from tests.llm.asking import FakeTime, ask_choice, client_of, in_a_loop, retry_on

ROUND = 8  # answers judged together


def answer(pace: Pace, seconds: float, rounds: int = 1, tokens: int = 50) -> None:
    for _ in range(ROUND * rounds):
        pace.count_answer(pace.halvings, seconds, tokens)


async def fill(pace: Pace, many: int) -> list["asyncio.Task[None]"]:
    """Have as many calls ask for a slot, and stay in it."""

    async def stay() -> None:
        async with pace:
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(stay()) for _ in range(many)]
    await asyncio.sleep(0)
    return tasks


async def end(tasks: Iterable["asyncio.Task[None]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(
    "rounds",  # seconds of an answer, how many rounds of these, and the slots there are then
    [
        pytest.param([(1.0, 0, 8), (1.0, 1, 9), (1.4, 20, 29), (1.0, 100, 64)], id="one by one"),
        pytest.param(
            [(1.0, 8, 16), (1.9, 3, 16), (2.5, 1, 8), (1.0, 2, 10)],
            id="rising latency holds it and then halves it",
        ),
    ],
)
@in_a_loop
async def test_the_pace_grows_while_calls_wait_and_answers_stay_quick(
    rounds: list[tuple[float, int, int]],
) -> None:
    pace = Pace()
    tasks = await fill(pace, 100)
    for seconds, count, limit in rounds:
        answer(pace, seconds, count)
        assert pace.limit == limit
    assert (AT_FIRST, MOST) == (8, 64)
    await end(tasks)


def test_one_slow_answer_among_eight_is_no_sign_nor_is_a_longer_one() -> None:
    pace = Pace()
    answer(pace, 1.0)
    for seconds in (60.0, 1, 1, 1, 1, 1, 1, 1):
        pace.count_answer(0, seconds, 50)
    answer(pace, 5.0, tokens=450)
    answer(pace, 0.0)
    answer(pace, 0.2)  # a hundred times as long, and quick all the same
    assert (pace.limit, pace.halvings) == (8, 0)


def test_a_lasting_speed_becomes_usual() -> None:
    pace = Pace()
    answer(pace, 1.0)
    answer(pace, 3.0, rounds=40)
    before = pace.halvings
    answer(pace, 3.0, rounds=20)
    assert pace.halvings == before > 0


@in_a_loop
async def test_calls_of_before_a_halving_do_not_halve_it_again() -> None:
    pace = Pace()
    tasks = await fill(pace, 100)
    sent = pace.halvings
    for _ in range(8):
        pace.count_overload(sent)
    assert pace.limit == 4
    for _ in range(8):
        pace.count_answer(sent, 100.0, 1)
    for wanted in (2, 1, 1):
        pace.count_overload(pace.halvings)
        assert pace.limit == wanted
    await end(tasks)
    pace = Pace(64)
    tasks = await fill(pace, 6)
    pace.count_overload(pace.halvings)
    assert pace.limit == 3  # half of those that are taken
    await end(tasks)


@pytest.mark.parametrize(("most", "own", "limit"), [(None, 4, 4), (2, 4, 2), (9, 4, 4)])
@in_a_loop
async def test_slots_of_an_endpoint_of_its_own_are_its_bound(
    most: int | None, own: int, limit: int
) -> None:
    pace = Pace(most, own)
    tasks = await fill(pace, 10)
    answer(pace, 1.0, rounds=9)
    pace.count_overload(pace.halvings)
    answer(pace, 9.0, rounds=3)
    assert pace.limit == limit
    await end(tasks)


@in_a_loop
async def test_waiters_get_slots_in_turn_and_cancelled_ones_none() -> None:
    pace, order = Pace(1), list[int]()

    async def take(number: int) -> None:
        async with pace:
            order.append(number)
            await asyncio.sleep(0)

    tasks = [asyncio.create_task(take(number)) for number in range(6)]
    await asyncio.sleep(0)
    tasks[2].cancel()
    tasks[4].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 1, 3, 5]
    holder = await fill(pace, 1)
    waiting = asyncio.create_task(take(7))
    await asyncio.sleep(0)
    holder[0].cancel()
    await asyncio.sleep(0)  # it is handed the slot, and cancelled before it runs
    waiting.cancel()
    await asyncio.gather(*holder, waiting, return_exceptions=True)
    await asyncio.wait_for(take(8), 5)
    assert order[-1] == 8


class Busy(ScriptedEndpoint):
    """Refuses calls above a number at once."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.open = self.peak = 0

    async def complete(self, request: CompletionRequest) -> Completion:
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            if self.open > self.most:
                raise AttemptFailed("status 429", billed=False, overloaded=True)
            for _ in range(20):
                await asyncio.sleep(0)
            return await super().complete(request)
        finally:
            self.open -= 1


def serve(endpoint: Busy, most: int | None = None, calls: int = 600) -> int:
    """Ask for that many answers at once, and return how many slots there are in the end."""
    policy = retry_on(FakeTime(), call_deadline=1e9, attempts=50)
    client = client_of(endpoint, max_in_flight=most, retry=policy, outage_after=10**6)

    async def run() -> int:
        keys = [CallKey(f"agent {at}", 0, "act", 0) for at in range(calls)]
        answers = await asyncio.gather(*(ask_choice(client, key) for key in keys))
        assert not any(one.fallback for one in answers)
        return client.pace.limit

    return asyncio.run(run())


def test_a_client_uses_what_its_endpoint_takes() -> None:
    assert serve(wide := Busy(10**6)) == wide.peak == MOST
    assert serve(narrow := Busy(12)) <= 13
    assert narrow.peak == 13
    assert serve(given := Busy(10**6), most=5) == given.peak == 5


def test_an_endpoint_that_is_down_is_an_outage_all_the_same() -> None:
    async def run() -> None:
        client = client_of(Busy(0), retry=retry_on(FakeTime()))
        await asyncio.gather(*(ask_choice(client, CallKey(n, 0, "x", 0)) for n in "abcdefgh"))

    with pytest.raises(ModelOutage, match="in a row"):
        asyncio.run(run())


NOW = 1_750_000_000.0


@pytest.mark.parametrize(
    ("seconds", "milliseconds", "expected"),
    [
        ("1", None, 1.0),
        (" 0.5 ", None, 0.5),
        ("-5", None, 0.0),
        ("NaN", None, None),
        (None, None, None),
        (None, "1500", 1.5),
        ("9", "250", 0.25),
        ("9", "later", 9.0),
        ("9" * 400, None, math.inf),
        ("1e400", None, None),
        ("1_0", None, None),
        ("\uff11\uff10", None, None),
        ("Infinity", None, None),
        ("7", "1_0", 7.0),
        (formatdate(NOW + 12, usegmt=True).replace("20", "2_0"), None, None),
        (formatdate(NOW + 12, usegmt=True).replace("0", "\u0660"), None, None),
        (formatdate(NOW + 12, usegmt=True), None, 12.0),
        (formatdate(NOW - 12, usegmt=True), None, 0.0),
        ("Fri, 31 Dec 100000 23:59:59 GMT", None, math.inf),
    ],
)
def test_every_form_of_retry_after_is_read(
    seconds: str | None, milliseconds: str | None, expected: float | None
) -> None:
    assert retry_after(seconds, milliseconds, NOW) == expected


def run(time: FakeTime, asked: list[float | None], **options: float) -> int:
    """Fail once for each of `asked`, then succeed; return the attempts made."""
    made = 0

    async def attempt() -> int:
        nonlocal made
        made += 1
        if made <= len(asked):
            raise AttemptFailed("busy", retry_after=asked[made - 1])
        return made

    policy = retry_on(time, **options)
    try:
        deadline = time.now + policy.call_deadline
        return asyncio.run(with_retries(attempt, policy, seed=1, deadline=deadline))
    except LLMUnavailable as fault:
        raise LLMUnavailable(f"{made} made: {fault}") from None


def test_the_endpoints_wait_is_kept_to_a_tenth_unless_it_is_too_long() -> None:
    for asked in (1.0, 60.0):
        time = FakeTime()
        assert run(time, [asked]) == 2
        assert asked <= time.slept[0] <= asked * 1.1
    for asked in (60.5, math.inf):
        time = FakeTime()
        with pytest.raises(LLMUnavailable, match=r"1 made.*too long"):
            run(time, [asked])
        assert time.slept == []


def test_backoff_doubles_up_to_its_cap_and_ends_after_four_attempts() -> None:
    time = FakeTime()
    with pytest.raises(LLMUnavailable, match="4 made"):
        run(time, [None, 0.0, None, None])
    assert [round(s / 1.05, 1) for s in time.slept] == pytest.approx([0.5, 1.0, 2.0], rel=0.1)
    long = FakeTime()
    assert run(long, [None] * 6, attempts=7) == 7
    assert max(long.slept) <= 8.8


def test_no_wait_leads_past_the_deadline_of_the_call() -> None:
    time = FakeTime()
    with pytest.raises(LLMUnavailable, match=r"2 made.*no time is left"):
        run(time, [50.0, 50.0])
    assert time.now < 90


def test_an_attempt_that_hangs_is_cut_at_the_deadline_of_the_call() -> None:
    async def hang() -> None:
        await asyncio.sleep(60)

    policy = retry_on(FakeTime(), call_deadline=0.05)
    with pytest.raises(LLMUnavailable, match=r"within the 0\.05 s"):
        asyncio.run(with_retries(hang, policy, seed=1, deadline=0.05))


def test_other_errors_pass_at_once() -> None:
    async def refuse() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        asyncio.run(with_retries(refuse, retry_on(FakeTime()), seed=1, deadline=9))
