"""A worker that sends to a budget server whatever a test wants."""

import json
import socket
from types import TracebackType
from typing import Any, Self

from genagents_env.sweep.spending.protocol import Address


class Raw:
    """A bare connection; `introduced` says first who it is."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.socket = socket.create_connection((address.host, address.port), 20)
        self.answers = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.answers.close()
        self.socket.close()

    def introduced(self, trial: str = "raw", pid: int = 1) -> Self:
        self.say({"token": self.address.token, "trial": trial, "pid": pid})
        assert self.hear() == {"welcome": True}
        return self

    def say(self, *messages: object) -> None:
        self.send(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def hear(self) -> dict[str, Any]:
        heard: dict[str, Any] = json.loads(self.answers.readline())
        return heard

    def ended(self) -> bool:
        """Return whether the server ends the connection without another word."""
        try:
            return self.answers.readline() == b""
        except ConnectionResetError:
            return True
