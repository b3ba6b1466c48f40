"""A recorded run and its judging ask the shared budget, and a resume does not pay twice."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.errors import BudgetExceeded
from genagents_env.judge import judge_run
from genagents_env.llm.budget import SharedBudget, Spend
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import Limits
from genagents_env.sweep.design.experiment import RateLimit
from genagents_env.sweep.spending.client import BudgetClient
from genagents_env.sweep.spending.server import BudgetServer
from tests.run.asked import write_run
from tests.run.towns import make_options, resume_town, run_town


class CallBudget(SharedBudget):
    """Holds that many calls, and what became of them."""

    def __init__(self, calls: int | None = None) -> None:
        self.calls = calls
        self.admitted = 0
        self.spent = Spend()

    async def admit(self, most: Spend) -> None:
        await asyncio.sleep(0)
        if self.calls is not None and self.admitted >= self.calls:
            raise BudgetExceeded("calls", self.calls, self.admitted + 1)
        self.admitted += 1

    def settle(self, most: Spend, used: Spend) -> None:
        self.spent += used


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BudgetServer]:
    with BudgetServer(Limits(calls=9), RateLimit(), tmp_path / "spending.json") as server:
        yield server


def calls_in(path: Path) -> int:
    with RunReader(path) as record:
        return record.sum_calls().calls


def test_a_run_pays_from_the_shared_budget_and_stops_where_it_is_empty(tmp_path: Path) -> None:
    path, whole = tmp_path / "run.sqlite", tmp_path / "whole.sqlite"
    run_town(whole)
    first, second = CallBudget(9), CallBudget()
    outcome = run_town(path, shared_budget=first)
    assert (outcome.status, outcome.exit_code) == ("budget_exhausted", 3)
    assert first.spent.calls == calls_in(path) == 9
    assert resume_town(path, shared_budget=second).status == "finished"
    assert canonical_hash(path) == canonical_hash(whole)
    assert first.spent.calls + second.spent.calls == calls_in(whole)


def test_a_judging_pays_from_the_shared_budget(tmp_path: Path) -> None:
    path, shared = tmp_path / "run.sqlite", CallBudget(7)
    write_run(path)
    done = judge_run(path, make_options(shared_budget=shared))
    assert done.exit_code == 3
    assert shared.spent.calls == 7 == done.given + done.unusable


def test_a_run_with_a_budget_client_is_what_it_is_without(
    server: BudgetServer, tmp_path: Path
) -> None:
    path, whole = tmp_path / "run.sqlite", tmp_path / "whole.sqlite"
    run_town(whole)
    client = BudgetClient(server.address, "t")
    outcome = run_town(path, shared_budget=client, watch=client.report)
    client.close()
    assert (outcome.status, server.exhausted) == ("budget_exhausted", "calls")
    assert "sweep's budget" in outcome.message
    assert server.spent.calls == calls_in(path) == 9
    assert resume_town(path).status == "finished"
    assert canonical_hash(path) == canonical_hash(whole)
