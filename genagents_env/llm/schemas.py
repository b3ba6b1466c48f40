"""JSON schemas of replies, in the form that strict endpoints take."""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, cast

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from genagents_env.llm.calls import JSONSchema, JSONValue

SMALL = "x-small"  # in a field's `json_schema_extra`: changes to its schema for a small model
_NOISE = ("title", "default")
_REFERENCE = "#/$defs/"
_FRAME_TOKENS = 16  # braces and blanks around a reply
_FIELD_TOKENS = 4  # quotes, a colon, a comma
_USUAL_ITEMS = 10  # of a list without a limit


class ReplyModel(BaseModel):
    """A reply that a model is asked for by its schema.

    The schema bears the name of the class, and its description is the first paragraph of the
    docstring: both are part of the prompt, so that another wording makes another run. A model made
    of another one by `create_model` has no description.

    Attributes:
        wire_name: the name that is sent, where it differs from that of the class; inherited.
        wire_description: the description that is sent, where it differs from the docstring.
        verbatim: the record keeps a reply as it was written, and not as canonical JSON, since
            later prompts show it; inherited.
    """

    wire_name: ClassVar[str] = ""
    verbatim: ClassVar[bool] = False
    wire_description: ClassVar[str]

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the schema with `wire_name` and `wire_description`."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        schema["title"] = schema_name(cls)
        schema.pop("description", None)
        paragraph = inspect.cleandoc(vars(cls).get("__doc__") or "").split("\n\n")[0]
        description = vars(cls).get("wire_description", " ".join(paragraph.split()))
        if description:
            schema["description"] = description
        return schema


class PlainReply(ReplyModel):
    """A reply in plain words: no schema is sent, and `text` is all that the model writes."""

    wire_name: ClassVar[str] = "Words"

    text: str


def canonical(value: object) -> str:
    """Return the canonical JSON text of `value`: sorted, compact, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=512)  # bounded: minds make reply models on the fly, one per set of choices
def make_request_schema(reply: type[BaseModel], *, small: bool = False) -> JSONSchema | None:
    """Return the schema of a request for `reply`; None for a `PlainReply`."""
    return None if issubclass(reply, PlainReply) else make_schema(reply, small=small)


def make_schema(reply: type[BaseModel], *, small: bool = False) -> JSONSchema:
    """Return the schema of `reply` with every field required and no other field allowed.

    Models write a required field more reliably; titles and defaults only cost tokens.

    Args:
        reply: the type of the reply.
        small: for a small model, whose fields also get their changes under `SMALL`.
    """
    schema = reply.model_json_schema()
    names = {key: part.get("title", key) for key, part in schema.get("$defs", {}).items()}

    def hint_and_rename(part: dict[str, JSONValue]) -> dict[str, JSONValue]:
        hints = part.pop(SMALL, None)
        if small and isinstance(hints, dict):
            part |= hints
        definitions, reference = part.get("$defs"), part.get("$ref")
        if isinstance(definitions, dict):
            part["$defs"] = {names[key]: value for key, value in definitions.items()}
        if isinstance(reference, str):
            part["$ref"] = _REFERENCE + names[reference.removeprefix(_REFERENCE)]
        return part

    return cast(JSONSchema, _strict(_rewrite(schema, hint_and_rename)))


def _rewrite(
    schema: JSONValue, change: Callable[[dict[str, JSONValue]], dict[str, JSONValue]]
) -> JSONValue:
    """Return `schema` with every object changed, the innermost first."""
    if isinstance(schema, list):
        return [_rewrite(part, change) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return change({key: _rewrite(part, change) for key, part in schema.items()})


def bound_reply_tokens(schema: JSONSchema) -> int:
    """Return an upper bound of the tokens of a reply to `schema`.

    A text counts one token per two characters allowed: text in Latin script takes half of that,
    and text in other scripts is shorter.
    """
    return _FRAME_TOKENS + _bound_part(schema, schema)


def _bound_part(part: JSONValue, root: JSONSchema) -> int:
    if not isinstance(part, Mapping):
        return 0
    if "$ref" in part:
        definitions = cast(Mapping[str, JSONValue], root.get("$defs", {}))
        return _bound_part(definitions.get(str(part["$ref"]).removeprefix(_REFERENCE)), root)
    if isinstance(options := part.get("anyOf"), list):
        return max(_bound_part(option, root) for option in options)
    if isinstance(allowed := part.get("enum"), list):
        return max(_bound_text(len(str(value))) for value in allowed)
    if isinstance(fields := part.get("properties"), Mapping):
        return sum(_FIELD_TOKENS + len(k) // 2 + _bound_part(v, root) for k, v in fields.items())
    if "items" in part:
        most = part.get("maxItems", _USUAL_ITEMS)
        return int(cast(int, most)) * (_FIELD_TOKENS + _bound_part(part["items"], root))
    return _bound_text(int(cast(int, part.get("maxLength", 0)))) if "maxLength" in part else 8


def _bound_text(characters: int) -> int:
    return 2 + characters // 2


def schema_name(reply: type[BaseModel]) -> str:
    """Return the name under which the schema of `reply` is sent."""
    return (issubclass(reply, ReplyModel) and reply.wire_name) or reply.__name__


def is_strict(schema: JSONValue) -> bool:
    """Return True if every object in `schema` forbids other fields (OpenAI's strict mode)."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return False
    return all(is_strict(part) for part in schema.values())


def make_response_format(schema: JSONSchema, name: str) -> dict[str, JSONValue]:
    """Return the `response_format` of a request to a chat server that asks for a schema."""
    named = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "reply"
    own: dict[str, JSONValue] = {"name": named, "schema": schema, "strict": is_strict(schema)}
    return {"type": "json_schema", "json_schema": own}


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
