"""What scripted models reply to the prompts of this mind: an option, words, a summary, a memory.

News is kept and passed on in one's own words: of what Dmitri says he saw, others say that Dmitri
saw it.
"""

import re
from collections.abc import Sequence

from genagents_env.llm.scripted import ReplyRules, ScriptedReplies, news
from genagents_env.llm.scripted.interview import honest, inventive
from genagents_env.llm.scripted.news import Item
from genagents_env.llm.scripted.prompt import Line, Prompt
from genagents_env.llm.scripted.wording import alike, cut, greeting, sentences
from genagents_env.rng import draw_index

from .controller import Choice
from .interview import Told
from .memory import Merged
from .monitor import Update
from .reflect import Reflection
from .talk import Words

_NOBODY = "nobody"
_MOST_WORDS, _MOST = 100, 480  # words and characters of a summary
_SPEECH, _SENTENCE, _MERGED = 160, 120, 240  # characters
_LATELY = 4  # people
_STATES = ("goal", "subgoal", "near", "place", "person", "question")  # that tell no news
_WITH = re.compile(r"You are with ([^.]*[^.\s])\.")
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


def sociable(prompt: Prompt) -> dict[str, object]:
    """Return to talk to who is near, else to look for somebody, else to go somewhere."""
    options = prompt.choices("option")
    near, others = _named(prompt, "near"), _named(prompt, "person")
    fresh = [name for name in others if name not in _talked_with(prompt)]
    if "talk" in options and near:
        return _choice("talk", near[0], f"tell {near[0]} what I know")
    if "find" in options and others:
        name = _drawn(prompt, fresh or others, "finds")
        return _choice("find", name, f"tell {name} what I know")
    return reserved(prompt)


def reserved(prompt: Prompt) -> dict[str, object]:
    """Return to go somewhere, else to wait; to talk only where nothing else may be done."""
    options, places = prompt.choices("option"), _named(prompt, "place")
    if "go" in options and places:
        place = _drawn(prompt, places, "goes")
        return _choice("go", place, f"see what goes on at {place}")
    quiet = [option for option in options if option not in ("talk", "find", "go")]
    still = "wait" if "wait" in options or not options else next(iter(quiet), options[0])
    return _choice(still, _NOBODY, "see what happens")


def words(prompt: Prompt) -> dict[str, object]:
    """Return the next whole piece of news, for those near, who are named with it.

    Not what the first of them has said or was told, as far as one remembers. With nothing to tell
    it is a greeting before any other word, else none.
    """
    near, dialogue = _near(prompt), _dialogue(prompt)
    said = [news.statement(line) for line in dialogue if _reached(prompt, line, near[:1])]
    for item in known(prompt):
        if news.is_whole(item.statement) and not any(alike(item.statement, t) for t in said):
            telling = news.brief(item.statement, _SPEECH)
            return {"say": news.addressed(telling[:1].upper() + telling[1:], near)}
    if dialogue or not near:
        return {"say": ""}
    return {"say": f"{greeting(prompt.words)}, {near[0]}!"}


def chat(prompt: Prompt) -> dict[str, object]:
    """Return the news there is; without any, something else that one remembers, but no secret."""
    told = words(prompt)
    said = [line.text for line in _dialogue(prompt)]
    left = (text for text in remembered(prompt) if not any(alike(text, t) for t in said))
    return told if told["say"] else {"say": cut(next(left, ""), _SPEECH)}


def silence(prompt: Prompt) -> dict[str, object]:
    """Return no words."""
    return {"say": ""}


def thought(prompt: Prompt) -> dict[str, object]:
    """Return the first news one knows, else that there is none."""
    told = [item.statement for item in known(prompt)]
    return {"thought": news.brief(told[0], _SENTENCE) if told else "I have heard nothing new."}


def summary(prompt: Prompt) -> dict[str, object]:
    """Return the news one knows, old and new, and whom one talked with lately.

    Where there is none, what is remembered first, else what one is after.
    """
    told = [item.statement for item in known(prompt)]
    if met := _talked_with(prompt)[-_LATELY:]:
        told.append(f"I talked with {', '.join(met)}")
    goal = [line.text for line in prompt.lines if line.head == "goal"]
    kept = ""
    for text in told or remembered(prompt)[:1] or goal or ["The day goes its way"]:
        longer = f"{kept} {_ended(text)}".strip()
        if len(longer) <= _MOST and len(longer.split()) <= _MOST_WORDS:
            kept = longer
    return {"summary": kept or cut(" ".join(told), _SPEECH)}


