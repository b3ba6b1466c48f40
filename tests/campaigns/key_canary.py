"""A key that an endpoint sends back, or that stands in prompts, is in no byte that is left.

Every call of the first part meets one fault: the key in an error, a header, a completion or a
damaged body, in one of eight ways of writing, at one of 401 places, so that every cut falls inside
it. The second part runs whole commands and searches folders and outputs.

Run: `python -m tests.campaigns.key_canary` (57,000 calls, 14 runs; a quarter of an hour). CI takes
a twentieth.
"""

import argparse
import asyncio
import base64
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from genagents_env.errors import GenagentsError
from genagents_env.llm.calls import CallKey, Message
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.client import ModelClient
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.retries import RetryPolicy
from genagents_env.record import RunReader
from genagents_env.testing.fault_server import FaultServer, ServerFault, envelope
from tests.llm.asking import FALLBACK, Choice

PIECE = 8  # signs in a row that count as a leak
PLACES = 401  # characters that may stand before the key
_HEAD = "sk-proj-"


def draw_key(seed: int) -> str:
    draw = random.Random(seed)  # noqa: S311 - a made-up key
    signs = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return _HEAD + "".join(draw.choice(signs) for _ in range(48))


WRITINGS: Mapping[str, Callable[[str], str]] = {
    "plain": str,
    "in capitals": str.upper,
    "hexadecimal": lambda key: key.encode().hex(),
    "partly escaped": lambda key: f"\\u{ord(key[0]):04x}{key[1:]}",
    "escaped": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "percent": lambda key: "".join(f"%{ord(c):02x}" for c in key),
    "PERCENT": lambda key: "".join(f"%{ord(c):02X}" for c in key),
    "base64": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "broken": lambda key: "\n".join(key[k : k + 5] for k in range(0, len(key), 5)),
    "coloured": lambda key: "\x1b[31m".join(key[k : k + 5] for k in range(0, len(key), 5)),
    "invisible": lambda key: "\u200b".join(key),
}


def _fail(status: int) -> Callable[[str], ServerFault]:
    def fault(words: str) -> ServerFault:
        body = json.dumps({"error": {"message": words}}).encode()
        return ServerFault(status=status, body=body)

    return fault


def _send(text: Callable[[str], bytes], status: int = 200) -> Callable[[str], ServerFault]:
    return lambda words: ServerFault(status=status, body=text(words))


def _head(name: str, status: int) -> Callable[[str], ServerFault]:
    def fault(words: str) -> ServerFault:
        line = words.replace("\n", " ").replace("\x1b", " ").replace("\u200b", " ")
        return ServerFault(status=status, headers={name: line}, body=b"{}")

    return fault


def _reply(words: str) -> str:
    return json.dumps({"choice": "park", "rating": 3, "why": words})


def _think(words: str) -> bytes:
    answer = json.loads(envelope(_reply("sun")))
    answer["choices"][0]["message"]["reasoning_content"] = words
    return json.dumps(answer).encode()


CHANNELS: Mapping[str, Callable[[str], ServerFault]] = {
    "error 401": _fail(401),
    "error 400": _fail(400),
    "error 500": _fail(500),
    "error of plain text": _send(str.encode, 500),
    "html": _send(lambda words: f"<html>{words}".encode()),
    "reply": _send(lambda words: envelope(_reply(words))),
    "bad words": _send(lambda words: envelope(words)),
    "unknown field": _send(lambda words: envelope(json.dumps({words: 1}))),
    "thinking": _send(_think),
    "ending": _send(lambda words: envelope(_reply("sun"), words)),
    "location": _head("Location", 307),
    "retry-after": _head("Retry-After", 429),
    "encoding": _head("Content-Encoding", 200),
}


@dataclass(frozen=True)
class Hunt:
    """Finds a key, or eight signs of its random part, in bytes."""

    key: str

    def find(self, content: bytes) -> str | None:
        """Return what was found, None where nothing is left of it."""
        plain = re.sub(rb"[^A-Za-z0-9]", b"", content)
        for form in self._forms:
            if form in content or form in plain:
                return form.decode()
        return None

    @property
    def _forms(self) -> Iterator[bytes]:
        secret = self.key[len(_HEAD) :]
        for at in range(len(secret) - PIECE + 1):
            piece = secret[at : at + PIECE]
            yield piece.encode()
            yield piece.upper().encode()
            yield piece.encode().hex().encode()
            yield quote(piece, safe="").encode()
            yield "".join(f"\\u{ord(c):04x}" for c in piece).encode()
            yield "".join(f"%{ord(c):02x}" for c in piece).encode()
            yield "".join(f"%{ord(c):02X}" for c in piece).encode()
            yield "\n".join(piece).encode()
            for shift in range(3):
                coded = base64.b64encode(b"\0" * shift + piece.encode()).decode()
                yield coded[shift + 1 : shift + 9].encode()


