"""Checks of the machine, the installation and a model server, each with a line of findings."""

import asyncio
import os
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

from genagents_env import __version__
from genagents_env.errors import LLMError
from genagents_env.extras import EXTRAS, format_install_command, list_missing_modules
from genagents_env.llm.budget import upper_bound
from genagents_env.llm.calls import Completion, CompletionRequest, Endpoint, Message, UnusableReply
from genagents_env.llm.completions import (
    find_allowance,
    grow_allowance,
    is_reasoning_model,
    parse,
    separate_thinking,
)
from genagents_env.llm.prices import describe_list
from genagents_env.llm.schemas import make_schema, schema_name
from genagents_env.llm.weights import SMOLLM2, cache_folder
from genagents_env.run.concurrency import collect_results
from genagents_env.run.preflight import QUESTION, Readiness
from genagents_env.run.spec import RunOptions
from genagents_env.text import clean

if TYPE_CHECKING:
    from genagents_env.llm.endpoint import ModelListing  # it loads `openai`

Verdict: TypeAlias = Literal["ok", "note", "fault"]

AT_ONCE = 8
CALLS = 3 + AT_ONCE  # one for the form of a reply, two of the same seed, and several at once
_WEATHER = Message("user", "Write one sentence about the weather in a town by the sea.")
_REPLY = 64  # tokens
_SHORT_CONTEXT = 8192  # tokens; enough for prompts and replies of the shipped minds
_NAMED = 5  # models
_SLOW = 10  # tokens a second of all calls together


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check.

    Attributes:
        name: of the check.
        verdict: `fault` if no run can work, `note` if it could be better.
        text: the result in words.
        advice: what to do, or empty.
    """

    name: str
    verdict: Verdict
    text: str
    advice: str = ""


def check_machine() -> Iterator[Finding]:
    """Check this machine and installation."""
    yield Finding("python", "ok", platform.python_version())
    yield Finding("genagents-env", "ok", __version__)
    for extra in EXTRAS:
        missing = ", ".join(list_missing_modules(extra))
        if missing:
            command = format_install_command(extra)
            yield Finding(f"extra {extra}", "note", f"not installed ({missing})", command)
        else:
            yield Finding(f"extra {extra}", "ok", "installed")
    prices = f"{describe_list()}; your own come first: --endpoint price_in, price_out"
    yield Finding("prices", "ok", prices)
    folder = cache_folder()
    if (folder / SMOLLM2.file).is_file():
        yield Finding("cache", "ok", f"{folder}; the embedded model is there")
    else:
        text = f"{folder}; the embedded model is not there"
        yield Finding("cache", "ok", text, "it is fetched on first use, 93 MB")
    cores = os.cpu_count() or 1
    yield Finding("cores", "ok", f"{cores}; runs of a sweep at once: --workers {cores}")


def check_listing(model: str | None, listing: "ModelListing") -> Iterator[Finding]:
    """Check a server's answer to the request for its models."""
    if not listing.reachable:
        text = f"{listing.address}: {listing.problem}"
        yield Finding("endpoint", "fault", text, "OPENAI_BASE_URL names it")
        return
    yield Finding("endpoint", "ok", f"{listing.address} answers")
    if listing.key_refused:
        yield Finding("key", "fault", f"refused ({listing.problem})", "OPENAI_API_KEY holds it")
        return
    if listing.models is None:
        text = f"not listed ({listing.problem})"
        yield Finding("model", "note", text, "is the address right, /v1 at its end?")
        return
    yield Finding("key", "ok", "accepted")
    if model is None:
        return
    if model not in listing.models:
        known = ", ".join(list(listing.models)[:_NAMED]) or "none"
        text = f"{model} is not among the {len(listing.models)} listed ({known})"
        yield Finding("model", "note", text, "--model NAME names another")
        return
    yield Finding("model", "ok", f"{model} is listed")
    context = listing.models[model]
    if context is not None:
        short = context < _SHORT_CONTEXT
        advice = f"prompts of minds with thinking want {_SHORT_CONTEXT:,}" if short else ""
        yield Finding("context", "note" if short else "ok", f"{context:,} tokens", advice)


