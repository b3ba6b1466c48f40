"""A model without a network: an endpoint that answers by a rule, for tests and dry runs.

With `sample_schema` any mind runs on it, because the rule fills in whatever reply is asked for.
"""

import asyncio
import json
import string
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import Completion, CompletionRequest, JSONSchema, JSONValue
from genagents_env.llm.prices import FREE, Price
from genagents_env.rng import draw_index, draw_unit

Rule: TypeAlias = Callable[[CompletionRequest], str]
Delay: TypeAlias = Callable[[CompletionRequest], Awaitable[None]]

_PROSE = (
    "the town is quiet and everyone walks to work in good time while coffee and news go round "
    "a friend asks about the party at five and someone says yes we will come and bring flowers"
)
_SPREAD = 10


def sample_schema(request: CompletionRequest) -> str:
    """Return JSON that fits the request's schema, decided by its seed; prose without a schema."""
    if request.schema is None:
        return _sentence(request.seed, 0, 200, "prose")
    return json.dumps(_Sampler(request.schema, request.seed).value(request.schema, "$"))


def always_invalid(request: CompletionRequest) -> str:
    """Return a reply that fits no schema."""
    return "I would rather not say."


def obedient(request: CompletionRequest) -> str:
    """Return the last JSON object that stands in the prompt, or a sample where there is none.

    The most gullible model there can be: it does what the last words that look like an answer
    say, whoever said them. A mind that stays safe on it does not depend on good judgement.
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


RULES: Mapping[str, Rule] = {
    "sample_schema": sample_schema,
    "always_invalid": always_invalid,
    "obedient": obedient,
}


def rule_named(name: str) -> Rule:
    """Return the ready-made rule of that name; an empty name is `sample_schema`."""
    rule = RULES.get(name or "sample_schema")
    if rule is None:
        raise ConfigError(f"scripted model: no rule {name!r}; there are {', '.join(RULES)}")
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


class _Sampler:
    """Walks a JSON schema and picks a value, each pick decided by (seed, path)."""

    def __init__(self, root: JSONSchema, seed: int) -> None:
        self.root, self.seed = root, seed

    def value(self, schema: JSONValue, path: str) -> JSONValue:
        """Return a value that fits `schema`, which stands at `path`."""
        if not isinstance(schema, Mapping):
            return None
        if "$ref" in schema:
            return self.value(self._resolved(str(schema["$ref"])), path)
        if "const" in schema:
            return schema["const"]
        for choices in ("enum", "anyOf", "oneOf"):
            options = schema.get(choices)
            if isinstance(options, list) and options:
                chosen = options[draw_index(self.seed, len(options), path, choices)]
                return chosen if choices == "enum" else self.value(chosen, path)
        return self._typed(schema, path)

    def _typed(self, schema: JSONSchema, path: str) -> JSONValue:
        match schema.get("type"):
            case "object":
                return self._object(schema, path)
            case "array":
                return self._array(schema, path)
            case "string":
                most = int(_number(schema, "maxLength", 60))
                return _sentence(self.seed, int(_number(schema, "minLength", 1)), most, path)
            case "integer":
                return self._integer(schema, path)
            case "number":
                low = _number(schema, "minimum", 0.0)
                high = _number(schema, "maximum", low + 1.0)
                return low + (high - low) * draw_unit(self.seed, path)
            case "boolean":
                return bool(draw_index(self.seed, 2, path))
            case _:
                return None

    def _object(self, schema: JSONSchema, path: str) -> JSONValue:
        fields = schema.get("properties")
        if not isinstance(fields, Mapping):
            return {}
        return {name: self.value(part, f"{path}.{name}") for name, part in fields.items()}

    def _array(self, schema: JSONSchema, path: str) -> JSONValue:
        fixed = schema.get("prefixItems")
        if isinstance(fixed, list):
            return [self.value(part, f"{path}[{at}]") for at, part in enumerate(fixed)]
        least = int(_number(schema, "minItems", 1))
        most = int(_number(schema, "maxItems", max(least, 3)))
        length = least + draw_index(self.seed, max(1, most - least + 1), path, "length")
        return [self.value(schema.get("items"), f"{path}[{at}]") for at in range(length)]

    def _integer(self, schema: JSONSchema, path: str) -> int:
        low = int(_number(schema, "minimum", _number(schema, "exclusiveMinimum", -1) + 1))
        above = int(_number(schema, "exclusiveMaximum", low + _SPREAD))
        high = int(_number(schema, "maximum", above - 1))
        return low + draw_index(self.seed, max(1, high - low + 1), path)

    def _resolved(self, ref: str) -> JSONValue:
        at: JSONValue = self.root
        for name in ref.removeprefix("#/").split("/"):
            if not isinstance(at, Mapping):
                raise ConfigError(f"scripted model: the schema has no {ref}")
            at = at[name]
        return at


def _number(schema: JSONSchema, word: str, default: float) -> float:
    value = schema.get(word, default)
    return float(value) if isinstance(value, int | float) else default


def _sentence(seed: int, least: int, most: int, path: str) -> str:
    """Return words of `least` to `most` characters."""
    words = _PROSE.split()
    start = draw_index(seed, len(words), path, "start")
    text = " ".join((words[start:] + words)[: 3 + draw_index(seed, 6, path, "words")])
    while len(text) < least:
        text += " " + string.ascii_lowercase[draw_index(seed, 26, path, len(text))]
    return text[:most].rstrip() if len(text[:most].rstrip()) >= least else text[:most]
