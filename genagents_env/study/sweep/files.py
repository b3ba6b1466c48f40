"""The files of a sweep's folder: their names, whence it came, and writing that survives kills."""

import json
import os
from pathlib import Path

from genagents_env.errors import ConfigError, FileError
from genagents_env.files import find_inside, guard_files, read_text, replace_file, sync_folder
from genagents_env.record.lock import BESIDE, LOCK
from genagents_env.record.rows import JSON

EXPERIMENT, BASE, LOG, LEDGER = "experiment.toml", "base.json", "log.jsonl", "ledger.sqlite"
RUNS, DAMAGED, PLAN = "runs", "damaged", "plan.json"
VALUES = ".values.json"  # behind the name of a run file: what is measured of it
_PARTS = ("", *BESIDE, LOCK, VALUES)  # of a run file
_MOST = 16 << 20  # bytes of a note


def find_base(file: Path) -> Path:
    """Return the folder from which relative paths in an experiment file start.

    It is the file's own; of a sweep's copy the one that the file came from, while that is there.

    Raises:
        ConfigError: the note of it cannot be read.
    """
    folder = file.absolute().parent
    if file.name != EXPERIMENT or not (folder / BASE).is_file():
        return folder
    base = Path(str(read_note(folder / BASE).get("base", folder)))
    return base if base.is_dir() else folder


def read_note(path: Path) -> dict[str, JSON]:
    """Return a JSON object that the sweep wrote, such as `base.json`: `base` and `changes`.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        note = json.loads(read_text(path, _MOST))
    except (FileError, ValueError, RecursionError):
        note = None
    if not isinstance(note, dict):
        raise ConfigError(f"{path} cannot be read; begin the sweep again")
    return note


def check_links(path: Path) -> None:
    """Raise FileError where something in a sweep's folder is a link; the folder itself may be."""
    for name in (EXPERIMENT, BASE, LOG, LEDGER, f"{LEDGER}-wal", PLAN, RUNS, DAMAGED):
        find_inside(path, name)


def check_free(path: Path) -> None:
    """Raise ConfigError where no sweep can be started or resumed, FileError as `check_links`."""
    check_links(path)
    with guard_files(path):
        if path.exists() and not path.is_dir():
            raise ConfigError(f"{path} is a file; a sweep needs a folder")
        # Hidden files are drafts of a sweep that failed to start.
        is_new = path.is_dir() and not (path / BASE).is_file()
        used = is_new and any(not one.name.startswith(".") for one in path.iterdir())
    if used:
        raise ConfigError(f"{path} has other things in it; a sweep needs a folder of its own")


def write_whole(path: Path, text: str) -> None:
    """Put `text` into `path`, durably: a reader sees the old text or the new one."""
    with replace_file(find_inside(path.parent, path.name)) as file:
        file.write(text.encode())
    sync_folder(path.parent)


def move_run(path: Path, target: Path) -> None:
    """Rename a run file together with its journals; the file itself comes last.

    If the process ends in between, the next move completes this one.
    """
    for part in reversed(_PARTS):
        source = path.with_name(path.name + part)
        if part == "" or source.exists():
            os.replace(source, target.with_name(target.name + part))
