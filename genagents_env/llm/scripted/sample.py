"""Replies drawn at random from a JSON schema: plausible in form, without any sense."""

import json
import string
from collections.abc import Mapping

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CompletionRequest, JSONSchema, JSONValue
from genagents_env.rng import draw_index, draw_unit

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
