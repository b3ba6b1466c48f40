"""Reading a scenario folder as data, however hostile the folder is.

Only regular files inside the folder are opened, and only so much of them is read.
"""

import os
import re
import stat
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from genagents_env.scenario.faults import Fault, Origins, quote
from genagents_env.scenario.maps.grid import FIRST_LINE, is_grid
from genagents_env.text import fold

FILE_LIMIT = 1 << 20  # bytes a file
TOTAL_LIMIT = 16 << 20  # bytes a folder
DEPTH_LIMIT = 32
ENTITY_LIMIT = 10_000  # tables, and files of people
VALUE_LIMIT = 100_000  # a file
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_KEY_PART = 64
_NAME = 300  # characters of a name that are compared, more than one may have
_TOO_DEEP = f"nested too deeply; at most {DEPTH_LIMIT} levels"
_NO_FILE = "missing; a scenario folder holds scenario.toml"
_TOO_LONG = "a number is too long; at most 18 digits"
_SHORT_TIME = re.compile(r"=[ \t]*((?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d)[ \t]*(?:[,}#]|$)", re.M)
MAPS = ("map.txt", "map.grid")
TILED = (".tmj", ".tmx")  # ends of the files of Tiled

Raw = dict[str, object]


@dataclass(slots=True)
class Folder:
    """The content of a scenario folder.

    Attributes:
        raw: the data as TOML gave it.
        origins: the files of its parts.
        faults: as `file:key: text`.
        warnings: oddities that may be intended, written likewise.
        total: bytes read.
        entities: tables read.
        tiled: the file of Tiled that the folder refers to.
        unread: whether a file of people could not be read.
    """

    raw: Raw = field(default_factory=dict)
    origins: Origins = field(default_factory=Origins)
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    total: int = 0
    entities: int = 0
    tiled: str | None = None
    unread: bool = False

    def refuse(self, faults: Iterable[Fault]) -> None:
        """Add faults, each with the file it is in."""
        self.faults += map(self.origins.render, faults)


def fold_text(value: object) -> str:
    """Fold a name in raw data; "" if it is no text."""
    return fold(value[:_NAME]) if isinstance(value, str) else ""


def fold_name(table: object) -> str:
    """Fold the name of a table in raw data; "" if it has none."""
    return fold_text(table.get("name")) if isinstance(table, dict) else ""


class Unread(Exception):
    """A file that is not read; its text says why."""


def read_folder(path: Path) -> Folder:
    """Read the data of a scenario folder: `scenario.toml`, `people/*.toml` and a map."""
    folder = Folder()
    root = path.resolve()
    raw = _read_toml(folder, root, "scenario.toml")
    if raw is None:
        return folder
    _find_tiled_map(folder, raw)
    folder.raw = raw
    people = raw.get("people", [])
    if isinstance(people, list):
        raw["people"] = people
        folder.origins.people += [("scenario.toml", f"people[{i}]") for i in range(len(people))]
        for name in _people_files(folder, root):
            _add_people(folder, root, name, people)
    _add_map(folder, root, raw)
    return folder


def _find_tiled_map(folder: Folder, raw: Raw) -> None:
    """Move the name of a Tiled file, which is read last, from the data to `folder.tiled`."""
    name = raw.pop("map", None)
    if isinstance(name, str) and name.lower().endswith(TILED):
        folder.tiled = name
    elif name is not None:
        text = f"{quote(name)} is no map; the name of a file of Tiled is allowed"
        text += f" ({', '.join(TILED)}), or no such key: map.txt is found by itself"
        folder.faults.append(f"scenario.toml:map: {text}")


def _add_map(folder: Folder, root: Path, raw: Raw) -> None:
    """Add the text of the folder's map, drawn in characters or in layers of numbers."""
    files = [name for name in MAPS if os.path.lexists(root / name)]
    both = files if folder.tiled is None else [folder.tiled, *files]
    if len(both) > 1:
        folder.faults.append(f"{both[1]}:file: a second map beside {both[0]}; one is allowed")
    if not files or folder.tiled is not None:
        return
    name = files[0]
    text = raw["map"] = _read_text(folder, root, name)
    if name != MAPS[0]:
        folder.origins.keys["map"] = name
    if text is not None and is_grid(text) != (name == MAPS[1]):
        wanted = "characters" if name == MAPS[0] else f'"{FIRST_LINE}" as its first line'
        first = quote(text.split("\n", 1)[0])
        folder.faults.append(f"{name}:line 1: {first}; {wanted} is wanted")


