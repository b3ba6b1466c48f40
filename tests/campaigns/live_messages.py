"""A town that goes on is left as it is by what strangers send to its page.

Run: `python -m tests.campaigns.live_messages` (1,000 messages, half a minute). CI takes a tenth.
A town runs with `--live`, and a person in it is away. Messages that are malformed, too large, of
another site, without a token or for agents of others come in while it runs; then 64 connections
send one byte and sleep. The run ends in the hash of one that nobody disturbed.
"""

import argparse
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from genagents_env.record import canonical_hash
from genagents_env.show.view.server import MOST_CONNECTIONS

_TOWN = ("tiny", "--hours", "1", "--policy", "idle", "--policy", "Ada=human")
_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/(?:play/(\S+)/|\?token=(\S+))")
_BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\x00\xff",
    b"[" * 3000,
    b'{"do": "fly"}',
    b'{"do": "event"}',
    b'{"do": "event", "event": {"kind": "whisper"}}',
    b'{"do": "event", "event": {"kind": "silence", "agent": "Ben Carver"}}',
    b'{"do": "ask"}',
    b'{"do": "speed", "speed": "fast"}',
    b'{"do": "speed", "speed": -1}',
    b'{"do": "act", "agent": "Nobody", "action": {"do": "fly"}}',
    b'{"do": ["pause"]}',
    b'{"a": "' + b"x" * 20_000 + b'"}',
)


def main(messages: int = 1000, seed: int = 0) -> Counter[str]:
    """Send so many messages; return how many got which answer, or raise AssertionError."""
    with tempfile.TemporaryDirectory() as folder:
        still, stirred = Path(folder) / "still.sqlite", Path(folder) / "stirred.sqlite"
        with _run(still) as process:
            assert process.wait(120) == 0
        with _run(stirred) as process:
            port, seat, token = _read_addresses(process)
            drawn = _draw_messages(random.Random(seed), messages, port, seat, token)  # noqa: S311
            counts = Counter(_send(port, message) for message in drawn)
            with ExitStack() as stack:
                for _ in range(2 * MOST_CONNECTIONS):
                    with suppress(OSError):
                        sleeper = socket.create_connection(("127.0.0.1", port), timeout=1)
                        stack.enter_context(sleeper).sendall(b"G")
                assert process.wait(120) == 0
        assert canonical_hash(still) == canonical_hash(stirred)
    return counts


def _run(path: Path) -> "subprocess.Popen[str]":
    words = [*_TOWN, "--turn-seconds", "0.02", "--live", "--quiet", "--out", str(path)]
    return subprocess.Popen(
        [sys.executable, "-m", "genagents_env", "run", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _read_addresses(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    assert process.stderr is not None
    seat = ""
    for line in process.stderr:
        if found := _ADDRESS.search(line):
            seat = found[2] or seat
            if found[3]:
                return int(found[1]), seat, found[3]
    raise AssertionError("no address was told")


def _draw_messages(
    drawn: random.Random, count: int, port: int, seat: str, token: str
) -> Iterator[bytes]:
    here = f"127.0.0.1:{port}"
    for _ in range(count):
        body = drawn.choice((*_BODIES, drawn.randbytes(drawn.randrange(200)), b'{"do": "pause"}'))
        bad = body != b'{"do": "pause"}'
        strange = drawn.random() < 0.5 or not bad  # what would be obeyed comes from a stranger
        headers = {
            "Host": "evil.example" if strange and drawn.random() < 0.3 else here,
            "Origin": "http://evil.example" if strange else f"http://{here}",
            "Cookie": f"genagents-view={'x' * 30 if strange else token}",
            "Content-Type": drawn.choice(("application/json", "text/plain") if bad else ("x",)),
            "Content-Length": str(drawn.choice((len(body), len(body), 10**9, -1))),
        }
        own = f"/play/{seat}/act" if bad and drawn.random() < 0.3 else "/live/do"
        path = drawn.choice((own, own, "/play/nobody/act", f"/live/{drawn.randrange(9)}"))
        lines = [f"{name}: {value}" for name, value in headers.items()]
        yield "\r\n".join([f"POST {path} HTTP/1.1", *lines, "", ""]).encode() + body


def _send(port: int, message: bytes) -> str:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(message)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while block := connection.recv(65536):
                answer += block
    except OSError:
        return "closed"
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head.split(b" ")[1].decode() if b" " in head else "closed"
    if status == "200":
        assert "fault" in json.loads(body), (message, body)
    return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=1000)
    print(dict(sorted(main(parser.parse_args().messages).items())))
