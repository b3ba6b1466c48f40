"""What a sweep and its workers say to each other: an address, and one JSON object a line.

A worker first says who it is: `{"token", "trial", "pid"}`, and hears `{"welcome": true}`. Then it
asks, `{"ask": n, "most": spend}`, takes an ask back, `{"withdraw": n}`, settles,
`{"settle": most, "used": used}`, and tells how far it is, `{"moment": {...}}`. Every ask is
answered exactly once: `{"id": n}` grants it, and a further key says why not: `refused` (kind,
limit, value), `withdrawn`, or `fault` (a text).
"""

import json
import math
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from genagents_env.llm.budget import Spend

MOST_BYTES = 1 << 14  # of a line
_MOST = 10**15
_QUIET_SECONDS = 15  # of a connection, until the kernel asks whether the other machine is there


@dataclass(frozen=True, slots=True)
class Address:
    """Where a sweep answers its workers; the token is for nobody else."""

    host: str
    port: int
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a trial is; `dollars` is None where no price is known, `asking` in interviews."""

    trial: str
    tick: int
    horizon: int
    calls: int
    tokens: int
    dollars: float | None
    asking: bool


def encode(message: Mapping[str, object]) -> bytes:
    """Return `message` as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line.

    Raises:
        ValueError: it is none.
    """
    try:
        message = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(message, dict):
        raise ValueError("not an object")
    return message


def pack(spend: Spend) -> list[object]:
    """Return `spend` as JSON: calls, tokens, and dollars as text."""
    return [spend.calls, spend.tokens, str(spend.dollars)]


def unpack(value: object) -> Spend:
    """Return what `pack` was given.

    Raises:
        ValueError: `value` is no amount, or a negative or absurdly large one.
    """
    if not isinstance(value, list) or [type(part) for part in value] != [int, int, str]:
        raise ValueError("an amount is calls, tokens, dollars")
    calls, tokens, text = value
    try:
        dollars = Decimal(text)
    except InvalidOperation:
        raise ValueError("dollars are a decimal number") from None
    if not dollars.is_finite() or not all(0 <= part <= _MOST for part in (calls, tokens, dollars)):
        raise ValueError("an amount is 0 or more, and finite")
    return Spend(calls, tokens, dollars)


def moment_to_json(moment: Moment) -> dict[str, object]:
    """Return `moment` without its trial, which the other side knows."""
    told = asdict(moment)
    del told["trial"]
    return told


def moment_from_json(trial: str, told: object) -> Moment:
    """Return the moment that a worker tells of its trial.

    Raises:
        ValueError: it is none.
    """
    counts = ("tick", "horizon", "calls", "tokens")
    if not isinstance(told, dict) or set(told) != {*counts, "dollars", "asking"}:
        raise ValueError("a moment has other keys")
    dollars, asking = told["dollars"], told["asking"]
    priced = isinstance(dollars, float | int) and math.isfinite(dollars)
    if not (dollars is None or priced) or not isinstance(asking, bool):
        raise ValueError("a moment's dollars are a number, and asking is true or false")
    if any(type(told[name]) is not int for name in counts):
        raise ValueError("a moment's counts are integers")
    tick, horizon, calls, tokens = (told[name] for name in counts)
    return Moment(trial, tick, horizon, calls, tokens, dollars, asking)


def keep_open(connection: socket.socket) -> None:
    """Let small lines leave at once, and the kernel notice when the other machine is gone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("IDLE", _QUIET_SECONDS), ("INTVL", 5), ("CNT", 3)):
        with suppress(AttributeError, OSError):  # not every system lets one choose
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, f"TCP_KEEP{name}"), value)
