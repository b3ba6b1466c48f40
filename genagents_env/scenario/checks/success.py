"""Checks, successes and casts: what they refer to, and that each is of one kind."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from genagents_env.scenario.checks.index import ScenarioIndex
from genagents_env.scenario.checks.patterns import check_patterns
from genagents_env.scenario.faults import Fault, Loc, choices, quote
from genagents_env.scenario.schema import (
    AnswerCheck,
    Check,
    FactCheck,
    ObjectCheck,
    RecordCheck,
    Success,
    ValueCheck,
)
from genagents_env.text import fold

_GROUNDS = ("check", "all", "any", "none")
_ALLOWED = f"exactly one of {', '.join(_GROUNDS)} is wanted"


def check_success(index: ScenarioIndex) -> Iterator[Fault]:
    """Yield what is wrong with the checks, the successes and the casts."""
    for i, check in enumerate(index.scenario.checks):
        if isinstance(check, RecordCheck):
            yield from _of_record(index, check, ("checks", i))
        else:
            yield from _answers(index, check, ("checks", i))
    for i, success in enumerate(index.scenario.success):
        yield from _success(index, success, i)
    yield from _casts(index)


def _of_record(index: ScenarioIndex, check: RecordCheck, loc: Loc) -> Iterator[Fault]:
    if isinstance(check, FactCheck):
        yield from index.fact(check.fact, (*loc, "fact"))
    elif isinstance(check, ObjectCheck):
        yield from index.object(check.object, (*loc, "object"))
        yield from index.state(check.object, check.state, (*loc, "state"))
        for j, name in enumerate(check.unseen_by):
            yield from index.person(name, (*loc, "unseen_by", j))
    else:
        yield from index.place(check.place, (*loc, "place"))
    scenario = index.scenario
    end = scenario.start + timedelta(hours=scenario.hours)
    if check.at is not None and not scenario.start <= check.at <= end:
        text = f"{check.at} is not in the scenario, from {scenario.start} to {end}"
        yield Fault((*loc, "at"), text)


def _answers(index: ScenarioIndex, check: AnswerCheck | ValueCheck, loc: Loc) -> Iterator[Fault]:
    yield from index.question(check.question, (*loc, "question"))
    asked = next((q for q in index.scenario.questions if q.id == check.question), None)
    if asked is not None and asked.about == "everyone":
        text = f"{quote(asked.id)} is asked about everyone; check a question with one answer"
        yield Fault((*loc, "question"), text)
    if isinstance(check, AnswerCheck):
        yield from check_patterns(check.yes, (*loc, "yes"))
        yield from check_patterns(check.no, (*loc, "no"))
        return
    seen: dict[str, str] = {}
    for i, value in enumerate(check.values):
        first = seen.setdefault(fold(value.value), value.value)
        if fold(value.value) in {fold(v.value) for v in check.values[:i]}:
            text = f"{quote(value.value)} comes twice, as {quote(first)}; every value is its own"
            yield Fault((*loc, "values", i, "value"), text)
        yield from check_patterns(value.patterns, (*loc, "values", i, "patterns"))
        yield from check_patterns(value.no, (*loc, "values", i, "no"))
    if fold(check.otherwise) in seen:
        text = f"{quote(check.otherwise)} is one of the values too; take another word"
        yield Fault((*loc, "otherwise"), text)


def _success(index: ScenarioIndex, success: Success, place: int) -> Iterator[Fault]:
    loc: Loc = ("success", place)
    given = [key for key in _GROUNDS if getattr(success, key)]
    if len(given) != 1:
        how = f"{' and '.join(given)} are given" if given else "missing"
        yield Fault((*loc, given[-1] if given else "check"), f"{how}; {_ALLOWED}")
    if success.check is not None:
        yield from _of_check(index, success, loc)
    else:
        for key, told in (
            ("of", success.of),
            ("over", success.over != "all"),
            ("value", success.value),
        ):
            if told:
                yield Fault((*loc, key), "it says how a `check` counts; leave it out without one")
    earlier = [other.id for other in index.scenario.success[:place]]
    for key in _GROUNDS[1:]:
        for j, id_ in enumerate(getattr(success, key)):
            if id_ not in earlier:
                known = f"those before this one are {choices(earlier)}" if earlier else "none is"
                text = f"no success {quote(id_)} before this one; {known}"
                yield Fault((*loc, key, j), text)


def _of_check(index: ScenarioIndex, success: Success, loc: Loc) -> Iterator[Fault]:
    checks = {check.id: check for check in index.scenario.checks}
    check = checks.get(success.check or "")
    yield from index.check(success.check or "", (*loc, "check"))
    yield from _of(index, success, check, loc)
    if isinstance(check, ValueCheck):
        yield from _value(success, check, loc)
    elif check is not None:
        if success.value is not None:
            text = f"{quote(check.id)} is no value check, its verdict is yes or no; leave it out"
            yield Fault((*loc, "value"), text)
        if success.over == "equal":
            text = (
                f"{quote(check.id)} is no value check; allowed: {choices(('all', 'any', 'none'))}"
            )
            yield Fault((*loc, "over"), text)


def _value(success: Success, check: ValueCheck, loc: Loc) -> Iterator[Fault]:
    allowed = [value.value for value in check.values]
    allowed.append(check.otherwise)
    if success.over == "equal":
        if success.value is not None:
            text = "`equal` asks for the same value, whichever it is; leave it out"
            yield Fault((*loc, "value"), text)
    elif success.value is None:
        text = f"missing; which value counts as yes? Allowed: {choices(allowed)}"
        yield Fault((*loc, "value"), text)
    elif success.value not in allowed:
        text = f"{check.id} has no value {quote(success.value)}; allowed: {choices(allowed)}"
        yield Fault((*loc, "value"), text)


def _of(
    index: ScenarioIndex,
    success: Success,
    check: Check | None,
    loc: Loc,
) -> Iterator[Fault]:
    asked: Sequence[str] = ()
    if isinstance(check, AnswerCheck | ValueCheck):
        asked = next((q.to for q in index.scenario.questions if q.id == check.question), ())
    for i, name in enumerate(success.of):
        yield from index.person(name, (*loc, "of", i))
        if name in success.of[:i]:
            yield Fault((*loc, "of", i), f"{quote(name)} comes twice; name everyone once")
        elif asked and name in index.people and name not in asked:
            text = f"{quote(name)} is not asked what {success.check} checks; allowed: "
            yield Fault((*loc, "of", i), text + choices(asked))


def _casts(index: ScenarioIndex) -> Iterator[Fault]:
    people = {fold(name) for name in index.people}
    for cast, names in index.scenario.casts.items():
        if fold(cast) in people:
            text = "somebody has this name too; call the cast otherwise, such as by its number"
            yield Fault(("casts", cast), text)
        for i, name in enumerate(names):
            yield from index.person(name, ("casts", cast, i))
            if name in names[:i]:
                text = f"{quote(name)} comes twice; name everyone once"
                yield Fault(("casts", cast, i), text)
