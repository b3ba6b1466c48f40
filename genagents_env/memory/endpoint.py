"""Embeddings of any OpenAI-compatible endpoint, checked throughout."""

import base64
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from genagents_env.errors import LLMError
from genagents_env.llm.budget import Budget, Spend
from genagents_env.llm.calls import AttemptFailed
from genagents_env.llm.completions import decode_answer, read_tokens
from genagents_env.llm.endpoint import OpenAIEndpoint
from genagents_env.llm.prices import FREE
from genagents_env.llm.retries import RetryPolicy, with_retries
from genagents_env.llm.tokens import byte_count
from genagents_env.memory.columns import Floats, unit_rows
from genagents_env.rng import draw_bits

_MOST_TEXTS = 256
# Of an answer; half of the most that is read. Floats as text are four times as long as in base64,
# which not every server supports, so the number of texts that fit is learned from the answers.
_GOOD_BYTES = 1 << 19
_MARKS = 8  # tokens that a model may set around a text
_INSTEAD = "other sources are `--embedder local` and `--embedder hashed`"


class EndpointSource(OpenAIEndpoint):
    """An embedding model behind an endpoint, opened by `memory.open.open_source`.

    Args:
        base_url: such as `https://api.openai.com/v1`.
        api_key: sent as bearer token; empty for servers that ask for none.
        model: an embedding model of the endpoint.
        retries: limits on the attempts at a request.
        attempt_deadline: seconds of wall clock for one attempt.

    Attributes:
        tokens: billed by the endpoint so far.

    Raises:
        ConfigError: `base_url` is not an HTTP address.
    """

    stored = True

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        *,
        retries: RetryPolicy | None = None,
        attempt_deadline: float = 30.0,
    ) -> None:
        super().__init__(base_url, api_key, model, attempt_deadline=attempt_deadline)
        self.name = model
        self.tokens = 0
        self._budget: Budget | None = None
        self._retries = retries or RetryPolicy()
        self._width = 0
        self._batch = 1

    def __repr__(self) -> str:
        return f"EndpointSource({self.base_url!r}, model={self.model!r})"

    def bill(self, budget: Budget) -> None:
        """Have `budget` admit and pay for every request from now on.

        Raises:
            ConfigError: dollars are limited and the model's price is not known.
        """
        budget.check_price(self.model, self.price)
        self._budget = budget

    async def embed(self, texts: Sequence[str]) -> Floats:
        """Return one unit row per text, in batches of at most 256.

        Raises:
            LLMUnavailable: there were no usable vectors within attempts and deadline.
            LLMRefused: the endpoint refuses the model, the key or a text.
        """
        rows: list[Floats] = []
        done = 0
        while done < len(texts):
            batch = [text or " " for text in texts[done : done + self._batch]]  # "" is refused
            rows.append(await self._ask(batch))
            done += len(batch)
        return np.concatenate(rows) if rows else np.zeros((0, self._width), dtype=np.float32)

    async def _ask(self, batch: list[str]) -> Floats:
        policy, seed = self._retries, draw_bits(0, "embed", *batch)
        deadline = policy.clock() + policy.call_deadline
        try:
            return await with_retries(
                lambda: self._pay(batch),
                policy,
                seed=seed,
                deadline=deadline,
                admit=lambda: self._admit(batch),
                on_lost=None if self._budget is None else self._budget.count_lost,
            )
        except LLMError as fault:
            kind, text = type(fault), f"embeddings of {self.model}: {fault}; {_INSTEAD}"
        raise kind(text)

    def _bound(self, batch: list[str]) -> Spend:
        """Return the most that one request can spend."""
        most = sum(byte_count(text) + _MARKS for text in batch)
        return Spend(1, most, (self.price or FREE).cost(most, 0))

    async def _admit(self, batch: list[str]) -> float:
        """Reserve one request, and return the seconds waited; see `with_retries`."""
        if self._budget is None:
            return 0.0
        asked = self._retries.clock()
        await self._budget.admit(self._bound(batch))
        return self._retries.clock() - asked

    async def _pay(self, batch: list[str]) -> Floats:
        """Make one admitted request; a failed one counts as billed."""
        budget = self._budget
        if budget is None:
            return (await self._attempt(batch))[0]
        price, used, answered = self.price or FREE, (bound := self._bound(batch)), False
        try:
            rows, read = await self._attempt(batch)
            answered = True
            if read > bound.tokens:
                budget.clipped += 1
                read = bound.tokens
            used = Spend(1, read, price.cost(read, 0))
            return rows
        finally:
            budget.settle(bound, used)
            if not answered:
                budget.keep()

    async def _attempt(self, batch: list[str]) -> tuple[Floats, int]:
        """Return the rows of one request, and the tokens it read."""
        body = {"model": self.model, "input": batch, "encoding_format": "base64"}
        return await self.post("/embeddings", body, partial(self._rows, batch=batch))

    def _rows(self, body: bytes, batch: list[str]) -> tuple[Floats, int]:
        answer = decode_answer(body)
        usage = answer.get("usage")
        tokens = sum(map(self.count_tokens, batch))
        if usage is not None:
            tokens = read_tokens(usage, "prompt_tokens")
        rows = _vectors(answer.get("data"), len(batch))
        if self._width not in (0, rows.shape[1]):
            raise AttemptFailed(f"its vectors are {rows.shape[1]} wide and were {self._width}")
        self._width = rows.shape[1]
        self.tokens += tokens
        self._batch = max(1, min(_MOST_TEXTS, _GOOD_BYTES * len(batch) // len(body)))
        return rows, tokens


def _vectors(data: object, count: int) -> Floats:
    """Return the unit rows that an answer's `data` holds, in the order of the texts."""
    if not isinstance(data, list) or len(data) != count:
        count_given = len(data) if isinstance(data, list) else "no"
        raise AttemptFailed(f"the answer has {count_given} vectors, expected {count}")
    rows: dict[object, Floats] = {}
    for item in data:
        if not isinstance(item, Mapping) or type(item.get("index")) is not int:
            raise AttemptFailed("the answer has a vector without a number")
        rows[item["index"]] = _vector(item.get("embedding"))
    if sorted(map(str, rows)) != sorted(map(str, range(count))):
        raise AttemptFailed(f"the answer's vectors are not numbered 0 to {count - 1}")
    if len({len(row) for row in rows.values()}) != 1:
        raise AttemptFailed("the answer's vectors have several widths")
    try:
        return unit_rows(np.stack([rows[k] for k in range(count)]))
    except ValueError as fault:
        raise AttemptFailed(f"in the answer {fault}") from None


def _vector(embedding: object) -> Floats:
    try:
        if isinstance(embedding, str):
            vector = np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        elif isinstance(embedding, list) and all(type(x) in (int, float) for x in embedding):
            with np.errstate(over="ignore"):
                vector = np.array(embedding, dtype=np.float64).astype(np.float32)
        else:
            raise AttemptFailed("the answer's embedding is neither base64 nor a list of numbers")
    except (ValueError, OverflowError) as fault:
        raise AttemptFailed(f"the answer's embedding is damaged ({fault})") from None
    if not len(vector):
        raise AttemptFailed("the answer's embedding is empty")
    return vector.astype(np.float32)
