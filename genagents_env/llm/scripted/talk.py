"""Talk: a greeting, news before all else, what one is at, has seen and remembers, a farewell."""

import re
from collections.abc import Iterator, Sequence

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.llm.scripted.wording import (
    choose_greeting,
    cut_text,
    is_similar,
    list_phrases,
    phrase,
)
from genagents_env.rng import draw_bits, draw_index

_SHORTEST, _LONGEST = 4, 11  # utterances of a talk, the farewells among them
_PROPOSERS = 4  # in one of so many talks one proposes to meet again
_PROPOSAL = re.compile(r" at (.+?) tomorrow at (\d\d:\d\d)\?")
_PRIVATE = re.compile(r"\b(?:house|apartment|Dorm|room|flat)\b")
_HOUR = re.compile(r"\b(\d\d):\d\d\b")
_PLACED = re.compile(r"(.+?)(?:, (?:at )?| at (?!home))(home|[A-Z][^,]*)((?:, with .+)?)$")
_ENDING = re.compile(r"say good-bye|You are leaving")
_SIGHTS = 3  # one may speak of


def say_next(prompt: Prompt, limit: int) -> tuple[str, bool]:
    """Return one's next words in a talk, and whether one leaves with them.

    Both sides draw the same length of the talk, by its first words.
    """
    said = prompt.dialogue
    ending, parted = _ENDING.search(prompt.words), has_parted(said)
    if not said and not ending:
        return f"{greet(prompt)} {_choose_question(prompt)}", False
    length = _draw(said, "length", _LONGEST - _SHORTEST + 1) + _SHORTEST
    if not ending and not parted and len(said) < length - 2:
        for words in list_topics(prompt):
            return cut_text(words, limit), False
    heard = any(news.is_news(line.text) for line in said if line.speaker != "you")
    key = "farewell" if parted else "thanks" if heard else "parting"
    return phrase("talk", key, name=prompt.other), bool(ending or parted or len(said) >= length - 1)


def greet(prompt: Prompt) -> str:
    """Return a greeting by the clock."""
    return f"{choose_greeting(prompt.now)}, {prompt.other}!"


def has_parted(said: Sequence[PromptLine]) -> bool:
    """Return True if the last words were a farewell."""
    return bool(said) and phrase("talk", "parted") in said[-1].text


def list_topics(prompt: Prompt) -> Iterator[str]:
    """Yield what one could say next and nobody said yet, the most telling first."""
    said = prompt.dialogue
    told = [news.extract_statement(line) for line in said]
    asked = bool(said) and said[-1].speaker != "you" and said[-1].text.rstrip().endswith("?")
    if asked and (proposal := _PROPOSAL.search(said[-1].text)):
        yield phrase("talk", "agreement", place=proposal[1], clock=proposal[2])
    doings = list(_tell_of_oneself(prompt))
    options = [*list_tidings(prompt), *doings[: int(asked)], *_propose(prompt)]
    for words in (*options, *doings, *_tell_of_others(prompt), *list_memories(prompt)):
        if not any(is_similar(words, text) for text in told):
            yield words[:1].upper() + words[1:]
    if said:
        yield _choose_question(prompt)


def list_tidings(prompt: Prompt) -> list[str]:
    """Return the news one may tell: whole, not about the other, and not told at an earlier talk.

    A date without hours was cut off on its way; passed on like that, nobody could come.
    """
    if any(line.head.startswith("latest talk with") for line in prompt.lines):
        return []
    known = [item.statement for item in news.find_news(prompt)]
    return [
        told
        for told in known
        if (news.find_date(told) is None or news.find_hours(told) is not None)
        and not (news.is_testimony(told) and prompt.other in news.find_suspect(told).split())
    ]


def list_memories(prompt: Prompt) -> list[str]:
    """Return what one remembers, but for news, secrets, sights and what one thinks of people."""
    return [
        line.text
        for line in prompt.numbered
        if news.is_known(line) and not news.is_secret(line.text) and not line.is_said
        if not news.is_opinion(line.text) and news.extract_statement(line) == line.text
        if not any(map(news.is_news, news.list_statements(prompt, line)))
    ]


