"""Options and arguments that several commands share, each declared once, and their parsing."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genagents_env.cli.screen import warn
from genagents_env.errors import ConfigError, GenagentsError

if TYPE_CHECKING:
    from genagents_env.llm.open import ModelOptions
    from genagents_env.record import RunReader
    from genagents_env.record.rows import JSON
    from genagents_env.run import Limits, RunOptions

_LIMITS = "Limits"
_MODEL = "Model"
_LIVE = "The town while it runs"
_ENDPOINT_KEYS = ("timeout", "deadline", "thinking", "reasoning_effort", "price_in", "price_out")


def complete_scenario(incomplete: str) -> list[str]:
    """Return the shipped scenarios that begin so, for the shell."""
    from genagents_env.scenario import list_scenario_names

    return _choose(incomplete, list_scenario_names())


def complete_policy(incomplete: str) -> list[str]:
    """Return the policies that begin so, for the shell."""
    from genagents_env.run.policies import list_policies

    return _choose(incomplete, list_policies())


def complete_person(context: typer.Context, incomplete: str) -> list[str]:
    """Return the single words that name a person of the run before it, in the case that is typed.

    Single words need no quotes in a shell.
    """
    from genagents_env.name_search import search_people
    from genagents_env.record import RunReader

    # An option without its value ends the parsing: what stood before it is left in `args`.
    file = context.params.get("run_file") or next(iter(context.args), None)
    if file is None:
        return []
    with suppress(GenagentsError), RunReader(file) as record:
        names = record.meta.names
        words = [word for name in names for word in name.split()]
        unique = [word for word in words if len(search_people(word, names)) == 1]
        small = incomplete.islower()
        return _choose(incomplete, [word.lower() if small else word for word in unique])
    return []


def _choose(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


ScenarioName = Annotated[
    str,
    typer.Argument(
        help="A name (see `list scenarios`) or a folder.", autocompletion=complete_scenario
    ),
]
Start = Annotated[str | None, typer.Option(help="Town time: 08:00, or 2023-02-13T08:00.")]
People = Annotated[
    str | None,
    typer.Option(
        help="Names, separated by commas, or a cast of the scenario, such as 3; else everyone."
    ),
]
Place = Annotated[str | None, typer.Option(help='Start everyone at this place: "Hobbs Cafe".')]
MaxCalls = Annotated[
    int | None, typer.Option(min=0, help="Model calls, retries included.", rich_help_panel=_LIMITS)
]
MaxTokens = Annotated[
    int | None, typer.Option(min=0, help="Tokens, read and written.", rich_help_panel=_LIMITS)
]
MaxDollars = Annotated[
    str | None,
    typer.Option(
        help="Most dollars, such as 0.50; the model's price must be known.", rich_help_panel=_LIMITS
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        min=0, help="Seconds of wall clock, from the start of the run.", rich_help_panel=_LIMITS
    ),
]
NoLimit = Annotated[
    bool,
    typer.Option(
        "--no-limit", help="Lift the limits stored in the run file.", rich_help_panel=_LIMITS
    ),
]
MaxFallbacks = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Share of model calls that may end in a default; above it a run is degraded (0.2).",
        rich_help_panel=_LIMITS,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="A model of the endpoint in OPENAI_BASE_URL and OPENAI_API_KEY, or the path of a "
        ".gguf file; else the small embedded model. `scripted:neighbour` answers "
        "by rule, without a network.",
        rich_help_panel=_MODEL,
    ),
]
ModelFor = Annotated[
    list[str] | None,
    typer.Option(
        help='Another model for a person ("Klaus Mueller=gpt-4o") or a faculty '
        "(talk=gpt-4o: the purpose of a call up to its first dot); may be repeated.",
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
        "`price_in`, `price_out`: dollars per million tokens, in place of the list price.",
        rich_help_panel=_MODEL,
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=4096,
        help="Most model calls at once; by default as many as the endpoint answers, up to 64.",
        rich_help_panel=_MODEL,
    ),
]
Preflight = Annotated[
    bool,
    typer.Option(
        "--preflight/--no-preflight",
        help="Ask the model server a test question before the run begins.",
        rich_help_panel=_MODEL,
    ),
]
Judge = Annotated[
    bool,
    typer.Option(
        "--judge/--no-judge",
        help="Let the model judge the answers by the scenario's checks, if it has any.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first error of a policy (exit code 4).")
]
TrustPolicies = Annotated[
    bool,
    typer.Option(
        "--trust-policies",
        help="Allow the policy files named in the run to be executed, if unchanged.",
    ),
]
GivenPolicies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="FILE.py:CLASS",
        help="Execute this policy file of the run, even if it has changed; may be repeated.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the summary at the end.")]
NoProgress = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
ResultAsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")]
JudgeName = Annotated[
    str | None, typer.Option("--by", help="The name to store the verdicts under; else the model's.")
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
    model_for: list[str] | None = None,
    endpoint: list[str] | None = None,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    max_dollars: str | None = None,
    max_seconds: float | None = None,
    **options: Any,
) -> "RunOptions":
    """Return the options of a run from those of a command; `options` are passed on as they are."""
    from genagents_env.run import RunOptions

    return RunOptions(
        model=model,
        model_for=parse_choices(model_for) or None,
        model_options=make_model_options(endpoint),
        limits=make_limits(max_calls, max_tokens, max_dollars, max_seconds),
        **options,
    )


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


def parse_tick(record: "RunReader", text: str) -> int:
    """Return the tick of a town time; a clock time is one of the run's first day."""
    from genagents_env.record.town_times import parse_time

    return record.tick_at(parse_time(record, text))


