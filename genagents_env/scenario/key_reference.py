"""The reference of scenario keys, from the schema: type, default, range and meaning.

Types and ranges are those of pydantic's JSON schema; the meanings are those of the sections
`Attributes:` in the docstrings of the schema.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from genagents_env.errors import ConfigError
from genagents_env.scenario.faults import quote, suggest
from genagents_env.scenario.schema import Scenario

REQUIRED, NONE = "required", "none"  # in place of a default: the key has to be there, has no value
_MEANING = re.compile(r"^    (\w+): (.+(?:\n {8}.+)*)", re.M)
_TYPES = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "time": "time of day",
    "date-time": "date and time",
}
_BOUNDS = (  # of the JSON schema: at least, at most, of what, of one of that
    ("minimum", "maximum", "", ""),
    ("minItems", "maxItems", " entries", " entry"),
    ("minLength", "maxLength", " characters", " character"),
)

JsonSchema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScenarioKey:
    """A key in words: its type, what is allowed, its default (`required` where it has none)."""

    name: str
    type: str
    allowed: str
    default: str
    meaning: str

    @property
    def default_words(self) -> str:
        """The default in words."""
        return self.default if self.default == REQUIRED else f"default {self.default}"


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The keys of one table of a scenario.

    Attributes:
        paths: where it may stand, such as `rules.conversation`; empty for the whole file.
        heads: how it is written in each of these places, such as `[[people.routine]]`.
        text: what it is.
        keys: in the order of the schema.
    """

    paths: tuple[str, ...]
    heads: tuple[str, ...]
    text: str
    keys: tuple[ScenarioKey, ...]


def list_key_tables() -> tuple[KeyTable, ...]:
    """List every table of a scenario, the outer before the inner."""
    schema = Scenario.model_json_schema()
    places: dict[str, list[tuple[str, str]]] = {"": [("", "scenario.toml")]}
    for name, path, head in _find_tables(schema, schema["$defs"]):
        places.setdefault(name, []).append((path, head))
    return tuple(
        _make_table(schema["$defs"][name] if name else schema, where)
        for name, where in places.items()
    )


def find_key_tables(path: str) -> tuple[tuple[KeyTable, ...], tuple[str, ...]]:
    """Return the tables at `path`, empty for the file itself, and the paths of those within.

    Where the tables in one place differ by their `kind`, all of them are returned.

    Raises:
        ConfigError: there is none.
    """
    tables = list_key_tables()
    matches = [table for table in tables if path in table.paths] or [
        table for table in tables if path in {at.rpartition(".")[0] for at in table.paths} - {""}
    ]
    paths = dict.fromkeys(at for table in tables for at in table.paths if at)
    if not matches:
        raise ConfigError(f"no table {quote(path)} in a scenario; {suggest(path, list(paths))}")
    own = {at for table in matches for at in table.paths}
    inner = (at for at in paths if not path or at.startswith(f"{path}."))
    return tuple(matches), tuple(at for at in inner if at not in own)


def format_key_reference() -> str:
    """Format the tables in Markdown."""
    return "\n".join(_format_table(table) for table in list_key_tables())


