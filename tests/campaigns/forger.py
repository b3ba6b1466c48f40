"""Forged run files: what a stranger who can recompute every checksum might send."""

import json
import os
import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from genagents_env.config import TownConfig
from genagents_env.record.canonical import FIRST, tick_checksum
from genagents_env.record.connection import RunConnection
from genagents_env.record.rows import JSON, encode
from genagents_env.record.tables import CHECKPOINTS, COLUMNS, META, NOTHING, SUMMED
from genagents_env.run import Limits, RunOptions, RunSpec, run
from genagents_env.run.policy_groups import PolicySpec
from genagents_env.study.judge import judge_run
from tests.study.sweep.small_sweeps import create_sweep, run_in

NAME = "run.sqlite"
_DEEP = "[" * 100_000 + "]" * 100_000
_BOMB = zlib.compress(bytes(300_000_000), 9)
_SPOILED = ("ignore_check_constraints=ON", "ignore_check_constraints=OFF")


def list_values(canary: Path) -> list[JSON]:
    """Return values of all types that no column or key is made for; paths lead to `canary`."""
    code = f"{canary / 'canary.py'}:Canary"
    return [
        *(None, True, -1, 0, 2**31, 2**53, 2**62, -(2**63), 0.5, 1e300, -1e-300),
        *("", "x", "\x00", "\x1b[31mred\x1b[0m", "\ud800", "e" + "\u0301" * 50_000, "9" * 5000),
        *("nan", "-1", "1e999", "9999-12-31T23:59:59", "0001-01-01T00:00:00+14:00", "24:00"),
        *(code, "canary.py:Canary", "../canary/canary.py", str(canary / "canary.gguf")),
        *(str(canary / "canary"), "../../../../etc/passwd", "/proc/self/environ", "endpoint:x"),
        *("{", "[]", "{}", "null", "NaN", "Infinity", "-1e400", _DEEP, "a" * 10_000_000),
        *('{"__proto__": 1}', "[1, 2", '["Ada Brook", "Ada Brook"]', "%s%s%n", "'; DROP TABLE x"),
        *(b"", b"\x00" * 32, b"\xff" * 100, _BOMB, zlib.compress(_DEEP.encode())),
    ]


def list_json(canary: Path) -> list[str]:
    """Return texts for the keys of the head, most of them JSON."""
    texts = [encode(v) for v in list_values(canary) if not isinstance(v, bytes)]
    texts += [v for v in list_values(canary) if isinstance(v, str) and v.isascii()]
    clock, spent = "2023-02-13T09:00:00", {"calls": 2**62, "tokens": "x", "dollars": "1e999999999"}
    more: list[JSON] = [
        *({}, [], [[]], {"name": 1}, {"name": "scripted", "asked": 7}, {"name": None, "asked": ""}),
        *(["0.1", "NaN"], ["-1", "1"], ["1"], ["Infinity", "1e999"], ["x", "y"], [1, 2], [None, 0]),
        *({"start": clock, "seconds_per_tick": n} for n in (0, -1, 0.1, 2**62, "1")),
        *({"start": day, "seconds_per_tick": 10} for day in (5, "x", "9999-12-31T23:59:59")),
        *({"hours": n} for n in (-1, 0, 1e300, "x", 10**9)),
        *(["a"], ["Ada Brook"], ["Ada Brook", "Ada Brook"], ["", "\n"], ["../x", "/etc"]),
        *(spent, spent | {"seconds": -1, "checkpoint": -1}),
    ]
    return [*texts, *(encode(value) for value in more), "1" + "0" * 5000, "1e400", "NaN"]


@dataclass(frozen=True)
class Forger:
    """Makes forged run files of whole ones.

    Attributes:
        sources: whole run files.
        canary: a folder whose files nobody may open: `canary.py`, `canary.gguf`, `canary/`.
    """

    sources: Sequence[Path]
    canary: Path

    def forge(self, number: int, folder: Path) -> str:
        """Make the forged file of this number in `folder`, and return what was done to it."""
        draw = random.Random(number)  # noqa: S311 (no secret)
        path = folder / NAME
        shutil.copyfile(draw.choice(self.sources), path)
        how: Callable[[random.Random, Path, Path], str] = draw.choices(
            [_forge_head, _forge_cell, _forge_schema, _forge_file, _forge_state],
            [30, 35, 10, 10, 10],
        )[0]
        return how(draw, path, self.canary)


def make_sources(folder: Path) -> list[Path]:
    """Return run files of minds with calls, interviews, verdicts and embeddings: whole ones."""
    found = []
    for name, limit in (("finished", None), ("stopped", 12)):
        path = folder / f"{name}.sqlite"
        options = RunOptions(
            model="scripted:neighbour", embedder="hashed", limits=Limits(limit), checkpoint_every=5
        )
        town = TownConfig("tiny", hours=0.05)
        run(RunSpec(town, policy=PolicySpec("smallville")), path, options)
        found.append(path)
    judge_run(found[0], RunOptions(model="scripted:neighbour"))
    plain = folder / "plain.sqlite"
    run(RunSpec(TownConfig("tiny", hours=0.05)), plain)
    return [*found, plain]


