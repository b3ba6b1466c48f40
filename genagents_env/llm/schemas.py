"""JSON schemas of replies, in the form that strict endpoints take."""

import json
from functools import lru_cache
from typing import cast

from pydantic import BaseModel

from genagents_env.llm.calls import JSONSchema, JSONValue

_NOISE = ("title", "default")


def canonical(value: object) -> str:
    """Return `value` as the one JSON text that stands for it: sorted, compact, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=512)  # bounded: minds make reply models on the fly, one per set of choices
def schema_of(reply: type[BaseModel]) -> JSONSchema:
    """Return the schema of `reply` with every field required and no other field allowed.

    Models write a field more surely when it is required; titles and defaults only cost tokens.
    """
    return cast(JSONSchema, _strict(cast(JSONValue, reply.model_json_schema())))


def is_strict(schema: JSONValue) -> bool:
    """Return whether every object in `schema` closes its set of fields (OpenAI's strict mode)."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    return all(is_strict(part) for part in schema.values())


def _strict(schema: JSONValue) -> JSONValue:
    if isinstance(schema, list):
        return [_strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    named = {
        where: {name: _strict(part) for name, part in schema[where].items()}
        for where in ("properties", "$defs")
        if isinstance(schema.get(where), dict)
    }
    rest = {
        word: _strict(part)
        for word, part in schema.items()
        if word not in named and word not in _NOISE
    }
    if "properties" in named:
        rest |= {"required": list(named["properties"]), "additionalProperties": False}
    return rest | named
