"""What scripted models reply to the prompts of this mind: words, summaries, ratings, insights."""

import re
from collections.abc import Sequence

from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.scripted import ReplyRules, ScriptedReplies, news
from genagents_env.llm.scripted.interview import answer_honestly, invent_answer
from genagents_env.llm.scripted.news import NewsItem
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import (
    choose_greeting,
    cut_text,
    is_similar,
    split_sentences,
)
from genagents_env.rng import draw_index

from .converse import MessageReply, NextSpeakerReply, WalkAwayReply
from .reflect import ReflectedInsights
from .remember import ImportanceReply, TalkSummary

_SPEECH, _SUMMARY, _SENTENCE = 160, 400, 120  # characters
_OTHERS = re.compile(r"(?:talk with|talking with|talked with|leaving) ([^.]*[^.\s])\.")
_LEAVING = "You are leaving"
_PLAN = "your plan"
_STATES = ("now", "you are at", "you are", "here with you", _PLAN, "question")  # tell no news
_PLEASANTRIES = (
    "It is good to see you, {name}.",
    "How is your day, {name}?",
    "I am glad we met, {name}.",
)


def tell_news(prompt: Prompt) -> dict[str, object]:
    """Return the next whole piece of news that nobody here has told, else a pleasantry."""
    name = _find_first_name(prompt)
    if _LEAVING in prompt.words:
        return {"say": f"I have to go now, {name}. See you!"}
    fresh, dialogue = _find_fresh(prompt), _list_dialogue(prompt)
    said = news.shorten(fresh[0].statement, _SPEECH) if fresh else ""
    if said:
        return {"say": said[:1].upper() + said[1:]}
    if not dialogue:
        return {"say": f"{choose_greeting(_find_clock(prompt))}, {name}! How are you today?"}
    at = draw_index(prompt.seed, len(_PLEASANTRIES), "says")
    return {"say": _PLEASANTRIES[at].format(name=name)}


def chat(prompt: Prompt) -> dict[str, object]:
    """Return the news there is; without any, something else one remembers, but no secret."""
    usual, said = tell_news(prompt), [line.text for line in _list_dialogue(prompt)]
    left = (
        line.text
        for line in prompt.lines
        if line.number is not None and not news.is_secret(line.text)
        if not any(is_similar(line.text, text) for text in said)
    )
    remembered = next(left, "")
    if _find_fresh(prompt) or _LEAVING in prompt.words or not said or not remembered:
        return usual
    return {"say": cut_text(remembered, _SPEECH)}


def stay_silent(prompt: Prompt) -> dict[str, object]:
    """Return no words."""
    return {"say": ""}


def walk_away(prompt: Prompt) -> dict[str, object]:
    """Return whether there is nothing more to tell, and somebody else has spoken."""
    return {"leave": not _find_fresh(prompt) and len(_list_dialogue(prompt)) > 1}


def choose_next(prompt: Prompt) -> dict[str, object]:
    """Return somebody who has not spoken yet, else the first there is."""
    names = prompt.list_choices("who")
    spoke = {line.heads[-2] for line in _list_dialogue(prompt)}
    return {"who": next((name for name in names if name not in spoke), names[0])}


def sum_up(prompt: Prompt) -> dict[str, object]:
    """Return with whom one talked, and the news that was told there."""
    found = _OTHERS.search(prompt.words)
    heard = [
        PromptLine(None, (), sentence)
        for line in _list_dialogue(prompt)
        for sentence in split_sentences(line.text)
    ]
    told = [_end_sentence(item.statement) for item in news.find_news(heard)]
    parts = [f"I talked with {found[1] if found else 'somebody'}.", *told, "I liked the talk."]
    kept = parts[0]
    for part in parts[1:]:
        kept = f"{kept} {part}" if len(kept) + len(part) < _SUMMARY else kept
    return {"summary": kept}


def rate(prompt: Prompt) -> dict[str, object]:
    """Return a high number for news, a low one for the rest."""
    return {"importance": 8 if _find_news(prompt) else 3}


def conclude(prompt: Prompt) -> dict[str, object]:
    """Return a conclusion from each piece of news, else one from the first line."""
    most = prompt.find_limit("maxItems", 3, "insights")
    numbered = [line for line in prompt.lines if line.number is not None]
    items = [item for item in _find_news(prompt) if item.number is not None][:most]
    drawn = [(cut_text(f"I know that {item.statement}", _SENTENCE), item.number) for item in items]
    if not drawn:
        drawn = [
            (cut_text(f"I remember: {line.text}", _SENTENCE), line.number) for line in numbered
        ]
    insights = [{"insight": text, "because": [number]} for text, number in drawn[:most]]
    return {"insights": insights or [{"insight": "The day goes its way.", "because": []}]}


def _find_news(prompt: Prompt) -> list[NewsItem]:
    """Return the news in a prompt, sentence by sentence, and what one plans oneself."""
    lines = [
        PromptLine(line.number, (), sentence)
        for line in prompt.lines
        if line.head not in _STATES
        for sentence in split_sentences(news.extract_statement(line))
    ]
    plans = [
        PromptLine(None, (), f"{prompt.name} wants to {line.text[:1].lower()}{line.text[1:]}")
        for line in prompt.lines
        if line.head == _PLAN
    ]
    return [item for item in news.find_news([*lines, *plans]) if not news.is_secret(item.statement)]


def _find_fresh(prompt: Prompt) -> list[NewsItem]:
    said = [line.text for line in _list_dialogue(prompt)]
    return [
        item
        for item in _find_news(prompt)
        if news.is_whole(item.statement)
        and not any(is_similar(item.statement, text) for text in said)
    ]


def _list_dialogue(prompt: Prompt) -> Sequence[PromptLine]:
    return [line for line in prompt.lines if line.heads[-1:] == ("said",)]


def _find_first_name(prompt: Prompt) -> str:
    found = _OTHERS.search(prompt.words)
    return found[1].split(", ")[0].split()[0] if found else "neighbour"


def _find_clock(prompt: Prompt) -> str:
    return next((line.text for line in prompt.lines if line.head == "now"), "")


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


_GOSSIP: ReplyRules = {
    MessageReply: tell_news,
    WalkAwayReply: walk_away,
    NextSpeakerReply: choose_next,
    TalkSummary: sum_up,
    ImportanceReply: rate,
    ReflectedInsights: conclude,
    AnswerReply: answer_honestly,
}
_MUTE: ReplyRules = {**_GOSSIP, MessageReply: stay_silent}

REPLIES: ScriptedReplies = {
    "gossip": _GOSSIP,
    "chatty": {**_GOSSIP, MessageReply: chat},
    "mute": _MUTE,
    "inventor": {**_MUTE, AnswerReply: invent_answer},
}