def memory(prompt: Prompt) -> dict[str, object]:
    """Return several memories as one: the news among them first, as much as there is room for."""
    told = [item.statement for item in known(prompt)]
    others = [line.text for line in prompt.lines if not any(alike(line.text, t) for t in told)]
    texts = list(dict.fromkeys(map(_ended, [*told, *others])))
    return {"memory": cut(" ".join(texts), _MERGED) or "Several things happened."}


def remembered(prompt: Prompt) -> list[str]:
    """Return what one remembers, but for secrets."""
    numbered = [line.text for line in prompt.lines if line.number is not None]
    return [text for text in numbered if not news.is_secret(text)]


def known(prompt: Prompt) -> list[Item]:
    """Return the news in a prompt in one's own words, but for what is said against oneself."""
    told = [
        Line(line.number, (), sentence)
        for line in prompt.lines
        if line.head not in _STATES
        for sentence in _own_words(prompt, line)
    ]
    return [item for item in news.items(told) if not _is_vain(prompt, item.statement)]


def _is_vain(prompt: Prompt, statement: str) -> bool:
    """Return whether a testimony names nobody, or oneself."""
    if not news.is_testimony(statement):
        return False
    person = news.suspect(statement)
    return not person or person in (prompt.name, *prompt.name.split())


def _own_words(prompt: Prompt, line: Line) -> list[str]:
    """Return the sentences of a line, those of others in the third person; no secrets."""
    speaker = _speaker(prompt, line)
    told = [text for text in sentences(news.statement(line)) if not news.is_secret(text)]
    return [_of_them(text, speaker) for text in told] if speaker else told


def _of_them(text: str, speaker: str) -> str:
    for first_person, third in _FIRST_PERSON:
        text = third.format(speaker).join(first_person.split(text))
    return text


def _speaker(prompt: Prompt, line: Line) -> str:
    """Return whose words stand in a line; empty for one's own."""
    quoted, just = _SAID.search(line.text), _JUST_SAID.fullmatch(line.head)
    if line.heads[1:] == ("said",):
        name = line.head
    elif just or quoted:
        name = just[1] if just else quoted[1] if quoted else ""
    else:
        return ""
    return "" if name in ("you", prompt.name) else name


def _dialogue(prompt: Prompt) -> list[Line]:
    return [line for line in prompt.lines if line.heads[1:] == ("said",)]


def _near(prompt: Prompt) -> list[str]:
    """Return the first names of those one is with, whom one means first."""
    found = _WITH.search(prompt.words)
    return [name.split()[0] for name in found[1].split(", ")] if found else []


def _reached(prompt: Prompt, line: Line, near: Sequence[str]) -> bool:
    """Return whether these people heard words: those who said them did, and those they name."""
    named = news.address(line.text)
    heard = [*named, *_speaker(prompt, line).split()[:1]]
    return not named or all(name in heard for name in near)


def _talked_with(prompt: Prompt) -> list[str]:
    """Return whom one talked with lately, as far as one's summary and the last words tell."""
    told = (line.text for line in prompt.lines if line.head == "summary")
    before = [
        name for text in told for found in _TALKED.findall(text) for name in found.split(", ")
    ]
    now = [name for line in _dialogue(prompt) if (name := _speaker(prompt, line))]
    return list(dict.fromkeys([*(name for name in before if name not in now), *now]))


def _named(prompt: Prompt, head: str) -> list[str]:
    """Return the places or people in the lines of that head that the reply may name."""
    targets = prompt.choices("target")
    named = [line.text for line in prompt.lines if line.heads == (head,)]
    return [name for name in named if name in targets or not targets]


def _drawn(prompt: Prompt, names: Sequence[str], what: str) -> str:
    return names[draw_index(prompt.seed, len(names), what)]


def _choice(option: str, target: str, subgoal: str) -> dict[str, object]:
    return {"option": option, "target": target, "subgoal": cut(subgoal, _SENTENCE)}


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


_GOSSIP: ReplyRules = {
    Choice: sociable,
    Words: words,
    Reflection: thought,
    Update: summary,
    Merged: memory,
    Told: honest,
}
_MUTE: ReplyRules = {**_GOSSIP, Choice: reserved, Words: silence}

REPLIES: ScriptedReplies = {
    "gossip": _GOSSIP,
    "chatty": {**_GOSSIP, Words: chat},
    "mute": _MUTE,
    "inventor": {**_MUTE, Told: inventive},
}
