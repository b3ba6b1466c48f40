"""What the scripted neighbour replies to the prompts of this mind."""

import re
from collections.abc import Sequence

from genagents_env.cognition.interview import AnswerReply
from genagents_env.llm.scripted import ScriptedReplies, news, talk
from genagents_env.llm.scripted.interview import answer_honestly
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import (
    cut_text,
    is_similar,
    join_sentences,
    list_phrases,
    phrase,
)
from genagents_env.rng import draw_index

from .controller import STRANGER, OptionChoice
from .memory import MergedMemory
from .monitor import SummaryUpdate
from .outlook import OutlookReply
from .reflect import Reflection
from .talk import UtteranceReply

_SPEECH, _SENTENCE, _MERGED, _SUMMARY = 160, 120, 240, 480  # characters
_TALKS_ON = 8  # of ten
_NEWS = 2  # pieces at the beginning of a summary
_ENDED = re.compile(r"You (?:talked with|told)|Your talk with")


def choose_company(prompt: Prompt) -> dict[str, object]:
    """Return to talk to who is near, else to look for somebody, else to go somewhere.

    After a talk one talks on eight times in ten.
    """
    options = prompt.list_choices("option")
    near, others, places = (_list_allowed(prompt, head) for head in ("near", "person", "place"))
    ended = any(line.head == "it came to" and _ENDED.match(line.text) for line in prompt.lines)
    stays = not ended or draw_index(prompt.seed, 10, "talks on") < _TALKS_ON
    recent = prompt.find_text("summary") + " ".join(line.speaker for line in prompt.dialogue)
    fresh = [name for name in others if name not in recent] or others
    tell, look, wait = list_phrases("mind", "subgoals")
    if "talk" in options and near and stays:
        return _choose("talk", near[0], tell.format(who=near[0]))
    if "find" in options and fresh:
        name = fresh[draw_index(prompt.seed, len(fresh), "finds")]
        return _choose("find", name, tell.format(who=name))
    if "go" in options and places:
        place = places[draw_index(prompt.seed, len(places), "goes")]
        return _choose("go", place, look.format(place=place))
    quiet = [option for option in options if option not in ("talk", "find", "go", "wait")]
    still = "wait" if "wait" in options or not options else (quiet or options)[0]
    return _choose(still, "nobody", wait)


def speak(prompt: Prompt) -> dict[str, object]:
    """Return the next news or memory, a greeting before any other word, else no words."""
    topics = [*talk.list_tidings(prompt), *talk.list_memories(prompt)]
    said = [news.extract_statement(line) for line in prompt.dialogue]
    fresh = (text for text in topics if not any(is_similar(text, told) for told in said))
    words = next(fresh, "" if said else talk.greet(prompt))
    return {"say": cut_text(words[:1].upper() + words[1:], _SPEECH)}


def reflect(prompt: Prompt) -> dict[str, object]:
    """Return the first news the agent knows, else that there is none."""
    told = [item.statement for item in news.find_news(prompt)] or [phrase("mind", "nothing")]
    return {"thought": cut_text(told[0], _SENTENCE)}


def keep_outlook(prompt: Prompt) -> dict[str, object]:
    """Return that goal and traits are as before."""
    return {"goal": "", "traits": []}


def recount(prompt: Prompt) -> dict[str, object]:
    """Return the news the agent knows, then who said what lately, and where."""
    told = [item.statement for item in news.find_news(prompt)][:_NEWS]
    retellings, place = list_phrases("mind", "retellings"), prompt.find_text("you are at")
    for at, line in enumerate(prompt.dialogue[::-1]):
        if line.speaker not in ("you", prompt.name):
            statements = news.list_statements(prompt, line)
            what = " ".join(text for text in statements if not news.is_against(prompt, text))
            retell = retellings[draw_index(prompt.seed, len(retellings), "retells", at)]
            told.append(
                retell.format(place=place or "town", clock=line.head, who=line.speaker, what=what)
            )
    told = [text for text in told if not news.is_secret(text) and not text.endswith(": ")]
    told = told or talk.list_memories(prompt)[:1] or [prompt.find_text("goal")]
    return {
        "summary": join_sentences([text for text in told if text], _SUMMARY)
        or phrase("mind", "day")
    }


def merge_memories(prompt: Prompt) -> dict[str, object]:
    """Return several memories as one: the news among them first, as much as there is room for."""
    told = [item.statement for item in news.find_news(prompt)]
    alike = [line.text for line in prompt.lines if line.head == "memory"]
    alike = [text for text in alike if not news.is_against(prompt, text)]
    told += [text for text in alike if not any(is_similar(text, t) for t in told)]
    return {"memory": join_sentences(told, _MERGED) or phrase("mind", "day")}


def _list_allowed(prompt: Prompt, head: str) -> list[str]:
    """Return the places or people in the lines of that head that the reply may name."""
    targets = prompt.list_choices("target")
    lines: Sequence[str] = [
        line.heads[1] if len(line.heads) > 1 else line.text
        for line in prompt.lines
        if line.head == head and STRANGER not in line.text
    ]
    return [name for name in lines if name in targets or not targets]


def _choose(option: str, target: str, subgoal: str) -> dict[str, object]:
    return {"option": option, "target": target, "subgoal": cut_text(subgoal, _SENTENCE)}


REPLIES: ScriptedReplies = {
    OptionChoice: choose_company,
    UtteranceReply: speak,
    Reflection: reflect,
    OutlookReply: keep_outlook,
    SummaryUpdate: recount,
    MergedMemory: merge_memories,
    AnswerReply: answer_honestly,
}
