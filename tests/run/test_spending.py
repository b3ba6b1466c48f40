"""What was sent is counted, whatever happened to the process that sent it."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.llm.budget import Budget, Spend, upper_bound
from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.prices import Price
from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.memory.embed import HashedSource
from genagents_env.record import RunReader
from genagents_env.run import Limits, PolicySpec, RunResult, resume, run
from genagents_env.show.summary import describe_run
from genagents_env.testing.fault_server import FaultServer
from genagents_env.testing.kill_hook import kill_at
from tests.llm.asking import ask, client_of
from tests.run.kills import stretch
from tests.run.towns import CURIOUS, FOUR, Value, make_options, make_spec, resume_town

GATHERER = str(Path(__file__).with_name("gatherer.py"))
ALL_ASK = PolicySpec(CURIOUS, {"every": 1})
TOWN = make_spec("tiny", 30, policy=ALL_ASK)


def run_killed(live: Callable[[], object]) -> None:
    assert stretch(live, None) == signal.SIGKILL


def test_a_stop_says_how_many_calls_it_gave_up_and_stored_ones_cost_nothing_again(
    path: Path,
) -> None:
    async def stop_twice(request: CompletionRequest) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.01)
        await asyncio.sleep(3600)

    run_killed(lambda: run(TOWN, path, make_options(on_phase=kill_at(9, "boundary"))))
    with RunReader(path) as record:
        made = record.sum_calls().calls
    result = resume(path, make_options(limits=Limits(calls=made)))
    assert (result.status, result.tick) == ("budget_exhausted", 9)
    result = resume_town(path, endpoint=ScriptedEndpoint(delay=stop_twice), no_limit=True)
    assert result.status == "interrupted"
    assert 1 <= result.lost <= 2
    assert "lost in flight and counted as spent; stopped by a signal" in result.message
    with RunReader(path) as record:
        assert record.spending is not None
        assert record.spending.total.calls == made + result.lost


def go_on(path: Path, server: FaultServer, kill: tuple[int, str] | None, **how: Value) -> RunResult:
    """Begin or resume the run at a server, killed at that tick and phase."""
    own = {"on_phase": kill and kill_at(*kill), **how}
    options = make_options(OpenAIEndpoint(server.url, "k", "m"), **own)
    return resume(path, options) if path.exists() else run(TOWN, path, options)


def test_a_run_that_is_killed_again_and_again_sends_no_more_calls_than_allowed(path: Path) -> None:
    limits = Limits(calls=14)
    with FaultServer() as server:
        for tick in (0, 2, 4):
            run_killed(partial(go_on, path, server, (tick, "after-call"), limits=limits))
        result = go_on(path, server, None, limits=limits)
        assert server.calls <= 14
    assert (result.status, result.exit_code, result.lost) == ("budget_exhausted", 3, 3)
    assert "3 model calls were lost in flight and counted as spent" in result.message
    with RunReader(path) as record:
        assert record.spending is not None
        assert record.spending.total.calls == 14
        assert sum(call.attempts for call in record.calls()) + result.lost == 14
        assert any(line.startswith("Lost in flight: 3 model") for line in describe_run(record))


def test_attempts_that_failed_before_a_kill_stay_counted(path: Path) -> None:
    with FaultServer(dict.fromkeys(range(1, 99, 2), "503")) as server:
        for kill in ((3, "boundary"), (5, "mid-write"), (7, "boundary")):
            run_killed(partial(go_on, path, server, kill))
        with RunReader(path) as record:
            assert record.spending is not None
            assert record.spending.total.calls == server.calls
            assert record.spending.lost == 0


class Boaster(ScriptedEndpoint):
    async def complete(self, request: CompletionRequest) -> Completion:
        answer = await super().complete(request)
        return Completion(answer.text, "stop", 10**9, answer.completion_tokens)


def test_a_reply_that_claims_a_billion_tokens_is_counted_at_what_it_could_have_read(
    path: Path,
) -> None:
    price = Price(Decimal(1), Decimal(2))
    limits = Limits(tokens=10**6, dollars=Decimal(10))
    town = make_spec("tiny", 3, policy=ALL_ASK)
    result = run(town, path, make_options(Boaster(price=price), limits=limits))
    assert result.status == "finished"
    with RunReader(path) as record:
        assert record.spending is not None
        assert record.spending.clipped == 6
        assert record.spending.spent.tokens <= 10**6
        assert record.sum_calls().prompt_tokens <= 10**6
        told = "\n".join(describe_run(record))
    assert "Usage of 6 replies was above what could have been read and written" in told


class Billed(HashedSource):
    """Vectors that cost a call each, with a process that dies as the third is asked for."""

    stored = True

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def bill(self, budget: Budget) -> None:
        self.budget = budget

    async def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        most = Spend(1, 1000)
        await self.budget.admit(most)
        self.asked += 1
        if self.asked == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        self.budget.settle(most, Spend(1, 10))
        return np.asarray(await super().embed(texts))


def test_embeddings_in_flight_when_a_run_was_killed_are_counted(path: Path) -> None:
    town = make_spec("valentines_party", 30, people=FOUR, policy=PolicySpec(GATHERER))
    run_killed(lambda: run(town, path, make_options(source=Billed())))
    with RunReader(path) as record:
        assert record.spending is not None
        assert record.spending.spent == Spend(3, 1020)
        assert record.spending.lost == 1


def test_a_call_given_up_at_its_deadline_has_failed_and_is_not_lost() -> None:
    async def wait_for_ever(request: CompletionRequest) -> None:
        await asyncio.sleep(3600)

    endpoint = ScriptedEndpoint(delay=wait_for_ever)
    endpoint.attempt_deadline = 0.01
    client = client_of(endpoint, retry=RetryPolicy(call_deadline=0.01))
    assert ask(client).fallback
    assert (client.budget.spent.calls, client.budget.lost) == (1, 0)
    assert client.budget.spent.tokens > 0


def test_impossible_usage_is_not_billed() -> None:
    request = CompletionRequest((), None, max_tokens=100)
    most = upper_bound(request, Price(Decimal(1), Decimal(50)))
    within = Spend(1, most.tokens, Price(Decimal(1), Decimal(50)).cost(0, most.tokens))
    assert not within.fits_in(most)  # no more tokens, but dearer ones
    assert most.fits_in(most)
