"""What a machine, an installation and a model server are good for, each in a line."""

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
    separate_thinking,
)
from genagents_env.llm.prices import describe_list
from genagents_env.llm.replies import parse
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
CALLS = 3 + AT_ONCE  # the form of a reply, twice the same seed, many at once
_REPLY = 64  # tokens
_SHORT_CONTEXT = 8192  # tokens; prompts of the shipped minds and their replies fit into it
_NAMED = 5  # models
_SLOW = 10  # tokens a second of all calls together


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at.

    Attributes:
        name: of the thing.
        verdict: `fault` where a run could not work, `note` where it could do better.
        text: what was found.
        advice: what to do; empty where there is nothing.
    """

    name: str
    verdict: Verdict
    text: str
    advice: str = ""


def check_machine() -> Iterator[Finding]:
    """Yield what is found of this machine and installation."""
    yield Finding("python", "ok", platform.python_version())
    yield Finding("genagents-env", "ok", __version__)
    for extra in EXTRAS:
        missing = list_missing_modules(extra)
        if missing:
            told = f"not installed ({', '.join(missing)})"
            yield Finding(f"extra {extra}", "note", told, format_install_command(extra))
        else:
            yield Finding(f"extra {extra}", "ok", "installed")
    yield Finding(
        "prices", "ok", f"{describe_list()}; your own come first: --price-in, --price-out"
    )
    yield _check_cache()
    cores = os.cpu_count() or 1
    yield Finding("cores", "ok", f"{cores}; runs of a sweep at once: --workers {cores}")


def check_listing(model: str | None, listing: "ModelListing") -> Iterator[Finding]:
    """Yield what the list of a server's models tells."""
    if not listing.reachable:
        yield Finding(
            "endpoint", "fault", f"{listing.address}: {listing.problem}", "OPENAI_BASE_URL names it"
        )
        return
    yield Finding("endpoint", "ok", f"{listing.address} answers")
    if listing.key_refused:
        yield Finding("key", "fault", f"refused ({listing.problem})", "OPENAI_API_KEY holds it")
        return
    if listing.models is None:
        told = f"not listed ({listing.problem})"
        yield Finding("model", "note", told, "is the address right, /v1 at its end?")
        return
    yield Finding("key", "ok", "accepted")
    if model is not None:
        yield from _check_model(model, listing)


def bound_cost(endpoint: Endpoint, options: RunOptions) -> tuple[int, Decimal | None]:
    """Return the most tokens and dollars that `ask_endpoint` can take."""
    questions = [_make_form(0), *(_make_question(seed, 0) for seed in range(CALLS - 1))]
    known = find_allowance(endpoint.model, options.model_options.thinking)
    rooms = [known, *(CALLS * [grow_allowance(known)])]
    most = [
        upper_bound(replace(question, thinking_tokens=room), endpoint.price)
        for question, room in zip([questions[0], *questions], rooms, strict=True)
    ]
    dollars = None if endpoint.price is None else sum((one.dollars for one in most), Decimal(0))
    return sum(one.tokens for one in most), dollars


async def ask_endpoint(endpoint: Endpoint, options: RunOptions) -> list[Finding]:
    """Return what `endpoint` does when it is asked 11 small questions, one of them twice.

    The first is asked again, with more room, where nothing but thinking came.
    """
    room = find_allowance(endpoint.model, options.model_options.thinking)
    try:
        first = await _complete(endpoint, _make_form(room))
        if first.finish_reason == "length" and not first.text.strip():
            room = grow_allowance(room)
            first = await _complete(endpoint, _make_form(room))
        found = [*_check_form(first), _check_thinking(first, endpoint.model)]
        return found + await _measure(endpoint, room)
    except LLMError as failure:
        return [Finding("answer", "fault", str(failure), "no run can be lived with it as it is")]
    finally:
        await endpoint.aclose()


