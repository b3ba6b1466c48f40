"""Placing a report in a folder: completely or not at all; other files are not touched."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from hashlib import file_digest, sha256
from pathlib import Path, PurePath

from genagents_env.errors import ConfigError, FileError
from genagents_env.files import find_inside, guard_files, open_to_read, parse_json, read_text
from genagents_env.record.rows import JSON
from genagents_env.study.report.table import list_some

INDEX = "report.json"
OURS = re.compile(r"figures/[a-z0-9_]+\.png|[a-z0-9_]+\.(csv|parquet)|report\.html")
_FILES = "files"  # in the index: their checksums by name
_MOST = 64 << 20  # bytes of an index


def check_place(folder: Path) -> None:
    """Raise where no report can be put into `folder`, before anything is measured for it.

    Raises:
        ConfigError: it is a file, or a part of its path is one.
        FileError: its name is too long, or leads in a circle.
    """
    with guard_files(folder):
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder} is a file; a report needs a folder")
        if folder.is_symlink() and not folder.exists():
            raise ConfigError(f"{folder} is a link to nowhere; a report needs a folder")
        above = next(above for above in folder.absolute().parents if above.exists())
        if not above.is_dir():
            raise ConfigError(f"{folder}: {above} is a file; a report needs a folder")


def place_files(
    files: Mapping[str, bytes], folder: Path, tell: Callable[[str], None]
) -> list[Path]:
    """Write `files` into `folder` in place of the report that is there.

    Files that only the former report had are removed, as far as they are as it wrote them, by the
    checksums in its index; files of no report are not touched. No link in `folder` is followed.

    Args:
        files: by their path in the folder, the page first: it is put in place last. The index gets
            their checksums.
        folder: made where it is missing.
        tell: is given a sentence about files that were left, if there are any.

    Returns:
        Their paths, in the order of `files`.

    Raises:
        ConfigError: `folder` is a file, or cannot be written.
        FileError: a folder inside it is a link, or a folder stands where a file is wanted.
    """
    check_place(folder)
    with guard_files(folder):
        beside = folder if folder.is_dir() else folder.parent  # of one file system with it
        beside.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".report-", dir=beside) as made:
            _put(Path(made), files)
            former = _read_sums(folder)
            left = _replace(Path(made), folder, files, former or {})
    if former is None:
        tell(f"{folder / INDEX} had no checksums, so no file of the report before was removed")
    if left:
        told = "left alone, though of the report before, since changed or a link"
        tell(f"{folder}: {told}: {list_some(left)}")
    return [folder / name for name in files]


def check_fuller(folder: Path, finished: int) -> None:
    """Raise ConfigError where the report that is in `folder` counts more finished runs."""
    found = (_read_index(folder) or {}).get("finished")
    if isinstance(found, int) and found > finished:
        raise ConfigError(
            f"{folder}: the report there counts {found} finished runs, this one would count "
            f"{finished}; it was left as it is. Move it away, or name another folder with --out"
        )


def format_index(files: Mapping[str, bytes], data: Mapping[str, JSON]) -> bytes:
    """Return the text of the index: the checksums of `files` by their names, then `data`."""
    sums = {name: sha256(content).hexdigest() for name, content in sorted(files.items())}
    return json.dumps({_FILES: sums, **data}, indent=1).encode()


def _put(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def _replace(
    made: Path, folder: Path, files: Mapping[str, bytes], former: Mapping[str, str]
) -> list[str]:
    """Put the files in place, and return which of the former report's were left."""
    for name in files:
        find_inside(folder, str(PurePath(name).parent))
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise FileError(f"{folder / name} is a folder where the report has a file; remove it")
    folder.mkdir(exist_ok=True)
    for name in reversed(list(files)):  # the page last: what it links to is there
        (folder / name).parent.mkdir(exist_ok=True)
        os.replace(made / name, folder / name)
    stale = [name for name in former if name not in files]
    return [name for name in stale if not _remove(folder, name, former[name])]


def _remove(folder: Path, name: str, sum_: str) -> bool:
    """Remove a file of the former report; return False where it is another by now."""
    try:
        path = find_inside(folder, name)
        if not os.path.lexists(path):
            return True
        with open_to_read(path) as file:
            found = file_digest(file, "sha256")  # type: ignore[arg-type]  # a file has `readinto`
        is_same = found.hexdigest() == sum_
        if is_same:
            path.unlink()
        return is_same
    except FileError:
        return False


def _read_sums(folder: Path) -> dict[str, str] | None:
    """Return the checksums of the report that is in `folder`, by the names of its files.

    None where there is an index without any; a stranger may have written it.
    """
    sums = (_read_index(folder) or {}).get(_FILES)
    if not isinstance(sums, dict):
        return None if os.path.lexists(folder / INDEX) else {}
    return {name: str(sum_) for name, sum_ in sums.items() if OURS.fullmatch(name)}


def _read_index(folder: Path) -> dict[str, JSON] | None:
    """Return the index of the report in `folder`; None where there is none that can be read."""
    if not os.path.lexists(folder / INDEX):
        return None
    try:
        found = parse_json(read_text(find_inside(folder, INDEX), _MOST))
    except (FileError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