def _find_tables(
    table: JsonSchema, models: JsonSchema, path: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield the model of each table within a table, with its path and how it is written."""
    for key, schema in table["properties"].items():
        where = f"{path}.{key}" if path else key
        names = re.findall(r'"\$ref": "#/\$defs/(\w+)"', json.dumps(schema))
        head = f"[[{where}]]" if '"array"' in json.dumps(schema) else f"[{where}]"
        if schema.get("type") == "object":
            head = f"[{where}.NAME]"
        for name in names:
            kind = models[name]["properties"]["kind"]["const"] if len(names) > 1 else ""
            if kind:
                yield name, f"{where}.{kind}", f'{head} kind = "{kind}"'
            else:
                yield name, where, head
            yield from _find_tables(models[name], models, where)


def _make_table(schema: JsonSchema, places: list[tuple[str, str]]) -> KeyTable:
    text, _, rest = schema["description"].partition("Attributes:\n")
    meanings = {match[1]: " ".join(match[2].split()) for match in _MEANING.finditer(rest)}
    required = schema.get("required", ())
    keys = []
    for name, key in schema["properties"].items():
        type_, allowed = _describe(key)
        default = REQUIRED if name in required else _format_default(key)
        allowed_words = ", ".join(dict.fromkeys(allowed))
        keys.append(ScenarioKey(name, type_, allowed_words, default, meanings.get(name, "")))
    paths, heads = zip(*places, strict=True)
    return KeyTable(paths, heads, " ".join(text.split()), tuple(keys))


def _format_default(schema: JsonSchema) -> str:
    """Format a default as in the file; `none` if TOML has no word for it."""
    default = schema.get("default", {})
    if default is None:
        return NONE
    if isinstance(default, dict):
        return "{}"
    return default if schema.get("format") == "time" else json.dumps(default, ensure_ascii=False)


def _describe(schema: JsonSchema) -> tuple[str, list[str]]:
    """Describe a type in words, with its bounds, if any."""
    if "$ref" in schema:
        return "table", []
    words = [schema["const"]] if "const" in schema else schema.get("enum")
    if words:
        return "word", [", ".join(f'`"{word}"`' for word in words)]
    parts = schema.get("anyOf") or schema.get("oneOf") or schema.get("prefixItems")
    if parts:
        return _describe_parts(parts, listed="prefixItems" in schema)
    if schema.get("type") == "array":
        each, allowed = _describe(schema["items"])
        return f"list: {each}", [*allowed, *_list_bounds(schema)]
    if schema.get("type") == "object":
        key, allowed = _describe(schema.get("propertyNames", {}))
        value, more = _describe(schema["additionalProperties"])
        return f"table by {key}: {value}", allowed + more
    type_: str = schema.get("format") or schema.get("type", "string")
    return _TYPES.get(type_, type_), list(_list_bounds(schema))


def _describe_parts(parts: list[JsonSchema], *, listed: bool) -> tuple[str, list[str]]:
    described = [_describe(part) for part in parts if part.get("type") != "null"]
    types, allowed = [type_ for type_, _ in described], [a for _, part in described for a in part]
    return f"[{', '.join(types)}]" if listed else " or ".join(dict.fromkeys(types)), allowed


def _list_bounds(schema: JsonSchema) -> Iterator[str]:
    """Yield the bounds of a number, then those of a length."""
    if "exclusiveMinimum" in schema:
        yield f"more than {_format_number(schema['exclusiveMinimum'])}"
    if "exclusiveMaximum" in schema:
        yield f"less than {_format_number(schema['exclusiveMaximum'])}"
    for low, high, unit, single in _BOUNDS:
        least, most = schema.get(low), schema.get(high)
        unit_of_least = single if least == 1 else unit
        if least is not None and least == most:
            yield f"{_format_number(least)}{unit_of_least}"
        elif least is not None and most is not None:
            yield f"{_format_number(least)} to {_format_number(most)}{unit}"
        elif least is not None:
            yield f"at least {_format_number(least)}{unit_of_least}"
        elif most is not None:
            yield f"at most {_format_number(most)}{unit}"
    if "pattern" in schema:
        yield f"`{schema['pattern']}`"


def _format_number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def _format_table(table: KeyTable) -> str:
    heads = " and ".join(f"`{head}`" for head in table.heads)
    rows = [("key", "type", "allowed", "default", "meaning"), ("---",) * 5]
    for key in table.keys:
        default = key.default if key.default in (REQUIRED, NONE) else f"`{key.default}`"
        rows.append((f"`{key.name}`", key.type, key.allowed, default, key.meaning))
    lines = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]
    return "\n".join([f"## {heads}", "", table.text, "", *lines, ""])
