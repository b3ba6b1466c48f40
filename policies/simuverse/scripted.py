"""What scripted models reply to the prompts of this mind: a tool, words, a triple, an answer."""

from collections.abc import Sequence

from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.scripted import ReplyRules, ScriptedReplies, news
from genagents_env.llm.scripted.interview import answer_honestly, invent_answer
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import choose_greeting, cut_text, is_similar
from genagents_env.rng import draw_index

from .choose import TurnReply
from .grammar import FOUR_TOOLS, find_prefix
from .interpret import ERROR, InterpretedReply
from .talk import SpokenReply

_SPEECH = 160  # characters
_LATELY = 8  # messages in which one looks for whom one talked with
_LEAVE = "(LEAVE CONVERSATION)"


def choose_company(prompt: Prompt) -> dict[str, object]:
    """Return to talk to who is near and was not talked to lately, else to invite or to walk."""
    here = [line for line in prompt.lines if line.head == "here with you"]
    near = [line.heads[1] for line in here if len(line.heads) > 1]
    said = " ".join(line.text for line in _list_history(prompt)[-_LATELY:])
    fresh = [name for name in near if name not in said]
    people, places = _list_texts(prompt, "person"), _list_elsewhere(prompt)
    if fresh:
        return {"text": f"(CONVERSE) {fresh[0]}"}
    draw = draw_index(prompt.seed, 4, "tool")
    if draw == 0 and people and places:
        name, place = _draw(prompt, people, "whom"), _draw(prompt, places, "where")
        return {"text": f"(CALL) {name}, {place}"}
    return choose_solitude(prompt)


def choose_solitude(prompt: Prompt) -> dict[str, object]:
    """Return to walk somewhere else, now and then to scan."""
    places = _list_elsewhere(prompt)
    if not places or not draw_index(prompt.seed, 5, "scans"):
        return {"text": "(SCAN) to see what is around"}
    return {"text": f"(MOVE) {_draw(prompt, places, 'goes')}"}


def tell_news(prompt: Prompt) -> dict[str, object]:
    """Return the next whole piece of news that was not said yet; then one takes leave."""
    said = [line.text for line in _list_history(prompt) if line.heads[-1].endswith("said")]
    for item in news.find_own_news(prompt):
        telling = news.shorten(item.statement, _SPEECH)
        if news.is_whole(item.statement) and not any(is_similar(telling, one) for one in said):
            return {"text": telling}
    if "begin a conversation" in prompt.words:
        return {"text": f"{choose_greeting(' '.join(_list_texts(prompt, 'now')))}!"}
    return {"text": f"See you later. {_LEAVE}"}


def chat(prompt: Prompt) -> dict[str, object]:
    """Return the news there is; without any something else that is remembered, but no secret."""
    told = tell_news(prompt)
    if _LEAVE not in str(told["text"]):
        return told
    said = [line.text for line in _list_history(prompt)]
    left = (
        line.text
        for line in prompt.lines
        if line.number is not None
        and not news.is_secret(line.text)
        and not any(is_similar(line.text, one) for one in said)
    )
    rest = next(left, "")
    return {"text": cut_text(rest, _SPEECH)} if rest else told


def interpret_reply(prompt: Prompt) -> dict[str, object]:
    """Return the triple that the grammar reads in the reply."""
    text = next(iter(_list_texts(prompt, "reply")), "")
    found = find_prefix(text, FOUR_TOOLS)
    triple = ("", ERROR, "") if found is None else ("", found.tool, found.context)
    return {"triple": list(triple)}


def stay_silent(prompt: Prompt) -> dict[str, object]:
    """Return no words but those that leave the conversation."""
    return {"text": _LEAVE}


def _list_history(prompt: Prompt) -> list[PromptLine]:
    """Return the last messages: a clock, whose it is, and the words."""
    return [line for line in prompt.lines if len(line.heads) == 2 and ":" in line.head]


def _list_texts(prompt: Prompt, head: str) -> list[str]:
    """Return what stands behind that head: the name, where more is said of it."""
    found = [line for line in prompt.lines if line.head == head]
    return [line.heads[1] if len(line.heads) > 1 else line.text for line in found]


def _list_elsewhere(prompt: Prompt) -> list[str]:
    lines = [line for line in prompt.lines if line.head == "place"]
    return [
        line.heads[1] if len(line.heads) > 1 else line.text
        for line in lines
        if not line.text.startswith("you are here")
    ]


def _draw(prompt: Prompt, names: Sequence[str], what: str) -> str:
    return names[draw_index(prompt.seed, len(names), what)]


_GOSSIP: ReplyRules = {
    TurnReply: choose_company,
    InterpretedReply: interpret_reply,
    SpokenReply: tell_news,
    AnswerReply: answer_honestly,
}
_MUTE: ReplyRules = {**_GOSSIP, TurnReply: choose_solitude, SpokenReply: stay_silent}

REPLIES: ScriptedReplies = {
    "gossip": _GOSSIP,
    "chatty": {**_GOSSIP, SpokenReply: chat},
    "mute": _MUTE,
    "inventor": {**_MUTE, AnswerReply: invent_answer},
}
