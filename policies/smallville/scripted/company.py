"""Talks of some length: news before all else, then what one is at, plans, and saw."""

import re
from collections.abc import Iterator, Sequence

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import choose_greeting, is_similar
from genagents_env.rng import draw_bits, draw_index

from . import steps, talk

_SHORTEST, _LONGEST = 4, 11  # utterances of a talk, the farewells with them
_READINESS = {True: 4, False: 8}  # of so many chances to talk one is taken, with news or without
_QUESTIONS = (
    "What are you up to today?",
    "How is your day so far?",
    "Have you heard anything new?",
    "Did you sleep well?",
    "Is there anything I can help you with?",
    "How are things with your work?",
)
_SEEN_LATELY = 3  # sights one may speak of
_PLANNED = "planned "
_TALKED = 3  # importance of a talk without news
_PROPOSERS = 4  # in one of so many talks it is proposed to meet again
_PROPOSAL = re.compile(r"meet at (.+?) tomorrow at (\d\d:\d\d)\?")
_AGREED = "With pleasure"
_PRIVATE = re.compile(r"\b(?:house|apartment|Dorm|room)\b")
_HOUR = re.compile(r"\b(\d\d):\d\d\b")


def choose_company(prompt: Prompt) -> dict[str, object]:
    """Return the decision to talk, some of the times and more often with untold news."""
    usual = talk.choose_to_talk(prompt)
    if not str(usual["choice"]).startswith("talk"):
        return usual
    has_news = bool(news.find_own_news(prompt)) and not _have_talked(prompt)
    chances = _READINESS[has_news]
    ready = draw_index(prompt.seed, chances, "talks") == 0
    return usual if ready else talk.choose_to_go_on(prompt)


def _have_talked(prompt: Prompt) -> bool:
    return any(line.head.startswith("latest talk with") for line in prompt.lines)


def speak_at_length(prompt: Prompt) -> dict[str, object]:
    """Return a greeting, then news, answers, questions and what one is at; at last a farewell."""
    said = talk._list_dialogue(prompt)
    name = talk._find_first_name(prompt)
    if not said:
        hello = f"{choose_greeting(_find_now(prompt))}, {name}!"
        return {"say": f"{hello} {_choose_question(prompt, said)}", "end": False}
    length = _draw_length(said)
    words = next(_list_words(prompt, said), "")
    if words and not _is_last(prompt) and len(said) < length - 2 and not _has_parted(said):
        return {"say": words, "end": False}
    parting = _is_last(prompt) or _has_parted(said) or len(said) >= length - 1
    return {"say": _part(said, name), "end": parting}


def write_memo(prompt: Prompt) -> dict[str, object]:
    """Return the news one was told, and what one agreed to: to meet again tomorrow."""
    memo = talk.write_memo(prompt)
    said = talk._list_dialogue(prompt)
    proposed = next((found for line in said if (found := _PROPOSAL.search(line.text))), None)
    agreed = any(_AGREED in line.text for line in said)
    memo["importance"] = max(int(str(memo["importance"])), _TALKED)
    if proposed is None or not agreed or "commitments" not in prompt.fields:
        return memo
    with_whom = next((line.head for line in said if line.head != "you"), "")
    meeting = {"what": "having a coffee together", "where": proposed[1], "with_whom": with_whom}
    return {**memo, "commitments": [{"day": "tomorrow", "time": proposed[2], **meeting}]}


def _draw_length(said: Sequence[PromptLine]) -> int:
    """Return how many utterances the talk comes to; both sides draw the same, by its first."""
    drawn = draw_bits(0, "length", said[0].text) % (_LONGEST - _SHORTEST + 1)
    return _SHORTEST + drawn


def _has_parted(said: Sequence[PromptLine]) -> bool:
    return "See you" in said[-1].text


def _part(said: Sequence[PromptLine], name: str) -> str:
    heard = any(news.is_news(line.text) for line in said if line.head != "you")
    thanks = "Thank you for telling me" if heard else "It was good to talk to you"
    return f"See you, {name}!" if _has_parted(said) else f"{thanks}, {name}. See you!"


