"""A recorded run and its judging ask the account, and a resume does not pay twice."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.errors import BudgetExceeded
from genagents_env.llm.account import Account
from genagents_env.llm.budget import Spend
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import Limits, judge_run
from genagents_env.sweep.design.experiment import Rate
from genagents_env.sweep.spending.line import Line
from genagents_env.sweep.spending.teller import Teller
from tests.run.asked import asked_run
from tests.run.towns import make_options, resume_town, run_town


class Purse(Account):
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
def teller(tmp_path: Path) -> Iterator[Teller]:
    with Teller(Limits(calls=9), Rate(), tmp_path / "spending.json") as teller:
        yield teller


def calls_in(path: Path) -> int:
    with RunReader(path) as record:
        return record.spent().calls


def test_a_run_pays_from_the_account_and_stops_where_it_is_empty(tmp_path: Path) -> None:
    path, whole = tmp_path / "run.sqlite", tmp_path / "whole.sqlite"
    run_town(whole)
    first, second = Purse(9), Purse()
    outcome = run_town(path, account=first)
    assert (outcome.status, outcome.exit_code) == ("budget_exhausted", 3)
    assert first.spent.calls == calls_in(path) == 9
    assert resume_town(path, account=second).status == "finished"
    assert canonical_hash(path) == canonical_hash(whole)
    assert first.spent.calls + second.spent.calls == calls_in(whole)


def test_a_judging_pays_from_the_account(tmp_path: Path) -> None:
    path, purse = tmp_path / "run.sqlite", Purse(7)
    asked_run(path)
    done = judge_run(path, make_options(account=purse))
    assert done.exit_code == 3
    assert purse.spent.calls == 7 == done.given + done.unusable


def test_a_run_over_the_line_is_what_it_is_without(teller: Teller, tmp_path: Path) -> None:
    path, whole = tmp_path / "run.sqlite", tmp_path / "whole.sqlite"
    run_town(whole)
    line = Line(teller.address, "t")
    outcome = run_town(path, account=line, watch=line.tell)
    line.close()
    assert (outcome.status, teller.exhausted) == ("budget_exhausted", "calls")
    assert "sweep's budget" in outcome.message
    assert teller.spent.calls == calls_in(path) == 9
    assert resume_town(path).status == "finished"
    assert canonical_hash(path) == canonical_hash(whole)
