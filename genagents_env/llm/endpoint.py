"""OpenAI-compatible servers: the list of models, and one attempt at a call, checked throughout.

This is the only file that imports `openai`, which is slow; `open.py` loads it where it is needed.
"""

import asyncio
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn, TypeVar
from urllib.parse import unquote, urlsplit, urlunsplit
from weakref import WeakKeyDictionary

import openai

from genagents_env.errors import ConfigError, LLMError, LLMRefused
from genagents_env.llm.calls import (
    AttemptFailed,
    Completion,
    CompletionRequest,
    JSONValue,
    PromptRefused,
    ReasoningEffort,
)
from genagents_env.llm.completions import read_completion, read_error
from genagents_env.llm.prices import FREE, LOOPBACK, Price, find_price
from genagents_env.llm.redact import Redactor
from genagents_env.llm.retries import retry_after
from genagents_env.llm.schemas import make_response_format
from genagents_env.llm.tokens import TokenCounter
from genagents_env.text import clean

if TYPE_CHECKING:
    import httpx2 as httpx2
else:  # version 2 of `openai`, which some frameworks pin, uses `httpx`, with the same names
    httpx2 = import_module("httpx2" if int(openai.__version__.split(".")[0]) >= 3 else "httpx")

T = TypeVar("T")

MOST_BYTES = 1 << 20  # of an answer, decompressed or not
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_OPENAI = "api.openai.com"
_FIXED_TEMPERATURE = re.compile(r"o\d|gpt-5")
_MOST_SAID = 300  # characters of an error with its address
_MOST_NAME = 200
_LISTING_SECONDS = 5.0
_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length")
_KEY_STATUS = (401, 403)
_PROMPT_STATUS = (400, 413, 422)
_TRANSIENT_STATUS = (408, 409, 425, 429)
_OVERLOAD_STATUS = (429, 503, 529)


@dataclass(frozen=True, slots=True)
class ModelListing:
    """A server's answer to the request for its models.

    Attributes:
        address: of the server, without login and query.
        problem: why there is no list, or empty.
        reachable: whether anything answered.
        key_refused: whether it refused the key.
        models: the tokens of prompt and reply together by model, None where not reported.
    """

    address: str
    problem: str = ""
    reachable: bool = True
    key_refused: bool = False
    models: Mapping[str, int | None] | None = None


def list_models(base_url: str, api_key: str) -> ModelListing:
    """Ask the server at `base_url` for its models, within five seconds."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    url, shown = f"{base_url.rstrip('/')}/models", strip_address(base_url)
    try:
        answer = httpx2.get(url, headers=headers, timeout=_LISTING_SECONDS, follow_redirects=False)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as failure:
        return ModelListing(shown, _describe_failure(failure), reachable=False)
    if answer.status_code in _KEY_STATUS:
        return ModelListing(shown, f"status {answer.status_code}", key_refused=True)
    try:
        models = dict(_read_entry(entry) for entry in answer.raise_for_status().json()["data"])
    except httpx2.HTTPError:
        return ModelListing(shown, f"status {answer.status_code}")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ModelListing(shown, "the answer is not a list of models")
    return ModelListing(shown, models=models)


def _read_entry(entry: Mapping[str, object]) -> tuple[str, int | None]:
    lengths = [entry.get(key) for key in _CONTEXTS]
    if isinstance(details := entry.get("meta"), Mapping):
        lengths.append(details.get("n_ctx_train"))
    known = [value for value in lengths if type(value) is int and value > 0]
    return clean(str(entry["id"]), _MOST_NAME), known[0] if known else None


def find_served_model(base_url: str, api_key: str) -> str:
    """Return the first model that an endpoint lists.

    Raises:
        ConfigError: it does not answer, or lists none.
    """
    redactor = Redactor(api_key)
    name = next(iter(list_models(base_url, api_key).models or ()), "")
    if not name or redactor.redact(name) != name:
        raise ConfigError(
            f"{redactor.redact(strip_address(base_url))}: the server lists no models; "
            "start it, or name one with --model"
        )
    return name


def strip_address(url: str) -> str:
    """Return `url` without login, query and fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=host, query="", fragment=""))


