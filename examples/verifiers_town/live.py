"""Two agents of a town as one verifiers episode, each with a trace and a reward of its own.

    pip install 'genagents-env[verifiers]' ./examples/verifiers_town
    python examples/verifiers_town/live.py                                  # a scripted model
    python examples/verifiers_town/live.py --base-url URL --model NAME      # any server

The scripted model stands behind the same kind of HTTP server as a real one. It knows one thing:
the object that its goal names, and the state to put it into.
"""

import argparse
import asyncio
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.clients import EvalClientConfig, ModelContext

from genagents_env.train.language.verifiers_town import (
    TownTasksetConfig,
    VerifiersTown,
    VerifiersTownConfig,
)

GOALS = {"Light the lamp": ("Cottage/study/lamp", "lit"), "the stove on": ("stove", "on")}


def answer(asked: Mapping[str, Any]) -> str:
    """Return the reply of the scripted model to a request."""
    messages = asked["messages"]
    for goal, (target, state) in GOALS.items():
        if goal in messages[0]["content"] and f"({state}" not in messages[-1]["content"]:
            return json.dumps({"do": "interact", "target": target, "words": state})
    return '{"do": "wait", "minutes": 20}'


class ScriptedChat(BaseHTTPRequestHandler):
    """As much of a chat server as a client needs."""

    def do_POST(self) -> None:
        """Reply to a chat, as a stream where one is asked for."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": answer(asked)}
        streaming = bool(asked.get("stream"))
        body = {
            "id": "1",
            "object": "chat.completion.chunk" if streaming else "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [
                {"index": 0, "finish_reason": "stop", "delta" if streaming else "message": message}
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        if streaming:
            events = f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n"
            self.send(events.encode(), "text/event-stream")
        else:
            self.send(json.dumps(body).encode())

    def do_GET(self) -> None:
        """List the models there are."""
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        self.send(json.dumps(models).encode())

    def send(self, data: bytes, kind: str = "application/json") -> None:
        """Send a whole answer."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serve() -> Iterator[str]:
    """Yield the address of a scripted model on a port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), ScriptedChat)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


async def live(base_url: str, model: str, seed: int, **options: Any) -> vf.Episode:
    """Return one episode of `tiny`; `options` are those of `VerifiersTownConfig`."""
    taskset = TownTasksetConfig(id="genagents-town", town="tiny")
    env = VerifiersTown(VerifiersTownConfig(taskset=taskset, trainable=[0], **options))
    task = next(task for task in env.taskset if task.data.seed == seed)
    client = EvalClientConfig(base_url=base_url, api_key_var="TOWN_API_KEY")
    context = ModelContext(client=client, model=model, sampling=vf.SamplingConfig())
    async with env.serving():
        (slot,) = env.slots(task)
        return await env.run_slot(slot, context)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--base-url")
    parser.add_argument("--model", default="scripted")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    os.environ.setdefault("TOWN_API_KEY", "none")
    with serve() as scripted:
        episode = asyncio.run(live(chosen.base_url or scripted, chosen.model, chosen.seed))
    for trace in episode.traces:
        told = trace.info["town"]
        print(f"{trace.agent.name} {told['agent']}: reward {trace.reward:.2f} in {trace.num_turns}")
        print(
            f"  turns {told['rewards']}, trainable {trace.agent.trainable}, {dict(trace.metrics)}"
        )
    print("ok" if episode.ok else [error for t in (episode, *episode.traces) for error in t.errors])


if __name__ == "__main__":
    main()