def make_sweep(folder: Path) -> None:
    """Make the folder of a sweep of two runs, which are lived: `out` in `folder`."""
    sweep = create_sweep(folder, seeds=1)
    for trial in sweep.trials:
        run_in(sweep, trial)


def make_canary(folder: Path) -> None:
    """Make files whose use shows: code that writes a file, a scenario, weights."""
    folder.mkdir()
    mark = folder / "imported"
    (folder / "canary.py").write_text(
        f"open({str(mark)!r}, 'w')\n"
        "from policies.idle import Idle\nclass Canary(Idle):\n    name = 'canary'\n"
    )
    (folder / "canary.gguf").write_bytes(b"GGUF")
    (folder / "canary").mkdir()
    (folder / "canary" / "scenario.toml").write_text('name = "canary"\n')


def connect(path: Path) -> RunConnection:
    connection = sqlite3.connect(path, isolation_level=None, factory=RunConnection)
    return connection


def sign(connection: RunConnection) -> None:
    """Recompute every checksum of the file, as far as its values can be read."""
    _sign_ticks(connection)
    for table in SUMMED:
        names = ", ".join(table.columns)
        total = count = 0
        for rowid, *row in connection.execute(
            f"SELECT rowid, {names} FROM {table.name}"
        ).fetchall():
            checksum = table.checksum(row)
            connection.execute(
                f"UPDATE {table.name} SET checksum = ? WHERE rowid = ?", (checksum, rowid)
            )
            count, total = count + 1, total + int.from_bytes(checksum, "big")
        connection.execute(
            "INSERT OR REPLACE INTO sums VALUES (?, ?, ?)",
            (table.name, count, (total % 2**256).to_bytes(32, "big")),
        )


def _sign_ticks(connection: RunConnection) -> None:
    chain, last = FIRST, -1
    query = "SELECT tick, positions, first_event, events FROM ticks ORDER BY tick"
    for tick, positions, first, events in connection.execute(query).fetchall():
        rows = connection.execute(
            "SELECT * FROM events WHERE id >= ? AND id < ? ORDER BY id",
            (first, first + events if isinstance(first, int) and isinstance(events, int) else 0),
        ).fetchall()
        blob = positions if isinstance(positions, bytes) else str(positions).encode()
        chain, last = tick_checksum(chain, tick, blob, rows), tick
        connection.execute("UPDATE ticks SET checksum = ? WHERE tick = ?", (chain, tick))
    connection.execute(
        "INSERT OR REPLACE INTO sums VALUES ('ticks', ?, ?)",
        (last + 1, chain if last >= 0 else NOTHING),
    )


def _forge_head(draw: random.Random, path: Path, canary: Path) -> str:
    with connect(path) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM meta ORDER BY key")]
        key, text = draw.choice([*keys, "spent"]), draw.choice(list_json(canary))
        if key in ("policies", "scenario", "model", "embedder") and draw.random() < 0.6:
            (old,) = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            text = _replace_part(draw, old, canary)
        connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        connection.execute(
            "INSERT INTO meta VALUES (?, ?, ?)",
            (key, _storable(text), META.checksum((key, _storable(text)))),
        )
        sign(connection)
    return f"meta {key} = {text!r:.70}"


def _replace_part(draw: random.Random, old: str, canary: Path) -> str:
    """Return JSON text with one of its values replaced by a hostile one."""
    data = json.loads(old)
    places = list(_list_places(data))
    holder, key = draw.choice(places)
    values = [value for value in list_values(canary) if not isinstance(value, bytes)]
    holder[key] = draw.choice([*values, [], {}, 10**400])
    return json.dumps(data)


def _list_places(data: JSON) -> Iterator[tuple[JSON, JSON]]:
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield data, key
        if isinstance(value, dict | list):
            yield from _list_places(value)


