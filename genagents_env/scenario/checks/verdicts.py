"""Questions, the checks of answers and of the record, successes built on these, and casts."""

import re
from collections.abc import Iterator
from itertools import product

from genagents_env.scenario.checks.plot import check_patterns
from genagents_env.scenario.checks.references import ScenarioIndex
from genagents_env.scenario.faults import Fault, Loc, choices, quote
from genagents_env.scenario.questions import PERSON
from genagents_env.scenario.schema import AnswerCheck, Check, Question, Success, ValueCheck
from genagents_env.text import fold

_SLOT = re.compile(r"\{[^{}]*\}")
_ABOUT_EVERYONE = 10  # such questions: each is asked as often as there are pairs of people
_EVERYBODY = None
_GROUNDS = ("check", "all", "any", "none")
_ALLOWED = f"exactly one of {', '.join(_GROUNDS)} is wanted"


def check_questions(index: ScenarioIndex) -> Iterator[Fault]:
    """Check the questions; no two are alike for one person."""
    questions = index.scenario.questions
    for i, question in enumerate(questions):
        yield from _check_words(question, ("questions", i))
    general = [i for i, question in enumerate(questions) if question.about == "everyone"]
    for i in general[_ABOUT_EVERYONE:]:
        text = f"at most {_ABOUT_EVERYONE} questions are asked about everyone; leave this one out"
        yield Fault(("questions", i, "about"), text)
    if len(general) <= _ABOUT_EVERYONE:
        yield from _find_twins(index)


def _check_words(question: Question, loc: Loc) -> Iterator[Fault]:
    slots = _SLOT.findall(question.text)
    wrong = [slot for slot in slots if slot != PERSON]
    if wrong:
        text = f"nothing takes the place of {quote(wrong[0])}; only {quote(PERSON)} is filled in"
        yield Fault((*loc, "text"), text)
    if question.about == "nobody":
        if PERSON in slots:
            text = f'{quote(PERSON)} is filled in only with about = "everyone"; add that'
            yield Fault((*loc, "text"), text)
        return
    if PERSON not in slots:
        yield Fault((*loc, "text"), f"asked about everyone, so it has to name them: {PERSON}")
    for key in ("fact", "gathering"):
        if getattr(question, key) is not None:
            text = "a question about everyone tells whom one knows and nothing else; leave it out"
            yield Fault((*loc, key), text)


def _find_twins(index: ScenarioIndex) -> Iterator[Fault]:
    """Reject questions that somebody would be asked twice in the same words."""
    asked: dict[tuple[str, str], dict[str | None, int]] = {}  # text and end: who, by which question
    for i, question in enumerate(index.scenario.questions):
        audience = question.to or (_EVERYBODY,)
        twin = None
        ends = ("before", "after") if question.when == "both" else (question.when,)
        fillers = index.people if question.about == "everyone" else (PERSON,)
        texts = dict.fromkeys(question.text.replace(PERSON, name) for name in fillers)
        for text_and_end in product(texts, ends):
            before = asked.setdefault(text_and_end, {})
            names = [*audience, _EVERYBODY] if question.to else [*before]
            twin = next((before[name] for name in names if name in before), twin)
            for name in audience:
                before.setdefault(name, i)
        if twin is not None:
            text = f"somebody hears this from questions[{twin}] too; word one of them anew"
            yield Fault(("questions", i, "text"), text)


def check_checks(index: ScenarioIndex) -> Iterator[Fault]:
    """Check the checks."""
    for i, check in enumerate(index.scenario.checks):
        loc: Loc = ("checks", i)
        if not isinstance(check, AnswerCheck | ValueCheck):
            yield from index.find_wrong_time(check.at, (*loc, "at"), or_end=True)
            continue
        question = index.questions.get(check.question)
        if question is not None and question.about == "everyone":
            text = f"{quote(question.id)} is asked about everyone; check a question with one answer"
            yield Fault((*loc, "question"), text)
        if isinstance(check, ValueCheck):
            yield from _check_values(check, loc)
        else:
            yield from check_patterns(check.yes, (*loc, "yes"))
            yield from check_patterns(check.no, (*loc, "no"))


