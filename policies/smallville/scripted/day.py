"""Days of fine grain: the routine, the occasions of the date, and steps with their things."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.news import Minutes
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.talk import split_place
from genagents_env.llm.scripted.wording import (
    cut_text,
    find_closest,
    find_content_words,
    load_words,
    phrase,
)
from genagents_env.rng import draw_index

STEPS = Path(__file__).with_name("steps.toml")
SENTENCE, _PHRASE = 400, 200  # characters
_LEAST_STROKES, _MOST_STROKES = 5, 8  # of an outline
_DAY = 24 * 60  # minutes
_MEAN = 10  # minutes of a step; those of the original last 5 to 15
_NOTHING, _EMOJI, _HOME = "nothing", "🙂", "home"
_RESTING, _ASLEEP = "being at home, home", "asleep"
_USUAL = re.compile(r"(?:usually )?(\d\d):(\d\d)(?: to \d\d:\d\d)?")
_TODAY = re.compile(r"(\d\d):(\d\d)(?:-(\d\d):(\d\d))? (.+)")
_CLOCK = re.compile(r"\b(\d\d):(\d\d)\b")
_WAKE = re.compile(r"get up at (\d+)")
_TOWN = ("your home", "your work", "in town")  # what lines begin with that say what is where

_Offer: TypeAlias = tuple[str, str, list[str]]  # place, thing, states


def renew_status(prompt: Prompt) -> dict[str, object]:
    """Return yesterday, what the agent is up to (the same as before), and what today needs."""
    yesterday = next((line.text for line in prompt.numbered), phrase("mind", "quiet"))
    needed = [cut_text(told, _PHRASE) for told, _ in _find_news_of_today(prompt)]
    return {
        "yesterday": cut_text(yesterday, SENTENCE),
        "status": cut_text(prompt.find_text("these days"), SENTENCE) or phrase("mind", "usual"),
        "requirements": needed[:4] or [phrase("mind", "usual")],
    }


def outline_day(prompt: Prompt) -> dict[str, object]:
    """Return the hour of getting up, and the day: what is usual, and the occasions of its date."""
    clock = _WAKE.search(prompt.words)
    wake = int(clock[1]) if clock else 7
    usual = {
        at: f"{_format_clock(at)} {_shorten(text, _PHRASE - 6)}"
        for at, text in _list_entries(prompt).items()
        if not text.startswith(_ASLEEP)
    }
    occasions = {}
    for told, (begin, end) in _find_news_of_today(prompt):
        what = cut_text(news.describe_occasion(told), _PHRASE - 12)
        occasions[begin] = f"{_format_clock(begin)}-{_format_clock(end)} {what}"
    kept = [at for at in sorted(usual) if at not in occasions]
    kept = kept[max(0, len(kept) + len(occasions) - _MOST_STROKES) :]
    strokes = {at: usual[at] for at in kept} | occasions
    for hour in (wake, 9, 11, 13, 15, 19, 21):
        if len(strokes) < _LEAST_STROKES:
            strokes.setdefault(
                hour * 60, f"{_format_clock(hour * 60)} {_find_habit(prompt, hour * 60)}"
            )
    outline = [strokes[at] for at in sorted(strokes)][:_MOST_STROKES]
    if "wake_hour" not in prompt.fields:  # the agent is up already
        return {"outline": outline}
    low, high = (prompt.find_limit(word, wake, "wake_hour") for word in ("minimum", "maximum"))
    return {"wake_hour": min(max(wake, low), high), "outline": outline}


def plan_hours(prompt: Prompt) -> dict[str, object]:
    """Return what is done in each hour asked for: an occasion it meets, else what is usual."""
    clocks = [_to_minutes(*clock) for clock in _CLOCK.findall(prompt.words.rpartition("hours:")[2])]
    usual, occasions = _list_entries(prompt), list(_list_occasions(prompt))
    hours = []
    for at, end in zip(clocks, [*clocks[1:], _DAY], strict=True):
        met = [text for text, (begin, until) in occasions if at < until and begin < end]
        hours.append(_shorten(met[0] if met else _find_entry(prompt, usual, at)[1]))
    return {"hours": hours}


def take_apart(prompt: Prompt) -> dict[str, object]:
    """Return the stretch asked for in steps, each block's own in their turn; they fill it.

    A step ends with its block, unless the steps that are left could not reach the end then.
    """
    blocks, (begin, end) = _list_entries(prompt), _find_stretch(prompt)
    shortest, longest = (
        prompt.find_limit(word, minutes, "pieces", "items", "minutes")
        for word, minutes in (("minimum", 5), ("maximum", 15))
    )
    least, most = (
        prompt.find_limit(word, count, "pieces")
        for word, count in (("minItems", 1), ("maxItems", 12))
    )
    starts = [at if at >= begin else at + _DAY for at in blocks]
    pieces: list[dict[str, object]] = []
    at, before, number = begin, "", 0
    while (at < end and len(pieces) < most) or len(pieces) < least:
        since, activity = _find_entry(prompt, blocks, at % _DAY)
        until = min((cut for cut in (*starts, end) if cut > at), default=end)
        minutes = shortest + draw_index(prompt.seed, longest - shortest + 1, "minutes", len(pieces))
        if until - at - minutes < shortest:
            minutes = until - at  # what would be left is no step of its own
        minutes = max(minutes, end - at - (most - len(pieces) - 1) * longest)
        minutes = max(shortest, min(longest, minutes))
        number = number + 1 if activity == before else (at - since) % _DAY // _MEAN
        before, steps = activity, list_steps(prompt, activity)
        pieces.append({"what": steps[number % len(steps)], "minutes": minutes})
        at += minutes
    return {"pieces": pieces}


def list_steps(prompt: Prompt, activity: str) -> list[str]:
    """Return the steps of an activity, such as `eating lunch, Hobbs Cafe`, each with its place.

    Steps with things that the building does not have are left out.
    """
    doing, where = split_place(activity)
    kinds = load_words(STEPS)["kinds"]
    kind = next(kind for kind in kinds if re.search(kind["words"], activity, re.IGNORECASE))
    there = _find_things_there(prompt, where)
    place = f", {where}" if where else ""
    return [
        _shorten(f"{step.replace('{doing}', doing)}{place}")
        for step in kind["steps"]
        if "{doing}" in step
        or not there
        or not (rule := _find_use(step))
        or any(name in there for name in rule["names"])
    ]


def choose_spots(prompt: Prompt) -> dict[str, object]:
    """Return place and thing for each activity: the thing that its words need, where that stands.

    What needs nothing is done in the place that its words name, else where one is.
    """
    count = prompt.find_limit("minItems", 1, "spots")
    activities = ([""] * count + [line.text for line in prompt.numbered])[-count:]
    places, offers = prompt.list_choices("spots", "items", "where"), list(_list_offers(prompt))
    return {"spots": [_choose_spot(prompt, places, offers, text) for text in activities]}


def choose_place(prompt: Prompt) -> dict[str, object]:
    """Return one step down the tree of places."""
    return {
        "where": _choose_where(prompt, prompt.list_choices("where"), prompt.find_text("activity"))
    }


def choose_object(prompt: Prompt) -> dict[str, object]:
    """Return the thing an activity needs, and the state that it gets."""
    allowed = prompt.list_choices("thing")
    offers = [
        ("", line.head, line.text.split(" / "))
        for line in prompt.lines
        if line.heads[1:] == ("can be",) and line.head in allowed
    ]
    _, thing, state = _find_thing(prompt.find_text("activity"), offers) or ("", _NOTHING, "")
    return {"thing": thing, "state": state, "emoji": _EMOJI}


def _choose_spot(
    prompt: Prompt, places: list[str], offers: list[_Offer], activity: str
) -> dict[str, object]:
    step, where = split_place(activity)
    sector = (prompt.home if where == _HOME else where).split("/")[0]
    room = _choose_where(prompt, places, activity)
    near = [offer for offer in offers if sector and offer[0].split("/")[0] == sector]
    near = sorted(near or [o for o in offers if o[0] == room], key=lambda offer: offer[0] != room)
    where, thing, state = _find_thing(step, near) or (room, _NOTHING, "")
    return {"where": where, "thing": thing, "state": state, "emoji": _EMOJI}


def _choose_where(prompt: Prompt, places: list[str], activity: str) -> str:
    """Return the place with most words of the activity; among equals one's own, else the first."""
    if _HOME in find_content_words(activity):
        activity = f"{activity} {prompt.home}"
    own = sorted(places, key=lambda place: place not in (prompt.work, prompt.home))
    return find_closest(activity, own) or next(iter(places), "here")