def _people_files(folder: Folder, root: Path) -> list[str]:
    place = root / "people"
    if not os.path.lexists(place):
        return []
    if place.is_symlink() or not place.is_dir():
        folder.faults.append("people:file: not a folder; it holds one file a person")
        return []
    entries = sorted(entry.name for entry in place.iterdir())
    names = [name for name in entries if name.endswith(".toml")]
    folder.warnings += [
        f"people/{name}:file: not read; a file of people ends in .toml"
        for name in entries
        if name not in names and not name.upper().startswith("README")
    ]
    if len(names) > ENTITY_LIMIT:
        folder.faults.append(f"people:file: {len(names)} files; at most {ENTITY_LIMIT} are read")
        return []
    return [f"people/{name}" for name in names]


def _add_people(folder: Folder, root: Path, name: str, people: list[object]) -> None:
    raw = _read_toml(folder, root, name)
    if raw is None:
        folder.unread = True
        return
    if "people" not in raw:
        people.append(raw)
        folder.origins.people.append((name, ""))
        return
    more = raw.pop("people")
    folder.faults += [
        f"{name}:{key}: unknown key; a file holds one person, or [[people]] and nothing else"
        for key in raw
    ]
    if not isinstance(more, list):
        folder.faults.append(f"{name}:people: not a list; write [[people]] before each person")
        return
    people += more
    folder.origins.people += [(name, f"people[{i}]") for i in range(len(more))]


def _read_toml(folder: Folder, root: Path, name: str) -> Raw | None:
    """Read the data of a TOML file; None with a fault added if it cannot be read."""
    text = _read_text(folder, root, name)
    try:
        return None if text is None else _check_size(folder, _parse(text))
    except Unread as error:
        folder.faults.append(f"{name}:file: {error}")
        return None


def _parse(text: str) -> Raw:
    if _is_deep(text):
        raise Unread(_TOO_DEEP)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unread(f"not TOML: {error}{_explain_time(text)}") from None
    except RecursionError:
        raise Unread(_TOO_DEEP) from None
    except ValueError:
        raise Unread(_TOO_LONG) from None


def _explain_time(text: str) -> str:
    """Explain a time without seconds, for which the parser has no words."""
    match = _SHORT_TIME.search(text)
    if match is None:
        return ""
    line = text.count("\n", 0, match.start()) + 1
    return f"; line {line}: a time has seconds, {match[1]}:00 in place of {match[1]}"


def _is_deep(text: str) -> bool:
    """Return True if a key has very many parts, `a.a.a...`, which take the parser very long."""
    run = 0
    for part in text.split("."):
        run = run + 1 if len(part) <= _KEY_PART and len(part.split()) <= 1 else 0
        if run > 2 * DEPTH_LIMIT:
            return True
    return False


def _check_size(folder: Folder, raw: Raw) -> Raw:
    """Return `raw` if it is neither deep nor large, and count its tables; without recursion."""
    values, depth = 0, 0
    layer: list[Raw | list[object]] = [raw]
    while layer:
        depth += 1
        folder.entities += sum(isinstance(item, dict) for item in layer)
        inner: list[object] = []
        for item in layer:
            inner += item.values() if isinstance(item, dict) else item
        values += len(inner)
        if any(isinstance(item, int) and abs(item) >= 10**18 for item in inner):
            raise Unread(_TOO_LONG)
        if depth > DEPTH_LIMIT:
            raise Unread(_TOO_DEEP)
        layer = [item for item in inner if isinstance(item, dict | list)]
    if folder.entities > ENTITY_LIMIT:
        raise Unread(f"too much; at most {ENTITY_LIMIT} tables in all")
    if values > VALUE_LIMIT:
        raise Unread(f"too much; at most {VALUE_LIMIT} values a file")
    return raw


def _read_text(folder: Folder, root: Path, name: str) -> str | None:
    try:
        data = read_bytes(root, name, min(FILE_LIMIT, TOTAL_LIMIT - folder.total))
        folder.total += len(data)
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except Unread as error:
        folder.faults.append(f"{name}:file: {error}")
    except UnicodeDecodeError as error:
        folder.faults.append(f"{name}:file: not UTF-8 text (byte {error.start})")
    except OSError as error:
        folder.faults.append(f"{name}:file: cannot be read: {error.strerror or quote(error)}")
    return None


def read_bytes(root: Path, name: str, limit: int, missing: str = _NO_FILE) -> bytes:
    """Read a regular file in a folder.

    Args:
        root: the folder, resolved.
        name: of the file, from the folder.
        limit: bytes; larger files are refused.
        missing: what is said where there is no such file.

    Raises:
        Unread: the file is outside the folder, missing, or too large.
    """
    path = Path(os.path.realpath(root / name))
    if not path.is_relative_to(root):
        raise Unread("leads out of the scenario folder; only files inside it are read")
    if not path.exists():
        raise Unread("a link that leads nowhere" if (root / name).is_symlink() else missing)
    # Non-blocking, so that a FIFO in place of a file cannot block before it is refused.
    handle = os.open(path, _OPEN)
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise Unread("not a regular file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Unread(f"too large; at most {FILE_LIMIT} bytes a file, {TOTAL_LIMIT} in all")
    return data
