"""A sitting of a judge: many questions to a model at once, ended so that it can be gone on with."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from genagents_env.errors import BudgetExceeded, GenagentsError, ModelOutage
from genagents_env.llm.calls import Endpoint
from genagents_env.llm.cassette import MemoryCassette
from genagents_env.llm.client import ModelClient
from genagents_env.run.loop import cancel_others
from genagents_env.run.policy_group import collect_results
from genagents_env.run.signals import StopSignal
from genagents_env.run.spec import RunOptions

Q = TypeVar("Q")

_ADVICE = ". Resume the run when the endpoint answers again"


class JudgeSession:
    """One sitting of one model.

    Args:
        endpoint: the model; it is closed at the end.
        options: limits, account, concurrency and retries.
        run_seed: decides, with the key of a call, its seed.

    Attributes:
        client: by which the model is asked.
        replies: what it answered; not a run's: a verdict is no call of the run.
    """

    def __init__(self, endpoint: Endpoint, options: RunOptions, run_seed: int) -> None:
        self.replies = MemoryCassette()
        self.client = ModelClient(
            endpoint,
            run_seed=run_seed,
            budget=options.limits.budget(options.account),
            cassette=self.replies,
            max_in_flight=options.concurrency,
            retry=options.retry,
        )
        self._slots = asyncio.Semaphore(options.concurrency)
        self._stop = StopSignal()
        self._over = False
        self._heard = 0

    async def ask_all(
        self, due: Sequence[Q], hear: Callable[[Q], Awaitable[None]]
    ) -> tuple[int, str]:
        """Hear all of `due`, or as many as can be.

        Args:
            due: what is to be asked, begun in this order.
            hear: asks one, and keeps what comes of it.

        Returns:
            The exit code of the command line, and why it stopped early; 0 and nothing where all
            was heard.
        """
        exit_code, message = 0, ""
        try:
            with self._stop.listen():
                each = (self._ask_one(query, hear) for query in due)
                collect_results(await asyncio.gather(*each, return_exceptions=True))
        except ModelOutage as outage:
            exit_code, message = outage.exit_code, str(outage).removesuffix(_ADVICE)
        except BudgetExceeded as limit:
            exit_code, message = limit.exit_code, f"the budget is used up ({limit.kind})"
        except asyncio.CancelledError:
            if self._stop.signal is None:
                raise
        finally:
            await cancel_others()
            await self.client.aclose()
        if self._stop.signal is not None and self._heard < len(due):
            exit_code, message = 128 + self._stop.signal, "stopped by a signal"
        return exit_code, message

    async def _ask_one(self, query: Q, hear: Callable[[Q], Awaitable[None]]) -> None:
        async with self._slots:
            if self._over or self._stop.signal is not None:
                return
            try:
                await hear(query)
            except GenagentsError:
                self._over = True  # the others would fail alike, each after its own patience
                raise
        self._heard += 1
