from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import ScriptedEndpoint, always_invalid
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, run
from genagents_env.run.policies import load_policy
from genagents_env.show.faculty_costs import compute_faculty_costs
from genagents_env.show.summary import describe_run, run_as_json
from tests.run.towns import FOUR, WITNESS, Killed, make_options, make_spec, stop_at

PRICE = Price(Decimal(1), Decimal(2))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return half an hour of five people, of whom four ask a model."""
    path = tmp_path_factory.mktemp("cost") / "run.sqlite"
    town = make_spec(
        "valentines_party",
        180,
        people=(*FOUR, "Sam Moore"),
        policy=PolicySpec(WITNESS),
        policy_for={"Sam Moore": "scripted"},
    )
    run(town, path, make_options(ScriptedEndpoint(price=PRICE)))
    return path


def test_faculties_add_up_to_all_and_rates_are_per_agent_and_game_hour(path: Path) -> None:
    with RunReader(path) as record:
        *faculties, whole = compute_faculty_costs(record)
        spent = record.sum_calls()
        calls = list(record.calls())
    assert [cost.faculty for cost in faculties] == ["interview", "ponder", "wish"]
    assert (whole.faculty, whole.agents) == ("all", 4)
    assert (whole.calls, whole.prompt_tokens) == (spent.calls, spent.prompt_tokens)
    assert whole.completion_tokens == spent.completion_tokens
    assert (
        whole.dollars == spent.dollars == PRICE.cost(spent.prompt_tokens, whole.completion_tokens)
    )
    assert whole.seconds == pytest.approx(sum(call.latency_seconds for call in calls))
    for name in ("calls", "prompt_tokens", "completion_tokens", "fallbacks", "tokens"):
        assert sum(getattr(cost, name) for cost in faculties) == getattr(whole, name)
    assert sum(cost.dollars or 0 for cost in faculties) == whole.dollars
    for cost in (*faculties, whole):
        assert cost.rate is not None
        assert cost.rate.calls == pytest.approx(cost.calls / (4 * 0.5))
        assert cost.rate.tokens == pytest.approx(cost.tokens / 2)
        assert cost.rate.dollars == pytest.approx(float(cost.dollars or 0) / 2)
        assert cost.rate.seconds == pytest.approx(cost.seconds / 2)


def test_unknown_prices_and_fallbacks_are_said(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    run(make_spec(ticks=3), path, make_options(ScriptedEndpoint(always_invalid, price=None)))
    with RunReader(path) as record:
        *_, whole = compute_faculty_costs(record)
        assert any(line.startswith("    all") and " ? " in line for line in describe_run(record))
    assert whole.dollars is None
    assert whole.rate is not None
    assert whole.rate.dollars is None
    assert whole.fallbacks == whole.calls > 0


def test_before_any_time_has_passed_there_are_no_rates(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    town = make_spec("valentines_party", 3, people=FOUR, policy=PolicySpec(WITNESS))
    with pytest.raises(Killed):
        run(town, path, make_options(on_phase=stop_at(0, "interviewed")))
    with RunReader(path) as record:
        assert [cost.rate for cost in compute_faculty_costs(record)] == [None, None]
        assert any(line.startswith("    all") and " - " in line for line in describe_run(record))


@pytest.mark.parametrize("policy", ["smallville", "lyfe"])
def test_a_faculty_that_is_on_and_never_ran_is_told(tmp_path: Path, policy: str) -> None:
    path = tmp_path / "run.sqlite"
    off = {"smallville": "no_reflection", "lyfe": "no_summarize_and_forget"}[policy]
    mind = PolicySpec(policy, {"variant": off})
    town = make_spec(ticks=3, policy=mind, start="08:00")
    run(town, path, make_options(embedder="hashed", interviews=False))
    with RunReader(path) as record:
        uses = {one.switch: one for one in record.list_faculty_uses()}
        (told,) = [line for line in describe_run(record) if "never ran" in line]
        told_uses = run_as_json(record)["faculty_uses"]
    idle = [switch for switch, use in uses.items() if use.on and not use.calls]
    assert told.partition(": ")[2] == ", ".join(idle)
    assert [switch for switch, use in uses.items() if not use.on] == [
        {"smallville": "reflection", "lyfe": "saf_memory"}[policy]
    ]
    assert len(uses) == {"smallville": 6, "lyfe": 2}[policy]
    assert {use.faculty for use in uses.values()} <= set(load_policy(policy).faculties)
    assert {one["switch"] for one in told_uses} == set(uses)
