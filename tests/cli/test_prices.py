from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.testing.fault_server import FaultServer
from tests.cli.conftest import Run

PRICE = ("--price-in", "2.50", "--price-out", "10")
RUN = ("run", "tiny", "--policy", "reactive", "--model", "town-model", "--quiet")


@pytest.fixture(autouse=True)
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the fault server cost something: a server on this machine is free."""
    monkeypatch.setattr("genagents_env.llm.endpoint.LOOPBACK", ())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-priced")


def test_a_price_that_is_given_counts_in_budget_summary_and_file(
    genagents: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert genagents(*RUN, "--max-dollars", "1")[0] == 2  # whose price is not known
        code, out, _ = genagents(*RUN, "--max-dollars", "1", *PRICE)
        assert (code, "$0.000" in out) == (0, True)
        with RunReader(tmp_path / "run.sqlite") as run:
            assert run.meta.price == ("2.50", "10")
            totals = run.sum_calls()
        assert totals.dollars == 9 * Decimal("0.000075")
        code, _, err = genagents(*RUN, "--out", "less.sqlite", "--max-dollars", "0.001", *PRICE)
        assert code == 3
        assert "dollars" in err
        code, _, _ = genagents("resume", "less.sqlite", "--quiet")  # at the price it was begun with
        assert code == 0
    with RunReader(tmp_path / "less.sqlite") as run:
        assert run.meta.price == ("2.50", "10")


@pytest.mark.parametrize("given", [PRICE[:2], PRICE[2:], ("--price-in", "1_0", "--price-out", "1")])
def test_half_a_price_is_no_price(genagents: Run, given: tuple[str, ...], tmp_path: Path) -> None:
    code, _, err = genagents(*RUN, *given)
    assert (code, "--price-" in err) == (2, True)
    assert list(tmp_path.iterdir()) == []