class OpenAIEndpoint:
    """An endpoint that speaks OpenAI's chat completions over HTTP.

    It follows no redirect, reads at most 1 MiB of an answer after decompression, and limits each
    attempt by wall clock. Neither its errors nor its `repr` contain the key.

    Args:
        base_url: such as `https://api.openai.com/v1`; `user:password@` in it is sent as basic
            authorization and shown nowhere.
        api_key: sent as bearer token; empty for servers that ask for none.
        model: its name at the endpoint.
        attempt_deadline: seconds of wall clock for one attempt.
        price: per million tokens; None takes the list price, where there is one. A server on
            this machine costs nothing.
        reasoning_effort: sent with every request; None sends none.

    Raises:
        ConfigError: `base_url` is not an HTTP address.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        *,
        attempt_deadline: float = 30.0,
        price: Price | None = None,
        reasoning_effort: ReasoningEffort | None = None,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError("OPENAI_BASE_URL must look like https://host/v1")
        self.base_url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        self.model: str = model
        local = parts.hostname in LOOPBACK
        if price is None:
            price = FREE if local else find_price(model, strip_address(base_url))
        self.price: Price | None = price
        self.attempt_deadline: float = attempt_deadline
        self.reasoning_effort = reasoning_effort
        self.small: bool = False
        self.context_tokens: int | None = None
        self._hostname = parts.hostname
        self._counter = TokenCounter(model)
        login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        self._redactor = Redactor(api_key, *(login or ()), ":".join(login or ()))
        # Connections belong to the event loop they were opened on.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = (
            WeakKeyDictionary()
        )

        def connect() -> openai.AsyncOpenAI:  # the key stays in this closure
            return openai.AsyncOpenAI(
                base_url=self.base_url,
                api_key=api_key or "none",
                max_retries=0,
                default_headers={"Accept-Encoding": "identity"},
                http_client=httpx2.AsyncClient(
                    auth=login,
                    follow_redirects=False,
                    timeout=httpx2.Timeout(attempt_deadline, connect=5.0),
                    trust_env=not local,
                    event_hooks={"response": [_read_bounded]},
                ),
            )

        self._connect = connect

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}, model={self.model!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an endpoint holds a key and is not pickled; open it where it is used")

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the model's answer to `request`, asked once."""
        read = partial(read_completion, request=request, count=self.count_tokens)
        return await self.post("/chat/completions", self._make_payload(request), read)

    async def post(self, path: str, payload: Mapping[str, object], read: Callable[[bytes], T]) -> T:
        """Send `payload` to `path` once, and return the result of `read` on the body.

        Raises:
            AttemptFailed: there is no answer in time, or `read` refuses it.
            LLMRefused: the endpoint refuses to answer.
        """
        try:
            async with asyncio.timeout(self.attempt_deadline):
                response = await self._client().post(
                    path,
                    body=payload,
                    cast_to=httpx2.Response,
                    options={"follow_redirects": False},
                )
            return read(response.content)
        except (openai.OpenAIError, httpx2.HTTPError, TimeoutError, LLMError, OSError) as failure:
            fault = self._to_error(failure)
        # Raised here, outside the handler: a context would carry the key into tracebacks.
        raise fault

    def redact_keys(self, text: str) -> str:
        """Return `text` without the key and parts of it."""
        return self._redactor.redact_keys(text)

    def count_tokens(self, text: str) -> int:
        """Return the tokens of `text` in this model's encoding, or an upper bound."""
        return self._counter.count(text)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._connect()
        return self._clients[loop]

    def _make_payload(self, request: CompletionRequest) -> dict[str, JSONValue]:
        """Return the body of a request; OpenAI's own models name and allow other fields."""
        own = self._hostname == _OPENAI
        payload: dict[str, JSONValue] = {
            "model": self.model,
            "messages": [
                {"role": m.role, "content": _sendable(m.content)} for m in request.messages
            ],
            "max_completion_tokens" if own else "max_tokens": request.most_tokens,
            "seed": request.seed,
        }
        if not (own and _FIXED_TEMPERATURE.match(self.model)):
            payload["temperature"] = request.temperature
        if self.reasoning_effort is not None:
            payload["reasoning_effort"] = self.reasoning_effort
        if request.schema is not None:
            payload["response_format"] = make_response_format(request.schema, request.schema_name)
        return payload

    def _to_error(self, failure: BaseException) -> LLMError:
        """Return the error that `failure` means for the caller, without secrets."""
        if isinstance(failure, LLMError):
            return type(failure)(self._say(str(failure)))
        if isinstance(failure, TimeoutError):
            text = f"no answer within {self.attempt_deadline:g} s; --endpoint timeout=N allows more"
            return AttemptFailed(self._say(text), overloaded=True)
        if isinstance(failure, openai.APIStatusError):
            return self._to_status_error(failure.response)
        cause = failure.__cause__ or failure
        if isinstance(cause, LLMError):
            return self._to_error(cause)
        refused = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout)
        return AttemptFailed(self._say(_describe_failure(cause)), billed=not refused)

    def _to_status_error(self, response: httpx2.Response) -> LLMError:
        status, headers = response.status_code, response.headers
        text = self._say(f"status {status}: {read_error(response.content)}")
        if status in _TRANSIENT_STATUS or status >= 500:
            wait = retry_after(
                headers.get("retry-after"), headers.get("retry-after-ms"), time.time()
            )
            overloaded = status in _OVERLOAD_STATUS
            return AttemptFailed(text, retry_after=wait, billed=False, overloaded=overloaded)
        if status in _PROMPT_STATUS:
            return PromptRefused(text)
        if 300 <= status < 400:
            return LLMRefused(f"{text} (a redirect; set OPENAI_BASE_URL to the final address)")
        return LLMRefused(f"{text} (check OPENAI_API_KEY, OPENAI_BASE_URL and --model)")

    def _say(self, text: str) -> str:
        """Return `text` with the endpoint's address, without secrets."""
        return self._redactor.clean(f"{strip_address(self.base_url)}: {text}", _MOST_SAID)