def _find_use(step: str) -> dict[str, Any] | None:
    uses = load_words(STEPS)["things"]
    return next((use for use in uses if re.search(use["verbs"], step, re.IGNORECASE)), None)


def _find_thing(step: str, offers: Sequence[_Offer]) -> tuple[str, str, str] | None:
    """Return place, thing and new state for a step: by the rules, else the thing that it names."""
    rule = _find_use(step)
    for name in rule["names"] if rule else ():
        for place, thing, states in offers:
            wanted = [state for state in rule["states"] if state in states] if rule else []
            other = states[1:2] if rule and rule["states"] else []
            if thing.endswith(name) and (wanted or other):
                return place, thing, (wanted or other)[0]
    named = find_closest(step, [thing for _, thing, _ in offers]) if rule is None else ""
    for place, thing, states in offers:
        if thing == named and len(states) > 1:
            return place, thing, find_closest(step, states) or states[1]
    return None


def _list_offers(prompt: Prompt) -> Iterator[_Offer]:
    """Yield the things of lines such as `place, Hobbs Cafe/cafe, counter: clear / crowded`."""
    for line in prompt.lines:
        for part in line.text.split("; ") if line.head == "place" and line.heads[1:] else ():
            name, colon, states = part.partition(": ")
            if colon:
                yield line.heads[1], name, states.split(" / ")