def list_agreements(prompt: Prompt) -> list[dict[str, object]]:
    """Return the meetings that were proposed and agreed to in a talk."""
    texts = [line.text for line in prompt.dialogue]
    proposal = next((match for text in texts if (match := _PROPOSAL.search(text))), None)
    if proposal is None or not any(phrase("talk", "agreed") in text for text in texts):
        return []
    other = next((line.speaker for line in prompt.dialogue if line.speaker != "you"), "nobody")
    what = phrase("talk", "meeting")
    when = {"day": "tomorrow", "time": proposal[2]}
    return [{**when, "what": what, "where": proposal[1], "with_whom": other}]


def split_place(activity: str) -> tuple[str, str]:
    """Return what is done, and where, empty where the words do not say.

    A place follows a comma or `at`, and is the home or begins with a capital letter; behind it
    only company may stand.
    """
    placed = _PLACED.match(activity)
    return (placed[1] + (placed[3] or ""), placed[2]) if placed else (activity, "")


def _draw(said: Sequence[PromptLine], what: str, count: int) -> int:
    """Return a number below `count`, the same for both sides of a talk."""
    return draw_bits(0, what, said[0].text) % count


def _propose(prompt: Prompt) -> list[str]:
    """Return the proposal to meet here again tomorrow, at the hour that finds both here today."""
    place, hour = prompt.find_text("you are at"), _HOUR.search(prompt.now)
    said = prompt.dialogue
    if not said or _draw(said, "meets", _PROPOSERS) or not place or _PRIVATE.search(place):
        return []
    if hour is None or any(_PROPOSAL.search(line.text) for line in said):
        return []
    return [phrase("talk", "proposal", place=place.split("/")[0], hour=hour[1])]


def _tell_of_oneself(prompt: Prompt) -> Iterator[str]:
    """Yield sentences on what one is doing, plans next, and is up to these days; no news."""
    for line in prompt.lines:
        words = ""
        if "talking with" in line.text or news.is_secret(line.text) or len(line.heads) != 1:
            continue
        if line.head == "you are":
            words = phrase("talk", "doing", what=_join_place(line.text))
        elif line.head.startswith("planned "):
            clock = line.head.removeprefix("planned ")
            words = phrase("talk", "planned", clock=clock, what=_join_place(line.text))
        elif line.head in news.AIMS:
            words = _tell_of_aim(prompt, line.text)
        if words and not news.is_news(words):
            yield words


def _join_place(activity: str) -> str:
    doing, where = split_place(activity)
    return f"{doing} at {where}" if where and where != "home" else doing


def _tell_of_aim(prompt: Prompt, text: str) -> str:
    first, name = text.split(";")[0].rstrip("."), prompt.name.split(" ")[0]
    if first.startswith(f"{name} is "):
        return phrase("talk", "lately", what=first.removeprefix(f"{name} is "))
    return "" if name and first.startswith(name) else phrase("talk", "aim", what=f"{first}.")


def _tell_of_others(prompt: Prompt) -> Iterator[str]:
    """Yield sentences on whom one saw and with whom one talked."""
    sights = 0
    for line in prompt.numbered:
        if news.is_secret(line.text) or prompt.other in line.text:
            continue
        who, is_, what = line.text.partition(" is ")
        if is_ and who != prompt.name and news.is_sight(line.text) and sights < _SIGHTS:
            sights += 1
            yield phrase("talk", "sight", who=who, what=split_place(what)[0])
        elif line.text.startswith("Talked with ") and ": " in line.text:
            whom, _, what = line.text.removeprefix("Talked with ").partition(": ")
            yield phrase("talk", "talked", who=whom, what=what)


def _choose_question(prompt: Prompt) -> str:
    questions = list_phrases("talk", "questions")
    said = " ".join(line.text for line in prompt.dialogue)
    left = [question for question in questions if question not in said] or questions
    return left[draw_index(prompt.seed, len(left), "asks")]
