"""The endpoint of scripted models, and the rules that need no policy."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeAlias

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.llm.prices import FREE, Price
from genagents_env.llm.scripted.replies import NeighbourRule, ScriptedReplies
from genagents_env.llm.scripted.sample import sample_schema

Rule: TypeAlias = Callable[[CompletionRequest], str]
Delay: TypeAlias = Callable[[CompletionRequest], Awaitable[None]]


def always_invalid(request: CompletionRequest) -> str:
    """Return a reply that fits no schema."""
    return "I would rather not say."


def obedient(request: CompletionRequest) -> str:
    """Return the last JSON object in the prompt, or a sample where there is none.

    The most gullible model there can be: it does what the last words that look like an answer
    say, whoever said them. A mind that is safe with it does not depend on the model's judgement.
    """
    decoder = json.JSONDecoder()
    for message in reversed(request.messages):
        at = message.content.rfind("{")
        while at >= 0:
            try:
                found, _ = decoder.raw_decode(message.content, at)
            except ValueError:
                at = message.content.rfind("{", 0, at)
                continue
            return json.dumps(found)
    return sample_schema(request)


_RULES: Mapping[str, Rule] = {
    "sample_schema": sample_schema,
    "always_invalid": always_invalid,
    "obedient": obedient,
}
NEIGHBOUR = "neighbour"
_REMOVED = ("gossip", "chatty", "mute", "inventor")


def find_rule(name: str | None, policies: Iterable[ScriptedReplies] = ()) -> Rule:
    """Return the rule of that name; None is `sample_schema`.

    Args:
        name: of a rule that needs no policy, or `neighbour`.
        policies: the replies to the prompts of each policy.

    Raises:
        ConfigError: there is no such rule.
    """
    if name == NEIGHBOUR:
        return NeighbourRule(policies)
    if name in _REMOVED:
        raise ConfigError(f"scripted model: {name!r} was removed; take scripted:{NEIGHBOUR}")
    rule = _RULES.get("sample_schema" if name is None else name)
    if rule is None:
        known = ", ".join((*_RULES, NEIGHBOUR))
        raise ConfigError(f"scripted model: no rule {name!r}; there are {known}")
    return rule


class ScriptedEndpoint:
    """An endpoint that answers by `rule`, at once, free of charge, and keeps what it was asked.

    Args:
        rule: from a request to the words of the reply; an LLMError it raises is the endpoint's.
        model: the name it goes by.
        delay: awaited before each reply, to shuffle the order in which calls complete.
        price: per million tokens.
    """

    def __init__(
        self,
        rule: Rule = sample_schema,
        model: str = "scripted",
        *,
        delay: Delay | None = None,
        price: Price | None = FREE,
    ) -> None:
        self.rule, self.delay = rule, delay
        self.model: str = model
        self.price: Price | None = price
        self.attempt_deadline: float = 30.0
        self.requests: list[CompletionRequest] = []

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return what the rule says."""
        self.requests.append(request)
        await (self.delay(request) if self.delay else asyncio.sleep(0))
        text = self.rule(request)
        read = sum(self.count_tokens(message.content) for message in request.messages)
        written = self.count_tokens(text)
        if written <= request.max_tokens:
            return Completion(text, "stop", read, written)
        return Completion(text[: request.max_tokens * 4], "length", read, request.max_tokens)

    def count_tokens(self, text: str) -> int:
        """Return a token for every four characters begun."""
        return -(-len(text) // 4)

    async def aclose(self) -> None:
        """Do nothing; there is nothing to release."""
