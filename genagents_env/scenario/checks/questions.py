"""Questions: whom they are put to, what they refer to, and no two alike for one person."""

import re
from collections.abc import Iterator
from itertools import product

from genagents_env.scenario.checks.index import ScenarioIndex
from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.questions import PERSON
from genagents_env.scenario.schema import Question

_SLOT = re.compile(r"\{[^{}]*\}")
_ABOUT_EVERYONE = 10  # such questions: each is asked as often as there are pairs of people
_EVERYBODY = None


def check_questions(index: ScenarioIndex) -> Iterator[Fault]:
    """Yield what is wrong with the questions."""
    questions = index.scenario.questions
    for i, question in enumerate(questions):
        loc: Loc = ("questions", i)
        for j, name in enumerate(question.to):
            yield from index.person(name, (*loc, "to", j))
        if question.fact is not None:
            yield from index.fact(question.fact, (*loc, "fact"))
        if question.gathering is not None:
            yield from index.gathering(question.gathering, (*loc, "gathering"))
        yield from _slots(question, loc)
    general = [i for i, question in enumerate(questions) if question.about == "everyone"]
    for i in general[_ABOUT_EVERYONE:]:
        text = f"at most {_ABOUT_EVERYONE} questions are asked about everyone; leave this one out"
        yield Fault(("questions", i, "about"), text)
    if len(general) <= _ABOUT_EVERYONE:
        yield from _alike(index)


def _slots(question: Question, loc: Loc) -> Iterator[Fault]:
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


def _alike(index: ScenarioIndex) -> Iterator[Fault]:
    """Yield the questions that somebody would be asked twice in the same words."""
    heard: dict[tuple[str, str], dict[str | None, int]] = {}  # text and end: who hears it, of which
    for i, question in enumerate(index.scenario.questions):
        audience = question.to or (_EVERYBODY,)
        twice = None
        for said in product(_texts(index, question), _ends(question)):
            before = heard.setdefault(said, {})
            names = [*audience, _EVERYBODY] if question.to else [*before]
            twice = next((before[name] for name in names if name in before), twice)
            for name in audience:
                before.setdefault(name, i)
        if twice is not None:
            text = f"somebody hears this from questions[{twice}] too; word one of them anew"
            yield Fault(("questions", i, "text"), text)


def _ends(question: Question) -> tuple[str, ...]:
    return ("before", "after") if question.when == "both" else (question.when,)


def _texts(index: ScenarioIndex, question: Question) -> list[str]:
    if question.about == "nobody":
        return [question.text]
    return list(dict.fromkeys(question.text.replace(PERSON, name) for name in index.people))
