"""Forged run files of the earlier formats, which `genagents upgrade` reads."""

import lzma
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from genagents_env.record.rows import JSON

_DATA = Path(__file__).parents[1] / "record" / "data"


def forge_old(draw: random.Random, path: Path, values: Sequence[JSON]) -> str:
    """Put a file of an earlier format at `path`, one of whose values was made up; return which."""
    version, name = draw.choice((3, 4)), draw.choice(("finished", "stopped"))
    path.write_bytes(lzma.decompress((_DATA / f"format{version}_{name}.sqlite.xz").read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        listed = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        tables = [table for (table,) in connection.execute(listed).fetchall()]
        filled = [one for one in tables if connection.execute(f"SELECT 1 FROM {one}").fetchone()]
        table = draw.choice(filled)
        column = draw.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
        rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        (old,) = connection.execute(
            f"SELECT {column} FROM {table} LIMIT 1 OFFSET {draw.randrange(rows)}"
        ).fetchone()
        value = draw.choice(values)
        try:
            connection.execute(
                f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} IS ?", (value, old)
            )
            connection.commit()
        except sqlite3.Error as refused:
            return f"format {version}: {table}.{column}: {refused}"
    return f"format {version}: {table}.{column} = {value!r:.70}"
