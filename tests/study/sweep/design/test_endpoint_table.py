from decimal import Decimal
from pathlib import Path

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.open import ModelOptions
from genagents_env.llm.prices import Price
from genagents_env.study.sweep.design.experiment import apply_changes
from genagents_env.study.sweep.job import Job
from genagents_env.study.sweep.session import SweepOptions, SweepSession
from tests.study.sweep.small_sweeps import create_sweep, load, trials

TABLE = {"timeout": 200, "thinking": 500, "price_in": "0.10", "price_out": 1}
OPTIONS = ModelOptions(200, None, 500, None, Price(Decimal("0.10"), Decimal(1)))


def test_an_experiment_file_says_how_models_are_asked(tmp_path: Path) -> None:
    experiment = load(tmp_path, endpoint=TABLE)
    assert experiment.endpoint.make_options() == OPTIONS
    changed = apply_changes(experiment, {"deadline": 300.0, "thinking": 0})
    assert changed.endpoint.make_options() == ModelOptions(200, 300, 0, None, OPTIONS.price)


def test_workers_are_given_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[Job] = []

    def keep(due: list[Job], **_: object) -> list[str]:
        jobs.extend(due)
        return []

    monkeypatch.setattr("genagents_env.study.sweep.session.supervise", keep)
    SweepSession(create_sweep(tmp_path, endpoint=TABLE), SweepOptions(workers=1)).run()
    assert {job.options.model_options for job in jobs} == {OPTIONS}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"timeout": 60, "deadline": 30}, "endpoint: .*does not fit"),
        ({"price_in": "1"}, "endpoint: .*price-out is missing"),
        ({"reasoning_effort": "lots"}, "endpoint.reasoning_effort: "),
        ({"timeot": 1}, "endpoint.timeot: unknown key; did you mean"),
    ],
)
def test_contradictions_are_told_with_their_key(
    table: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=said):
        load(tmp_path, endpoint=table)


def test_only_how_hard_a_model_thinks_makes_another_run(tmp_path: Path) -> None:
    def identify(**endpoint: object) -> str:
        return trials(tmp_path, endpoint=endpoint)[0].identity

    usual = trials(tmp_path)[0].identity
    assert identify(**TABLE) == usual
    assert identify(reasoning_effort="low") != usual
