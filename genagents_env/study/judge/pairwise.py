"""Comparing: a model says which of two conditions' answers is the better, in both orders."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from genagents_env.errors import ConfigError
from genagents_env.llm.calls import CallKey
from genagents_env.run.spec import RunOptions
from genagents_env.scenario.faults import quote, suggest
from genagents_env.study.judge.prompting import ComparisonReply, make_pair_messages
from genagents_env.study.judge.rubric import Rubric, load_rubric
from genagents_env.study.judge.rubric_queries import (
    RubricQuery,
    ask_missing,
    build_blank,
    open_session,
)
from genagents_env.study.judge.session import JudgingResult, Watch
from genagents_env.study.judge.texts import JudgedText, Match
from genagents_env.study.judge.verdicts import By, Choice, Comparison, Judgement, Side, Verdicts

_SIDES: tuple[Side, ...] = ("first", "second")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two conditions' answers to one question put to one agent, of the same seed."""

    first: JudgedText
    second: JudgedText


def compare(
    answers: Iterable[JudgedText],
    options: RunOptions,
    verdicts: Verdicts,
    rubric: Rubric | None = None,
    *,
    against: str | None = None,
    repeats: int = 1,
    judge: str | None = None,
    watch: Watch | None = None,
    again: str = "",
) -> JudgingResult:
    """Let a model say of every pair of conditions' answers which is the better.

    Each pair is read in both orders, since judges prefer a place as well as an answer: how often
    the verdict flips with the order is the position bias that `summary.rank_conditions` counts.

    Args:
        answers: of all conditions, in any order.
        options: model (None is the default one), limits, shared budget, concurrency, retries.
        verdicts: where they are kept.
        rubric: whose `versus` is asked; None is believability.
        against: the condition, or level of its first factor, that others are compared with; None
            is every pair.
        repeats: in each order, 1 or more.
        judge: the name under which they are kept; None is the model's.
        watch: called after every verdict.
        again: the command that resumes, for the message of what is returned.

    Raises:
        ConfigError: as `make_pairs`, or there is no such model, `judge` has no words, or `repeats`
            is below 1.
        LLMRefused: the endpoint refuses: key, permission or model name is wrong.
        RunLocked: another process adds to these verdicts.
    """
    rubric = rubric or load_rubric("believability")
    found = make_pairs(answers, rubric, against)
    session = open_session(options, judge, repeats)
    queries = [
        _make_query(pair, rubric, session.name, repeat, shown)
        for repeat in range(repeats)
        for pair in sorted(found, key=lambda pair: pair.first.seed)
        for shown in _SIDES
    ]
    return ask_missing(session, queries, verdicts, watch=watch, again=again)


def make_pairs(
    answers: Iterable[JudgedText], rubric: Rubric, against: str | None = None
) -> list[Pair]:
    """Return what can be compared: the same seed, agent, time, question and repeat.

    Raises:
        ConfigError: the rubric compares nothing, no condition is called `against`, or one
            condition has two runs of a seed.
    """
    if not rubric.versus:
        raise ConfigError(f"rubric {rubric.name}: it has no `versus`, so no pairs are compared")
    groups = group_comparable(answers, rubric)
    names = sorted({name for group in groups.values() for name in group})
    if against is not None and not any(_is_condition(name, against) for name in names):
        raise ConfigError(
            f"against: no condition is called {quote(against)}; {suggest(against, names)}"
        )
    return [pair for group in groups.values() for pair in _pair_conditions(group, against)]


def group_comparable(
    answers: Iterable[JudgedText], rubric: Rubric
) -> dict[Match, dict[str, JudgedText]]:
    """Return the answers that the rubric covers, by what they share and by condition.

    Raises:
        ConfigError: one condition has two runs of a seed.
    """
    groups: dict[Match, dict[str, JudgedText]] = {}
    for said in answers:
        if not rubric.covers(said):
            continue
        group = groups.setdefault(said.match, {})
        other = group.setdefault(said.condition, said)
        if other.id != said.id:
            raise ConfigError(
                f"condition {quote(said.condition)} has two runs of seed {said.seed}: {other.run} "
                f"and {said.run}; answers are compared between conditions, one run of each seed"
            )
    return groups


def make_blank(
    pair: Pair, rubric: Rubric, judge: str, by: By, shown: Side, repeat: int = 0
) -> Comparison:
    """Return the comparison of a pair that nobody has made yet."""
    first, second = pair.first, pair.second
    return build_blank(
        Comparison,
        first,
        rubric,
        judge,
        by,
        repeat,
        first=first.id,
        second=second.id,
        first_run=first.run,
        second_run=second.run,
        first_condition=first.condition,
        second_condition=second.condition,
        shown=shown,
        verdict=None,
    )


def to_choice(better: str, shown: Side) -> Choice:
    """Return which of a pair `a` or `b` is, where `shown` was read first, as a; or the tie."""
    if better == "tie":
        return "tie"
    if better == "a":
        return shown
    return "second" if shown == "first" else "first"


def _pair_conditions(group: Mapping[str, JudgedText], against: str | None) -> Iterator[Pair]:
    for first, second in combinations(sorted(group), 2):
        if against is None or any(_is_condition(name, against) for name in (first, second)):
            yield Pair(group[first], group[second])


def _is_condition(name: str, against: str) -> bool:
    """Return whether a condition is meant: by its name, or by the level of its first factor."""
    return name == against or name.startswith(f"{against} / ")


def _make_query(pair: Pair, rubric: Rubric, judge: str, repeat: int, shown: Side) -> RubricQuery:
    one = make_blank(pair, rubric, judge, "model", shown, repeat)
    a, b = (pair.first, pair.second) if shown == "first" else (pair.second, pair.first)
    return RubricQuery(
        one,
        CallKey(f"{a.id}.{b.id}", 0, f"compare.{rubric.name}", repeat),
        partial(make_pair_messages, a, b, rubric),
        ComparisonReply,
        partial(_fill_in, one),
        (rubric.edition, shown, rubric.list_shown(a), rubric.list_shown(b)),
    )


def _fill_in(one: Comparison, reply: ComparisonReply) -> Judgement:
    return replace(one, verdict=to_choice(reply.better, one.shown), why=reply.why)
