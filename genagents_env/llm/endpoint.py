"""Any OpenAI-compatible endpoint, one attempt at a time, with nothing taken on trust."""

import asyncio
import re
import time
from typing import NoReturn
from urllib.parse import unquote, urlsplit, urlunsplit
from weakref import WeakKeyDictionary

import openai

from genagents_env.errors import ConfigError, LLMError, LLMRefused
from genagents_env.llm.bounded_body import read_bounded
from genagents_env.llm.calls import (
    AttemptFailed,
    Completion,
    CompletionRequest,
    JSONValue,
    PromptRefused,
    ReasoningEffort,
)
from genagents_env.llm.completions import read_completion, read_error
from genagents_env.llm.http_library import httpx2
from genagents_env.llm.prices import FREE, LOOPBACK, Price, find_price
from genagents_env.llm.redact import Redactor
from genagents_env.llm.retries import retry_after
from genagents_env.llm.schemas import is_strict
from genagents_env.llm.tokens import TokenCounter
from genagents_env.llm.transport import describe_failure, strip_address
from genagents_env.text import clean

_OPENAI = "api.openai.com"
_FIXED_TEMPERATURE = re.compile(r"o\d|gpt-5")
_MOST_TOLD = 300  # characters of an error with its address
_PROMPT_STATUS = (400, 413, 422)
_TRANSIENT_STATUS = (408, 409, 425, 429)
_OVERLOAD_STATUS = (429, 503, 529)


def find_served_model(base_url: str, api_key: str) -> str:
    """Return the first model that an endpoint lists, asked within five seconds.

    Raises:
        ConfigError: it does not answer, or lists none.
    """
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        answer = httpx2.get(
            f"{base_url.rstrip('/')}/models", headers=headers, timeout=5.0, follow_redirects=False
        )
        name = answer.raise_for_status().json()["data"][0]["id"]
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, LookupError, TypeError):
        name = None
    redactor = Redactor(api_key)
    if not isinstance(name, str) or not clean(name, 200) or redactor.redact(name) != name:
        raise ConfigError(
            f"{redactor.redact(strip_address(base_url))}: it does not say which models "
            "it has; start it, or name one with --model"
        ) from None
    return clean(name, 200)


class OpenAIEndpoint:
    """An endpoint that speaks OpenAI's chat completions over HTTP.

    It follows no redirect, reads at most 1 MiB of an answer after decompression, and bounds the
    whole attempt by wall clock. Neither its errors nor its `repr` hold the key.

    Args:
        base_url: such as `https://api.openai.com/v1`; `user:password@` in it is sent as basic
            authorization and shown nowhere.
        api_key: sent as bearer token; empty for servers that ask for none.
        model: a name the endpoint knows.
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
        host = parts.netloc.rpartition("@")[2]
        self.base_url = urlunsplit(parts._replace(netloc=host))
        self.model: str = model
        if price is None:
            price = (
                FREE if parts.hostname in LOOPBACK else find_price(model, strip_address(base_url))
            )
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

        def connect() -> openai.AsyncOpenAI:
            return openai.AsyncOpenAI(
                base_url=self.base_url,
                api_key=api_key or "none",
                max_retries=0,
                default_headers={"Accept-Encoding": "identity"},
                http_client=httpx2.AsyncClient(
                    auth=login,
                    follow_redirects=False,
                    timeout=httpx2.Timeout(attempt_deadline, connect=5.0),
                    trust_env=self._hostname not in LOOPBACK,
                    event_hooks={"response": [read_bounded]},
                ),
            )

        self._connect = connect

    def __repr__(self) -> str:
        return f"OpenAIEndpoint({self.base_url!r}, model={self.model!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an endpoint holds a key and is not pickled; open it where it is used")

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the model's answer to `request`, asked once."""
        try:
            async with asyncio.timeout(self.attempt_deadline):
                response = await self._client().post(
                    "/chat/completions",
                    body=self._payload(request),
                    cast_to=httpx2.Response,
                    options={"follow_redirects": False},
                )
            return read_completion(response.content, request, self.count_tokens)
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

    def _payload(self, request: CompletionRequest) -> dict[str, JSONValue]:
        """Return the request's body; OpenAI's own models name and allow some fields otherwise."""
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
            payload["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": re.sub(r"[^A-Za-z0-9_-]", "_", request.schema_name)[:64] or "reply",
                    "schema": request.schema,
                    "strict": is_strict(request.schema),
                },
            }
        return payload

    def _to_error(self, failure: BaseException) -> LLMError:
        """Return what `failure` means for the caller, its text free of secrets."""
        if isinstance(failure, LLMError):
            return type(failure)(self._say(str(failure)))
        if isinstance(failure, TimeoutError):
            told = f"no answer within {self.attempt_deadline:g} s; --timeout allows more"
            return AttemptFailed(self._say(told), overloaded=True)
        if isinstance(failure, openai.APIStatusError):
            return self._to_status_error(failure.response)
        cause = failure.__cause__
        if isinstance(cause, LLMError):
            return self._to_error(cause)
        root = cause or failure
        refused = isinstance(root, httpx2.ConnectError | httpx2.ConnectTimeout)
        return AttemptFailed(self._say(describe_failure(root)), billed=not refused)

    def _say(self, text: str) -> str:
        """Return `text` under the endpoint's address, free of secrets."""
        return self._redactor.clean(f"{strip_address(self.base_url)}: {text}", _MOST_TOLD)

    def _to_status_error(self, response: httpx2.Response) -> LLMError:
        status, headers = response.status_code, response.headers
        text = self._say(f"status {status}: {read_error(response.content)}")
        if status in _TRANSIENT_STATUS or status >= 500:
            asked = retry_after(
                headers.get("retry-after"), headers.get("retry-after-ms"), time.time()
            )
            overloaded = status in _OVERLOAD_STATUS
            return AttemptFailed(text, retry_after=asked, billed=False, overloaded=overloaded)
        if status in _PROMPT_STATUS:
            return PromptRefused(text)
        if 300 <= status < 400:
            return LLMRefused(f"{text} (a redirect; set OPENAI_BASE_URL to the final address)")
        return LLMRefused(f"{text} (check OPENAI_API_KEY, OPENAI_BASE_URL and --model)")


def _sendable(text: str) -> str:
    """Return `text` with question marks for lone surrogates, which no JSON body can carry."""
    return text.encode("utf-8", "replace").decode()
