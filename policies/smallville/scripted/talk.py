"""Talking: whether to speak to somebody, what to say, what to make of it."""

import re
from collections.abc import Sequence

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import choose_greeting, cut_text, is_similar

_SENTENCE, _PHRASE = 160, 60  # characters
_SPEECH = 60  # characters: what is said must fit into a prompt with who said it to whom
_OTHERS = re.compile(
    r"(?:go up to|join|telephone with|talking with|talked with) ([^.]+?)"
    r"(?: to talk|, who are talking)?\."
)
_DANGER = re.compile(r"\b(?:fire|evacuate|leave at once|gas leak|bomb|flood)\b", re.IGNORECASE)
_ANNOUNCED = ("you hear the news", "a thought comes to you", "you notice", "you hear")
_AWAY_MINUTES = 30
_ABOUT = re.compile(r"(?:Who is|know of) (.+?)(?: for you)?, and how")
_LAST = "say good-bye"  # in a prompt for the last words the agent may say


def choose_to_talk(prompt: Prompt) -> dict[str, object]:
    """Return the decision to leave where there is danger, to talk wherever possible, to go on."""
    if _is_in_danger(prompt):
        return flee(prompt)
    choices = prompt.list_choices("choice")
    return _decide(next((choice for choice in choices if choice.startswith("talk to ")), "go on"))


def choose_to_go_on(prompt: Prompt) -> dict[str, object]:
    """Return the decision to go on with the current activity."""
    return _decide("go on")


def flee(prompt: Prompt) -> dict[str, object]:
    """Return the decision to leave the place at once: for home, or from home for the park."""
    here = next((line.text for line in prompt.lines if line.head == "you are at"), "")
    at_home = here.split("/")[0] == prompt.home.split("/")[0]
    return {
        "choice": "something else",
        "what": f"leaving at once, {'park' if at_home else 'home'}",
        "minutes": _AWAY_MINUTES,
    }


def sum_up(prompt: Prompt) -> dict[str, object]:
    """Return the first memories there are, as the summary of all."""
    told = [line.text for line in prompt.lines if line.number is not None]
    return {"summary": cut_text(". ".join(told[:3]), _SENTENCE)}


def describe_relationship(prompt: Prompt) -> dict[str, object]:
    """Return what a line says of the other that is no news; else that they are known by name."""
    found = _ABOUT.search(prompt.words)
    other = found[1] if found else "them"
    own = [line for line in prompt.lines if line.number or line.head.startswith("about ")]
    lines = (line for line in own if other in line.text and not news.is_plan(line))
    said = (line.text for line in lines if not news.is_news(news.extract_statement(line)))
    return {"relationship": cut_text(next(said, f"I know {other} by name."), _SENTENCE)}


def tell_news(prompt: Prompt) -> dict[str, object]:
    """Return the next whole piece of news not yet told; with none left a farewell or a greeting."""
    dialogue = _list_dialogue(prompt)
    told = [line.text for line in dialogue]
    fresh = [
        item.statement
        for item in news.find_own_news(prompt)
        if news.is_whole(item.statement)
        if not any(is_similar(item.statement, text) for text in told)
    ]
    name = _find_first_name(prompt)
    if fresh:
        over = len(fresh) == 1 or _LAST in prompt.words
        said = news.shorten(fresh[0], _SPEECH)
        return {"say": said[:1].upper() + said[1:], "end": over and bool(dialogue)}
    if not dialogue:
        return {
            "say": f"{choose_greeting(_find_now(prompt))}, {name}! How are you today?",
            "end": False,
        }
    heard = any(news.is_news(line.text) for line in dialogue if line.head != "you")
    thanks = f"Thank you for telling me, {name}." if heard else f"Good to see you, {name}."
    return {"say": f"{thanks} See you!", "end": True}


def chat(prompt: Prompt) -> dict[str, object]:
    """Return the news there is; without any, something else the agent remembers, but no secret."""
    dialogue = _list_dialogue(prompt)
    told = [line.text for line in dialogue]
    left = (
        line.text
        for line in prompt.lines
        if line.number is not None and not news.is_secret(line.text) and not news.is_plan(line)
        if not any(is_similar(line.text, text) for text in told)
    )
    usual = tell_news(prompt)
    said = next(left, "")
    if not usual["end"] or _LAST in prompt.words or not said:
        return {**usual, "end": _LAST in prompt.words or (usual["end"] and not said)}
    return {"say": cut_text(said, _SENTENCE), "end": False}


def stay_silent(prompt: Prompt) -> dict[str, object]:
    """Return no words, and that the agent leaves."""
    return {"say": "", "end": True}


def write_memo(prompt: Prompt) -> dict[str, object]:
    """Return the news the agent was told; where it has a date, that it means to be there."""
    heard = [line for line in _list_dialogue(prompt) if line.head != "you"]
    told = [item.statement for item in news.find_news(heard)]
    dated = [text for text in told if news.find_date(text) is not None]
    return {
        "remember": cut_text(" ".join(told), _SENTENCE) or "we wished each other a good day",
        "plan": news.shorten(dated[0], _PHRASE) if dated else "",
        "commitments": [],
        "relationship": "",
        "importance": 8 if told else 2,
        "changes_plan": bool(dated),
    }


def _decide(choice: str) -> dict[str, object]:
    return {"choice": choice, "what": "", "minutes": 0}


def _is_in_danger(prompt: Prompt) -> bool:
    """Return whether what one heard last is an alarm, and of no other place than this."""
    heard = next((line for line in reversed(prompt.lines) if line.head in _ANNOUNCED), None)
    if heard is None or not _DANGER.search(heard.text):
        return False
    here = next((line.text for line in prompt.lines if line.head == "you are at"), "")
    where = news.find_place(heard.text)
    return not where or where in here


def _find_now(prompt: Prompt) -> str:
    """Return the date and the clock."""
    return next((line.text for line in prompt.lines if line.head == "now"), prompt.words)


def _list_dialogue(prompt: Prompt) -> Sequence[PromptLine]:
    return [line for line in prompt.lines if line.heads[1:] == ("said",)]


def _find_first_name(prompt: Prompt) -> str:
    found = _OTHERS.search(prompt.words)
    return found[1].split()[0].rstrip(",") if found else "neighbour"
