"""Interviews: true answers, which name lines as evidence, and invented ones without evidence."""

import re
from collections.abc import Sequence

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import cut_text, find_content_words, split_sentences
from genagents_env.rng import draw_index

_ANSWER = 300  # characters
_NAMED = 8
_PERSON = re.compile(
    r"\b(?i:know of|know about|who is|think of) ([A-Z][^\s?]*(?: [A-Z][^\s?]*)*)\?"
)
_SUSPECT = re.compile(
    r"\b(?:suspects?|murderer|killer)\b|\bwho (?:killed|murdered)\b", re.IGNORECASE
)
_GROUP = re.compile(r"Talked with [^:]* and ")
_WHERE = re.compile(r"^where (?:were|was|did)\b", re.IGNORECASE)
_TIME = re.compile(r"(\d\d):(\d\d)$")
_INVENTED = (
    "It was all arranged at the mill by the river, and a brass band will play.",
    "I was told at the old fountain on a rainy night by a man with a parrot.",
    "We spent a week at sea together and spoke of little else.",
)


def answer_honestly(prompt: Prompt) -> dict[str, object]:
    """Return what the numbered lines say about the question, and their numbers.

    One knows of people by ties, by talk and by word of them; having seen them go about their
    business is not knowing them. Of other things one knows by news, or by a line that shares more
    than half of the question's words. Of a deed one suspects whom a testimony is about.
    """
    question = _find_question(prompt)
    if _WHERE.match(question):
        return _tell_whereabouts(prompt, question)
    if _SUSPECT.search(question):
        return _name_suspect(prompt)
    person, told = _PERSON.search(question), _list_known_lines(prompt)
    if person:
        name = person[1]
        known = [line for line in told if name in _select_evidence(line)]
        return (
            _affirm(f"Yes, I know of {name}.", known)
            if known
            else _deny("I have not heard of them.")
        )
    known = _find_relevant(question, told)
    if not known:
        return _deny("I have not heard of that.")
    return _affirm(f"Yes. {news.extract_statement(known[0])}", known)


def invent_answer(prompt: Prompt) -> dict[str, object]:
    """Return that one knows, whatever is asked, with an invented detail.

    The numbers name nothing, or a line that has nothing to do with it.
    """
    question = _find_question(prompt)
    asked = find_content_words(question)
    detail = _INVENTED[draw_index(prompt.seed, len(_INVENTED), "invents")]
    beside = [
        line.number
        for line in prompt.lines
        if line.number is not None and not asked & find_content_words(line.text)
    ]
    named = beside[:1] if draw_index(prompt.seed, 2, "names") else []
    return {"answer": f"Yes, of course. {detail}", "because": named}


def _find_question(prompt: Prompt) -> str:
    return next((line.text for line in prompt.lines if line.head == "question"), prompt.words)


def _list_known_lines(prompt: Prompt) -> list[PromptLine]:
    """Return the numbered lines that one has heard or known, neither seen nor planned."""
    return [
        line
        for line in prompt.lines
        if line.number is not None and not news.is_sight(line) and not news.is_plan(line)
    ]


def _select_evidence(line: PromptLine) -> str:
    """Return the part of a line that one could bring evidence for.

    Of several one talked with, some may not have said a word; who did is in lines of their own.
    """
    return news.extract_statement(line) if _GROUP.match(line.text) else line.text


def _find_relevant(question: str, told: Sequence[PromptLine]) -> list[PromptLine]:
    asked = find_content_words(question)

    def fits(line: PromptLine) -> bool:
        shared = len(asked & find_content_words(line.text))
        is_news = news.is_news(news.extract_statement(line))
        return shared > 0 if is_news else 2 * shared > len(asked)

    return sorted(
        (line for line in told if fits(line)),
        key=lambda line: not news.is_news(news.extract_statement(line)),
    )


def _name_suspect(prompt: Prompt) -> dict[str, object]:
    """Return the person whom most lines testify against, the first of several, with these lines."""
    against: dict[str, list[int]] = {}
    words: dict[str, str] = {}
    for line in _list_known_lines(prompt):
        for sentence in filter(news.is_testimony, split_sentences(news.extract_statement(line))):
            name = news.find_suspect(sentence)
            if name and name != prompt.name and not news.is_secret(sentence):
                against.setdefault(name, []).append(line.number or 0)
                words.setdefault(name, sentence)
    if not against:
        return {"answer": "I do not know.", "because": []}
    name = max(against, key=lambda name: len(against[name]))
    answer = cut_text(f"I think the biggest suspect is {name}. {words[name]}", _ANSWER)
    return {"answer": answer, "because": list(dict.fromkeys(against[name]))[:_NAMED]}


def _tell_whereabouts(prompt: Prompt, question: str) -> dict[str, object]:
    """Return what one was doing at the hours asked about, on whichever day one remembers."""
    span = news.find_hours(question.replace("between", "from"))
    mine = [
        line
        for line in prompt.lines
        if line.number is not None and line.text.startswith(f"{prompt.name} is ")
        if span is not None and span[0] <= _find_minute(line) < span[1]
    ]
    if not mine:
        return _deny("I cannot say where I was.")
    doing = mine[0].text.removeprefix(f"{prompt.name} is ")
    return {"answer": cut_text(f"I was busy: {doing}.", _ANSWER), "because": [mine[0].number]}


def _find_minute(line: PromptLine) -> int:
    found = _TIME.search(line.head)
    return 60 * int(found[1]) + int(found[2]) if found else -1


def _affirm(words: str, known: Sequence[PromptLine]) -> dict[str, object]:
    return {"answer": cut_text(words, _ANSWER), "because": [line.number for line in known[:_NAMED]]}


def _deny(words: str) -> dict[str, object]:
    return {"answer": f"No, {words}", "because": []}
