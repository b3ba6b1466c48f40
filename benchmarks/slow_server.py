"""A model server in a process of its own: right answers at once in content, late by the clock.

It speaks chat completions over keep-alive HTTP and takes any number of calls at a time. Each call
is answered `--seconds` after it arrived; with `--shuffle` after a delay between half and one and
a half times that, drawn from its content, so that calls complete in another order than they came.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE, Popen
from sys import executable
from typing import Any  # a request's body

from genagents_env.llm.calls import CompletionRequest, JSONValue, Message
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.rng import draw_unit


@contextmanager
def serving(seconds: float, *, shuffle: bool = False) -> Iterator[str]:
    """Run the server and yield its base URL."""
    command = [executable, "-m", "benchmarks.slow_server", "--seconds", str(seconds)]
    command += ["--shuffle"] * shuffle
    with Popen(command, stdout=PIPE, text=True) as process:  # noqa: S603 - our own file
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


class SlowServer:
    """Answers by the scripted model, each call after its delay."""

    def __init__(self, seconds: float, shuffle: bool) -> None:
        self._seconds, self._shuffle = seconds, shuffle
        self._model = ScriptedEndpoint()

    async def serve(self) -> None:
        """Listen on a free port, print it, and answer until killed."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                )
                writer.write(await self._answer(await reader.readexactly(size)))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.close()

    async def _answer(self, body: bytes) -> bytes:
        due = asyncio.get_running_loop().time() + self._delay(body)
        answer = json.dumps(await self._completion(json.loads(body))).encode()
        await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(answer)}"
        return f"{head}\r\n\r\n".encode() + answer

    def _delay(self, body: bytes) -> float:
        if not self._shuffle:
            return self._seconds
        return self._seconds * (0.5 + draw_unit(0, body.decode("utf-8", "replace")))

    async def _completion(self, asked: Any) -> dict[str, JSONValue]:
        form = asked.get("response_format", {}).get("json_schema", {})
        completion = await self._model.complete(
            CompletionRequest(
                tuple(Message(m["role"], m["content"]) for m in asked["messages"]),
                schema=form.get("schema"),
                seed=asked.get("seed", 0),
                max_tokens=asked.get("max_tokens") or asked["max_completion_tokens"],
            )
        )
        self._model.requests.clear()
        message = {"role": "assistant", "content": completion.text}
        choice = {"index": 0, "finish_reason": completion.finish_reason, "message": message}
        read, written = completion.prompt_tokens, completion.completion_tokens
        usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
        return {"id": "slow", "object": "chat.completion", "choices": [choice], "usage": usage}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--shuffle", action="store_true")
    options = parser.parse_args()
    asyncio.run(SlowServer(options.seconds, options.shuffle).serve())