def _find_things_there(prompt: Prompt, where: str) -> str:
    """Return what a prompt says of the building `where`; empty where it says nothing of it."""
    if where == _HOME:
        return prompt.find_text("your home")
    lines = [line.text for head in _TOWN for line in prompt.lines if line.head == head]
    sector = where.split("/")[0]
    return next((text for text in lines if sector and text.startswith(sector)), "")


def _list_entries(prompt: Prompt) -> dict[int, str]:
    """Return what is planned, usual or outlined, by the minute of the day when it begins."""
    outlined: dict[int, str] = {}
    planned: dict[int, str] = {}
    for line in prompt.lines:
        usual, today = _USUAL.fullmatch(line.head), _TODAY.match(line.text)
        if usual and line.number is None:
            planned[_to_minutes(*usual.groups())] = line.text
        elif line.head == "today" and today and today[3] is None:
            outlined[_to_minutes(today[1], today[2])] = today[5]
    return outlined | planned


def _list_occasions(prompt: Prompt) -> Iterator[tuple[str, Minutes]]:
    """Yield what takes place on the day asked about: by its outline, then by the news."""
    for line in prompt.lines:
        today = _TODAY.match(line.text) if line.head == "today" else None
        if today and today[3] is not None:
            yield today[5], (_to_minutes(today[1], today[2]), _to_minutes(today[3], today[4]))
    for told, span in _find_news_of_today(prompt):
        yield news.describe_occasion(told), span


def _find_news_of_today(prompt: Prompt) -> list[tuple[str, Minutes]]:
    """Return the news that is of the day asked about and has its hours."""
    asked = news.find_date(prompt.words)
    told = [item.statement for item in news.find_news(prompt)]
    dated = [text for text in told if asked is not None and news.find_date(text) == asked]
    return [(text, span) for text in dated if (span := news.find_hours(text)) is not None]


def _find_stretch(prompt: Prompt) -> Minutes:
    """Return the minutes of the stretch that is asked about, the second one later."""
    clocks = [_to_minutes(*clock) for clock in _CLOCK.findall(prompt.words)]
    begin, end = (*clocks, 0, 60)[:2]
    return begin, end + _DAY * (end <= begin)


def _find_entry(prompt: Prompt, entries: dict[int, str], at: int) -> tuple[int, str]:
    """Return since when what is done at a minute: by the latest entry, else what people do."""
    begun = [entry for entry in entries if entry <= at]
    return (max(begun), entries[max(begun)]) if begun else (at, _find_habit(prompt, at))


def _find_habit(prompt: Prompt, at: int) -> str:
    """Return what people do of whose day nothing else is said."""
    return f"working, {prompt.work.split('/')[0]}" if prompt.work and 540 <= at < 1020 else _RESTING


def _shorten(text: str, limit: int = _PHRASE) -> str:
    """Return an activity in `limit` characters; the place at its end stays where there is room."""
    doing, comma, where = text.rpartition(", ")
    if len(text) <= limit or not comma or len(where) > limit // 2:
        return cut_text(text, limit)
    return f"{cut_text(doing, limit - len(where) - 2)}, {where}"


def _to_minutes(hour: str, minute: str) -> int:
    return 60 * int(hour) + int(minute)


def _format_clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"
