"""The inside of a teller: answers asks as the till decides, once the journal knows of them."""

import asyncio
from collections.abc import Callable

from genagents_env.llm.budget import Spend
from genagents_env.sweep.spending.journal import Journal
from genagents_env.sweep.spending.till import Ask, Till, Verdict
from genagents_env.sweep.spending.window import Window
from genagents_env.sweep.spending.wire import Moment

_FLUSH_SECONDS = 0.2


class Desk:
    """Joins till, journal and windows; lives on the event loop of the teller's thread.

    Args:
        till: decides.
        journal: what is granted stands in it before the worker hears of it.
        watch: told every moment.

    Attributes:
        windows: the connections, by number.
        failure: what `watch` raised.
    """

    def __init__(self, till: Till, journal: Journal, watch: Callable[[Moment], None]) -> None:
        self.till, self.journal, self._watch = till, journal, watch
        self.failure: Exception | None = None
        self.windows: dict[int, Window] = {}
        self._alarm: asyncio.TimerHandle | None = None
        self._flush: asyncio.TimerHandle | None = None

    def ask(self, window: int, number: int, most: Spend) -> None:
        """Queue an ask of a worker; `attend` answers it."""
        self.till.ask(Ask(window, number, most))

    def attend(self) -> None:
        """Answer whoever can be answered now, and come back when time alone may change that."""
        while decided := self.till.decide():
            fault = self._noted()
            for verdict in decided:
                self._answer(verdict, fault)
        self._set_alarm()
        self._keep_soon()

    def tell(self, moment: Moment) -> None:
        """Pass `moment` on; a watcher that raises is told no more, and raises in the end."""
        if self.failure is not None:
            return
        try:
            self._watch(moment)
        except Exception as failure:  # the workers' connection is not to suffer for it
            self.failure = failure

    def finish(self) -> None:
        """Count what is still set aside as spent, and write the journal a last time."""
        for timer in (self._alarm, self._flush):
            if timer is not None:
                timer.cancel()
        for window in list(self.windows.values()):
            window.close()
            self.till.leave(window.number)
        self.journal.keep(self.till.owed, self.till.budget.elapsed)
        self.journal.close()
        if self.failure is not None:
            raise self.failure

    def _noted(self) -> str | None:
        """Write what is owed where the journal says another amount; return what prevented it."""
        owed = self.till.owed
        try:
            if self.journal.kept != owed:
                self.journal.keep(owed, self.till.budget.elapsed)
        except OSError as error:
            return f"{self.journal.path}: what is spent cannot be written ({error.strerror})"
        return None

    def _answer(self, verdict: Verdict, fault: str | None) -> None:
        ask, refusal = verdict.ask, verdict.refusal
        answer: dict[str, object] = {"id": ask.number}
        if refusal is not None:
            answer["refused"] = [refusal.kind, refusal.limit, refusal.value]
        elif fault is not None:
            self.till.settle(ask.line, ask.most, Spend())
            answer["fault"] = fault
        self.windows[ask.line].send(answer)

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        wait = self.till.wait()
        loop = asyncio.get_running_loop()
        self._alarm = None if wait is None else loop.call_later(wait, self.attend)

    def _keep_soon(self) -> None:
        """Write the journal soon: it says too much until then, which a restart would believe.

        Where an endpoint billed more than the bound, it says too little, and cannot wait.
        """
        owed = self.till.owed
        if not self.journal.covers(owed):
            self._noted()
        elif self._flush is None and self.journal.kept != owed:
            self._flush = asyncio.get_running_loop().call_later(_FLUSH_SECONDS, self._keep_now)

    def _keep_now(self) -> None:
        self._flush = None
        self._noted()
