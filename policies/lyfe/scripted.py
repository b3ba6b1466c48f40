"""What scripted models reply to the prompts of this mind: an option, words, a summary, a memory.

News is kept and passed on in a speaker's words: of what Dmitri says he saw, others say that Dmitri
saw it.
"""

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

from .choices import MISSED, STRANGER
from .controller import OptionChoice
from .memory import MergedMemory
from .monitor import SummaryUpdate
from .outlook import OutlookReply
from .reflect import Reflection
from .talk import UtteranceReply

_NOBODY = "nobody"
_MOST_WORDS, _MOST = 100, 480  # words and characters of a summary
_SPEECH, _SENTENCE, _MERGED = 160, 120, 240  # characters
_LATELY = 12  # people
_TALKS_ON = 8  # of ten
_RETELLINGS = (  # nobody says the same twice in the same words
    "At the {place} at {clock}, {who} told me: {what}",
    "I met {who} at the {place} at {clock} and heard: {what}",
    "{who} told me at {clock}, at the {place}: {what}",
)
_NEWS = 2  # pieces at the beginning of a long summary
_STATES = (  # heads of lines that tell no news
    "now", "you are at", "you are", "here with you", "you know", "goal", "subgoal", "it came to",
    "near", "place", "person", "question",
)  # fmt: skip
_WITH = re.compile(r"You are with ([^.]*[^.\s])\.")
_ENDED = re.compile(r"You (?:talked with|told)|Your talk with")
_TALKED = re.compile(r"I talked with ([^.]+)\.")
_SAID = re.compile(r"([A-Z]\S*(?: [A-Z]\S*)*) said(?: to [^:]+)?: [\"“]")
_JUST_SAID = re.compile(r"(.+) just said")
_FIRST_PERSON = (
    (re.compile(r"\bI(?: am|['\u2019]m)\b"), "{} is"),
    (re.compile(r"\bI(?: have|['\u2019]ve)\b"), "{} has"),
    (re.compile(r"\bI\b"), "{}"),
    (re.compile(r"\b[Mm]y\b"), "their"),
    (re.compile(r"\bme\b"), "them"),
)


def choose_listener(prompt: Prompt) -> dict[str, object]:
    """Return to talk to somebody near, or to look for somebody, to whom one has not talked yet.

    That is for who has something to say: news, or near somebody a first greeting. Others go
    somewhere, or wait. Nobody is told what they are the subject of, or looked for twice.
    """
    options, known = prompt.list_choices("option"), find_own_news(prompt)
    about = " ".join(item.statement for item in known)
    left_out = {*_list_recent_partners(prompt), *_list_hearers(prompt), *_list_missed(prompt)}

    def is_new(name: str) -> bool:
        return not {name, name.split()[0]} & left_out and name not in about

    near = list(filter(is_new, _list_allowed(prompt, "near")))
    others = list(filter(is_new, _list_allowed(prompt, "person")))
    if "talk" in options and near and (known or not _list_dialogue(prompt)):
        return _choose("talk", near[0], f"tell {near[0]} what I know")
    if "find" in options and others and known:
        name = _draw_name(prompt, others, "finds")
        return _choose("find", name, f"tell {name} what I know")
    return choose_solitude(prompt)


def choose_company(prompt: Prompt) -> dict[str, object]:
    """Return to talk to who is near, else to look for somebody, else to go somewhere.

    After a talk one talks on eight times in ten.
    """
    options = prompt.list_choices("option")
    near, others = _list_allowed(prompt, "near"), _list_allowed(prompt, "person")
    fresh = [name for name in others if name not in _list_recent_partners(prompt)]
    if "talk" in options and near and not _leaves_company(prompt):
        return _choose("talk", near[0], f"tell {near[0]} what I know")
    if "find" in options and others:
        name = _draw_name(prompt, fresh or others, "finds")
        return _choose("find", name, f"tell {name} what I know")
    return choose_solitude(prompt)


def _leaves_company(prompt: Prompt) -> bool:
    """Return whether a talk has just ended, and one does not talk on."""
    ended = any(line.head == "it came to" and _ENDED.match(line.text) for line in prompt.lines)
    return ended and draw_index(prompt.seed, 10, "talks on") >= _TALKS_ON


def choose_solitude(prompt: Prompt) -> dict[str, object]:
    """Return to go somewhere, else to wait; to talk only where nothing else may be done."""
    options, places = prompt.list_choices("option"), _list_allowed(prompt, "place")
    if "go" in options and places:
        place = _draw_name(prompt, places, "goes")
        return _choose("go", place, f"see what goes on at {place}")
    quiet = [option for option in options if option not in ("talk", "find", "go")]
    still = "wait" if "wait" in options or not options else next(iter(quiet), options[0])
    return _choose(still, _NOBODY, "see what happens")


