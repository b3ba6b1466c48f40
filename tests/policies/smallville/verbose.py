"""A model whose replies are as long as those of the paper: whole sentences in every field."""

import json

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import sample_schema
from tests.policies.percepts import Value

# Characters of a field for words that holds at least so many. In the recorded day of Park et al.'s
# public code 39 % of activities have over 60 characters and a thought has 100 to 250.
_LENGTHS = ((450, 300), (350, 220), (150, 90))
_MORE = (
    "It is worth a thought that somebody from the other side of town came by this morning.",
    "Nobody had asked about the garlands before the bell of the cafe rang twice.",
    "By the evening all of it will be told once more at the counter, with coffee and a smile.",
    "The books on the table by the window are still where they were left on Sunday.",
)


def reply_at_length(request: CompletionRequest) -> str:
    """Return a reply that fits the schema, whose texts are as long as those of a large model."""
    reply = json.loads(sample_schema(request))
    return json.dumps(_lengthen(reply, request.schema or {}, request.schema or {}, request.seed))


def _lengthen(value: Value, schema: Value, root: Value, seed: int) -> Value:
    part = _resolve(schema, root)
    if isinstance(value, dict):
        fields = part.get("properties", {})
        return {
            key: _lengthen(inner, fields.get(key, {}), root, seed + k)
            for k, (key, inner) in enumerate(value.items())
        }
    if isinstance(value, list):
        return [
            _lengthen(inner, part.get("items", {}), root, seed + k) for k, inner in enumerate(value)
        ]
    if isinstance(value, str) and "maxLength" in part and "enum" not in part:
        return _write(value, int(part["maxLength"]), seed)
    return value


def _write(text: str, most: int, seed: int) -> str:
    goal = next((length for least, length in _LENGTHS if most >= least), 0)
    told = f"{text[:1].upper()}{text[1:]}."
    for k in range(len(_MORE)):
        more = _MORE[(seed + k) % len(_MORE)]
        if len(told) >= goal or len(told) + len(more) >= most:
            break
        told = f"{told} {more}"
    return told if goal else text


def _resolve(schema: Value, root: Value) -> dict[str, Value]:
    while isinstance(schema, dict) and "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        schema = root["$defs"][name] if isinstance(root, dict) else {}
    if isinstance(schema, dict) and "anyOf" in schema:
        options = schema["anyOf"]
        texts = [one for one in options if isinstance(one, dict) and "maxLength" in one]
        return texts[0] if texts else {}
    return schema if isinstance(schema, dict) else {}