def _sendable(text: str) -> str:
    """Return `text` with question marks for lone surrogates, which no JSON body can carry."""
    return text.encode("utf-8", "replace").decode()


async def _read_bounded(response: httpx2.Response) -> None:
    """Replace the stream of `response` by its decoded body; an event hook of the HTTP client.

    A compressed body is inflated piece by piece, so that a bomb costs no memory. An error response
    whose body cannot be read gets an empty one.

    Raises:
        AttemptFailed: the body exceeds 1 MiB, or is compressed in an unknown way.
    """
    encoding = response.headers.pop("content-encoding", "identity").lower()
    stream = response.stream
    assert isinstance(stream, httpx2.AsyncByteStream)  # noqa: S101 - our client is asynchronous
    try:
        body = await _read(stream, encoding)
    except AttemptFailed:
        if not response.is_error:
            raise
        body = b""
    finally:
        await stream.aclose()
    response.stream = httpx2.ByteStream(body)


async def _read(stream: httpx2.AsyncByteStream, encoding: str) -> bytes:
    if encoding not in ("identity", "", "gzip", "deflate"):
        raise AttemptFailed(f"the answer is compressed with {encoding[:20]!r}")
    inflate = zlib.decompressobj(_GZIP_OR_ZLIB) if encoding in ("gzip", "deflate") else None
    body = bytearray()
    async for chunk in stream:
        room = MOST_BYTES + 1 - len(body)
        try:
            body += inflate.decompress(chunk, room) if inflate else chunk
        except zlib.error:
            raise AttemptFailed("the answer's compression is damaged") from None
        if len(body) > MOST_BYTES:
            raise AttemptFailed(f"the answer is larger than {MOST_BYTES} bytes")
    return bytes(body)


def _describe_failure(failure: BaseException) -> str:
    """Describe why a connection failed, and what to do."""
    causes = list(_list_causes(failure))
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "connection refused; is the server running?"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "no such host; check OPENAI_BASE_URL and the network"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"no TLS with it ({causes[-1]}); is it http instead of https?"
    if isinstance(failure, httpx2.ConnectTimeout):
        return "no connection in time; are host and port right?"
    text = f"{type(failure).__name__}: {failure}".rstrip(": ")
    return f"connection failed ({text})"


def _list_causes(failure: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = failure
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
