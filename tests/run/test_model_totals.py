"""What each model of a run was asked and cost, also where another took over as it was resumed."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader
from genagents_env.run import resume
from genagents_env.show.summary import describe_run, run_as_json
from genagents_env.study.evaluate.rates import compute_rates
from tests.run.towns import make_options, run_town

DEAR, CHEAP = Price(Decimal(10), Decimal(20)), Price(Decimal(1), Decimal(1))
HOUR = 10 / 360


@pytest.fixture
def spent(tmp_path: Path) -> Path:
    """Return a finished run of ten ticks by a dear model."""
    path = tmp_path / "run.sqlite"
    dear = ScriptedEndpoint(model="dear", price=DEAR)
    assert run_town(path, 10, endpoint=dear).status == "finished"
    return path


def test_what_a_model_cost_stays_when_another_takes_over(spent: Path) -> None:
    with RunReader(spent) as run:
        (before,) = run.sum_models()
    cheap = make_options(ScriptedEndpoint(model="cheap", price=CHEAP), model="cheap")
    assert resume(spent, cheap, hours=HOUR).status == "finished"
    with RunReader(spent) as run:
        dear, other = run.sum_models()
        lines, told = "\n".join(describe_run(run)), run_as_json(run)
        whole, rates = run.sum_calls(), compute_rates(run)
    assert before.dollars
    assert replace(dear, last=before.last) == before
    assert other.dollars == CHEAP.cost(other.prompt_tokens, other.completion_tokens)
    assert rates.model == "dear and cheap"
    assert whole.dollars == before.dollars + other.dollars
    assert f"Model dear: {dear.calls} calls in ticks" in lines
    assert f"Model cheap: {other.calls} calls in ticks" in lines
    assert [one["model"] for one in told["models"]] == ["dear", "cheap"]


def test_a_model_is_charged_at_one_price_to_the_end_of_a_run(spent: Path) -> None:
    options = make_options(ScriptedEndpoint(model="dear", price=CHEAP))
    how = replace(options.model_options, price=CHEAP)
    with pytest.raises(ConfigError, match="charged at another price, to its end"):
        resume(spent, replace(options, model_options=how), hours=HOUR)
