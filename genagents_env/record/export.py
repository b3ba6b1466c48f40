"""Export to JSON Lines, for tools that do not read SQLite."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.record.reader import RunReader
from genagents_env.record.rows import JSON, encode


def export(run: RunReader, folder: Path) -> list[Path]:
    """Write the tables of a run as `.jsonl` files into `folder`, one JSON object a line.

    Ticks have `tick`, `time` and `positions` (agent to [x, y]). `folder` is made where it is
    missing; a file is replaced only once its successor is complete. Returns the paths.

    Raises:
        FileError: the folder cannot be written.
        RecordError: the run file is damaged.
    """
    with guard_files(folder):
        folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, Iterable[dict[str, JSON]]] = {
        "events": (event._asdict() for event in run.events()),
        "calls": map(asdict, run.calls()),
        "ticks": _ticks(run),
        "interviews": map(asdict, run.interviews()),
        "remembered": map(asdict, run.memories()),
        "judgements": map(asdict, run.judgements()),
        "notes": map(asdict, run.notes()),
        "actions": _actions(run),
        "responses": map(asdict, run.read_responses()),
    }
    return [_write(folder / f"{name}.jsonl", rows) for name, rows in tables.items()]


def _ticks(run: RunReader) -> Iterable[dict[str, JSON]]:
    for tick, positions in run.ticks():
        where = dict(zip(run.meta.names, positions.tolist(), strict=True))
        yield {"tick": tick, "time": run.time(tick).isoformat(), "positions": where}


def _actions(run: RunReader) -> Iterable[dict[str, JSON]]:
    for tick, changed in run.actions():
        yield {"tick": tick, "changed": {run.meta.names[i]: deed for i, deed in changed.items()}}


def _write(path: Path, rows: Iterable[dict[str, JSON]]) -> Path:
    with replace_file(find_inside(path.parent, path.name)) as file:
        for row in rows:
            file.write(f"{encode(row)}\n".encode("ascii"))
    return path
