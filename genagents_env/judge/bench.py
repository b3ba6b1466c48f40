"""A sitting of a model judge: what is due is asked, and each verdict is kept as it is given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pydantic import BaseModel

from genagents_env.errors import ConfigError
from genagents_env.judge.prompting import MAX_TOKENS
from genagents_env.judge.verdicts import Judgement, Verdicts
from genagents_env.llm.budget import Spend
from genagents_env.llm.calls import CallKey, Endpoint, Message
from genagents_env.llm.cassette import Recorded
from genagents_env.run import RunOptions
from genagents_env.run.loop import run_sync
from genagents_env.run.model import open_model
from genagents_env.run.sitting import JudgeSession
from genagents_env.text import clean

TEMPERATURE = 0.7  # repeats of a judge that is always sure of itself would tell nothing
NAME_LIMIT = 200  # characters of a judge's name

NOTHING = Spend()


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a sitting is: verdicts heard of those due, and what was spent.

    `dollars` is None where no price is known.
    """

    heard: int
    due: int
    calls: int
    tokens: int
    dollars: float | None


Watch: TypeAlias = Callable[[Moment], None]


@dataclass(frozen=True, slots=True)
class Heard:
    """How the judging stands.

    Attributes:
        judge: the name under which the verdicts are kept.
        asked: verdicts that are called for.
        before: of these, how many had been given before.
        given: how many were given now.
        unusable: how many replies were no verdict; they are asked for again next time.
        spent: on what was asked now.
        exit_code: of the command line.
        message: why it stopped early and what to do; empty when all was heard.
    """

    judge: str
    asked: int = 0
    before: int = 0
    given: int = 0
    unusable: int = 0
    spent: Spend = NOTHING
    exit_code: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """One verdict that is called for.

    Attributes:
        blank: the verdict without what the judge will say; it has the key.
        call: decides the seed of the call.
        messages: the prompt.
        reply: the schema.
        filled: from a usable reply, a `reply`, to the verdict.
    """

    blank: Judgement
    call: CallKey
    messages: Callable[[], list[Message]]
    reply: type[BaseModel]
    filled: Callable[[Any], Judgement]


def opened(options: RunOptions, judge: str | None) -> tuple[Endpoint, str]:
    """Return the model that judges and the name under which its verdicts are kept.

    Raises:
        ConfigError: there is no such model, or `judge` has no words.
    """
    if judge is not None and not clean(judge, NAME_LIMIT):
        raise ConfigError("by: a judge needs a name")
    endpoint = open_model(options.model, options.endpoint, options.limits)
    return endpoint, clean(judge or endpoint.model, NAME_LIMIT)


def heard(
    queries: Sequence[Query],
    options: RunOptions,
    endpoint: Endpoint,
    judge: str,
    verdicts: Verdicts,
    *,
    watch: Watch | None = None,
    again: str = "",
) -> Heard:
    """Ask a model for every verdict that is called for and has not been given.

    Args:
        queries: in the order in which they are asked.
        options: limits, account, concurrency and retries; its `watch` is not used.
        endpoint: the model.
        judge: its name.
        verdicts: where they are kept.
        watch: told after every verdict.
        again: the command that goes on, for the message.

    Raises:
        LLMRefused: the endpoint refuses: key, permission or model name is wrong.
        RunLocked: another process adds to these verdicts.
    """
    with verdicts:
        due = [one for one in queries if not _known(verdicts, one)]
        stands = Heard(judge, len(queries), len(queries) - len(due))
        if not due:
            return stands
        done = run_sync(_Bench(endpoint, options, verdicts, watch).heard(due, stands))
    if done.message:
        how = f"go on with `{again}`" if again else "judge again to go on"
        done = replace(done, message=f"{done.message}; {how}")
    return done


def _known(verdicts: Verdicts, query: Query) -> bool:
    found = verdicts.get(query.blank.key)
    return found is not None and found.has_verdict


class _Bench:
    """One sitting of one model."""

    def __init__(
        self, endpoint: Endpoint, options: RunOptions, verdicts: Verdicts, watch: Watch | None
    ) -> None:
        self.verdicts, self.watch = verdicts, watch
        # The call's key has the answer's id and the repeat, which decide the seed.
        self.sitting = JudgeSession(endpoint, options, run_seed=0)
        self.client = self.sitting.client
        self.given = self.unusable = self.due = 0

    async def heard(self, due: Sequence[Query], stands: Heard) -> Heard:
        """Return how it stands after all of `due`, or as many as could be heard."""
        self.due = len(due)
        exit_code, message = await self.sitting.ask_all(due, self._hear)
        return replace(
            stands,
            given=self.given,
            unusable=self.unusable,
            spent=self.client.budget.spent,
            exit_code=exit_code,
            message=message,
        )

    async def _hear(self, query: Query) -> None:
        one = await self._verdict(query)
        self.verdicts.add(one)
        self.unusable += not one.has_verdict
        self.given += one.has_verdict
        self._tell()

    async def _verdict(self, query: Query) -> Judgement:
        answered = await self.client.ask(
            query.call,
            query.messages(),
            query.reply,
            fallback=query.reply.model_construct(),
            max_tokens=MAX_TOKENS,
            temperature=TEMPERATURE,
        )
        told: Recorded = self.sitting.replies.rows.pop(query.call)
        one = query.blank if answered.fallback else query.filled(answered.value)
        why = clean(answered.fault or "", NAME_LIMIT) if answered.fallback else one.why
        return replace(
            one,
            why=why,
            prompt_tokens=told.prompt_tokens,
            completion_tokens=told.completion_tokens,
        )

    def _tell(self) -> None:
        if self.watch is None:
            return
        spent = self.client.budget.spent
        dollars = None if self.client.endpoint.price is None else float(spent.dollars)
        done = self.given + self.unusable
        self.watch(Moment(done, self.due, spent.calls, spent.tokens, dollars))
