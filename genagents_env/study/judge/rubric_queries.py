"""What rating and comparing share: verdicts that are called for are asked for, and stored."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pydantic import BaseModel

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CallKey, Message
from genagents_env.llm.cassette import RecordedReply
from genagents_env.llm.client import ModelAnswer
from genagents_env.run.spec import RunOptions
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.session import (
    NAME_LIMIT,
    JudgeQuery,
    JudgeSession,
    JudgingResult,
    Watch,
)
from genagents_env.study.judge.texts import JudgedText
from genagents_env.study.judge.verdicts import By, Comparison, Judgement, Rating, Verdicts
from genagents_env.text import clean

J = TypeVar("J", Rating, Comparison)

TEMPERATURE = 0.7  # repeats at temperature 0 would all be equal


@dataclass(frozen=True, slots=True)
class RubricQuery:
    """One verdict by a rubric that is called for.

    Attributes:
        blank: the verdict without what the judge will say; it has the key.
        call: decides the seed of the call.
        messages: make the prompt.
        reply: the schema.
        fill: from a usable reply, a `reply`, to the verdict.
        alike: all that the judge reads; of two queries in which it is equal one is asked.
    """

    blank: Judgement
    call: CallKey
    messages: Callable[[], list[Message]]
    reply: type[BaseModel]
    fill: Callable[..., Judgement]
    alike: Hashable


def build_blank(
    kind: Callable[..., J],
    text: JudgedText,
    rubric: Rubric,
    judge: str,
    by: By,
    repeat: int,
    **own: object,
) -> J:
    """Return a verdict that nobody has given yet.

    Args:
        kind: `Rating` or `Comparison`.
        text: that is rated, or is one of the two compared.
        rubric: that the judge applies.
        judge: the name of the model or the person.
        by: which of the two it is.
        repeat: how often the judge had been asked this before.
        own: the fields of `kind` that are not those of `BaseJudgement`.
    """
    return kind(
        block=text.block,
        seed=text.seed,
        agent=text.agent,
        when=text.when,
        question=text.question,
        number=text.repeat,
        rubric=rubric.name,
        edition=rubric.edition,
        judge=judge,
        by=by,
        repeat=repeat,
        **own,
    )


def open_session(options: RunOptions, judge: str | None, repeats: int) -> JudgeSession:
    """Return a session of the model that judges by a rubric.

    Raises:
        ConfigError: there is no such model, `judge` has no words, or `repeats` is below 1.
    """
    if repeats < 1:
        raise ConfigError(f"repeats is {repeats}; allowed: 1 or more")
    # The call's key has the answer's id and the repeat, which decide the seed.
    return JudgeSession(options, judge, run_seed=0, temperature=TEMPERATURE)


def ask_missing(
    session: JudgeSession,
    queries: Sequence[RubricQuery],
    verdicts: Verdicts,
    *,
    watch: Watch | None = None,
    again: str = "",
) -> JudgingResult:
    """Ask a model for every verdict that is called for and has not been given.

    Args:
        session: with the model.
        queries: in the order in which they are asked.
        verdicts: where they are stored.
        watch: called after every verdict.
        again: the command that resumes, for the message.

    Raises:
        LLMRefused: as of `JudgeSession.ask_all`.
        RunLocked: another process adds to these verdicts.
    """
    groups: dict[Hashable, list[RubricQuery]] = {}
    for query in queries:
        groups.setdefault((query.alike, query.blank.repeat), []).append(query)
    with verdicts:
        before = sum(_find_given(verdicts, query) is not None for query in queries)
        due = []
        for group in groups.values():
            said = [found for query in group if (found := _find_given(verdicts, query))]
            unsaid = [query for query in group if _find_given(verdicts, query) is None]
            if said:
                _share(verdicts, said[0], unsaid)
            elif unsaid:
                store = partial(_store, verdicts, unsaid)
                due.append(JudgeQuery(unsaid[0].call, unsaid[0].messages, unsaid[0].reply, store))
        done = session.ask_all(due, before=before, watch=watch, again=again)
        now = sum(_find_given(verdicts, query) is not None for query in queries) - before
        return replace(done, asked=len(queries), given=now, shared=now - done.given)


def _find_given(verdicts: Verdicts, query: RubricQuery) -> Judgement | None:
    found = verdicts.get(query.blank.key)
    return found if found is not None and found.has_verdict else None


def _share(verdicts: Verdicts, given: Judgement, queries: Iterable[RubricQuery]) -> None:
    """Store a verdict for queries in which a judge would read the very same, at no cost."""
    for query in queries:
        blank = query.blank
        if isinstance(blank, Rating) and isinstance(given, Rating):
            verdicts.add(replace(blank, value=given.value, why=given.why))
        elif isinstance(blank, Comparison) and isinstance(given, Comparison):
            verdicts.add(replace(blank, verdict=given.verdict, why=given.why))


def _store(
    verdicts: Verdicts,
    queries: Sequence[RubricQuery],
    answered: ModelAnswer[BaseModel],
    recorded: RecordedReply,
) -> bool:
    query, *others = queries
    one = query.blank if answered.fallback else query.fill(answered.value)
    why = clean(answered.fault or "", NAME_LIMIT) if answered.fallback else one.why
    one = replace(
        one,
        why=why,
        prompt_tokens=recorded.prompt_tokens,
        completion_tokens=recorded.completion_tokens,
    )
    verdicts.add(one)
    given = _find_given(verdicts, query)
    if given is not None:
        _share(verdicts, given, others)
    return given is not None
