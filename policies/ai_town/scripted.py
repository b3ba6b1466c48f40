"""What the scripted neighbour replies to the prompts of this mind."""

from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.scripted import ScriptedReplies, news, talk
from genagents_env.llm.scripted.interview import answer_honestly
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import cut_text, join_sentences, phrase

from .converse import MessageReply, NextSpeakerReply, WalkAwayReply
from .reflect import ReflectedInsights
from .remember import ImportanceReply, TalkSummary

_SPEECH, _SUMMARY, _SENTENCE = 160, 400, 120  # characters
_PATIENCE = 8  # utterances of a talk after which one walks away


def speak(prompt: Prompt) -> dict[str, object]:
    """Return one's next words in a talk; the news stands beside the greeting."""
    tidings = talk.list_tidings(prompt)
    if tidings and not prompt.dialogue:
        return {"say": cut_text(f"{talk.greet(prompt)} {tidings[0]}", _SPEECH)}
    return {"say": talk.say_next(prompt, _SPEECH)[0]}


def walk_away(prompt: Prompt) -> dict[str, object]:
    """Return whether enough was said."""
    return {"leave": talk.has_parted(prompt.dialogue) or len(prompt.dialogue) >= _PATIENCE}


def choose_next(prompt: Prompt) -> dict[str, object]:
    """Return somebody who has not spoken yet, else the first there is."""
    names = prompt.list_choices("who")
    spoke = {line.speaker for line in prompt.dialogue}
    return {"who": next((name for name in names if name not in spoke), names[0])}


def sum_up(prompt: Prompt) -> dict[str, object]:
    """Return with whom one talked, and the news that was told there."""
    told = [item.statement for item in news.find_news(prompt, prompt.dialogue)]
    met = phrase("mind", "met", who=", ".join(prompt.others) or "somebody")
    return {"summary": join_sentences([met, *told, phrase("mind", "liked")], _SUMMARY)}


def rate(prompt: Prompt) -> dict[str, object]:
    """Return a high number for news, a low one for the rest."""
    lines = [line for line in prompt.lines if line.head == "memory"]
    return {"importance": 8 if news.find_news(prompt, lines) else 3}


def conclude(prompt: Prompt) -> dict[str, object]:
    """Return a conclusion from each piece of news, else one from the first line."""
    told = [(item.statement, item.number) for item in news.find_news(prompt, prompt.numbered)]
    told = told or [(line.text, line.number) for line in prompt.numbered[:1]]
    insights: list[dict[str, object]] = [
        {"insight": cut_text(text, _SENTENCE), "because": [number]} for text, number in told
    ]
    insights = insights or [{"insight": phrase("mind", "day"), "because": []}]
    return {"insights": insights[: prompt.find_limit("maxItems", 3, "insights")]}


REPLIES: ScriptedReplies = {
    MessageReply: speak,
    WalkAwayReply: walk_away,
    NextSpeakerReply: choose_next,
    TalkSummary: sum_up,
    ImportanceReply: rate,
    ReflectedInsights: conclude,
    AnswerReply: answer_honestly,
}
