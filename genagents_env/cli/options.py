"""Options and arguments that several commands share, each declared once, and their parsing."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genagents_env.cli.screen import reserve_stdout
from genagents_env.errors import ConfigError

if TYPE_CHECKING:
    from genagents_env.llm.open import ModelOptions
    from genagents_env.record.rows import JSON
    from genagents_env.run import RunOptions

_MODEL = "Model"
_LIVE = "The town while it runs"
# Keys of --endpoint, by the kind of their values.
_ENDPOINT = {
    "timeout": float,
    "deadline": float,
    "thinking": int,
    "reasoning_effort": str,
    "price_in": str,
    "price_out": str,
    "concurrency": int,
}
# Keys of --limit: the kind of their values, and what they mean.
_LIMITS: dict[str, tuple[Callable[[str], Any], str]] = {
    "calls": (int, "model calls, retries included"),
    "tokens": (int, "tokens read and written"),
    "dollars": (Decimal, "such as 0.50; the model's price must be known"),
    "seconds": (float, "of wall clock, from the start of the run"),
    "fallbacks": (float, "share of calls that may end in a default, else it is degraded (0.2)"),
}
_MOST_AT_ONCE = 4096
_SWITCHES = {"true": True, "false": False}  # in any case; one switch is one identity of a run
LIFT = "none"  # in place of KEY=VALUE
UNCHANGED = "unchanged"  # in place of a policy file
SPEND_LIMITS = ("calls", "tokens", "dollars")
SWEEP_LIMITS = ("tokens", "dollars", "fallbacks")
RUN_LIMITS = (*SPEND_LIMITS, "seconds", "fallbacks")


ScenarioName = Annotated[str, typer.Argument(help="A name (see `list scenarios`) or a folder.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing run file.")]
At = Annotated[str | None, typer.Option(help="Town time: 10:30; else the end of the run.")]
Start = Annotated[
    str | None,
    typer.Option(help="Town time: 08:00, or 2023-02-13T08:00. The end stays without --hours."),
]
People = Annotated[
    str | None,
    typer.Option(
        help="Names, separated by commas, or a cast of the scenario, such as 3; else everyone."
    ),
]
Place = Annotated[str | None, typer.Option(help='Start everyone at this place: "Hobbs Cafe".')]


def _declare_limit(what: str, *keys: str) -> Any:
    """Return the option --limit of a command that knows `keys` (see `_LIMITS`), of `what`."""
    words = " ".join(f"`{key}`: {_LIMITS[key][1]}." for key in keys if key != LIFT)
    lift = f" `{LIFT}` lifts those stored in the run file." if LIFT in keys else ""
    told = f"A limit of {what}; may be repeated. {words}{lift}"
    return typer.Option(metavar="KEY=VALUE", help=told, rich_help_panel="Limits")


Limit = Annotated[list[str] | None, _declare_limit("the run", *RUN_LIMITS)]
ResumeLimit = Annotated[list[str] | None, _declare_limit("the run", *RUN_LIMITS, LIFT)]
SpendLimit = Annotated[list[str] | None, _declare_limit("this command", *SPEND_LIMITS, LIFT)]
TotalLimit = Annotated[list[str] | None, _declare_limit("all runs together", *SPEND_LIMITS)]
SweepLimit = Annotated[list[str] | None, _declare_limit("all runs together", *SWEEP_LIMITS)]
_MODELS = (
    "A model of the endpoint in OPENAI_BASE_URL and OPENAI_API_KEY, or the path of a .gguf file; "
    "else the small embedded model. `scripted:neighbour` answers by rule, without a network."
)
Model = Annotated[str | None, typer.Option(help=_MODELS, rich_help_panel=_MODEL)]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="[FOR=]MODEL",
        help=f"{_MODELS} With a name before it, the model of a person "
        '("Klaus Mueller=gpt-4o") or of a faculty (talk=gpt-4o: the purpose of a call up to its '
        "first dot); may be repeated.",
        rich_help_panel=_MODEL,
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        help="The embedder that finds memories by meaning: `local`, `hashed` or `endpoint:NAME`.",
        rich_help_panel=_MODEL,
    ),
]
Endpoint = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="An option of model calls; may be repeated. `timeout`: seconds of one attempt "
        "(30; 120 for models known to reason). `deadline`: seconds of a call with all its attempts "
        "(90, or three timeouts). `thinking`: tokens beside each reply (4096 for models known to "
        "reason, else 0). `reasoning_effort`: none, minimal, low, medium, high or xhigh. "
        "`price_in`, `price_out`: dollars per million tokens, in place of the list price. "
        "`concurrency`: most calls at once; else as many as the endpoint answers, up to 64.",
        rich_help_panel=_MODEL,
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first error of a policy (exit code 4).")
]
Trust = Annotated[
    list[str] | None,
    typer.Option(
        metavar=f"{UNCHANGED}|FILE.py:CLASS",
        help=f"Execute policy files that the run names: `{UNCHANGED}` for all that are as they "
        "were recorded, FILE.py:CLASS for one that has changed since; may be repeated.",
    ),
]
Interviews = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=20,
        metavar="N",
        help="Ask the scenario's questions so many times before and after the run, each time from "
        "the same state of mind; 0 asks nobody. Else as the scenario says, and nobody with --live.",
    ),
]


def _reserve_stdout(context: typer.Context, wanted: bool) -> bool:
    """Leave stdout to the JSON that is asked for: what a policy prints goes to stderr."""
    if wanted:
        context.with_resource(reserve_stdout())
    return wanted


AsJson = Annotated[
    bool, typer.Option("--json", callback=_reserve_stdout, help="Print one JSON object.")
]
ResultAsJson = Annotated[
    bool, typer.Option("--json", callback=_reserve_stdout, help="Print one JSON object at the end.")
]
JudgeName = Annotated[
    str | None,
    typer.Option("--by", help="Name of who filled the sheet in; of a model in place of its own."),
]
LOOPBACK = "127.0.0.1"
Live = Annotated[
    bool,
    typer.Option(
        "--live",
        help="Watch and steer the run in the browser; without interviews unless asked for.",
        rich_help_panel=_LIVE,
    ),
]
Host = Annotated[
    str,
    typer.Option(
        help="Address on which the page of --live listens; 0.0.0.0 lets a phone in.",
        rich_help_panel=_LIVE,
    ),
]
TurnSeconds = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Wait so long for the people of the policy human, then they idle; by default until "
        "they act, or leave their page while others play.",
        rich_help_panel=_LIVE,
    ),
]
RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="The run file.")]


def refuse_without(options: Mapping[str, object], needed: str, given: object) -> None:
    """Raise ConfigError where one of `options` is given, and what it needs is not.

    Args:
        options: by their names; None or False where not given.
        needed: in words.
        given: whether it is there.
    """
    for name, value in options.items():
        if value is not None and value is not False and not given:
            raise ConfigError(f"{name} needs {needed}")


def make_options(
    *,
    model: str | None = None,
    models: list[str] | None = None,
    endpoint: list[str] | None = None,
    trust: list[str] | None = None,
    limit: list[str] | None = None,
    limits: Sequence[str] = (*RUN_LIMITS, LIFT),
    **options: Any,
) -> "RunOptions":
    """Return the options of a run from those of a command.

    Args:
        model: of a command that knows one alone.
        models: as --model has them where some may be for a person or a faculty.
        endpoint: as --endpoint has it.
        trust: as --trust has it.
        limit: as --limit has it.
        limits: the keys of --limit that the command knows.
        options: further ones, passed on as they are.

    Raises:
        ConfigError: a key or a value is not allowed.
    """
    from genagents_env.run import Limits, RunOptions

    common, model_for = split_common("--model", models)
    most = parse_limits(limit, limits)
    calls = parse_endpoint(endpoint)
    return RunOptions(
        model=model or common,
        model_for=parse_choices(model_for) or None,
        concurrency=calls.pop("concurrency", None),
        model_options=_make_model_options(calls),
        no_limit=most.pop(LIFT, False),
        max_fallbacks=most.pop("fallbacks", None),
        limits=Limits(**most),
        **parse_trust(trust),
        **options,
    )


def parse_trust(options: list[str] | None) -> dict[str, Any]:
    """Return what --trust allows, as `RunOptions` has it."""
    files = tuple(option for option in options or () if option != UNCHANGED)
    return {"trust_policies": UNCHANGED in (options or ()), "policies": files}


def parse_limits(options: list[str] | None, allowed: Sequence[str]) -> dict[str, Any]:
    """Return the values of --limit by key; `none` is True where limits are lifted.

    Raises:
        ConfigError: a key is not among `allowed`, or a value is none of its kind.
    """
    given = [option.strip() for option in options or ()]
    texts = parse_choices([option for option in given if option != LIFT])
    if LIFT in texts:
        raise ConfigError(f"--limit {LIFT}: it stands alone, without a value")
    for key in (*texts, *([LIFT] if LIFT in given else [])):
        if key not in allowed:
            raise ConfigError(f"--limit: there is no {key!r} here; allowed: {', '.join(allowed)}")
    values = {key: _parse_limit(key, text) for key, text in texts.items()}
    return values | ({LIFT: True} if LIFT in given else {})


def parse_budget(options: list[str] | None, allowed: Sequence[str]) -> "dict[str, JSON]":
    """Return the values of --limit as an experiment file has them: dollars as text."""
    values = parse_limits(options, allowed)
    return {key: str(value) if key == "dollars" else value for key, value in values.items()}


def _parse_limit(key: str, text: str) -> Any:
    value, is_share = _parse_number(f"--limit {key}", text, _LIMITS[key][0]), key == "fallbacks"
    allowed = isfinite(value) and value >= 0 and not (is_share and value > 1)
    if not allowed:
        told = "from 0 to 1" if is_share else "from 0 on"
        raise ConfigError(f"--limit {key}: {text} is not allowed; a number {told} is")
    return value


def _parse_number(option: str, text: str, kind: Callable[[str], Any]) -> Any:
    try:
        value = kind(text)
        if kind is not str:
            isfinite(value)  # one too large for that is none either
    except (ValueError, OverflowError, InvalidOperation):
        what = "whole number" if kind is int else "number"
        raise ConfigError(f"{option}: {text[:40]!r} is not a {what}") from None
    return value


def parse_endpoint(options: list[str] | None) -> dict[str, Any]:
    """Return the values of --endpoint by key, as an experiment file has them.

    Raises:
        ConfigError: a key is unknown, or a value is no number where one is needed.
    """
    values: dict[str, Any] = {}
    for key, text in parse_choices(options).items():
        if key not in _ENDPOINT:
            raise ConfigError(f"--endpoint: there is no {key!r}; allowed: {', '.join(_ENDPOINT)}")
        values[key] = _parse_number(f"--endpoint {key}", text, _ENDPOINT[key])
    at_once = values.get("concurrency", 1)
    if not 1 <= at_once <= _MOST_AT_ONCE:
        told = f"a number from 1 to {_MOST_AT_ONCE:,} is"
        raise ConfigError(f"--endpoint concurrency: {at_once} is not allowed; {told}")
    return values


def _make_model_options(values: dict[str, Any]) -> "ModelOptions":
    """Return the options of model calls from the values of --endpoint.

    Raises:
        ConfigError: a value is out of range, or two contradict each other.
    """
    from genagents_env.llm.open import ModelOptions, parse_effort, parse_price

    effort = parse_effort(values.pop("reasoning_effort", None))
    price = parse_price(values.pop("price_in", None), values.pop("price_out", None))
    return ModelOptions(**values, reasoning_effort=effort, price=price)


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


def split_common(option: str, values: list[str] | None) -> tuple[str | None, list[str]]:
    """Split the values of an option into the one for everyone, and those of the form NAME=VALUE.

    Raises:
        ConfigError: two are for everyone.
    """
    common = [value for value in values or () if "=" not in value]
    if not all(value.strip() for value in common):
        raise ConfigError(f"{option}: '' is not allowed; give a value, or leave the option out")
    if len(common) > 1:
        first, second = common[:2]
        raise ConfigError(f"{option}: {first!r} and {second!r}: for whom is one? NAME={second}")
    return next(iter(common), None), [value for value in values or () if "=" in value]


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
    """Split a config into the keys for everyone's policy and, by prefix, those of each policy.

    The class stands for a policy of a file, too.

    Raises:
        ConfigError: there is no policy of a prefix.
    """
    own: dict[str, dict[str, JSON]] = {name: {} for name in policies}
    labels = {name.rpartition(":")[2]: name for name in own} | {name: name for name in own}
    rest: dict[str, JSON] = {}
    for key, value in config.items():
        label, _, option = key.rpartition(".")
        if not label:
            rest[key] = value
        elif label in labels:
            own[labels[label]][option] = value
        else:
            deciding = ", ".join(own)
            raise ConfigError(
                f"--policy-config {key}: {label!r} decides for nobody in this run; there is "
                f"{deciding}"
            )
    return rest, own


def parse_config(options: list[str] | None) -> "dict[str, JSON]":
    """Return options of a policy, KEY=VALUE each: a value that is JSON as JSON, else as text."""
    config: dict[str, JSON] = {}
    for option in options or []:
        key, _, value = (part.strip() for part in option.partition("="))
        if not key or not value:
            raise ConfigError(f"{option!r}: expected KEY=VALUE")
        if key in config:
            raise ConfigError(f"{key!r} is given twice: {config[key]!r} and {value!r}")
        config[key] = _parse_value(value)
    return config


def _parse_value(text: str) -> "JSON":
    try:
        value: JSON = json.loads(text, parse_constant=str)  # NaN is no JSON
    except (ValueError, RecursionError):
        return _SWITCHES.get(text.lower(), text)
    return value


def parse_names(people: str | None) -> list[str] | None:
    """Return the names in a text that commas separate; None where none is given."""
    if people is None:
        return None
    return [name for name in (part.strip() for part in people.split(",")) if name]
