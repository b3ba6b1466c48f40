"""The canonical hash of a run, which does not depend on when or how often it was stopped."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from genagents_env.record.answers import format_canonical_lines
from genagents_env.record.calls import read_calls
from genagents_env.record.connection import RunConnection, damage_error, guard_reading
from genagents_env.record.head import read_scenario
from genagents_env.record.meta import CANONICAL, read_rows
from genagents_env.record.notes import format_note_lines
from genagents_env.record.rows import CallRow, encode
from genagents_env.record.schema import open_file
from genagents_env.record.tables import NOTHING
from genagents_env.scenario.digest import digest_scenario

EventRow = tuple[int, int, str, str | None, str]  # id, tick, kind, agent, data as JSON text
FIRST = b"genagents run 1"


def tick_checksum(before: bytes, tick: int, positions: bytes, events: Iterable[EventRow]) -> bytes:
    """Return the SHA-256 of a tick and, through `before`, of all ticks before it."""
    lines = [f"{tick} {len(positions)} "]
    lines += [f"{encode([id_, at, kind, agent])}{data}\n" for id_, at, kind, agent, data in events]
    return sha256(b"".join((before, positions, "".join(lines).encode()))).digest()


def canonical_hash(path: str | Path) -> str:
    """Return the SHA-256 of the run in `path`, as hexadecimal.

    It covers the scenario (see `scenario.digest`), arguments, policies, seed, ticks, events, model
    calls, interviews, memories of facts and notes of minds. It leaves out judgements, wall clock,
    versions, the name of the model, checkpoints, and what depends on the network (attempts and the
    wording of faults). A run that was stopped and resumed has the hash of one that was not. A file
    that is still written is hashed as of this moment.

    Raises:
        RecordError: the file is missing, foreign, newer, or does not match its checksums.
    """
    path = Path(path)
    connection = open_file(path, write=False)
    try:
        with guard_reading(path):
            connection.execute("BEGIN")  # one snapshot, even while it is written
            digest = sha256(FIRST)
            rows = read_rows(connection)
            scenario = read_scenario(rows["scenario"])
            digest.update(f"scenario {digest_scenario(scenario)}\n".encode())
            for key in CANONICAL:
                digest.update(f"{key} {rows.get(key)}\n".encode())
            digest.update(verify_chain(connection))
            for call in read_calls(connection):
                digest.update(_canonical_call(call))
            for line in format_canonical_lines(connection):
                digest.update(f"{line}\n".encode())
            for line in format_note_lines(connection):
                digest.update(f"{line}\n".encode())
            return digest.hexdigest()
    finally:
        connection.close()


def seal_ticks(connection: RunConnection) -> None:
    """Note the last tick and its checksum, so that no tick can be removed from the end unnoticed.

    This is done at each checkpoint and where a run stops; doing it at each tick would cost
    microseconds. A killed run is replayed from its last checkpoint.
    """
    last = connection.execute(
        "SELECT tick + 1, checksum FROM ticks ORDER BY tick DESC LIMIT 1"
    ).fetchone()
    connection.execute("INSERT OR REPLACE INTO sums VALUES ('ticks', ?, ?)", last or (0, NOTHING))


def verify_chain(connection: RunConnection, until: int | None = None, *, first: int = 0) -> bytes:
    """Recompute the checksum of every tick, and return that of the last (or of tick `until`).

    Ticks before `first` are trusted.

    Raises:
        RecordError: a tick or an event is missing, was added or was changed.
    """
    chain, total = FIRST, 0
    chains = {0: NOTHING}
    ticks = connection.execute(
        "SELECT tick, positions, first_event, events, checksum FROM ticks "
        "WHERE tick BETWEEN ? AND ? ORDER BY tick",
        (first, 2**62 if until is None else until),
    )
    if first:
        query = "SELECT checksum FROM ticks WHERE tick = ?"
        (chain,) = connection.execute(query, (first - 1,)).fetchone() or (FIRST,)
    for expected, (tick, positions, at, events, checksum) in enumerate(ticks, first):
        rows = connection.execute(
            "SELECT id, tick, kind, agent, data FROM events WHERE id >= ? AND id < ? ORDER BY id",
            (at, at + events),
        ).fetchall()
        chain = tick_checksum(chain, tick, positions, rows)
        if tick != expected or len(rows) != events or chain != checksum:
            raise damage_error(connection.path, f"tick {expected} does not match its checksum")
        total, chains[tick + 1] = total + events, chain
    if until is None and not first:
        _check_end(connection, chains, total)
    return chain


def _check_end(connection: RunConnection, chains: dict[int, bytes], events: int) -> None:
    query = "SELECT count, sum FROM sums WHERE name = 'ticks'"
    count, sealed = connection.execute(query).fetchone() or (0, NOTHING)
    goes_on = read_rows(connection).get("status") == encode("running")
    if chains.get(count) != sealed or (len(chains) > count + 1 and not goes_on):
        raise damage_error(connection.path, "ticks are missing at its end, or were added")
    (stored,) = connection.execute("SELECT count(*) FROM events").fetchone()
    if stored != events:
        raise damage_error(connection.path, f"it has {stored} events where its ticks have {events}")


def _canonical_call(row: CallRow) -> bytes:
    facts = [row.agent, row.tick, row.purpose, row.number, row.prompt_hash, row.outcome, row.reply]
    facts += [row.prompt_tokens, row.completion_tokens, row.reasks, row.truncated]
    return f"{encode(facts)}\n".encode()
