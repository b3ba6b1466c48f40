"""Rating: a model gives every answer a number of the rubric's scale, more than once."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from genagents_env.llm.calls import CallKey
from genagents_env.run.spec import RunOptions
from genagents_env.study.judge.prompting import RatingReply, make_rating_messages, make_rating_reply
from genagents_env.study.judge.rubric import Rubric
from genagents_env.study.judge.rubric_queries import (
    RubricQuery,
    ask_missing,
    build_blank,
    open_session,
)
from genagents_env.study.judge.session import JudgingResult, Watch
from genagents_env.study.judge.texts import JudgedText
from genagents_env.study.judge.verdicts import By, Judgement, Rating, Verdicts


def rate(
    answers: Iterable[JudgedText],
    rubric: Rubric,
    options: RunOptions,
    verdicts: Verdicts,
    repeats: int = 3,
    *,
    judge: str | None = None,
    watch: Watch | None = None,
    again: str = "",
) -> JudgingResult:
    """Let a model rate every answer that the rubric covers, `repeats` times each.

    One call for each (answer, repeat); the seed is decided by both. Everything is asked once
    before anything is asked twice, seed by seed, so that a session that stops early has rated the
    conditions alike. What was given before is not asked again.

    Args:
        answers: in any order; the same one twice is one.
        rubric: whose `about` is what the answers are.
        options: model (None is the default one), limits, shared budget, concurrency, retries.
        verdicts: where they are kept.
        repeats: 1 or more.
        judge: the name under which they are kept; None is the model's.
        watch: called after every verdict.
        again: the command that resumes, for the message of what is returned.

    Raises:
        ConfigError: there is no such model, `judge` has no words, or `repeats` is below 1.
        LLMRefused: the endpoint refuses: key, permission or model name is wrong.
        RunLocked: another process adds to these verdicts.
    """
    session = open_session(options, judge, repeats)
    covered = {said.id: said for said in answers if rubric.covers(said)}
    queries = [
        _make_query(said, rubric, session.name, repeat)
        for repeat in range(repeats)
        for said in sorted(covered.values(), key=lambda one: one.seed)
    ]
    return ask_missing(session, queries, verdicts, watch=watch, again=again)


def make_blank(said: JudgedText, rubric: Rubric, judge: str, by: By, repeat: int = 0) -> Rating:
    """Return the rating of an answer that nobody has given yet."""
    return build_blank(
        Rating,
        said,
        rubric,
        judge,
        by,
        repeat,
        answer=said.id,
        run=said.run,
        condition=said.condition,
        low=rubric.low,
        high=rubric.high,
        value=None,
    )


def _make_query(said: JudgedText, rubric: Rubric, judge: str, repeat: int) -> RubricQuery:
    one = make_blank(said, rubric, judge, "model", repeat)
    return RubricQuery(
        one,
        CallKey(said.id, 0, f"rate.{rubric.name}", repeat),
        partial(make_rating_messages, said, rubric),
        make_rating_reply(rubric.low, rubric.high),
        partial(_fill_in, one),
        (rubric.edition, rubric.list_shown(said)),
    )


def _fill_in(one: Rating, reply: RatingReply) -> Judgement:
    return replace(one, value=reply.rating, why=reply.why)