async def _measure(endpoint: Endpoint, room: int) -> list[Finding]:
    """Return whether a seed is honoured, and how fast replies come, one and eight at once."""
    begun = time.monotonic()
    alone = [await _complete(endpoint, _make_question(1, room)) for _ in range(2)]
    slow = _count_written(alone) / max(1e-9, time.monotonic() - begun)
    begun = time.monotonic()
    asked = (_complete(endpoint, _make_question(seed, room)) for seed in range(2, 2 + AT_ONCE))
    together = collect_results(await asyncio.gather(*asked, return_exceptions=True))
    fast = _count_written(together) / max(1e-9, time.monotonic() - begun)
    told = f"{slow:,.0f} tokens a second alone, {fast:,.0f} with {AT_ONCE} at once"
    advice = "a run of hours will take long; fewer people, or another model" if fast < _SLOW else ""
    if fast < slow:
        advice = advice or "several at once are slower than one: --concurrency 1"
    return [_check_seed(alone), Finding("speed", "note" if advice else "ok", told, advice)]


async def _complete(endpoint: Endpoint, request: CompletionRequest) -> Completion:
    return separate_thinking(await endpoint.complete(request))


def _make_form(room: int) -> CompletionRequest:
    form = make_schema(Readiness), schema_name(Readiness)
    return CompletionRequest((QUESTION,), *form, max_tokens=_REPLY, thinking_tokens=room)


def _make_question(seed: int, room: int) -> CompletionRequest:
    return CompletionRequest(
        (Message("user", "Write one sentence about the weather in a town by the sea."),),
        max_tokens=_REPLY,
        temperature=1.0,
        seed=seed,
        thinking_tokens=room,
    )


def _check_form(completion: Completion) -> Iterator[Finding]:
    try:
        parse(completion, Readiness)
    except UnusableReply as bad:
        told = f"a reply was not of the form asked for ({clean(str(bad), 200)})"
        yield Finding(
            "JSON schema",
            "note",
            told,
            "expect fallbacks; a larger model, or a server that honours it",
        )
    else:
        yield Finding("JSON schema", "ok", "honoured")


def _check_thinking(completion: Completion, model: str) -> Finding:
    if completion.reasoning_tokens:
        told = (
            f"thinks before it speaks ({completion.reasoning_tokens:,} tokens for a small question)"
        )
        if is_reasoning_model(model):
            return Finding("reasoning", "ok", told)
        return Finding(
            "reasoning", "ok", told, "--thinking 4096 saves what is learned from cut replies"
        )
    return Finding("reasoning", "ok", "does not show any")


def _check_seed(alone: Sequence[Completion]) -> Finding:
    one, other = (completion.text for completion in alone)
    if one == other:
        return Finding("seed", "ok", "honoured: the same seed gave the same words")
    told = "not honoured: the same seed gave other words"
    advice = "a run is repeated from its stored calls, not by running it again"
    return Finding("seed", "note", told, advice)


def _count_written(completions: Sequence[Completion]) -> int:
    return sum(completion.completion_tokens for completion in completions)


def _check_model(model: str, listing: "ModelListing") -> Iterator[Finding]:
    models = listing.models or {}
    if model not in models:
        known = ", ".join(list(models)[:_NAMED]) or "none"
        told = f"{model} is not among the {len(models)} listed ({known})"
        yield Finding("model", "note", told, "--model NAME names another")
        return
    yield Finding("model", "ok", f"{model} is listed")
    context = models[model]
    if context is not None:
        short = context < _SHORT_CONTEXT
        advice = f"prompts of minds with thinking want {_SHORT_CONTEXT:,}" if short else ""
        yield Finding("context", "note" if short else "ok", f"{context:,} tokens", advice)


def _check_cache() -> Finding:
    folder = cache_folder()
    if (folder / SMOLLM2.file).is_file():
        return Finding("cache", "ok", f"{folder}; the embedded model is there")
    told = f"{folder}; the embedded model is not there"
    return Finding("cache", "ok", told, "it is fetched on first use, 93 MB")
