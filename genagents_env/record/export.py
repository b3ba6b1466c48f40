"""Export to JSON Lines, for tools that do not read SQLite."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.record.reader import RunReader
from genagents_env.record.rows import JSON, encode


def export(run: RunReader, folder: Path) -> list[Path]:
    """Write a run as JSON Lines: what happened, was asked, answered, noted and attempted.

    Each is a `.jsonl` file in `folder`: one JSON object a line. Ticks have `tick`, `time` and
    `positions` (agent to [x, y]). A file is replaced only once its successor is complete. `folder`
    is made where it is missing. Returns the paths in the order above.

    Raises:
        FileError: the folder cannot be written.
        RecordError: the run file is damaged.
    """
    with guard_files(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return [
        _write(folder / "events.jsonl", ({**event._asdict()} for event in run.events())),
        _write(folder / "calls.jsonl", (asdict(call) for call in run.calls())),
        _write(folder / "ticks.jsonl", _ticks(run)),
        _write(folder / "interviews.jsonl", (asdict(row) for row in run.interviews())),
        _write(folder / "remembered.jsonl", (asdict(row) for row in run.memories())),
        _write(folder / "judgements.jsonl", (asdict(row) for row in run.judgements())),
        _write(folder / "notes.jsonl", (asdict(row) for row in run.notes())),
        _write(folder / "actions.jsonl", _actions(run)),
        _write(folder / "responses.jsonl", (asdict(row) for row in run.read_responses())),
    ]


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
