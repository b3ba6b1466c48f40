"""Options that several commands share."""

from decimal import Decimal

import pytest

from genagents_env.cli.app import COMMANDS
from genagents_env.cli.options import (
    make_options,
    parse_endpoint,
    split_config,
)
from genagents_env.errors import ConfigError
from genagents_env.llm.prices import Price
from tests.cli.conftest import Run
from tests.cli.conftest import genagents as genagents


def test_endpoint_takes_the_keys_of_an_experiment_file() -> None:
    given = ["timeout=5", "deadline=9", "thinking=7", "reasoning_effort=low"]
    made = make_options(endpoint=[*given, "price_in=1", "price_out=2"]).model_options
    assert (made.timeout, made.deadline, made.thinking) == (5.0, 9.0, 7)
    assert made.reasoning_effort == "low"
    assert made.price == Price(Decimal(1), Decimal(2))
    assert parse_endpoint(["thinking=7", "price_in=1"]) == {"thinking": 7, "price_in": "1"}


def test_limits_go_where_a_run_looks_for_them() -> None:
    given = ["calls=5", "dollars=0.50", "seconds=1.5", "fallbacks=0.3", "none"]
    made = make_options(limit=given, endpoint=["concurrency=3"])
    assert (made.limits.calls, made.limits.tokens, made.limits.seconds) == (5, None, 1.5)
    assert made.limits.dollars == Decimal("0.50")
    assert (made.max_fallbacks, made.no_limit, made.concurrency) == (0.3, True, 3)
    assert not make_options(limit=["calls=5"]).no_limit


def test_a_model_is_for_everyone_or_for_whom_it_names() -> None:
    made = make_options(models=["talk=b", "a"])
    assert (made.model, made.model_for) == ("a", {"talk": "b"})
    with pytest.raises(ConfigError, match="'a' and 'b': for whom is one"):
        make_options(models=["a", "b"])


def test_options_of_a_policy_are_found_by_its_name_its_path_and_its_class() -> None:
    given = {"x": 1, "lyfe.y": 2, "a/bad.py:Opt.z": 3, "Opt.u": 4}
    rest, own = split_config(given, ("lyfe", "a/bad.py:Opt"))
    assert (rest, own) == ({"x": 1}, {"lyfe": {"y": 2}, "a/bad.py:Opt": {"z": 3, "u": 4}})
    with pytest.raises(
        ConfigError, match=r"opt\.z: 'opt' decides for nobody.*there is lyfe, a/bad"
    ):
        split_config({"opt.z": 1}, ("lyfe", "a/bad.py:Opt"))


def test_quiet_is_taken_before_and_after_a_command(genagents: Run) -> None:
    for words in (("-q", "run", "tiny"), ("run", "tiny", "--quiet")):
        code, out, err = genagents(*words, "--hours", "0.02", "--force")
        assert (code, err) == (0, "")
        assert out.startswith("tiny, ")
    code, out, err = genagents("run", "tiny", "--hours", "0.02", "--force")
    assert out.startswith("Monday 13 February")


def test_every_command_of_the_table_is_there(genagents: Run) -> None:
    for name in (row[0] for rows in COMMANDS.values() for row in rows):
        code, out, _ = genagents(name, "--help")
        assert (code, f"genagents {name}" in out) == (0, True)
