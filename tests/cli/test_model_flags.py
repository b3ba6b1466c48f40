"""The flags of how a model is asked: one parameter of a command, one flag for each field."""

from dataclasses import fields
from decimal import Decimal

import typer
from typer.testing import CliRunner

from genagents_env.cli.model_flags import NO_FLAGS, ModelFlags, take_model_flags
from genagents_env.llm.prices import Price


def invoke(*arguments: str) -> tuple[int, list[tuple[str, ModelFlags, bool]]]:
    """Return the exit code of a command with these flags, and what it got."""
    got: list[tuple[str, ModelFlags, bool]] = []
    app = typer.Typer()

    @app.command()
    @take_model_flags
    def ask(name: str, model_flags: ModelFlags = NO_FLAGS, quiet: bool = False) -> None:
        got.append((name, model_flags, quiet))

    return CliRunner().invoke(app, list(arguments)).exit_code, got


def test_each_field_is_a_flag_among_the_others_of_its_command() -> None:
    given = ("--timeout", "5", "--quiet", "--reasoning-effort", "low", "--price-in", "1")
    flags = ModelFlags(timeout=5.0, reasoning_effort="low", price_in="1")
    assert invoke("who", *given) == (0, [("who", flags, True)])
    assert invoke("who") == (0, [("who", NO_FLAGS, False)])


def test_what_is_no_flag_or_of_a_wrong_type_is_refused() -> None:
    assert invoke("who", "--timeout", "soon") == (2, [])
    assert invoke("who", "--model-flags", "5") == (2, [])


def test_no_field_is_left_out_of_the_options() -> None:
    flags = ModelFlags(5.0, 9.0, 7, "low", "1", "2")
    assert all(getattr(flags, one.name) is not None for one in fields(flags))
    made = flags.make_options()
    assert (made.timeout, made.deadline, made.thinking) == (5.0, 9.0, 7)
    assert Price(Decimal(1), Decimal(2)) in [getattr(made, one.name) for one in fields(made)]
    assert "low" in [getattr(made, one.name) for one in fields(made)]
