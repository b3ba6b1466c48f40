"""Talking: whether to speak to somebody, what to say, what to make of it."""

import re
from collections.abc import Sequence

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Line, Prompt
from genagents_env.llm.scripted.wording import alike, cut, greeting

_SENTENCE, _PHRASE = 160, 60  # characters
_SPEECH = 60  # characters: what is said must fit into a prompt with who said it to whom
_OTHERS = re.compile(r"(?:go up to|talking with|talked with) ([^.]+?)(?: to talk)?\.")
_ABOUT = re.compile(r"(?:Who is|know of) (.+?)(?: for you)?, and how")
_LAST = "say good-bye"  # in a prompt for the last words one may say


def talkative(prompt: Prompt) -> dict[str, object]:
    """Return the decision to talk wherever one may, else to go on."""
    return _decision("talk" if "talk" in prompt.choices("choice") else "go on")


def reserved(prompt: Prompt) -> dict[str, object]:
    """Return the decision to go on with what one is at."""
    return _decision("go on")


def relation(prompt: Prompt) -> dict[str, object]:
    """Return what a line says of the other that is no news; else that one knows them by name."""
    found = _ABOUT.search(prompt.words)
    other = found[1] if found else "them"
    lines = (line for line in prompt.lines if other in line.text and not news.is_plan(line))
    said = (line.text for line in lines if not news.is_news(news.statement(line)))
    return {"relationship": cut(next(said, f"I know {other} by name."), _SENTENCE)}


def utterance(prompt: Prompt) -> dict[str, object]:
    """Return the next whole piece of news not yet told; with none left a farewell or a greeting."""
    dialogue = _dialogue(prompt)
    told = [line.text for line in dialogue]
    fresh = [
        item.statement
        for item in news.meant(prompt)
        if news.is_whole(item.statement)
        if not any(alike(item.statement, text) for text in told)
    ]
    name = _first_name(prompt)
    if fresh:
        over = len(fresh) == 1 or _LAST in prompt.words
        said = news.brief(fresh[0], _SPEECH)
        return {"say": said[:1].upper() + said[1:], "end": over and bool(dialogue)}
    if not dialogue:
        return {"say": f"{greeting(prompt.words)}, {name}! How are you today?", "end": False}
    heard = any(news.is_news(line.text) for line in dialogue if line.head != "you")
    thanks = f"Thank you for telling me, {name}." if heard else f"Good to see you, {name}."
    return {"say": f"{thanks} See you!", "end": True}


def chat(prompt: Prompt) -> dict[str, object]:
    """Return the news there is; without any, something else that one remembers, but no secret."""
    dialogue = _dialogue(prompt)
    told = [line.text for line in dialogue]
    left = (
        line.text
        for line in prompt.lines
        if line.number is not None and not news.is_secret(line.text) and not news.is_plan(line)
        if not any(alike(line.text, text) for text in told)
    )
    usual = utterance(prompt)
    said = next(left, "")
    if not usual["end"] or _LAST in prompt.words or not said:
        return {**usual, "end": _LAST in prompt.words or (usual["end"] and not said)}
    return {"say": cut(said, _SENTENCE), "end": False}


def silence(prompt: Prompt) -> dict[str, object]:
    """Return no words, and that one leaves."""
    return {"say": "", "end": True}


def memo(prompt: Prompt) -> dict[str, object]:
    """Return the news one was told; where it has a date, that one means to be there."""
    heard = [line for line in _dialogue(prompt) if line.head != "you"]
    told = [item.statement for item in news.items(heard)]
    dated = [text for text in told if news.day(text) is not None]
    return {
        "remember": cut(" ".join(told), _SENTENCE) or "we wished each other a good day",
        "plan": news.brief(dated[0], _PHRASE) if dated else "",
        "importance": 8 if told else 2,
        "changes_plan": bool(dated),
    }


def _decision(choice: str) -> dict[str, object]:
    return {"choice": choice, "what": "", "minutes": 5}


def _dialogue(prompt: Prompt) -> Sequence[Line]:
    return [line for line in prompt.lines if line.heads[1:] == ("said",)]


def _first_name(prompt: Prompt) -> str:
    found = _OTHERS.search(prompt.words)
    return found[1].split()[0].rstrip(",") if found else "neighbour"
