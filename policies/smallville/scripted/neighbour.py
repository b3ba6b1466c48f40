"""Days of fine grain: hours taken apart into steps, and the things that each step needs."""

import re
from collections import Counter

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.prompt import Prompt, PromptLine
from genagents_env.rng import draw_index

from . import day, places, steps, thoughts

_EMOJI = "🙂"
_NEWS, _OVERHEARD, _USUAL = 5, 3, 1  # importance
_FAMILIAR = 3  # of an insight about somebody one sees daily
_COMPANY, _EVIDENCE = 2, 6  # people, and lines for each, of an insight
_PERSON = re.compile(r"\b[A-Z][\w'-]+ [A-Z][\w'-]+(?= (?:is|said|knows|was)\b)")
_MEAN = 10  # minutes of a step; those of the original last 5 to 15


def take_apart(prompt: Prompt) -> dict[str, object]:
    """Return the stretch asked for in steps, each block's own in their turn; sleep is one."""
    blocks = day.list_entries(prompt)
    begin, end = day.find_stretch(prompt)
    length = ("pieces", "items", "minutes")
    shortest = prompt.find_limit("minimum", 5, *length)
    longest = prompt.find_limit("maximum", 15, *length)
    most = prompt.find_limit("maxItems", 12, "pieces")
    starts = sorted(day.find_next_minute(at, begin) for at in blocks)
    found: list[dict[str, object]] = []
    at, before, number = begin, "", 0
    while at < end and len(found) < most:
        since, activity = day.find_entry_at(prompt, blocks, at % day.DAY)
        until = min((cut_at for cut_at in (*starts, end) if cut_at > at), default=end)
        minutes = shortest + draw_index(prompt.seed, longest - shortest + 1, "minutes", len(found))
        if until - at - minutes < shortest:
            minutes = until - at  # what would be left is no step of its own
        minutes = max(shortest, min(longest, minutes))
        number = number + 1 if activity == before else (at - since) % day.DAY // _MEAN
        before = activity
        things = steps.find_things_there(prompt, steps.split_place(activity)[1])
        possible = steps.list_steps(activity, things)
        found.append({"what": possible[number % len(possible)], "minutes": minutes})
        at += minutes
    least = prompt.find_limit("minItems", 1, "pieces")
    found += [found[-1]] * (least - len(found))
    return {"pieces": found}


def choose_spots(prompt: Prompt) -> dict[str, object]:
    """Return place and thing for each activity: the thing that its words need, where that stands.

    What needs nothing is done in the place that its words name, else where one is.
    """
    count = prompt.find_limit("minItems", 1, "spots")
    activities = [line.text for line in prompt.lines if line.number is not None]
    activities = ([""] * count + activities)[-count:]
    offers = steps.list_offers(prompt)
    return {"spots": [_choose_spot(prompt, offers, text) for text in activities]}


def _choose_spot(
    prompt: Prompt, offers: list[steps.OfferedThing], activity: str
) -> dict[str, object]:
    options = prompt.list_choices("spots", "items", "where")
    step, where = steps.split_place(activity)
    sector = (prompt.home if where == steps.HOME else where).split("/")[0]
    room = places.choose_where(prompt, options, activity)
    near = [thing for thing in offers if sector and thing.place.split("/")[0] == sector]
    near = sorted(near or [t for t in offers if t.place == room], key=lambda t: t.place != room)
    found = steps.find_thing(step, near)
    if found is None:
        return {"where": room, "thing": places.NOTHING, "state": "", "emoji": _EMOJI}
    thing, state = found
    return {"where": thing.place, "thing": thing.name, "state": state, "emoji": _EMOJI}


def rate_lines(prompt: Prompt) -> dict[str, object]:
    """Return how important each line is: news matter, small talk and what one sees hardly do."""
    given = [_rate_line(prompt, line) for line in prompt.lines if line.number is not None]
    count = prompt.find_limit("minItems", len(given), "ratings")
    return {"ratings": ([_USUAL] * count + given)[-count:] if count else []}


def _rate_line(prompt: Prompt, line: PromptLine) -> int:
    if not news.is_news(news.extract_statement(line)):
        return _USUAL
    to_others = " said to " in line.text and f" said to {prompt.name}" not in line.text
    return _OVERHEARD if to_others else _NEWS


def draw_insights(prompt: Prompt) -> dict[str, object]:
    """Return the news among the lines, and of whom most of them tell, with their numbers."""
    most = prompt.find_limit("maxItems", 1, "insights")
    lines = [line for line in prompt.lines if line.number is not None]
    told = [item for item in news.find_news(lines) if item.number is not None]
    found: list[dict[str, object]] = [
        {"insight": item.statement, "importance": _NEWS, "because": [item.number]} for item in told
    ]
    people = Counter(name for line in lines for name in _list_names(line) if name != prompt.name)
    for name, count in people.most_common(_COMPANY):
        about = [line.number for line in lines if name in line.text]
        if count > 1:
            insight = f"{name} is part of my days: {count} of my latest memories are of {name}"
            found.append(
                {"insight": insight, "importance": _FAMILIAR, "because": about[:_EVIDENCE]}
            )
    return {"insights": found[:most] or thoughts.draw_insights(prompt)["insights"]}


def _list_names(line: PromptLine) -> list[str]:
    return list(dict.fromkeys(_PERSON.findall(line.text)))