def try_calls(part: int) -> list[str]:
    """Make the calls of the first part; return what was left of keys."""
    found: list[str] = []
    for number, (channel, make) in enumerate(CHANNELS.items()):
        key = draw_key(number)
        for writing, write in WRITINGS.items():
            places = range(number % part, PLACES, part)
            faults = [make("z" * at + " " + write(key)) for at in places]
            trace = Hunt(key).find(asyncio.run(ask_all(key, faults)).encode())
            found += [f"{channel}, {writing}: {trace}"] if trace else []
            print(f"\r{channel}, {writing}: {len(found)} found  ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found


async def ask_all(key: str, faults: list[ServerFault]) -> str:
    """Return all that is stored and raised as every fault meets a call; prompts have the key."""
    cassette, raised = MemoryCassette(), []
    schedule = dict(enumerate(faults, 1))
    with FaultServer(schedule) as server:
        url = server.url.replace("127.0.0.1", f"ada:{key}@127.0.0.1") + f"/{key}"
        endpoint = OpenAIEndpoint(url, key, "m", attempt_deadline=20.0)
        client = ModelClient(
            endpoint,
            run_seed=1,
            cassette=cassette,
            retry=RetryPolicy(attempts=1, base=0.0),
            outage_after=10_000,
        )
        number = 0
        while server.calls < len(faults):
            number += 1
            asked = (Message("system", f"Say {key}."), Message("user", f"{number}?"))
            try:
                await client.ask(CallKey("Ada", number, "act", 0), asked, Choice, fallback=FALLBACK)
            except GenagentsError as error:
                raised.append(f"{error!r} {error}")
        await client.aclose()
    return f"{cassette.rows} {raised} {client.ledger.rows()}"


_PROMPTING = """
import os
from genagents_env.actions import Idle
from genagents_env.llm.calls import CallKey, Message
from pydantic import BaseModel
from genagents_env.policy import Policy
class Wish(BaseModel):
    choice: str
    rating: int
    why: str
class Prompting(Policy):
    name = "prompting"
    needs_model = True
    def reset(self, profiles, seed, context):
        self.model = context.model
    async def act_async(self, observations, infos):
        for agent in observations:
            tick = infos[agent]["percept"].tick
            asked = [Message("user", "My key is " + os.environ["OPENAI_API_KEY"])]
            fallback = Wish(choice="", rating=0, why="")
            told = await self.model.ask(
                CallKey(agent, tick, "wish", 0), asked, Wish, fallback=fallback
            )
            if tick == 3 and "CRASH" in os.environ:
                raise RuntimeError("z" * 280 + os.environ["OPENAI_API_KEY"])
        return {agent: Idle(told.value.why) for agent in observations}
"""


def try_commands(part: int) -> list[str]:
    """Run whole commands under each channel; return what was left of keys."""
    found: list[str] = []
    channels = [*CHANNELS, "nothing"]
    for number, channel in enumerate(channels[:: min(part, 7)]):
        with tempfile.TemporaryDirectory() as name:
            trace = _try_command(channel, draw_key(100 + number), Path(name))
            if trace is not None:
                found.append(f"command, {channel}: {trace}")
        print(f"\rcommand, {channel}: {len(found)} found   ", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found


def _try_command(channel: str, key: str, folder: Path) -> str | None:
    (folder / "prompting.py").write_text(_PROMPTING)
    make = CHANNELS.get(channel)
    schedule = {}
    for number, write in enumerate(list(WRITINGS.values()) * 5, 2):
        if make is not None:
            schedule[2 * number] = make("z" * (7 * number) + " " + write(key))
    with FaultServer(schedule) as server:
        env = {
            **os.environ,
            "OPENAI_API_KEY": key,
            "OPENAI_BASE_URL": server.url.replace("127.0.0.1", f"ada:{key}@127.0.0.1") + f"/{key}",
            "OPENAI_LOG": "debug",
            **({"CRASH": "1"} if channel == "nothing" else {}),
        }
        texts = b""
        for words in (
            ["run", "tiny", "--policy", "prompting.py:Prompting", "--model", "m"],
            ["show", "run.sqlite"],
            ["report", "run.sqlite", "--out", "report"],
            ["export", "run.sqlite", "--out", "export"],
        ):
            done = subprocess.run(
                [sys.executable, "-m", "genagents_env", *words],
                env=env,
                cwd=folder,
                capture_output=True,
                check=False,
                timeout=300,
            )
            texts += done.stdout + done.stderr
    path = folder / "run.sqlite"
    if path.is_file():
        with RunReader(path) as run_file:  # prompts are stored compressed
            texts += repr(list(run_file.calls())).encode()
    content = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    return Hunt(key).find(b"\n".join([texts, *content]))


def main(part: int = 1) -> list[str]:
    """Try everything, or every so many-th of it; return what was left of keys."""
    return try_calls(part) + try_commands(part)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=1, help="20: a twentieth, as in CI")
    wrong = main(**vars(parser.parse_args()))
    sys.exit("\n".join(wrong) or None)
