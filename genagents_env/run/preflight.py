"""A question to a model server before a run begins.

A wrong key, model or address is an error before there is a file, not a run full of fallbacks.
"""

from collections.abc import Iterable
from dataclasses import replace

from genagents_env.errors import BudgetExceeded, ConfigError, LLMRefused, ModelOutage
from genagents_env.llm.budget import Budget, Spend
from genagents_env.llm.calls import CallKey, Endpoint, Message, ServedEndpoint
from genagents_env.llm.cassette import UNAVAILABLE, MemoryCassette
from genagents_env.llm.client import ModelAnswer
from genagents_env.llm.event_loop import run_sync
from genagents_env.llm.open import is_served, list_models
from genagents_env.llm.retries import RetryPolicy
from genagents_env.llm.schemas import ReplyModel
from genagents_env.run.models import Models, make_client, open_model
from genagents_env.run.spec import RunOptions

_ATTEMPTS = 2
QUESTION = Message("user", 'Answer with exactly this JSON object: {"ready": true}')
_KEY = CallKey("", 0, "preflight", 0)
_WRITTEN = "nothing was written"
_REFUSED = "refused:"


class Readiness(ReplyModel):
    """The reply asked for."""

    wire_name, wire_description = "readiness", ""

    ready: bool


def check_model_server(options: RunOptions) -> None:
    """Ask the model of `options` a small question, if a server has it.

    Raises:
        LLMRefused, ConfigError, ModelOutage: as of `ask_first_questions`.
    """
    if is_served(options.model):
        ask_first_questions([open_model(options)], options)


def check_reachable(models: Models) -> None:
    """Raise ModelOutage if a model server does not answer; this costs nothing."""
    for address in dict.fromkeys(endpoint.base_url for endpoint in models.list_served()):
        listing = list_models(address, "")
        if not listing.reachable:
            raise ModelOutage(f"{listing.address}: {listing.problem}; nobody was asked")


def ask_first_questions(endpoints: Iterable[Endpoint], options: RunOptions) -> Spend:
    """Ask each of `endpoints` a small question, all within the limits; return the spending.

    Scripted models and models in this process are not asked, nor is one for which the limits leave
    no room. An unusable reply is an answer, too.

    Raises:
        LLMRefused: key, permission, address or model name is wrong.
        ConfigError: an endpoint refuses such a question.
        ModelOutage: an endpoint does not answer.
    """
    spent = Spend()
    for endpoint in endpoints:
        if isinstance(endpoint, ServedEndpoint):
            left = options.limits.subtract(spent, 0.0)
            spent += _ask_first_question(endpoint, replace(options, limits=left))
    return spent


def _ask_first_question(endpoint: Endpoint, options: RunOptions) -> Spend:
    budget = options.limits.budget(options.shared_budget)
    try:
        answer = run_sync(_ask(endpoint, options, budget))
    except LLMRefused as refusal:
        raise LLMRefused(f"{refusal}; {_WRITTEN}") from None
    except BudgetExceeded:
        return budget.spent
    fault = answer.fault or ""
    if answer.fallback and fault.startswith(UNAVAILABLE):
        raise ModelOutage(f"{fault.removeprefix(UNAVAILABLE).strip()}; {_WRITTEN}")
    if answer.fallback and fault.startswith(_REFUSED):
        why = fault.removeprefix(_REFUSED).strip()
        raise ConfigError(f"{why}; {_WRITTEN}. `genagents doctor` tells more")
    return budget.spent


async def _ask(endpoint: Endpoint, options: RunOptions, budget: Budget) -> ModelAnswer[Readiness]:
    retry = replace(options.retry or RetryPolicy(), attempts=_ATTEMPTS)
    options = replace(options, retry=retry)
    client = make_client(endpoint, options, run_seed=0, budget=budget, cassette=MemoryCassette())
    try:
        return await client.ask(_KEY, [QUESTION], Readiness, fallback=Readiness(ready=False))
    finally:
        await client.aclose()