def _check_values(check: ValueCheck, loc: Loc) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for i, value in enumerate(check.values):
        where: Loc = (*loc, "values", i)
        first = seen.get(fold(value.value))
        if first is not None:
            text = f"{quote(value.value)} comes twice, as {quote(first)}; every value is its own"
            yield Fault((*where, "value"), text)
        seen.setdefault(fold(value.value), value.value)
        yield from check_patterns(value.patterns, (*where, "patterns"))
        yield from check_patterns(value.no, (*where, "no"))
    if fold(check.otherwise) in seen:
        text = f"{quote(check.otherwise)} is one of the values too; take another word"
        yield Fault((*loc, "otherwise"), text)


def check_successes(index: ScenarioIndex) -> Iterator[Fault]:
    """Check the successes: each has one ground, and builds on earlier ones."""
    earlier: list[str] = []
    for i, success in enumerate(index.scenario.success):
        loc: Loc = ("success", i)
        given = [key for key in _GROUNDS if getattr(success, key)]
        if len(given) != 1:
            how = f"{' and '.join(given)} are given" if given else "missing"
            yield Fault((*loc, given[-1] if given else "check"), f"{how}; {_ALLOWED}")
        if success.check is None:
            yield from _check_plain(success, loc)
        else:
            yield from _check_verdicts(index, success, index.checks.get(success.check), loc)
        for key in _GROUNDS[1:]:
            for j, id_ in enumerate(getattr(success, key)):
                if id_ not in earlier:
                    known = (
                        f"those before this one are {choices(earlier)}" if earlier else "none is"
                    )
                    text = f"no success {quote(id_)} before this one; {known}"
                    yield Fault((*loc, key, j), text)
        earlier.append(success.id)


def _check_plain(success: Success, loc: Loc) -> Iterator[Fault]:
    """Reject keys that a success without a check does not take."""
    for key, given in (
        ("of", success.of),
        ("over", success.over != "all"),
        ("value", success.value),
    ):
        if given:
            yield Fault((*loc, key), "it says how a `check` counts; leave it out without one")


def _check_verdicts(
    index: ScenarioIndex, success: Success, check: Check | None, loc: Loc
) -> Iterator[Fault]:
    yield from _check_audience(index, success, check, loc)
    if isinstance(check, ValueCheck):
        yield from _check_value(success, check, loc)
    elif check is not None:
        if success.value is not None:
            text = f"{quote(check.id)} is no value check, its verdict is yes or no; leave it out"
            yield Fault((*loc, "value"), text)
        if success.over == "equal":
            allowed = choices(("all", "any", "none"))
            yield Fault((*loc, "over"), f"{quote(check.id)} is no value check; allowed: {allowed}")


def _check_value(success: Success, check: ValueCheck, loc: Loc) -> Iterator[Fault]:
    allowed = [*(value.value for value in check.values), check.otherwise]
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


def _check_audience(
    index: ScenarioIndex, success: Success, check: Check | None, loc: Loc
) -> Iterator[Fault]:
    question = None
    if isinstance(check, AnswerCheck | ValueCheck):
        question = index.questions.get(check.question)
    asked = () if question is None else question.to
    for i, name in enumerate(success.of):
        if name in success.of[:i]:
            yield Fault((*loc, "of", i), f"{quote(name)} comes twice; name everyone once")
        elif asked and name in index.people and name not in asked:
            text = f"{quote(name)} is not asked what {success.check} checks; allowed: "
            yield Fault((*loc, "of", i), text + choices(asked))


def check_casts(index: ScenarioIndex) -> Iterator[Fault]:
    """Reject casts called like a person, and people named twice in one."""
    people = {fold(name) for name in index.people}
    for cast, names in index.scenario.casts.items():
        if fold(cast) in people:
            text = "somebody has this name too; call the cast otherwise, such as by its number"
            yield Fault(("casts", cast), text)
        for i, name in enumerate(names):
            if name in names[:i]:
                text = f"{quote(name)} comes twice; name everyone once"
                yield Fault(("casts", cast, i), text)
