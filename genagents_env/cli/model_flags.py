"""How a model is asked: flags that many commands share, declared once as the fields of a class."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from genagents_env.cli.options import ENDPOINT
from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.llm.open import ModelOptions


@dataclass(frozen=True, slots=True)
class ModelFlags:
    """What the flags were given; each field is one of them."""

    timeout: Annotated[
        float | None,
        typer.Option(
            help="Seconds for one attempt at a call: 30, or 120 for models known to reason.",
            rich_help_panel=ENDPOINT,
        ),
    ] = None
    deadline: Annotated[
        float | None,
        typer.Option(
            help="Seconds for a call with all its attempts: 90, or three times a longer --timeout.",
            rich_help_panel=ENDPOINT,
        ),
    ] = None
    thinking: Annotated[
        int | None,
        typer.Option(
            help="Tokens a model may think beside each reply: 4,096 for models known to reason, "
            "else 0; doubled where a reply found no room.",
            rich_help_panel=ENDPOINT,
        ),
    ] = None
    reasoning_effort: Annotated[
        str | None,
        typer.Option(
            help="none, minimal, low, medium, high or xhigh, for models that know it.",
            rich_help_panel=ENDPOINT,
        ),
    ] = None
    price_in: Annotated[
        str | None,
        typer.Option(
            help="Dollars per million tokens read, where the list price is unknown or not yours.",
            rich_help_panel=ENDPOINT,
        ),
    ] = None
    price_out: Annotated[
        str | None,
        typer.Option(help="Dollars per million tokens written.", rich_help_panel=ENDPOINT),
    ] = None

    def make_options(self) -> "ModelOptions":
        """Return how the model is asked, as the flags say."""
        from genagents_env.llm.open import ModelOptions, parse_effort, parse_price

        return ModelOptions(
            self.timeout,
            self.deadline,
            self.thinking,
            parse_effort(self.reasoning_effort),
            parse_price(self.price_in, self.price_out),
        )


NO_FLAGS = ModelFlags()


def warn_of_unused_models(named: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Say on stderr, in a line, which models are asked by nobody.

    Args:
        named: pairs of a model and of the policies that could ask it; a model may come again.
    """
    asked: dict[str, dict[str, None]] = {}
    for model, policies in named:
        asked.setdefault(model, {}).update(dict.fromkeys(policies))
    unused = [model for model, policies in asked.items() if not any(map(_asks_models, policies))]
    if not unused:
        return
    from genagents_env.policy_loader import list_policies

    others = dict.fromkeys(policy for model in unused for policy in asked[model])
    asking = ", ".join(filter(_asks_models, list_policies()))
    say(
        f"genagents: model {', '.join(unused)} is not used, since {' and '.join(others)} "
        f"{'asks' if len(others) == 1 else 'ask'} none; these policies do: {asking}",
        error=True,
    )


def _asks_models(policy: str) -> bool:
    from genagents_env.policy_loader import find_policy_class

    try:
        return find_policy_class(policy).needs_model
    # A user's file, or a missing package: the command itself says why it cannot be loaded.
    except (Exception, SystemExit):
        return True


def take_model_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with one flag for each field of `ModelFlags` where that was a parameter."""
    hints = get_type_hints(command, include_extras=True)
    (place,) = (name for name, hint in hints.items() if hint is ModelFlags)
    kinds = get_type_hints(ModelFlags, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    flags = [inspect.Parameter(k, keyword, default=None, annotation=kinds[k]) for k in kinds]

    @wraps(command)
    def run(**given: object) -> None:
        own: dict[str, Any] = {name: given.pop(name) for name in kinds}
        command(**given, **{place: ModelFlags(**own)})

    signature, parameters = inspect.signature(command), list[inspect.Parameter]()
    for one in signature.parameters.values():
        parameters += flags if one.name == place else [one.replace(kind=keyword)]
    shown = {name: hint for name, hint in hints.items() if name != place}
    # By these typer learns which options there are.
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = shown | kinds
    return run
