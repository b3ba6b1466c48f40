"""Interviews: true answers, which name lines as evidence."""

import re
from collections import Counter
from collections.abc import Sequence

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import compile_words, cut_text, find_content_words, phrase

_ANSWER = 300  # characters
_NAMED = 8
_PERSON = re.compile(
    r"\b(?i:know of|know about|who is|think of) ([A-Z][^\s?]*(?: [A-Z][^\s?]*)*)\?"
)
_GROUP = re.compile(r"Talked with [^:]* and ")
_WHERE = re.compile(r"^where (?:were|was|did)\b", re.IGNORECASE)
_TIME = re.compile(r"(\d\d):(\d\d)$")


def answer_honestly(prompt: Prompt) -> dict[str, object]:
    """Return what the numbered lines say about the question, and their numbers.

    One knows of people by ties, by talk and by word of them, not by having seen them, however
    often. Of other things one knows by news that shares half of the question's words, or by
    another line that shares more. Of a deed one suspects whom most testimonies are about.
    """
    question = prompt.find_text("question") or prompt.words
    if _WHERE.match(question):
        return _tell_whereabouts(prompt, question)
    if compile_words("suspicion", "question").search(question):
        return _name_suspect(prompt)
    if compile_words("answers", "open_question").search(question):
        return _answer(phrase("answers", "unsure"), ())
    known = [line for line in prompt.numbered if news.is_known(line)]
    if compile_words("answers", "news_question").search(question):
        lines = [line for line in known if news.is_news(news.extract_statement(line))]
        yes = " ".join(dict.fromkeys(map(news.extract_statement, lines)))
        no = "no_news"
    elif person := _PERSON.search(question):
        told = [line for line in known if not news.is_familiarity(line.text)]
        lines = [line for line in told if person[1] in _select_evidence(line)]
        yes, no = phrase("answers", "person", who=person[1]), "no_person"
    else:
        lines = _find_relevant(question, known)
        yes = phrase("answers", "yes", what=news.extract_statement(lines[0])) if lines else ""
        no = "no"
    return _answer(yes, lines) if lines else _answer(phrase("answers", no), ())


def _answer(words: str, lines: Sequence[PromptLine]) -> dict[str, object]:
    numbers = dict.fromkeys(line.number for line in lines)
    return {"answer": cut_text(words, _ANSWER), "because": list(numbers)[:_NAMED]}


def _select_evidence(line: PromptLine) -> str:
    """Return the part of a line that one could bring evidence for.

    Of several one talked with, some may not have said a word; who did is in lines of their own.
    """
    return news.extract_statement(line) if _GROUP.match(line.text) else line.text


def _find_relevant(question: str, known: Sequence[PromptLine]) -> list[PromptLine]:
    asked = find_content_words(question)

    def is_told(line: PromptLine) -> bool:
        return news.is_news(news.extract_statement(line))

    def fits(line: PromptLine) -> bool:
        shared = 2 * len(asked & find_content_words(line.text))
        return shared > len(asked) or (shared == len(asked) > 0 and is_told(line))

    return sorted(filter(fits, known), key=lambda line: not is_told(line))


def _name_suspect(prompt: Prompt) -> dict[str, object]:
    """Return the person whom most lines testify against, the first of several, with these lines."""
    against = [
        (news.find_suspect(text), line, text)
        for line in prompt.numbered
        if news.is_known(line)
        for text in news.list_statements(prompt, line)
        if news.is_testimony(text) and not news.is_secret(text)
    ]
    counts = Counter(who for who, _, _ in against if who not in ("", prompt.name))
    if not counts:
        return _answer(phrase("answers", "unsure"), ())
    who = max(counts, key=lambda name: counts[name])
    lines = [line for name, line, _ in against if name == who]
    why = next(text for name, _, text in against if name == who)
    return _answer(phrase("suspicion", "answer", who=who, why=why), lines)


def _tell_whereabouts(prompt: Prompt, question: str) -> dict[str, object]:
    """Return what one was doing at the hours asked about, on whichever day one remembers."""
    span = news.find_hours(question.replace("between", "from"))
    own = f"{prompt.name} is "
    lines = [
        line
        for line in prompt.numbered
        if line.text.startswith(own) and span and span[0] <= _find_minute(line) < span[1]
    ]
    if not lines:
        return _answer(phrase("answers", "nowhere"), ())
    return _answer(phrase("answers", "doing", what=lines[0].text.removeprefix(own)), lines[:1])


def _find_minute(line: PromptLine) -> int:
    clock = _TIME.search(line.head)
    return 60 * int(clock[1]) + int(clock[2]) if clock else -1
