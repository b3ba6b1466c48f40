"""A model that is somebody else: what it is asked waits until the caller gives the words."""

import asyncio
from collections.abc import Callable

from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.llm.prices import FREE, Price

_PATIENCE = 30 * 86400.0  # seconds; a trainer may take its time


class LearnerEndpoint:
    """The endpoint of one learning agent. It answers with the words given to `reply`.

    Args:
        model: the name it goes by.
        on_ask: called with each request as it is made.

    Attributes:
        asked: what it is asked, as long as nobody has taken it up.
    """

    def __init__(self, model: str, on_ask: Callable[[CompletionRequest], None]) -> None:
        self.model: str = model
        self._on_ask = on_ask
        self.price: Price | None = FREE
        self.attempt_deadline: float = _PATIENCE
        self.asked: asyncio.Queue[CompletionRequest] = asyncio.Queue()
        self._words: asyncio.Queue[str] = asyncio.Queue()

    async def complete(self, request: CompletionRequest) -> Completion:
        """Return the words that `reply` is given for `request`."""
        self._on_ask(request)
        self.asked.put_nowait(request)
        return Completion(await self._words.get(), "stop", 0, 0)

    def reply(self, words: str) -> None:
        """Answer the request that was asked first."""
        self._words.put_nowait(words)

    def count_tokens(self, text: str) -> int:
        """Return nothing: what a learner reads and writes is counted by its trainer."""
        return 0

    async def aclose(self) -> None:
        """Do nothing; there is nothing to release."""
