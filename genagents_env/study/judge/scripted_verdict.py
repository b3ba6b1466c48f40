"""What scripted models reply to a judge's prompt: a verdict by the words of the answer alone."""

import re
from collections.abc import Sequence

from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import cut_text
from genagents_env.study.judge.cases import CaseReply

_YES = re.compile(r"yes\b", re.IGNORECASE)
_NO = re.compile(r"no\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-Z]\w+")
_WHY = 120  # characters


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