def tell_news(prompt: Prompt) -> dict[str, object]:
    """Return the next whole piece of news, for those near, who are named with it.

    Not what the first of them has said or was told, as far as remembered. With nothing to tell
    it is a greeting before any other word, else none.
    """
    near, dialogue = _list_near(prompt), _list_dialogue(prompt)
    said = [
        news.extract_statement(line) for line in dialogue if _has_reached(prompt, line, near[:1])
    ]
    for item in find_own_news(prompt):
        if news.is_whole(item.statement) and not any(is_similar(item.statement, t) for t in said):
            telling = news.shorten(item.statement, _SPEECH)
            return {"say": news.address_to(telling[:1].upper() + telling[1:], near)}
    if dialogue or not near:
        return {"say": ""}
    return {"say": f"{choose_greeting(prompt.words)}, {near[0]}!"}


def chat(prompt: Prompt) -> dict[str, object]:
    """Return the news there is; without any, something else the agent remembers, but no secret."""
    told = tell_news(prompt)
    said = [line.text for line in _list_dialogue(prompt)]
    left = (text for text in list_memories(prompt) if not any(is_similar(text, t) for t in said))
    return told if told["say"] else {"say": cut_text(next(left, ""), _SPEECH)}


def stay_silent(prompt: Prompt) -> dict[str, object]:
    """Return no words."""
    return {"say": ""}


def think_of_news(prompt: Prompt) -> dict[str, object]:
    """Return the first news the agent knows, else that there is none."""
    told = [item.statement for item in find_own_news(prompt)]
    return {"thought": news.shorten(told[0], _SENTENCE) if told else "I have heard nothing new."}


def keep_outlook(prompt: Prompt) -> dict[str, object]:
    """Return that goal and traits are as before."""
    return {"goal": "", "traits": []}


def summarize(prompt: Prompt) -> dict[str, object]:
    """Return the news the agent knows, old and new, and whom it talked with lately.

    Where there is none, what is remembered first, else the agent's goal.
    """
    told = [item.statement for item in find_own_news(prompt)]
    if met := _list_recent_partners(prompt)[-_LATELY:]:
        told.append(f"I talked with {', '.join(met)}")
    goal = [line.text for line in prompt.lines if line.head == "goal"]
    kept = _fill_summary(told or list_memories(prompt)[:1] or goal or ["The day goes its way"])
    return {"summary": kept or cut_text(" ".join(told), _SPEECH)}


def recount(prompt: Prompt) -> dict[str, object]:
    """Return the news the agent knows, then who said what lately, and where.

    It is as long as the paper's summaries; what others said is told in the third person.
    """
    told = [item.statement for item in find_own_news(prompt)][:_NEWS]
    here = next((line.text for line in prompt.lines if line.head == "you are at"), "town")
    for at, line in enumerate(_list_dialogue(prompt)[::-1]):
        if speaker := _find_speaker(prompt, line):
            said = _to_third_person(news.extract_statement(line), speaker)
            retell = _RETELLINGS[draw_index(prompt.seed, len(_RETELLINGS), "retells", at)]
            told.append(retell.format(place=here, clock=line.head, who=speaker, what=said))
    return {"summary": _fill_summary(told) or summarize(prompt)["summary"]}


def _fill_summary(told: Sequence[str]) -> str:
    """Return as many of these as sentences as a summary has room for."""
    kept = ""
    for text in told:
        longer = f"{kept} {_end_sentence(text)}".strip()
        if len(longer) <= _MOST and len(longer.split()) <= _MOST_WORDS:
            kept = longer
    return kept


def merge_memories(prompt: Prompt) -> dict[str, object]:
    """Return several memories as one: the news among them first, as much as there is room for."""
    told = [item.statement for item in find_own_news(prompt)]
    alike = [line.text for line in prompt.lines if line.head == "memory"]
    others = [text for text in alike if not any(is_similar(text, t) for t in told)]
    texts = list(dict.fromkeys(map(_end_sentence, [*told, *others])))
    return {"memory": cut_text(" ".join(texts), _MERGED) or "Several things happened."}


def list_memories(prompt: Prompt) -> list[str]:
    """Return what the agent remembers, but for secrets."""
    numbered = [line.text for line in prompt.lines if line.number is not None]
    return [text for text in numbered if not news.is_secret(text)]


def find_own_news(prompt: Prompt) -> list[NewsItem]:
    """Return the news in a prompt in the agent's own words, but for what is said against it."""
    told = [
        PromptLine(line.number, (), sentence)
        for line in prompt.lines
        if line.head not in _STATES
        for sentence in _reword(prompt, line)
    ]
    return [
        item for item in news.find_news(told) if not _accuses_nobody_else(prompt, item.statement)
    ]


