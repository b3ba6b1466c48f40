from decimal import Decimal

import pytest

from genagents_env.errors import ConfigError
from genagents_env.llm.open import ModelOptions, open_endpoint, parse_price
from genagents_env.llm.prices import Price


@pytest.mark.parametrize(
    ("options", "model", "timeout", "deadline"),
    [
        (ModelOptions(), "gpt-4o", 30.0, 90.0),
        (ModelOptions(), "o3", 120.0, 360.0),
        (ModelOptions(timeout=200), "gpt-4o", 200.0, 600.0),
        (ModelOptions(timeout=10), "gpt-4o", 10.0, 90.0),
        (ModelOptions(deadline=20), "o3", 20.0, 20.0),
        (ModelOptions(deadline=500), "gpt-4o", 30.0, 500.0),
    ],
)
def test_a_longer_timeout_lifts_the_deadline_that_is_not_given(
    options: ModelOptions, model: str, timeout: float, deadline: float
) -> None:
    assert options.find_timeout(model) == timeout
    assert options.make_retry(model).call_deadline == deadline


def test_a_timeout_above_its_deadline_is_refused() -> None:
    with pytest.raises(ConfigError, match="does not fit into a deadline of 60 s"):
        ModelOptions(timeout=61, deadline=60)


@pytest.mark.parametrize(
    "options",
    [
        *({"timeout": 0}, {"timeout": float("nan")}, {"deadline": -1}, {"deadline": 1e9}),
        *({"thinking": -1}, {"thinking": 10**9}, {"reasoning_effort": "lots"}),
    ],
)
def test_values_out_of_range_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        ModelOptions(**options)  # type: ignore[arg-type]


def test_a_server_of_ones_own_is_waited_for_as_long_as_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert open_endpoint("slow", ModelOptions(timeout=600)).attempt_deadline == 600


def test_a_price_is_two_plain_numbers() -> None:
    assert parse_price("0.15", "0") == Price(Decimal("0.15"), Decimal(0))
    assert parse_price(None, None) is None
    with pytest.raises(ConfigError, match="price_out is missing"):
        parse_price("1", None)


@pytest.mark.parametrize("text", ["-1", "1_0", "nan", "1e3", "", " 1", "٣", "1,5", "inf", "0x1"])
def test_a_price_in_other_words_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="price_in"):
        parse_price(text, "1")
