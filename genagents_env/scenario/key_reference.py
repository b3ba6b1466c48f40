"""Every key that a scenario may have, from the schema: its type, default, range and meaning.

The meanings are those of the sections `Attributes:` in the docstrings of the schema.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from genagents_env.errors import ConfigError
from genagents_env.scenario.faults import quote, suggest
from genagents_env.scenario.key_types import NONE, describe_type, format_default, list_models
from genagents_env.scenario.schema import Scenario

REQUIRED = "required"
_MEANINGS = "Attributes:\n"
_MEANING = re.compile(r"^    (\w+): (.+(?:\n {8}.+)*)", re.M)


@dataclass(frozen=True, slots=True)
class ScenarioKey:
    """One key in words: its type, what is allowed, its default (`required` where it has none)."""

    name: str
    type: str
    allowed: str
    default: str
    meaning: str

    @property
    def default_words(self) -> str:
        """What holds where it is left out, in words."""
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
    """Return every table of a scenario, the outer before the inner."""
    places: dict[type[BaseModel], list[tuple[str, str]]] = {}
    for model, path, head in _find_tables(Scenario):
        places.setdefault(model, []).append((path, head))
    return tuple(
        KeyTable(
            tuple(path for path, _ in where),
            tuple(head for _, head in where),
            _split_docstring(model)[0],
            tuple(_make_key(model, name) for name in _list_names(model)),
        )
        for model, where in places.items()
    )


def find_key_tables(path: str) -> tuple[tuple[KeyTable, ...], tuple[str, ...]]:
    """Return the tables at `path`, empty for the file itself, and the paths of those within.

    Where the tables in one place differ by their `kind`, all of them are returned.

    Raises:
        ConfigError: there is none.
    """
    tables = list_key_tables()
    found = [one for one in tables if path in one.paths]
    found = found or [one for one in tables if any(_is_kind_of(p, path) for p in one.paths)]
    if not found:
        known = [at for one in tables for at in one.paths if at]
        raise ConfigError(f"no table {quote(path)} in a scenario; {suggest(path, known)}")
    mine = tuple(dict.fromkeys(at for one in found for at in one.paths))
    inner = [at for one in tables for at in one.paths if at and _is_within(at, path)]
    return tuple(found), tuple(dict.fromkeys(at for at in inner if at not in mine))


def _is_kind_of(path: str, place: str) -> bool:
    return place != "" and path.rpartition(".")[0] == place


def _is_within(path: str, place: str) -> bool:
    return not place or path.startswith(f"{place}.")


def format_key_reference() -> str:
    """Return the tables in Markdown."""
    return "\n".join(_format_table(table) for table in list_key_tables())


def _find_tables(
    model: type[BaseModel], path: str = "", kind: str = "", hint: object = None
) -> Iterator[tuple[type[BaseModel], str, str]]:
    """Yield a table and each within it, with its path and how it is written."""
    yield model, f"{path}.{kind}" if kind else path, _write_head(path, hint, kind)
    for name in _list_names(model):
        hint = model.model_fields[name].annotation
        within = list_models(hint)
        for inner in within:
            where = f"{path}.{name}" if path else name
            kind = _find_kind(inner) if len(within) > 1 else ""
            yield from _find_tables(inner, where, kind, hint)


def _find_kind(model: type[BaseModel]) -> str:
    """Return the `kind` by which a table is told from others in its place, "" without one."""
    field = model.model_fields.get("kind")
    kinds = () if field is None else get_args(field.annotation)
    return str(kinds[0]) if len(kinds) == 1 else ""


def _write_head(path: str, hint: object, kind: str) -> str:
    if not path:
        return "scenario.toml"
    head = f"[[{path}]]" if _is_list(hint) else f"[{path}]"
    if _is_table_of_tables(hint):
        head = f"[{path}.NAME]"
    return f'{head} kind = "{kind}"' if kind else head


def _is_list(hint: object) -> bool:
    return any(get_origin(part) is tuple for part in (hint, *get_args(hint)))


def _is_table_of_tables(hint: object) -> bool:
    return any(get_origin(part) is dict for part in (hint, *get_args(hint)))


def _list_names(model: type[BaseModel]) -> list[str]:
    return list(model.model_fields)


def _make_key(model: type[BaseModel], name: str) -> ScenarioKey:
    field = model.model_fields[name]
    default = field.get_default(call_default_factory=True)
    told = REQUIRED if default is PydanticUndefined else format_default(default)
    words = describe_type(model, name)
    meaning = _split_docstring(model)[1].get(name, "")
    return ScenarioKey(name, words.type, ", ".join(words.allowed), told, meaning)


def _split_docstring(model: type[BaseModel]) -> tuple[str, dict[str, str]]:
    """Return what a table is, and what each of its keys means."""
    text, _, rest = (inspect.getdoc(model) or "").partition(_MEANINGS)
    found = {match[1]: " ".join(match[2].split()) for match in _MEANING.finditer(rest)}
    return " ".join(text.split()), found


def _format_table(table: KeyTable) -> str:
    heads = " and ".join(f"`{head}`" for head in table.heads)
    rows = [("key", "type", "allowed", "default", "meaning"), ("---",) * 5]
    rows += [(f"`{k.name}`", k.type, k.allowed, _mark(k.default), k.meaning) for k in table.keys]
    lines = [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]
    return "\n".join([f"## {heads}", "", table.text, "", *lines, ""])


def _mark(default: str) -> str:
    """Return a default as code, where it is a value."""
    return default if default in (REQUIRED, NONE) else f"`{default}`"
