"""Verdicts on the scenario's checks: by rule, and by every model that judged the answers.

A rule reads an answer by patterns, or the record for where people were, what they had heard and
what they did with things. It has no opinion where a
check gives it nothing to read by. Two judges never mix: each stands under its own name.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from genagents_env.scenario.patterns import compile_pattern, finds_any, prepare
from genagents_env.scenario.schema import (
    AnswerCheck,
    FactCheck,
    ObjectCheck,
    PlaceCheck,
    RecordCheck,
    ValueCheck,
)
from genagents_env.study.evaluate.interviews import ENDS, find_run_replies
from genagents_env.study.evaluate.measures.diffusion import find_spread
from genagents_env.study.evaluate.phrases import straighten
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.world.events import Deed, Event, follow_deed
from genagents_env.world.places import is_within

RULE, YES, NO = "rule", "yes", "no"

CheckOfAnswers: TypeAlias = AnswerCheck | ValueCheck


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one judge made of one answer, or what the record says about where somebody was.

    Attributes:
        check: the id of the scenario's check.
        agent: who answered, was somewhere, knew or did something.
        when: before the run or after it.
        repeat: of the interview; 0 for what the record tells.
        by: `rule`, or `model:` and the model's name.
        value: `yes`, `no`, or one of the check's values; None for no opinion.
    """

    check: str
    agent: str
    when: Literal["before", "after"]
    repeat: int
    by: str
    value: str | None


@once_per_run
def find_verdicts(data: RunData) -> tuple[Verdict, ...]:
    """Return the verdicts on all checks of the run, as far as it is recorded.

    In the scenario's order, before and then after; of each the rule's, then the models' by name.
    """
    found: list[Verdict] = []
    for check in data.scenario.checks:
        if isinstance(check, RecordCheck):
            found += _judge_record(data, check)
        else:
            found += judge_answers(data, check)
    return tuple(found)


def judge_answers(data: RunData, check: CheckOfAnswers) -> Iterator[Verdict]:
    """Yield the verdicts on the answers to a check's question, all repeats, at both ends.

    A judge who has an opinion on any of the answers at one end stands for every answer there, with
    None where it has none. Answers about another person are passed over, since a check is of the
    one who answers; so are judgements of other checks, and of answers that are none of the run's
    any more.
    """
    known = {
        (row.judge, row.tick, row.agent, row.question, row.repeat): row.verdict
        for row in data.judgements
        if row.check == check.id
    }
    judges = sorted({judge for judge, *_ in known})
    for when in ENDS:
        given = [
            row
            for asked, row in find_run_replies(data, when, repeat=None)
            if asked.question_id == check.question and asked.person is None
        ]
        opinions = {RULE: [apply_rule(check, row.answer) for row in given]}
        for judge in judges:
            keys = [(judge, row.tick, row.agent, row.question, row.repeat) for row in given]
            if not known.keys().isdisjoint(keys):
                verdicts = [accept_verdict(check, known.get(key)) for key in keys]
                opinions[f"model:{judge}"] = verdicts
        for by, values in opinions.items():
            for row, value in zip(given, values, strict=True):
                yield Verdict(check.id, row.agent, when, row.repeat, by, value)


def apply_rule(check: CheckOfAnswers, answer: str) -> str | None:
    """Return the rule's verdict on an answer; None where the check has no patterns.

    See `AnswerCheck` and `ValueCheck` for the rules. Patterns are searched for in any case.
    """
    if isinstance(check, ValueCheck):
        if not any(value.patterns for value in check.values):
            return None
        return find_value(check, answer) or check.otherwise
    if not check.yes and not check.no:
        return None
    text = straighten(answer)
    return YES if finds_any(check.yes, text) and not finds_any(check.no, text) else NO


def find_value(check: ValueCheck, text: str) -> str | None:
    """Return the value that `text` has by the check's patterns; None where it shows none of them.

    Of several it is the one that stands first, or `otherwise`, as the check says; of two that
    begin at the same letter the first of the check's values.
    """
    text = straighten(text)
    starts = {
        value.value: start
        for value in check.values
        if (start := _find_first_match(value.patterns, text)) is not None
        and not finds_any(value.no, text)
    }
    if len(starts) > 1 and check.several == "otherwise":
        return check.otherwise
    return min(starts, key=lambda value: starts[value], default=None)


def accept_verdict(check: CheckOfAnswers, verdict: str | None) -> str | None:
    """Return a model's verdict if it is one that the check knows, else None."""
    if isinstance(check, ValueCheck):
        known = [*(value.value for value in check.values), check.otherwise]
    else:
        known = [YES, NO]
    return verdict if verdict in known else None


def _judge_record(data: RunData, check: RecordCheck) -> Iterator[Verdict]:
    """Yield for everybody what the record says of a check; no opinion before its time has come."""
    last, run = data.last_tick, data.reader
    tick = last if check.at is None else run.tick_at(check.at)
    known = 0 < last >= tick and (check.at is None or check.at >= run.time(0))
    those = _find_those(data, check, tick) if known else None
    for name in data.names:
        value = None if those is None else YES if name in those else NO
        yield Verdict(check.id, name, "after", 0, RULE, value)


def _find_those(data: RunData, check: RecordCheck, tick: int) -> frozenset[str]:
    """Return who was in a check's place, knew its fact, or did its deed as the tick ended."""
    if isinstance(check, PlaceCheck):
        there = (one for one in data.stays if one.first <= tick < one.end)
        return frozenset(one.agent for one in there if is_within(one.place, check.place))
    if isinstance(check, FactCheck):
        spread = find_spread(data, check.fact)
        heard = (one.agent for one in spread.heard if one.tick <= tick)
        return frozenset((*spread.at_start, *heard))
    return _find_bringers(data, check, tick)


def _find_bringers(data: RunData, check: ObjectCheck, tick: int) -> frozenset[str]:
    """Return who had brought the check's object into the state that it had when the tick ended.

    Nobody where it has another state, where it was so from the start, or where an intervention or
    one of the people who must not see it had a part: see `ObjectCheck`.
    """
    last: Deed | None = None
    for event in data.of_kind("object"):
        if event.tick <= tick:
            last = follow_deed(check, last, event, partial(_was_there, data, event))
    if last is None or last.agent is None or last.state != check.state:
        return frozenset()
    return frozenset({last.agent})


def _was_there(data: RunData, done: Event, name: str) -> bool:
    """Return whether somebody was awake in the arena of an object as the tick of its use ended."""
    arena = str(done.data["object"]).rpartition("/")[0]
    here = data.find_arena(name, done.tick) == arena
    return here and bool(data.awake[data.row[name], done.tick])


def _find_first_match(patterns: Iterable[str], text: str) -> int | None:
    """Return where the first match of any of `patterns` begins; None without a match."""
    ready = prepare(text)
    found = (compile_pattern(pattern).find(ready) for pattern in patterns)
    return min((start for start in found if start is not None), default=None)
