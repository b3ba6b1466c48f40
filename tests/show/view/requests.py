"""A page that is served while a test runs, and requests as anybody may send them."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from genagents_env.show.view.admission import Admission
from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.server import ViewServer

TOKEN = "a-token-of-this-test-alone"  # noqa: S105


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Page:
    def __init__(self, server: ViewServer) -> None:
        self.server, self.port = server, int(server.server_address[1])
        self.host = f"127.0.0.1:{self.port}"

    def get(
        self, target: str, method: str = "GET", body: bytes = b"", **headers: str | None
    ) -> Answer:
        """Return the answer to a request with these headers; `Host` is the right one, else."""
        given = {"Host": self.host, **{k.replace("_", "-"): v for k, v in headers.items()}}
        lines = [f"{name}: {value}" for name, value in given.items() if value is not None]
        head = "\r\n".join([f"{method} {target} HTTP/1.1", *lines, "", ""]).encode()
        return self.send(head + body)

    def send(self, raw: bytes) -> Answer:
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(raw)
            return read_answer(connection)


def read_answer(connection: socket.socket) -> Answer:
    found = b""
    while block := connection.recv(65536):
        found += block
    head, _, body = found.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(first.split()[1]) if first else 0, headers, body)


@contextmanager
def serve(path: Path, *, wait: bool = False, token: str | None = None) -> Iterator[Page]:
    run = OpenRun(path, wait=wait)
    with closing(run), run_server(ViewServer(run, Admission("127.0.0.1", token))) as page:
        yield page


@contextmanager
def run_server(server: ViewServer) -> Iterator[Page]:
    with server:
        thread = Thread(target=server.serve_forever, args=[0.01], daemon=True)
        thread.start()
        try:
            yield Page(server)
        finally:
            server.shutdown()
            thread.join()