def _list_words(prompt: Prompt, said: Sequence[PromptLine]) -> Iterator[str]:
    """Yield what one could say next and nobody said yet, the most telling first."""
    told = [line.text for line in said]
    asked = said[-1].head != "you" and said[-1].text.rstrip().endswith("?")
    answers = [*_tell_of_oneself(prompt)]
    known = [] if _have_talked(prompt) else news.find_own_news(prompt)  # they know it by now
    tidings = [item.statement for item in known if news.is_whole(item.statement)]
    more = [*_tell_of_others(prompt), _choose_question(prompt, said)]
    options = [*answers[:1], *tidings] if asked else tidings
    if said[-1].head != "you" and (found := _PROPOSAL.search(said[-1].text)):
        yield f"{_AGREED}, {found[2]} tomorrow at {found[1]}."
    options += _propose(prompt, said)
    for words in (*options, *answers, *more):
        if not any(is_similar(words, text) for text in told):
            yield words[:1].upper() + words[1:]


def _propose(prompt: Prompt, said: Sequence[PromptLine]) -> list[str]:
    """Return the proposal to meet here again tomorrow, at the hour that finds both here today."""
    drawn = draw_bits(0, "meets", said[0].text) % _PROPOSERS
    place = next((line.text for line in prompt.lines if line.head == "you are at"), "")
    hour = _HOUR.search(_find_now(prompt))
    proposed = any(_PROPOSAL.search(line.text) for line in said)
    if drawn or proposed or not place or hour is None or _PRIVATE.search(place):
        return []
    return [f"Shall we meet at {place.split('/')[0]} tomorrow at {hour[1]}:00?"]


def _find_now(prompt: Prompt) -> str:
    """Return the date and the clock."""
    return next((line.text for line in prompt.lines if line.head == "now"), prompt.words)


def _is_last(prompt: Prompt) -> bool:
    return "say good-bye" in prompt.words


def _tell_of_oneself(prompt: Prompt) -> Iterator[str]:
    """Yield sentences on what one is doing, plans next, and is up to these days; no news."""
    lines = [line for line in prompt.lines if "talking with" not in line.text]
    told = [f"I am {_tell_where(line)} just now." for line in lines if line.head == "you are"]
    told += [
        f"At {line.head.removeprefix(_PLANNED)} I will be {_tell_where(line)}."
        for line in lines
        if line.head.startswith(_PLANNED)
    ]
    told += [_tell_of_status(prompt, line) for line in lines if line.head == "these days"]
    yield from (words for words in told if words and not news.is_news(words))


def _tell_where(line: PromptLine) -> str:
    doing, where = steps.split_place(line.text)
    return f"{doing} at {where}" if where and where != steps.HOME else doing


def _tell_of_status(prompt: Prompt, line: PromptLine) -> str:
    """Return the first part of what one is up to, in the first person; empty for a secret."""
    first, name = line.text.split(";")[0].rstrip("."), prompt.name.split(" ")[0]
    if news.is_secret(line.text):
        return ""
    if first.startswith(f"{name} is "):
        return f"I am{first.removeprefix(f'{name} is')} these days."
    return "" if name and first.startswith(name) else f"I have this in mind these days: {first}."


def _tell_of_others(prompt: Prompt) -> Iterator[str]:
    """Yield sentences on whom one saw and with whom one talked."""
    name = talk._find_first_name(prompt)
    seen = 0
    for line in prompt.lines:
        if line.number is None or news.is_secret(line.text) or name in line.text:
            continue
        who, is_, what = line.text.partition(" is ")
        if is_ and who != prompt.name and news.is_sight(line) and seen < _SEEN_LATELY:
            seen += 1
            yield f"I saw {who} {steps.split_place(what)[0]}."
        elif line.text.startswith("Talked with ") and ": " in line.text:
            whom, _, what = line.text.removeprefix("Talked with ").partition(": ")
            yield f"I talked with {whom} lately: {what}"


def _choose_question(prompt: Prompt, said: Sequence[PromptLine]) -> str:
    left = [one for one in _QUESTIONS if not any(one in line.text for line in said)]
    return (left or list(_QUESTIONS))[draw_index(prompt.seed, len(left or _QUESTIONS), "asks")]
