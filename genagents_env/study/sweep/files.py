"""The files of a sweep's folder: their names, and writing and moving that survive kills."""

import os
from pathlib import Path

from genagents_env.files import find_inside, replace_file, sync_folder
from genagents_env.record.lock import BESIDE, LOCK

EXPERIMENT, BASE, LOG, LEDGER = "experiment.toml", "base.json", "log.jsonl", "ledger.sqlite"
RUNS, DAMAGED, PLAN = "runs", "damaged", "plan.json"
VALUES = ".values.json"  # behind the name of a run file: what is measured of it
_PARTS = ("", *BESIDE, LOCK, VALUES)  # of a run file


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