def _storable(value: JSON) -> JSON:
    """Return `value` as SQLite can hold it."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value


def _forge_cell(draw: random.Random, path: Path, canary: Path) -> str:
    with connect(path) as connection:
        connection.execute(f"PRAGMA {draw.choice(_SPOILED)}")
        filled = [
            table
            for table in COLUMNS
            if connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        ]
        table = draw.choice(filled)
        column = draw.choice(list(COLUMNS[table]))
        value = _storable(draw.choice([*list_values(canary), *list_json(canary)]))
        rows = connection.execute(f"SELECT rowid FROM {table}").fetchall()
        (rowid,) = draw.choice(rows)
        where = "" if draw.random() < 0.2 else f" WHERE rowid = {rowid}"
        try:
            connection.execute(f"UPDATE OR REPLACE {table} SET {column} = ?{where}", (value,))
            signed = table not in ("sums",) and column != "checksum"
            if signed:
                sign(connection)
        except (sqlite3.Error, ValueError, TypeError) as refused:
            return f"{table}.{column}: {refused}"
    return f"{table}.{column} = {value!r:.70}{where}"


def _forge_schema(draw: random.Random, path: Path, canary: Path) -> str:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    table = draw.choice(["events", "calls", "interviews", "ticks", "meta"])
    columns = ", ".join(f"i AS {name}" for name in COLUMNS[table])
    statements = [
        f"DROP TABLE {table}; CREATE VIEW {table} AS {endless} SELECT {columns} FROM n",
        f"DROP TABLE {table}",
        f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM events; END",
        f"CREATE TRIGGER u AFTER UPDATE ON {table} BEGIN DELETE FROM ticks; END",
        "CREATE VIRTUAL TABLE notes USING fts5(words)",
        f"DROP TABLE {table}; CREATE VIRTUAL TABLE {table} USING fts5(words)",
        f"ALTER TABLE {table} ADD COLUMN made AS (1/0)",
        f"ALTER TABLE {table} RENAME TO other",
        "CREATE TABLE more (x)",
        f"CREATE INDEX i ON {table} (abs(1))",
        "ANALYZE",
        "CREATE VIEW v AS SELECT load_extension('/tmp/x.so')",
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql = 'CREATE TABLE x'",
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET rootpage = 1",
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET rootpage = 999999",
        "PRAGMA encoding='UTF-16'; VACUUM",
        "PRAGMA auto_vacuum=FULL; PRAGMA page_size=512; VACUUM",
    ]
    statement = draw.choice(statements)
    with connect(path) as connection:
        try:
            connection.executescript(statement)
        except sqlite3.Error as refused:
            return f"{statement:.60}: {refused}"
    return statement[:90]


def _forge_file(draw: random.Random, path: Path, canary: Path) -> str:
    whole = path.read_bytes()
    kind = draw.randrange(14)
    size = draw.randrange(len(whole))
    beside = path.with_name(NAME + draw.choice(["-wal", "-shm", "-journal", ".lock"]))
    if kind == 0:
        path.write_bytes(whole[:size])
    elif kind == 1:
        path.write_bytes(whole[:size] + draw.randbytes(400) + whole[size + 400 :])
    elif kind == 2:
        with connect(path) as connection:
            connection.execute(f"PRAGMA user_version={draw.choice([0, 1, 3, 5, -1])}")
    elif kind == 3:
        with connect(path) as connection:
            connection.execute("PRAGMA application_id=7")
    elif kind == 4:
        path.unlink()
        path.symlink_to(draw.choice([canary / "canary.py", Path("nowhere"), path]))
    elif kind == 5:
        path.unlink()
        os.mkfifo(path)
    elif kind == 6:
        path.unlink()
        path.mkdir()
    elif kind == 7:
        path.write_bytes(b"")
    elif kind == 8:
        beside.symlink_to(canary / "canary.py")
    elif kind == 9:
        os.mkfifo(beside)
    elif kind == 10:
        beside.mkdir()
    elif kind == 11:
        beside.write_bytes(_make_journal(draw, len(whole)))
    elif kind == 12:
        _leave_log(path)
    else:
        path.write_bytes(whole + bytes(50_000_000))
    return f"file {kind} {beside.name if kind in range(8, 12) else size}"


def _make_journal(draw: random.Random, size: int) -> bytes:
    """Return a hot rollback journal that would make other pages of the file."""
    head = bytes.fromhex("d9d505f920a163d7") + (1).to_bytes(4, "big") + bytes(4)
    head += (size // 4096).to_bytes(4, "big") + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")
    return head.ljust(512, b"\0") + (1).to_bytes(4, "big") + draw.randbytes(4096) + bytes(4)


def _leave_log(path: Path) -> None:
    """Leave a write-ahead log beside the file, in which its events are gone."""
    connection = connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("DELETE FROM events")
    log = path.with_name(NAME + "-wal").read_bytes()
    before = path.read_bytes()
    connection.close()
    path.write_bytes(before)
    path.with_name(NAME + "-wal").write_bytes(log)


def _forge_state(draw: random.Random, path: Path, canary: Path) -> str:
    """Put another state into the checkpoints, so that a resume starts from it."""
    with connect(path) as connection:
        rows = connection.execute("SELECT rowid, tick, body FROM checkpoints").fetchall()
        what = "no checkpoint"
        for rowid, tick, body in rows:
            text = zlib.decompress(body).decode()
            choice = draw.randrange(4)
            if choice == 0:
                forged = _BOMB
            elif choice == 1:
                forged = zlib.compress(draw.choice(list_json(canary)).encode("utf-8", "replace"))
            else:
                forged = zlib.compress(_replace_part(draw, text, canary).encode("utf-8", "replace"))
            what = f"checkpoint {tick} choice {choice}: {len(forged)} bytes"
            connection.execute(
                "UPDATE checkpoints SET body = ?, checksum = ? WHERE rowid = ?",
                (forged, CHECKPOINTS.checksum((tick, forged)), rowid),
            )
        sign(connection)
    return what
