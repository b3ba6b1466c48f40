import sqlite3
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from genagents_env.llm.budget import Spend
from genagents_env.llm.prices import Price
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, RunWriter
from genagents_env.record.spending import JUDGED, LaterSpending, Spending
from genagents_env.run import RunOptions, run
from genagents_env.study.judge import judge_finished_run
from genagents_env.study.sweep.estimate import (
    choose_pilots,
    forecast_conditions,
    read_cost,
)
from genagents_env.study.sweep.folder import SweepFolder
from tests.scripted import neighbour
from tests.study.sweep.small_sweeps import create_sweep, run_in

MINDS: dict[str, object] = {
    "seeds": 3,
    "model": "scripted:neighbour",
    "embedder": "hashed",
    "arms": [{"name": "idle", "policy": "idle"}, {"name": "mind", "policy": "smallville"}],
}


def test_pilots_are_the_first_seeds_of_each_condition(tmp_path: Path) -> None:
    sweep = create_sweep(tmp_path, seeds=[4, 1, 2])
    assert [(one.seed, one.condition.name) for one in choose_pilots(sweep)] == [
        (4, "scripted"),
        (4, "nobody moves"),
    ]


def test_a_forecast_is_for_all_trials_from_the_mean_of_the_finished(tmp_path: Path) -> None:
    sweep = create_sweep(tmp_path, **MINDS)
    minds = [trial for trial in sweep.trials if trial.condition.name == "mind"]
    costs = [read_cost(run_in(sweep, trial))[0].total for trial in minds[:2]]
    assert costs[0].calls > 0
    idle, mind = forecast_conditions(sweep)
    assert (idle.trials, idle.due, idle.pilots, idle.calls) == (3, 3, 0, None)
    assert (mind.trials, mind.due, mind.pilots) == (3, 1, 2)
    assert mind.calls == sum(cost.calls for cost in costs) * 3 / 2
    assert mind.tokens == sum(cost.tokens for cost in costs) * 3 / 2
    assert mind.dollars == 0
    assert mind.hours


def test_what_stopped_or_is_damaged_inside_is_no_pilot(tmp_path: Path) -> None:
    sweep = create_sweep(tmp_path, seeds=1)
    path = run_in(sweep, sweep.trials[0])
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE calls")
    connection.close()
    first, _ = forecast_conditions(sweep)
    assert (first.due, first.pilots, first.calls) == (1, 0, None)


def _run_priced(sweep: SweepFolder, price: Price | None) -> Path:
    trial, cell = sweep.trials[-1], sweep.cells[-1]
    spec = replace(cell.spec, seed=trial.seed)
    endpoint = ScriptedEndpoint(neighbour, "dear")
    endpoint.price = price
    path = sweep.run_file(trial)
    engine = RunOptions(endpoint=endpoint, embedder="hashed")
    judge_finished_run(run(spec, path, engine), engine)
    return path


def test_dollars_are_unknown_where_the_price_is(tmp_path: Path) -> None:
    sweep = create_sweep(tmp_path, **MINDS)
    assert not read_cost(_run_priced(sweep, None))[1]
    _, mind = forecast_conditions(sweep)
    assert mind.calls
    assert mind.dollars is None


def test_what_was_spent_on_judging_a_run_counts_as_its_own(tmp_path: Path) -> None:
    path = _run_priced(create_sweep(tmp_path, **MINDS), Price(Decimal(2), Decimal(10)))
    before, known = read_cost(path)
    with RunReader(path) as record:
        spent = record.sum_calls()
    wanted = (spent.prompt_tokens * 2 + spent.completion_tokens * 10) / Decimal(1_000_000)
    assert known
    assert before.total.dollars == wanted
    judging = Spending(Spend(1, 35, Decimal("0.5")))
    with RunWriter.open(path) as writer:
        writer.note(JUDGED, LaterSpending(judging).encode())
    assert read_cost(path)[0].total == before.total + judging.total
