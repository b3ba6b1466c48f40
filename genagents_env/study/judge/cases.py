"""The cases of a run: answers to questions that a check of the scenario is about.

Scripted models judge them by the words of the answer alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, TypeAlias

from genagents_env.llm.calls import CallKey, JSONValue, Message
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import cut_text
from genagents_env.policy import INTERVIEW_CALLS
from genagents_env.record.rows import InterviewRow
from genagents_env.scenario.questions import When
from genagents_env.scenario.schema import AnswerCheck, RecordCheck, Scenario, ValueCheck
from genagents_env.study.judge.prompting import JudgeReply, narrow_reply, render_messages
from genagents_env.study.judge.texts import number_questions
from genagents_env.text import clean, fold

PURPOSE = "judge"
_SHOWN = 1000  # characters of an answer that are shown
_WHY = 120  # characters of a scripted reason
_YES = re.compile(r"yes\b", re.IGNORECASE)
_NO = re.compile(r"no\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z]\w+")

Judgeable: TypeAlias = AnswerCheck | ValueCheck
CaseKey: TypeAlias = tuple[str, int, str, str, int]


class CaseReply(JudgeReply):
    """What an answer comes to."""

    wire_name: ClassVar[str] = "Verdict"

    verdict: str


@dataclass(frozen=True, slots=True)
class Case:
    """An answer, and the check that asks what it comes to.

    `number`: of the question among those that the same question of the scenario puts to one agent.
    """

    check: Judgeable
    row: InterviewRow
    number: int

    @property
    def key(self) -> CaseKey:
        """What tells it from every other case of a run."""
        row = self.row
        return (self.check.id, row.tick, row.agent, row.question, row.repeat)

    @property
    def call(self) -> CallKey:
        """The key of the call that asks for its verdict."""
        number = self.row.repeat * INTERVIEW_CALLS + self.number
        return CallKey(self.row.agent, self.row.tick, f"{PURPOSE}.{self.check.id}", number)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What may be said of it."""
        if isinstance(self.check, AnswerCheck):
            return ("yes", "no")
        values = (value.value for value in self.check.values)
        return tuple(dict.fromkeys((*values, self.check.otherwise)))

    def messages(self, seed: int) -> list[Message]:
        """Return the prompt of a run with that seed; question and answer stand in its fence."""
        row, check = self.row, self.check
        data: list[JSONValue] = [
            ["question", row.question],
            [f"{row.agent} answered", clean(row.answer, _SHOWN)],
        ]
        otherwise = check.otherwise if isinstance(check, ValueCheck) else None
        fields = {"ask": check.ask, "values": self.verdicts, "otherwise": otherwise}
        return render_messages("case", data, seed, system="case_system", **fields)


def find_cases(
    scenario: Scenario, names: Sequence[str], rows: Iterable[InterviewRow]
) -> list[Case]:
    """Return every answer with every check that is about its question, in the order of `rows`.

    Args:
        scenario: of the run.
        names: the people of the run.
        rows: its interviews; those of tick 0 were held before it.
    """
    checks = [check for check in scenario.checks if not isinstance(check, RecordCheck)]
    put = number_questions(scenario, names)
    found: list[Case] = []
    for row in rows:
        when: When = "before" if row.tick == 0 else "after"
        question, number = put.get((when, row.agent, row.question), ("", 0))
        found += [Case(check, row, number) for check in checks if check.question == question]
    return found


@lru_cache(maxsize=64)
def make_case_reply(verdicts: tuple[str, ...]) -> type[CaseReply]:
    """Return the reply model that allows these verdicts, in any case of letters."""
    known = {fold(verdict): verdict for verdict in verdicts}

    def parse(value: object) -> object:
        return known.get(fold(value).strip(" ."), value) if isinstance(value, str) else value

    return narrow_reply(CaseReply, "verdict", verdicts, parse)


def judge_by_words(prompt: Prompt) -> dict[str, object]:
    """Return the verdict that is named first in the answer, and the last one where none is.

    Of yes and no: what the answer begins with, else yes where it has every name in what is asked
    about it.
    """
    answer = next((line.text for line in prompt.lines if line.head.endswith("answered")), "")
    allowed = prompt.list_choices("verdict")
    found = (
        _decide_yes_or_no(prompt, answer)
        if allowed == ["yes", "no"]
        else _find_first(answer, allowed)
    )
    return {"why": cut_text(answer, _WHY), "verdict": found}


def _decide_yes_or_no(prompt: Prompt, answer: str) -> str:
    if _YES.match(answer) or _NO.match(answer):
        return "yes" if _YES.match(answer) else "no"
    ask = next((line for line in prompt.words.splitlines() if line.strip()), "")
    names = [found[0] for found in _NAME.finditer(ask) if found.start()]
    return "yes" if names and all(name in answer for name in names) else "no"


def _find_first(answer: str, allowed: Sequence[str]) -> str:
    text = answer.casefold()
    places = [(text.find(value.casefold()), value) for value in allowed]
    named = [place for place in places if place[0] >= 0]
    return min(named, key=lambda place: place[0])[1] if named else allowed[-1]


REPLIES: ScriptedReplies = {CaseReply: judge_by_words}
