"""Options and arguments that several commands share, each declared once."""

import json
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.completion import complete_scenario
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.record.rows import JSON
    from genagents_env.run import Limits

_LIMITS = "Limits"
_MODEL = "Model"
ENDPOINT = "How the model is asked"

ScenarioName = Annotated[
    str,
    typer.Argument(help="A name (see `scenarios`) or a folder.", autocompletion=complete_scenario),
]
MaxCalls = Annotated[
    int | None, typer.Option(min=0, help="Model calls, retries included.", rich_help_panel=_LIMITS)
]
MaxTokens = Annotated[
    int | None, typer.Option(min=0, help="Tokens read and written.", rich_help_panel=_LIMITS)
]
MaxDollars = Annotated[
    str | None,
    typer.Option(help="Dollars; the model's price must be known.", rich_help_panel=_LIMITS),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(min=0, help="Wall clock, earlier parts included.", rich_help_panel=_LIMITS),
]
NoLimit = Annotated[
    bool,
    typer.Option(
        "--no-limit",
        help="Lift the limits that the run file keeps; the file notes it.",
        rich_help_panel=_LIMITS,
    ),
]
MaxFallbacks = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Share of a run's model calls in whose place a default may stand, 0.2 where nothing "
        "is said. Above it the run is degraded: exit code 4, in no mean.",
        rich_help_panel=_LIMITS,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="A model of the endpoint in OPENAI_BASE_URL and OPENAI_API_KEY, or the path of a "
        ".gguf file. Without either: the small embedded model. `scripted:gossip`, "
        "`scripted:chatty`, `scripted:neighbour`, `scripted:mute` and `scripted:inventor` answer "
        "by rule, for trying things out: what they take for news is that of the shipped towns, not "
        "a rumour of your own.",
        rich_help_panel=_MODEL,
    ),
]
ModelFor = Annotated[
    list[str] | None,
    typer.Option(
        help='Another model for a person ("Klaus Mueller=gpt-4o") or a faculty (talk=gpt-4o: the '
        "purpose of a call up to its first dot); may be repeated. What follows the last = is the "
        "model.",
        rich_help_panel=_MODEL,
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        help="What tells minds which memories a thought is about: `local` (a small sentence "
        "model, the default), `hashed` (by letters; nothing to fetch) or `endpoint:NAME`.",
        rich_help_panel=_MODEL,
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=4096,
        help="Model calls under way at once, at most; without it as many as the endpoint keeps up "
        "with: 8 at first, 64 at most.",
        rich_help_panel=_MODEL,
    ),
]
Preflight = Annotated[
    bool,
    typer.Option(
        "--preflight/--no-preflight",
        help="Ask a model server one small question before anything is written; it counts "
        "against the limits.",
        rich_help_panel=ENDPOINT,
    ),
]
Judge = Annotated[
    bool,
    typer.Option(
        "--judge/--no-judge",
        help="Let the model judge the answers, where the scenario has checks of them.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Stop at the first error of a policy (exit code 4), instead of letting its people "
        "idle and going on.",
    ),
]
TrustPolicies = Annotated[
    bool,
    typer.Option(
        "--trust-policies",
        help="Run the code of policies that the run names by path, where it has not changed.",
    ),
]
GivenPolicies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="FILE.py:CLASS",
        help="A policy that the run names by path, named again: run also where it has changed "
        "since, which the run file notes; may be repeated.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the summary at the end.")]
NoProgress = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="As one JSON object.")]
ResultAsJson = Annotated[
    bool, typer.Option("--json", help="At the end one JSON object of what came of it, no words.")
]
JudgeName = Annotated[
    str | None, typer.Option("--by", help="The name the verdicts go by; else the model's.")
]
RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="The run file.")]


def make_limits(
    calls: int | None, tokens: int | None, dollars: str | None, seconds: float | None
) -> "Limits":
    """Return the limits that the options give."""
    from genagents_env.run import Limits

    return Limits(calls, tokens, None if dollars is None else _parse_dollars(dollars), seconds)


def _parse_dollars(text: str) -> Decimal:
    try:
        dollars = Decimal(text)
    except InvalidOperation:
        raise ConfigError(f"--max-dollars: {text!r} is not a number; write 0.50") from None
    if not dollars.is_finite() or dollars < 0:
        raise ConfigError(f"--max-dollars: {text} is not allowed; a number from 0 on is")
    return dollars


def parse_choices(options: list[str] | None) -> dict[str, str]:
    """Return options of the form NAME=VALUE by their names, in which `=` may stand, too."""
    pairs: dict[str, str] = {}
    for option in options or []:
        name, _, value = (part.strip() for part in option.rpartition("="))
        if not name or not value:
            raise ConfigError(f"{option!r}: expected NAME=VALUE")
        if name in pairs:
            raise ConfigError(f"{name!r} is given twice: {pairs[name]!r} and {value!r}")
        pairs[name] = value
    return pairs


def parse_people(options: list[str] | None) -> dict[str, str]:
    """Return options of the form NAMES=VALUE by person; commas separate several."""
    return {
        name: value
        for people, value in parse_choices(options).items()
        for name in parse_names(people) or ()
    }


def split_config(
    config: "dict[str, JSON]", policies: Iterable[str]
) -> "tuple[dict[str, JSON], dict[str, dict[str, JSON]]]":
    """Return what is for --policy, and what is for each of `policies`: its keys begin with it."""
    own = {
        name: {
            key.removeprefix(f"{name}."): value
            for key, value in config.items()
            if key.startswith(f"{name}.")
        }
        for name in dict.fromkeys(policies)
    }
    rest = {key: v for key, v in config.items() if not key.startswith(tuple(f"{n}." for n in own))}
    return rest, own


def parse_config(options: list[str] | None) -> "dict[str, JSON]":
    """Return options of a policy, KEY=VALUE each: a value that is JSON as JSON, else as text."""
    config: dict[str, JSON] = {}
    for option in options or []:
        key, _, value = (part.strip() for part in option.partition("="))
        if not key or not value:
            raise ConfigError(f"{option!r}: expected KEY=VALUE")
        config[key] = _parse_value(value)
    return config


def _parse_value(text: str) -> "JSON":
    try:
        value: JSON = json.loads(text, parse_constant=str)  # NaN is no JSON
    except (ValueError, RecursionError):
        return text
    return value


def parse_names(people: str | None) -> list[str] | None:
    """Return the names in a text that commas separate; None where none is given."""
    if people is None:
        return None
    return [name for name in (part.strip() for part in people.split(",")) if name]