def bound_cost(endpoint: Endpoint, options: RunOptions) -> tuple[int, Decimal | None]:
    """Return the most tokens and dollars that `ask_endpoint` can take."""
    room = find_allowance(endpoint.model, options.model_options.thinking)
    more = grow_allowance(room)
    requests = [_make_form(room), _make_form(more)]
    requests += [_make_question(seed, more) for seed in range(CALLS - 1)]
    most = [upper_bound(request, endpoint.price) for request in requests]
    dollars = None if endpoint.price is None else sum((bound.dollars for bound in most), Decimal(0))
    return sum(bound.tokens for bound in most), dollars


async def ask_endpoint(endpoint: Endpoint, options: RunOptions) -> list[Finding]:
    """Ask `endpoint` 11 small questions, one of them twice, and check the answers.

    The first is asked again, with more room, if only thinking came.
    """
    room = find_allowance(endpoint.model, options.model_options.thinking)
    try:
        first = await _complete(endpoint, _make_form(room))
        if first.finish_reason == "length" and not first.text.strip():
            room = grow_allowance(room)
            first = await _complete(endpoint, _make_form(room))
        findings = [_check_form(first), _check_thinking(first, endpoint.model)]
        return [*findings, *await _measure(endpoint, room)]
    except LLMError as failure:
        return [Finding("answer", "fault", str(failure), "no run can use it as it is")]
    finally:
        await endpoint.aclose()


async def _measure(endpoint: Endpoint, room: int) -> list[Finding]:
    """Check whether seeds are honoured, and the speed of one reply and of eight at once."""
    begun = time.monotonic()
    alone = [await _complete(endpoint, _make_question(1, room)) for _ in range(2)]
    slow = _measure_speed(alone, begun)
    begun = time.monotonic()
    asked = (_complete(endpoint, _make_question(seed, room)) for seed in range(2, 2 + AT_ONCE))
    together = collect_results(await asyncio.gather(*asked, return_exceptions=True))
    fast = _measure_speed(together, begun)
    text = f"{slow:,.0f} tokens a second alone, {fast:,.0f} with {AT_ONCE} at once"
    advice = ""
    if fast < _SLOW:
        advice = "a run of hours will take long; fewer people, or another model"
    elif fast < slow:
        advice = "several at once are slower than one: --endpoint concurrency=1"
    return [_check_seed(alone), Finding("speed", "note" if advice else "ok", text, advice)]


def _measure_speed(completions: Sequence[Completion], begun: float) -> float:
    written = sum(completion.completion_tokens for completion in completions)
    return written / max(1e-9, time.monotonic() - begun)


async def _complete(endpoint: Endpoint, request: CompletionRequest) -> Completion:
    return separate_thinking(await endpoint.complete(request))


def _make_form(room: int) -> CompletionRequest:
    form = make_schema(Readiness), schema_name(Readiness)
    return CompletionRequest((QUESTION,), *form, max_tokens=_REPLY, thinking_tokens=room)


def _make_question(seed: int, room: int) -> CompletionRequest:
    request = CompletionRequest((_WEATHER,), max_tokens=_REPLY, temperature=1.0)
    return replace(request, seed=seed, thinking_tokens=room)


def _check_form(completion: Completion) -> Finding:
    try:
        parse(completion, Readiness)
    except UnusableReply as bad:
        text = f"a reply was not of the form asked for ({clean(str(bad), 200)})"
        advice = "expect fallbacks; a larger model, or a server that honours it"
        return Finding("JSON schema", "note", text, advice)
    return Finding("JSON schema", "ok", "honoured")


def _check_thinking(completion: Completion, model: str) -> Finding:
    tokens = completion.reasoning_tokens
    if not tokens:
        return Finding("reasoning", "ok", "does not show any")
    text = f"thinks before it replies ({tokens:,} tokens for a small question)"
    advice = "--endpoint thinking=4096 saves what is learned from cut replies"
    return Finding("reasoning", "ok", text, "" if is_reasoning_model(model) else advice)


def _check_seed(alone: Sequence[Completion]) -> Finding:
    if len({completion.text for completion in alone}) == 1:
        return Finding("seed", "ok", "honoured: the same seed gave the same words")
    text = "not honoured: the same seed gave other words"
    advice = "a run is repeated from its stored calls, not by running it again"
    return Finding("seed", "note", text, advice)
