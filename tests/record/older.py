"""Makes run files of earlier formats out of those of today."""

import sqlite3
from pathlib import Path

_TO_TWO = """
ALTER TABLE interviews RENAME TO of_today;
CREATE TABLE interviews (
    tick INTEGER NOT NULL, agent TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
    evidence TEXT NOT NULL, PRIMARY KEY (tick, agent, question));
INSERT INTO interviews SELECT tick, agent, question, answer, evidence FROM of_today
    WHERE repeat = 0 ORDER BY rowid;
DROP TABLE of_today;
DROP TABLE remembered;
DROP TABLE judgements;
"""
_TO_ONE = """
DROP TABLE embeddings;
DELETE FROM meta WHERE key IN ('embedder', 'interviews');
"""


def as_format(path: Path, version: int) -> bytes:
    """Make a file of format 1 or 2 out of one of today, and return its bytes."""
    connection = sqlite3.connect(path)
    steps = _TO_TWO + (_TO_ONE if version == 1 else "")
    connection.executescript(f"BEGIN; {steps} PRAGMA user_version = {version}; COMMIT;")
    connection.close()
    return path.read_bytes()
