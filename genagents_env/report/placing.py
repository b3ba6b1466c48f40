"""Placing a report in a folder: completely or not at all; other files are not touched."""

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.files import guard_files

INDEX = "report.json"  # has the names of the files under `files`


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


def place_files(files: Mapping[str, bytes], folder: Path, ours: re.Pattern[str]) -> list[Path]:
    """Write `files` into `folder` in place of the report that is there.

    Files that only the former report had are removed; files of no report are not touched.

    Args:
        files: by their path in the folder, the page first: it is put in place last.
        folder: made where it is missing.
        ours: what a report's files are called.

    Returns:
        Their paths, in the order of `files`.

    Raises:
        ConfigError: `folder` is a file, or cannot be written.
    """
    check_place(folder)
    with guard_files(folder):
        beside = folder if folder.is_dir() else folder.parent  # of one file system with it
        beside.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".report-", dir=beside) as made:
            _put(Path(made), files)
            _replace(Path(made), folder, files, ours)
    return [folder / name for name in files]


def _put(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def _replace(made: Path, folder: Path, files: Mapping[str, bytes], ours: re.Pattern[str]) -> None:
    folder.mkdir(exist_ok=True)
    stale = [name for name in _list_former_files(folder, ours) if name not in files]
    for name in reversed(list(files)):  # the page last: what it links to is there
        (folder / name).parent.mkdir(exist_ok=True)
        os.replace(made / name, folder / name)
    for name in stale:
        (folder / name).unlink(missing_ok=True)


def _list_former_files(folder: Path, ours: re.Pattern[str]) -> list[str]:
    """Return the files of the report that is in `folder`, as far as they can be ours."""
    try:
        names = json.loads((folder / INDEX).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if isinstance(name, str) and ours.fullmatch(name)]
