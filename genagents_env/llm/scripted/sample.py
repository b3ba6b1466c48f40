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
        return _write_sentence(request.seed, 0, 200, "prose")
    return json.dumps(_SchemaSampler(request.schema, request.seed).sample(request.schema, "$"))


class _SchemaSampler:
    """Walks a JSON schema and picks a value, each pick decided by (seed, path)."""

    def __init__(self, root: JSONSchema, seed: int) -> None:
        self.root, self.seed = root, seed

    def sample(self, schema: JSONValue, path: str) -> JSONValue:
        """Return a value that fits `schema`, which stands at `path`."""
        if not isinstance(schema, Mapping):
            return None
        if "$ref" in schema:
            return self.sample(self._resolve(str(schema["$ref"])), path)
        if "const" in schema:
            return schema["const"]
        for choices in ("enum", "anyOf", "oneOf"):
            options = schema.get(choices)
            if isinstance(options, list) and options:
                chosen = options[draw_index(self.seed, len(options), path, choices)]
                return chosen if choices == "enum" else self.sample(chosen, path)
        return self._sample_type(schema, path)

    def _sample_type(self, schema: JSONSchema, path: str) -> JSONValue:
        match schema.get("type"):
            case "object":
                return self._sample_object(schema, path)
            case "array":
                return self._sample_array(schema, path)
            case "string":
                most = int(_find_number(schema, "maxLength", 60))
                return _write_sentence(
                    self.seed, int(_find_number(schema, "minLength", 1)), most, path
                )
            case "integer":
                return self._sample_integer(schema, path)
            case "number":
                low = _find_number(schema, "minimum", 0.0)
                high = _find_number(schema, "maximum", low + 1.0)
                return low + (high - low) * draw_unit(self.seed, path)
            case "boolean":
                return bool(draw_index(self.seed, 2, path))
            case _:
                return None

    def _sample_object(self, schema: JSONSchema, path: str) -> JSONValue:
        fields = schema.get("properties")
        if not isinstance(fields, Mapping):
            return {}
        return {name: self.sample(part, f"{path}.{name}") for name, part in fields.items()}

    def _sample_array(self, schema: JSONSchema, path: str) -> JSONValue:
        fixed = schema.get("prefixItems")
        if isinstance(fixed, list):
            return [self.sample(part, f"{path}[{at}]") for at, part in enumerate(fixed)]
        least = int(_find_number(schema, "minItems", 1))
        most = int(_find_number(schema, "maxItems", max(least, 3)))
        length = least + draw_index(self.seed, max(1, most - least + 1), path, "length")
        return [self.sample(schema.get("items"), f"{path}[{at}]") for at in range(length)]

    def _sample_integer(self, schema: JSONSchema, path: str) -> int:
        low = int(_find_number(schema, "minimum", _find_number(schema, "exclusiveMinimum", -1) + 1))
        above = int(_find_number(schema, "exclusiveMaximum", low + _SPREAD))
        high = int(_find_number(schema, "maximum", above - 1))
        return low + draw_index(self.seed, max(1, high - low + 1), path)

    def _resolve(self, ref: str) -> JSONValue:
        at: JSONValue = self.root
        for name in ref.removeprefix("#/").split("/"):
            if not isinstance(at, Mapping):
                raise ConfigError(f"scripted model: the schema has no {ref}")
            at = at[name]
        return at


def _find_number(schema: JSONSchema, word: str, default: float) -> float:
    value = schema.get(word, default)
    return float(value) if isinstance(value, int | float) else default


def _write_sentence(seed: int, least: int, most: int, path: str) -> str:
    """Return words of `least` to `most` characters."""
    words = _PROSE.split()
    start = draw_index(seed, len(words), path, "start")
    text = " ".join((words[start:] + words)[: 3 + draw_index(seed, 6, path, "words")])
    while len(text) < least:
        text += " " + string.ascii_lowercase[draw_index(seed, 26, path, len(text))]
    return text[:most].rstrip() if len(text[:most].rstrip()) >= least else text[:most]
