"""Checkpoints: all state needed to resume from a tick boundary, under one checksum."""

import json
import zlib
from dataclasses import dataclass

from genagents_env.record.canonical import verify_chain
from genagents_env.record.compressed import inflate
from genagents_env.record.connection import RunConnection, damage_error
from genagents_env.record.rows import JSON
from genagents_env.record.tables import CHECKPOINTS

KEPT = 2
_STATE_LIMIT = 2**31  # bytes; a town of a thousand people with minds needs some hundred million

# Not `rows.encode`: a mind may look at its own dicts in their order, so sorting would change it.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run after `tick` ticks; all values are JSON.

    Attributes:
        tick: the last tick that is part of it.
        env: `TownEnv.save_state()`.
        policies: one entry per policy instance, in the order of the policy groups.
    """

    tick: int
    env: JSON
    policies: list[JSON]

    def body(self, chain: bytes) -> bytes:
        """Compress the state, with the checksum `chain` of the ticks before it."""
        state = {"env": self.env, "policies": self.policies}
        return zlib.compress(_encode(state | {"chain": chain.hex()}).encode(), level=1)


def load_state(tick: int, body: bytes) -> tuple[Checkpoint, bytes]:
    """Return the checkpoint in `body`, and the checksum of the ticks before it.

    Raises:
        ValueError, TypeError, KeyError: `body` holds something else.
    """
    values = json.loads(inflate(body, _STATE_LIMIT))
    if not (isinstance(values, dict) and isinstance(values.get("policies"), list)):
        raise TypeError("this is not the state of a run")
    chain = bytes.fromhex(values.pop("chain"))
    values.pop("ledger", None)  # of earlier versions
    return Checkpoint(tick, **values), chain


def find_last_good(
    connection: RunConnection, until: int = 2**62
) -> tuple[Checkpoint, bytes] | None:
    """Return the newest whole checkpoint up to tick `until`, and its chain; None without any.

    A checkpoint that is damaged, as by a power failure, is skipped for the one before it: resuming
    from there repeats no stored model call.

    Raises:
        RecordError: there are checkpoints but none is whole, or the ticks before it have changed.
    """
    rows = connection.execute(
        "SELECT tick, body, checksum FROM checkpoints WHERE tick <= ? ORDER BY tick DESC",
        (until,),
    ).fetchall()
    for tick, body, expected in rows:
        if CHECKPOINTS.checksum((tick, body)) != expected:
            continue
        state, chain = load_state(tick, body)
        if verify_chain(connection, tick) != chain:
            raise damage_error(
                connection.path, f"the ticks before the checkpoint of tick {tick} have changed"
            )
        return state, chain
    if rows:
        raise damage_error(connection.path, "none of its checkpoints matches its checksum")
    return None
