import asyncio
import math
from email.utils import formatdate

import pytest

from genagents_env.errors import LLMUnavailable
from genagents_env.llm.calls import AttemptFailed
from genagents_env.llm.retries import retry_after, with_retries
from tests.llm.asking import FakeTime, retry_on

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
