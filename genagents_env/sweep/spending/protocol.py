"""The messages of a budget server and its clients: one JSON object a line.

A client first introduces itself and is welcomed. Then it requests reservations, withdraws requests,
settles, and reports its progress. Every request is answered exactly once, by a `ServerReply`.
"""

import asyncio
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Literal, Protocol, TypeAlias, TypeVar, cast

from pydantic import Field, TypeAdapter

from genagents_env.llm.budget import Spend

WELCOME = b'{"welcome":true}\n'
_MAX_LINE_BYTES = 1 << 14
_SECONDS_TO_INTRODUCE = 10.0
_QUIET_SECONDS = 15  # of a connection, until the kernel asks whether the other machine is there

_T = TypeVar("_T")
_Count = Annotated[int, Field(ge=0, le=10**15)]
_Dollars = Annotated[Decimal, Field(ge=0, le=10**15, allow_inf_nan=False)]
Amount: TypeAlias = tuple[_Count, _Count, _Dollars]  # a `Spend`: calls, tokens, dollars


@dataclass(frozen=True, slots=True)
class Address:
    """Where a budget server listens; the token is known to its own workers alone."""

    host: str
    port: int
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a client says first: the server's token, its trial, its process."""

    token: str = field(repr=False)
    trial: str
    pid: int


@dataclass(frozen=True, slots=True)
class ReservationRequest:
    """Reserve `amount`; `number` is the client's own name for the request."""

    number: int
    amount: Amount
    kind: Literal["reserve"] = "reserve"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Forget the request of this number, if it still waits."""

    number: int
    kind: Literal["withdraw"] = "withdraw"


@dataclass(frozen=True, slots=True)
class Settlement:
    """Release `reserved` and spend `used`."""

    reserved: Amount
    used: Amount
    kind: Literal["settle"] = "settle"


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """How far a trial is; `dollars` is None where no price is known, `asking` in interviews."""

    tick: int
    horizon: int
    calls: int
    tokens: int
    dollars: Annotated[float, Field(allow_inf_nan=False)] | None
    asking: bool
    kind: Literal["progress"] = "progress"


@dataclass(frozen=True, slots=True)
class ServerReply:
    """The answer to a reservation request: a grant, unless it says why not.

    Attributes:
        number: of the request.
        refused: the kind of limit, the limit, and what the total would have been.
        withdrawn: the client took the request back.
        fault: why the server could not grant it.
    """

    number: int
    refused: tuple[str, float, float] | None = None
    withdrawn: bool = False
    fault: str | None = None

    @property
    def is_grant(self) -> bool:
        """Whether the amount is reserved."""
        return self.refused is None and not self.withdrawn and self.fault is None


ClientMessage: TypeAlias = ReservationRequest | Withdrawal | Settlement | TrialProgress
INTRODUCTION = TypeAdapter(Introduction)
MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(
    Annotated[ClientMessage, Field(discriminator="kind")]
)
REPLY = TypeAdapter(ServerReply)


def encode(kind: TypeAdapter[_T], message: _T) -> bytes:
    """Return `message` as a line."""
    return kind.dump_json(message) + b"\n"


def decode(kind: TypeAdapter[_T], line: bytes) -> _T:
    """Return the message in `line`.

    Raises:
        ValueError: it is none of this kind.
    """
    return kind.validate_json(line, strict=True)


def to_amount(spend: Spend) -> Amount:
    """Return `spend` as it is sent."""
    return spend.calls, spend.tokens, spend.dollars


def keep_alive(connection: socket.socket) -> None:
    """Send small lines at once, and let the kernel notice when the other machine is down."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("IDLE", _QUIET_SECONDS), ("INTVL", 5), ("CNT", 3)):
        with suppress(AttributeError, OSError):  # not every system lets one choose
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, f"TCP_KEEP{name}"), value)


class ConnectionHandler(Protocol):
    """What a server does about its connections."""

    def connect(self, connection: "WorkerConnection") -> None:
        """Register a new connection, whose other end has not introduced itself yet."""

    def handle(self, connection: "WorkerConnection", message: ClientMessage) -> None:
        """Do what a worker says; a ValueError disconnects it."""

    def disconnect(self, connection: "WorkerConnection") -> None:
        """Count as spent what a worker that sends garbage, or has left, has not settled."""

    def dispatch(self) -> None:
        """Answer the requests that can be answered now."""


class WorkerConnection(asyncio.Protocol):
    """The server's end; a client without the token, or one that sends garbage, is disconnected.

    Args:
        handler: does what the worker says.
        number: of this connection.
        token: the secret of the sweep.

    Attributes:
        trial: of the worker; None before it has introduced itself.
        pid: of the worker's process.
    """

    def __init__(self, handler: ConnectionHandler, number: int, token: str) -> None:
        self.handler, self.number = handler, number
        self.trial: str | None = None
        self.pid = 0
        self._token = token.encode()
        self._rest = b""
        self._deadline: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait a while for the introduction."""
        self._transport = cast("asyncio.Transport", transport)  # a server of TCP has no other
        connection = transport.get_extra_info("socket")
        if isinstance(connection, socket.socket):
            keep_alive(connection)
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(_SECONDS_TO_INTRODUCE, self.close)
        self.handler.connect(self)

    def data_received(self, data: bytes) -> None:
        """Do what the lines say."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        try:
            for line in lines:
                if self.trial is None:
                    self._authenticate(decode(INTRODUCTION, line))
                else:
                    self.handler.handle(self, decode(MESSAGE, line))
            if len(self._rest) > _MAX_LINE_BYTES:
                raise ValueError("a line without end")
        except ValueError:
            self.close()
            self.handler.disconnect(self)
        if self.trial is not None:
            self.handler.dispatch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Close this end, too."""
        self.close()
        self.handler.disconnect(self)
        if self.trial is not None:
            self.handler.dispatch()

    def send(self, line: bytes) -> None:
        """Send a line to the worker."""
        if self._transport is not None:
            self._transport.write(line)

    def close(self) -> None:
        """Cut the connection."""
        if self._deadline is not None:
            self._deadline.cancel()
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    def _authenticate(self, introduction: Introduction) -> None:
        given = introduction.token.encode("utf-8", "replace")
        if not secrets.compare_digest(given, self._token):
            raise ValueError("another token")
        if self._deadline is not None:
            self._deadline.cancel()
        self.trial, self.pid = introduction.trial, introduction.pid
        self.send(WELCOME)