def _accuses_nobody_else(prompt: Prompt, statement: str) -> bool:
    """Return whether a testimony names nobody, or the agent itself."""
    if not news.is_testimony(statement):
        return False
    person = news.find_suspect(statement)
    return not person or person in (prompt.name, *prompt.name.split())


def _reword(prompt: Prompt, line: PromptLine) -> list[str]:
    """Return the sentences of a line, those of others in the third person; no secrets."""
    speaker = _find_speaker(prompt, line)
    told = [
        text for text in split_sentences(news.extract_statement(line)) if not news.is_secret(text)
    ]
    return [_to_third_person(text, speaker) for text in told] if speaker else told


def _to_third_person(text: str, speaker: str) -> str:
    for first_person, third in _FIRST_PERSON:
        text = third.format(speaker).join(first_person.split(text))
    return text


def _find_speaker(prompt: Prompt, line: PromptLine) -> str:
    """Return whose words stand in a line; empty for the agent's own."""
    quoted, just = _SAID.search(line.text), _JUST_SAID.fullmatch(line.head)
    if line.heads[-1:] == ("said",):
        name = line.heads[-2]
    elif just or quoted:
        name = just[1] if just else quoted[1] if quoted else ""
    else:
        return ""
    return "" if name in ("you", prompt.name) else name


def _list_dialogue(prompt: Prompt) -> list[PromptLine]:
    return [line for line in prompt.lines if line.heads[-1:] == ("said",)]


def _list_near(prompt: Prompt) -> list[str]:
    """Return the first names of those the agent is with, the one addressed first."""
    found = _WITH.search(prompt.words)
    return [name.split()[0] for name in found[1].split(", ")] if found else []


def _has_reached(prompt: Prompt, line: PromptLine, near: Sequence[str]) -> bool:
    """Return whether these people heard words: those who said them did, and those they name."""
    named = news.find_addressees(line.text)
    heard = [*named, *_find_speaker(prompt, line).split()[:1]]
    return not named or all(name in heard for name in near)


def _list_recent_partners(prompt: Prompt) -> list[str]:
    """Return whom the agent talked with lately, as far as its summary and the last words tell."""
    told = (line.text for line in prompt.lines if line.head == "summary")
    before = [
        name for text in told for found in _TALKED.findall(text) for name in found.split(", ")
    ]
    now = [name for line in _list_dialogue(prompt) if (name := _find_speaker(prompt, line))]
    return list(dict.fromkeys([*(name for name in before if name not in now), *now]))


def _list_hearers(prompt: Prompt) -> list[str]:
    """Return the first names of those to whom words turned that the agent said or heard."""
    return [name for line in _list_dialogue(prompt) for name in news.find_addressees(line.text)]


def _list_missed(prompt: Prompt) -> list[str]:
    """Return whom the agent has looked for in vain."""
    people = [line for line in prompt.lines if line.head == "person" and len(line.heads) > 1]
    return [line.heads[1] for line in people if MISSED in line.text]


def _list_allowed(prompt: Prompt, head: str) -> list[str]:
    """Return the places or people in the lines of that head that the reply may name."""
    targets = prompt.list_choices("target")
    lines = [line for line in prompt.lines if line.head == head and STRANGER not in line.text]
    named = [line.heads[1] if len(line.heads) > 1 else line.text for line in lines]
    return [name for name in named if name in targets or not targets]


def _draw_name(prompt: Prompt, names: Sequence[str], what: str) -> str:
    return names[draw_index(prompt.seed, len(names), what)]


def _choose(option: str, target: str, subgoal: str) -> dict[str, object]:
    return {"option": option, "target": target, "subgoal": cut_text(subgoal, _SENTENCE)}


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


_GOSSIP: ReplyRules = {
    OptionChoice: choose_listener,
    UtteranceReply: tell_news,
    Reflection: think_of_news,
    OutlookReply: keep_outlook,
    SummaryUpdate: summarize,
    MergedMemory: merge_memories,
    AnswerReply: answer_honestly,
}
_MUTE: ReplyRules = {**_GOSSIP, OptionChoice: choose_solitude, UtteranceReply: stay_silent}

REPLIES: ScriptedReplies = {
    "gossip": _GOSSIP,
    "chatty": {
        **_GOSSIP,
        OptionChoice: choose_company,
        UtteranceReply: chat,
        SummaryUpdate: recount,
    },
    "mute": _MUTE,
    "inventor": {**_MUTE, AnswerReply: invent_answer},
}
