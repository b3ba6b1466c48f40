"""A model server on the loopback interface that misbehaves on purpose, on schedule.

    with FaultServer({1: "reset", 2: too_many("1")}) as server:
        endpoint = OpenAIEndpoint(server.url, "key", "any-model", attempt_deadline=0.3)
    with FaultServer(always=reasoning(2000, "content")) as server: ...  # thinks before it speaks

Calls that the schedule does not name are answered correctly, by a rule of the scripted model.
"""

import asyncio
import base64
import json
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, Self, TypeAlias

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CompletionRequest, Message
from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.memory.embed import HashedNgrams
from genagents_env.rng import draw_unit

Words: TypeAlias = Callable[[str], str]
Answer: TypeAlias = Callable[[str, Mapping[str, Any]], bytes]
How: TypeAlias = Literal["whole", "silent", "drip", "reset", "reset_mid", "short"]
ThinkingPlace: TypeAlias = Literal["field", "content"]

_DRIP_SECONDS = 0.05
_BOMB_MIB = 200
_TOKEN = 4  # characters of every token of a thinking model but the last


@dataclass(frozen=True, slots=True)
class ServerFault:
    """One way to answer badly.

    Attributes:
        how: `whole` sends all of it; `silent` nothing, with the line open; `drip` one byte at a
            time; `reset` breaks the connection before, `reset_mid` within the answer; `short`
            closes it before the promised length.
        status: of the HTTP response.
        headers: beside length and type.
        words: turns the good reply's words into those sent; None leaves them.
        body: sent in place of a completion; None sends one.
        answer: makes the completion of the good reply's words and the request; None is `envelope`.
        alter: changes the bytes of the completion, its words being good.
        finish: the completion's `finish_reason`.
        echo_key: put the request's authorization into the body.
    """

    how: How = "whole"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    words: Words | None = None
    body: bytes | Callable[[], bytes] | None = None
    answer: Answer | None = None
    alter: Callable[[bytes], bytes] | None = None
    finish: str = "stop"
    echo_key: bool = False


def failing(status: int, headers: Mapping[str, str] | None = None) -> ServerFault:
    """Return a response of that status with an error body as OpenAI's."""
    body = json.dumps({"error": {"message": f"failing with {status}", "type": "fault"}})
    return ServerFault(status=status, headers=headers or {}, body=body.encode())


def too_many(retry_after: str | None = None, *, milliseconds: str | None = None) -> ServerFault:
    """Return a 429 that asks to wait, in whatever form."""
    asked = {"Retry-After": retry_after, "retry-after-ms": milliseconds}
    return failing(429, {name: value for name, value in asked.items() if value is not None})


def redirect(url: str) -> ServerFault:
    """Return a 307 to `url`, which a careful client does not follow."""
    return failing(307, {"Location": url})


def raw(body: bytes | str, **headers: str) -> ServerFault:
    """Return a 200 with exactly this body."""
    sent = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return ServerFault(body=sent, headers=headers)


def saying(words: str | Words, finish: str = "stop") -> ServerFault:
    """Return a well-formed completion whose content is `words`, or made from the good one."""
    return ServerFault(words=words if callable(words) else lambda good: words, finish=finish)


