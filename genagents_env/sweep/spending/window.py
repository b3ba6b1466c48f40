"""A sweep's end of the line to one worker."""

import asyncio
import itertools
import secrets
import socket
from typing import TYPE_CHECKING, Any, cast

from genagents_env.sweep.spending.wire import (
    MOST_BYTES,
    decode,
    encode,
    keep_open,
    moment_from_json,
    unpack,
)

if TYPE_CHECKING:
    from genagents_env.sweep.spending.desk import Desk

_SECONDS_TO_SAY_WHO = 10.0


class Window(asyncio.Protocol):
    """Hears one connection; whoever does not know the token, or talks garbage, is cut off.

    Args:
        desk: what the windows belong to.
        number: of this window.
        token: the secret of the sweep.
    """

    def __init__(self, desk: "Desk", number: int, token: str) -> None:
        self.desk, self.number = desk, number
        self.trial: str | None = None
        self.pid = 0
        self._token = token.encode()
        self._rest = b""
        self._patience: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait a while for the first line."""
        self._transport = cast("asyncio.Transport", transport)  # a server of TCP has no other
        connection = transport.get_extra_info("socket")
        if isinstance(connection, socket.socket):
            keep_open(connection)
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(_SECONDS_TO_SAY_WHO, self.close)
        self.desk.windows[self.number] = self

    def data_received(self, data: bytes) -> None:
        """Do what the lines say."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        try:
            for line in lines:
                self._heard(decode(line))
            if len(self._rest) > MOST_BYTES:
                raise ValueError("a line without end")
        except (ValueError, KeyError, TypeError):
            self.close()
            self.desk.till.leave(self.number)
        if self.trial is not None:
            self.desk.attend()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give up what the worker has not settled."""
        self.close()
        self.desk.windows.pop(self.number, None)
        if self.trial is not None:
            self.desk.till.leave(self.number)
            self.desk.attend()

    def send(self, message: dict[str, Any]) -> None:
        """Answer the worker."""
        if self._transport is not None:
            self._transport.write(encode(message))

    def close(self) -> None:
        """Cut the connection."""
        if self._patience is not None:
            self._patience.cancel()
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    def _heard(self, message: dict[str, Any]) -> None:
        if self.trial is None:
            self._introduced(message)
        elif "ask" in message:
            self.desk.ask(self.number, _number(message["ask"]), unpack(message["most"]))
        elif "settle" in message:
            most, used = unpack(message["settle"]), unpack(message["used"])
            self.desk.till.settle(self.number, most, used)
        elif "withdraw" in message:
            number = _number(message["withdraw"])
            if self.desk.till.withdraw(self.number, number):
                self.send({"id": number, "withdrawn": True})
        else:
            self.desk.tell(moment_from_json(self.trial, message["moment"]))

    def _introduced(self, message: dict[str, Any]) -> None:
        token, trial, pid = message["token"], message["trial"], message["pid"]
        if not (isinstance(token, str) and isinstance(trial, str) and type(pid) is int):
            raise ValueError("a worker says its token, its trial and its process")
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self._token):
            raise ValueError("another token")
        if self._patience is not None:
            self._patience.cancel()
        self.trial, self.pid = trial, pid
        self.send({"welcome": True})


def _number(value: object) -> int:
    if type(value) is not int:
        raise ValueError("an ask is numbered")
    return value


class Windows:
    """Opens a window for every connection."""

    def __init__(self, desk: "Desk", token: str) -> None:
        self._desk, self._token, self._numbers = desk, token, itertools.count(1)

    def __call__(self) -> Window:
        """Return a new window."""
        return Window(self._desk, next(self._numbers), self._token)
