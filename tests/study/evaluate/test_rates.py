from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks.published_costs import list_published_costs
from genagents_env.errors import ConfigError
from genagents_env.record import RunReader
from genagents_env.study.evaluate.labels import format_policies
from genagents_env.study.evaluate.rates import Rates, compute_rates, find_tariff
from genagents_env.study.evaluate.results import as_json
from tests.study.report.planted import (
    ADA,
    BEN,
    LYFE,
    cake,
    make_join,
    make_leave,
    make_utterance,
    meta,
    plant,
)


def compute_file_rates(path: Path, model: str | None = None) -> Rates:
    with RunReader(path) as run:
        return compute_rates(run, None if model is None else find_tariff(model))


def test_calls_are_told_apart_by_where_their_agent_was(tmp_path: Path) -> None:
    """Ten minutes, in a conversation for one: Ada's call opens it, Ben's after it is outside."""
    found = compute_file_rates(cake(tmp_path / "run.sqlite"))
    assert (found.calls, found.outside_calls) == (4, 1)
    assert found.prompt_tokens == 400
    assert found.completion_tokens == 40
    assert found.dollars == Decimal(480) / 1_000_000
    assert found.agent_hours == pytest.approx(2 * 600 / 3600)
    assert found.outside_hours == pytest.approx(2 * 540 / 3600)
    assert found.calls_per_hour == pytest.approx(12)
    assert found.calls_per_outside_hour == pytest.approx(1 / 0.3)
    assert found.tokens_per_hour == pytest.approx(1320)
    assert (found.agents, found.utterances) == (2, 2)
    assert found.calls_per_utterance == 2
    assert found.tokens_per_utterance == 220
    assert found.dollars_per_utterance == pytest.approx(0.00024)
    assert found.dollars_per_human_hour == pytest.approx(0.00048 / (1 / 3) * 10)


def test_the_user_may_choose_the_price(tmp_path: Path) -> None:
    path = cake(tmp_path / "run.sqlite", price=None)
    assert compute_file_rates(path).dollars is None
    assert compute_file_rates(path).dollars_per_human_hour is None
    found = compute_file_rates(path, "gpt-3.5-turbo")
    assert found.priced_as == "gpt-3.5-turbo"
    assert found.dollars == (400 * Decimal("0.5") + 40 * Decimal("1.5")) / 1_000_000
    assert found.dollars_per_human_hour == pytest.approx(0.00026 * 3 * 10)
    with pytest.raises(ConfigError, match=r"no list price for 'gpt-9' in genai-prices"):
        find_tariff("gpt-9")


def test_sleep_counts_as_game_time_and_not_as_time_awake(tmp_path: Path) -> None:
    path = plant(
        tmp_path / "run.sqlite",
        60,
        ((15, "sleep", ADA, {"cause": "action"}), (45, "wake", ADA, {"cause": "hour"})),
        [(ADA, 1, "plan.day", 10, 1)],
    )
    found = compute_file_rates(path)
    assert found.agents == 1  # Ben never asked
    assert found.agent_hours == pytest.approx(1 / 6)
    assert found.waking_hours == pytest.approx(1 / 12)
    assert found.calls_per_waking_hour == pytest.approx(12)
    assert found.outside_hours == found.waking_hours


def test_a_run_without_calls_has_no_rates(tmp_path: Path) -> None:
    found = compute_file_rates(
        plant(tmp_path / "run.sqlite", 9, [make_utterance(1, ADA, conversation=None)], model=None)
    )
    assert (found.agents, found.utterances, found.calls) == (0, 0, 0)
    assert found.calls_per_hour is None
    assert found.calls_per_utterance is None
    assert as_json(found)["dollars"] == "0"


def test_of_an_unfinished_run_an_open_conversation_counts(tmp_path: Path) -> None:
    path = plant(
        tmp_path / "run.sqlite",
        20,
        (make_join(5, ADA), make_join(5, BEN), make_leave(10, BEN)),
        [(ADA, 20, "talk.speak", 1, 1), (ADA, 21, "talk.speak", 1, 1), (BEN, 10, "x", 1, 1)],
        status="paused",
    )
    found = compute_file_rates(path)
    assert (found.calls, found.outside_calls) == (3, 0)  # Ben's within a minute after it
    assert found.outside_hours == pytest.approx((5 + 15) / 360)


def test_published_figures_follow_the_speed_where_they_are_per_game_hour() -> None:
    smallville, park, lyfe = list_published_costs()
    assert smallville.calls_per_waking_hour == pytest.approx(75, abs=1)
    assert smallville.calls_outside_per_hour == pytest.approx(70, abs=1)
    assert (park.dollars_per_hour, park.dollars_per_human_hour) == (2.5, 25)
    assert lyfe.dollars_per_human_hour == 0.5
    _, park, lyfe = list_published_costs(2)
    assert (park.dollars_per_human_hour, lyfe.dollars_per_human_hour) == (5, 0.5)


def test_labels_name_the_options_and_count_mixed_policies() -> None:
    own = {"name": "/home/me/own.py", "config": {"b": "x", "a": {"k": 1}}}
    assert format_policies(meta({ADA: own})) == 'own.py a={"k":1} b=x'
    assert format_policies(meta()) == "lyfe option_action=false"
    mixed = meta({ADA: LYFE, BEN: {"name": "idle", "config": {}}})
    assert format_policies(mixed) == "1 idle, 1 lyfe option_action=false"