def parse_endpoint(options: list[str] | None) -> "dict[str, JSON]":
    """Return the values of --endpoint by key, as `[endpoint]` of an experiment file has them.

    Raises:
        ConfigError: a key is unknown, or a value is no number where one is needed.
    """
    values: dict[str, JSON] = {}
    for key, text in parse_choices(options).items():
        if key not in _ENDPOINT_KEYS:
            allowed = ", ".join(_ENDPOINT_KEYS)
            raise ConfigError(f"--endpoint: there is no {key!r}; allowed: {allowed}")
        kind = {"timeout": float, "deadline": float, "thinking": int}.get(key, str)
        try:
            values[key] = kind(text)
        except ValueError:
            raise ConfigError(f"--endpoint {key}: {text!r} is not a number") from None
    return values


def make_model_options(endpoint: list[str] | None) -> "ModelOptions":
    """Return the options of model calls from --endpoint.

    Raises:
        ConfigError: a value is out of range, or two contradict each other.
    """
    from genagents_env.llm.open import ModelOptions, parse_effort, parse_price

    values: dict[str, Any] = parse_endpoint(endpoint)
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
    """Split a config into the keys for --policy and, by prefix, those of each of `policies`."""
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


def warn_of_unused_models(named: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Say on stderr, in a line, which models no policy calls.

    Args:
        named: pairs of a model and of the policies that could call it; a model may come again.
    """
    from genagents_env.run.policies import list_policies

    callers: dict[str, dict[str, None]] = {}
    for model, policies in named:
        callers.setdefault(model, {}).update(dict.fromkeys(policies))
    unused = [model for model, policies in callers.items() if not any(map(_needs_model, policies))]
    if not unused:
        return
    others = dict.fromkeys(policy for model in unused for policy in callers[model])
    asking = ", ".join(filter(_needs_model, list_policies()))
    warn(
        f"model {', '.join(unused)} is not used, since {' and '.join(others)} "
        f"{'asks' if len(others) == 1 else 'ask'} none; these policies do: {asking}"
    )


def _needs_model(policy: str) -> bool:
    from genagents_env.run.policies import find_policy_class

    try:
        return find_policy_class(policy).needs_model
    # A user's file, or a missing package: the command itself says why it cannot be loaded.
    except (Exception, SystemExit):
        return True
