"""Data as the text of a TOML file that people go on editing."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, time

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDE = 100  # characters of a line


def format_toml(data: Mapping[str, object]) -> str:
    """Return `data`, its tables as `[key]`, its lists of tables as `[[key]]`.

    Lists of tables within these are `[[key.key]]`; what is within those stands in lines of its own.

    Args:
        data: text, numbers, truth values, times, lists and tables of these.
    """
    return "\n".join(_list_lines(data, "")) + "\n"


def _list_lines(table: Mapping[str, object], path: str, *, listed: bool = False) -> Iterator[str]:
    deep = "." in path  # what is in rooms stands in one line each
    tables = {key: value for key, value in table.items() if _is_tables(value) and not deep}
    sections = {key: value for key, value in table.items() if _is_section(value) and not listed}
    for key, value in table.items():
        if key not in tables and key not in sections:
            yield from _list_entry(key, value)
    for key, value in sections.items():
        assert isinstance(value, Mapping)  # noqa: S101 - as `_is_section` says
        where = _join(path, key)
        yield from ("", f"[{where}]", *_list_lines(value, where))
    for key, value in tables.items():
        assert isinstance(value, list | tuple)  # noqa: S101 - as `_is_tables` says
        for entry in value:
            where = _join(path, key)
            yield from ("", f"[[{where}]]", *_list_lines(entry, where, listed=True))


def _join(path: str, key: str) -> str:
    return f"{path}.{_format_key(key)}" if path else _format_key(key)


def _is_section(value: object) -> bool:
    return isinstance(value, Mapping) and bool(value)


def _is_tables(value: object) -> bool:
    return (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(v, dict) for v in value)
    )


def _list_entry(key: str, value: object) -> Iterator[str]:
    line = f"{_format_key(key)} = {_format(value)}"
    if isinstance(value, list | tuple) and (len(line) > _WIDE or _is_tables(value)):
        yield f"{_format_key(key)} = ["
        yield from (f"  {_format(entry)}," for entry in value)
        yield "]"
    else:
        yield line


def _format_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quote(key)


def _format(value: object) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_format_key(str(k))} = {_format(v)}" for k, v in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | time):
        return value.isoformat()
    return _quote(value) if isinstance(value, str) else str(value)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