def reasoning(tokens: int, place: ThinkingPlace = "field") -> ServerFault:
    """Return the behaviour of a model that thinks for `tokens` tokens before each good reply.

    It keeps to the request's limit of tokens as such servers do: thinking comes first, and where
    it uses the limit up, nothing is said.

    Args:
        tokens: of thinking.
        place: in a `field` beside the content, counted in the usage; or in the `content`, between
            `<think>` and `</think>`, without a count.
    """

    def answer(good: str, asked: Mapping[str, Any]) -> bytes:
        limit = asked.get("max_completion_tokens", asked.get("max_tokens", 10**6))
        thought = ("hmm " * tokens)[: _TOKEN * limit]
        said = good[: _TOKEN * max(0, limit - tokens)]
        finish = "stop" if said == good else "length"
        written = min(limit, tokens + -(-len(good) // _TOKEN))
        message: dict[str, object] = {"role": "assistant"}
        usage: dict[str, object] = {"prompt_tokens": 10, "completion_tokens": written}
        if place == "field":
            message |= {"content": said or None, "reasoning_content": thought}
            usage["completion_tokens_details"] = {"reasoning_tokens": min(limit, tokens)}
        else:
            end = "\n</think>\n\n" if limit > tokens else ""
            message["content"] = f"<think>\n{thought}{end}{said}"
        choice = {"index": 0, "finish_reason": finish, "message": message}
        return json.dumps({"id": "fault", "choices": [choice], "usage": usage}).encode()

    return ServerFault(answer=answer)


def envelope(content: object, finish: object = "stop") -> bytes:
    """Return the body of a chat completion with this content."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": finish, "message": message}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    answer = {"id": "fault", "object": "chat.completion", "choices": [choice], "usage": usage}
    return json.dumps(answer).encode()


def embeddings(texts: list[str], encoding: str = "float", width: int = 16) -> bytes:
    """Return the body of an embeddings answer: hashed n-grams, as `float` lists or `base64`."""
    rows: list[object] = [row.tolist() for row in HashedNgrams(width)(texts)]
    if encoding == "base64":
        packed = (row.astype("<f4").tobytes() for row in HashedNgrams(width)(texts))
        rows = [base64.b64encode(row).decode() for row in packed]
    data = [{"index": k, "object": "embedding", "embedding": row} for k, row in enumerate(rows)]
    usage = {"prompt_tokens": 10 * len(texts), "total_tokens": 10 * len(texts)}
    answer = {"id": "fault", "object": "list", "data": data, "usage": usage}
    return json.dumps(answer).encode()


@cache
def gzip_bomb() -> bytes:
    """Return 200 KB that gzip inflates to 200 MiB."""
    deflate = zlib.compressobj(1, wbits=16 + zlib.MAX_WBITS)
    block = bytes(1 << 20)
    return b"".join(deflate.compress(block) for _ in range(_BOMB_MIB)) + deflate.flush()


def _with(**changes: object) -> ServerFault:
    return ServerFault(alter=lambda good: json.dumps(json.loads(good) | changes).encode())


def _with_field(text: bytes) -> ServerFault:
    return ServerFault(alter=lambda good: good[:-1] + b", " + text + b"}")


def _lengthen(good: str) -> str:
    """Return the good reply with 100,000 characters in place of its last text."""
    fields = json.loads(good)
    texts = [name for name, value in fields.items() if isinstance(value, str)]
    return json.dumps(fields | {name: "a" * 100_000 for name in texts[-1:]})


FAULTS: Mapping[str, ServerFault] = {
    "silent": ServerFault("silent"),
    "drip": ServerFault("drip"),
    "reset": ServerFault("reset"),
    "reset_mid": ServerFault("reset_mid"),
    "short": ServerFault("short"),
    "429": too_many(),
    "500": failing(500),
    "502": failing(502),
    "503": failing(503),
    "529": failing(529),
    "400": failing(400),
    "401": ServerFault(status=401, echo_key=True),
    "403": failing(403),
    "404": failing(404),
    "malformed": raw(b'{"choices": [{"message": '),
    "html": raw(b"<html><body>Sign in</body></html>", **{"Content-Type": "text/html"}),
    "empty": raw(b""),
    "null": raw(b"null"),
    "null_content": raw(envelope(None)),
    "no_choices": _with(choices=[]),
    "wrong_types": raw(envelope({"text": "an object"}, "banana")),
    "unfinished": ServerFault(finish="content_filter"),
    "odd_usage": _with(usage={"prompt_tokens": -1, "completion_tokens": "many"}),
    "duplicate_keys": _with_field(b'"id": "again"'),
    "nan": _with_field(b'"score": NaN'),
    "huge_int": _with_field(b'"created": ' + b"9" * 5000),
    "deep": raw(b"[" * 100_000),
    "not_utf8": ServerFault(alter=lambda good: good.replace(b"fault", b"\xff\xfe")),
    "surrogate": saying(lambda good: good.replace('"}', '\ud800"}')),
    "100k": saying(_lengthen),
    "bomb": ServerFault(headers={"Content-Encoding": "gzip"}, body=gzip_bomb),
    "two_objects": saying(lambda good: good + "\n" + good),
    "empty_object": saying("{}"),
    "no_object": saying("I would rather walk to the park."),
    "cut": saying(lambda good: good[: len(good) // 2], "length"),
    "prose": saying(lambda good: f"Sure! Here you are:\n```json\n{good}\n```\nAnything else?"),
}


class FaultServer:
    """Serves `/v1/chat/completions` and `/v1/embeddings` from a thread of its own until closed.

    Args:
        schedule: from call number, 1 for the first, to a fault or the name of one in `FAULTS`.
        always: played where the schedule says nothing; None answers correctly.
        rule: gives the words of good answers.
        most: calls at once that it takes; those above get a 429.
        seconds: that a call takes at most, by its seed; between none and so many.

    Attributes:
        requests: bodies of the calls received, in order of arrival.
        peak: of the calls under way at once.
        models: what it lists, with what it tells of each.
    """

    def __init__(
        self,
        schedule: Mapping[int, ServerFault | str] | None = None,
        *,
        always: ServerFault | str | None = None,
        rule: Rule = sample_schema,
        most: int | None = None,
        seconds: float = 0.0,
    ) -> None:
        self._most, self._seconds = most, seconds
        self._open = self.peak = 0
        self._schedule = {number: _find_fault(fault) for number, fault in (schedule or {}).items()}
        self._always = _find_fault(always) if always is not None else ServerFault()
        self._rule = rule
        self.requests: list[bytes] = []
        self.models: dict[str, dict[str, int]] = {"town-model": {"max_model_len": 32_768}}
        self._port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fault-server", daemon=True)

    @property
    def url(self) -> str:
        """The base URL, to be used while the server is open."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def calls(self) -> int:
        """The number of calls received."""
        return len(self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            headers = _headers_of(head)
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            if head.startswith(b"GET"):
                writer.write(self._list_models(headers.get("authorization", "")))
                await writer.drain()
                return
            fault = await self._take(body)
            sent = self._response(fault, body, headers.get("authorization", ""))
            await _send(fault.how, sent, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has given up, or the server is closing, as faults intend
        finally:
            writer.close()

    async def _take(self, body: bytes) -> ServerFault:
        """Wait for as long as a call takes, and return the fault it is answered with."""
        self.requests.append(body)
        fault = self._schedule.get(len(self.requests), self._always)
        self._open += 1
        self.peak = max(self.peak, self._open)
        try:
            if self._most is not None and self._open > self._most:
                return too_many(milliseconds="100")
            seed = json.loads(body).get("seed", 0) if self._seconds else 0
            await asyncio.sleep(self._seconds * draw_unit(seed, "seconds"))
        finally:
            self._open -= 1
        return fault

    def _list_models(self, authorization: str) -> bytes:
        """Return the list of models, or the fault that is always played."""
        fault = self._always
        if fault.body is None and not fault.echo_key:
            models = [{"id": name, **facts} for name, facts in self.models.items()]
            fault = raw(json.dumps({"data": models}))
        return self._response(fault, b"", authorization)

    def _response(self, fault: ServerFault, request: bytes, authorization: str) -> bytes:
        if fault.echo_key:
            text = f"Incorrect API key provided: {authorization}"
            body = json.dumps({"error": {"message": text}}).encode()
        elif fault.body is not None:
            body = fault.body() if callable(fault.body) else fault.body
        else:
            body = self._good(fault, json.loads(request))
            body = fault.alter(body) if fault.alter else body
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
        } | dict(fault.headers)
        lines = [f"HTTP/1.1 {fault.status} Played", *(f"{n}: {v}" for n, v in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + body

    def _good(self, fault: ServerFault, asked: Mapping[str, Any]) -> bytes:
        if "input" in asked:
            return embeddings(asked["input"], asked.get("encoding_format", "float"))
        good = self._rule(_request_of(asked))
        if fault.answer is not None:
            return fault.answer(good, asked)
        return envelope(fault.words(good) if fault.words else good, fault.finish)


def _find_fault(fault: ServerFault | str) -> ServerFault:
    if isinstance(fault, ServerFault):
        return fault
    if fault not in FAULTS:
        raise ConfigError(f"fault server: no fault {fault!r}; there are {', '.join(FAULTS)}")
    return FAULTS[fault]


def _headers_of(head: bytes) -> dict[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if line)
    return {name.lower(): value.strip() for name, _, value in pairs}


def _request_of(asked: Mapping[str, Any]) -> CompletionRequest:
    form = asked.get("response_format", {}).get("json_schema", {})
    return CompletionRequest(
        tuple(Message(m["role"], m["content"]) for m in asked["messages"]),
        schema=form.get("schema"),
        seed=asked.get("seed", 0),
    )


async def _send(
    how: How, sent: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    if how == "silent":
        await reader.read()
    elif how == "drip":
        for at in range(len(sent)):
            writer.write(sent[at : at + 1])
            await writer.drain()
            await asyncio.sleep(_DRIP_SECONDS)
    else:
        part = {"whole": len(sent), "reset": 0, "reset_mid": -20, "short": -20}[how]
        writer.write(sent[:part])
        await writer.drain()
        if how in ("reset", "reset_mid"):
            _reset(writer)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with a TCP reset instead of an orderly end."""
    line = writer.get_extra_info("socket")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
