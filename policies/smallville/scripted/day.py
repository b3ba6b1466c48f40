"""Planning by the routine: the lines with the agent's usual day, and the news of the day."""

import re
from collections.abc import Sequence

from genagents_env.llm.scripted import news
from genagents_env.llm.scripted.news import Minutes
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.llm.scripted.wording import cut_text

_SENTENCE, _PHRASE = 400, 200  # characters
_LEAST_STROKES, _MOST_STROKES = 5, 8  # of an outline
DAY = 24 * 60  # minutes
_LEAST = 16  # characters left of an activity for the sake of its place
_ASLEEP, _RESTING = "asleep", "being at home, home"
_WORKING_HOURS = (9 * 60, 17 * 60)
_USUAL = re.compile(r"(?:usually )?(\d\d):(\d\d)(?: to \d\d:\d\d)?")
_TODAY = re.compile(r"(\d\d):(\d\d)(?:-(\d\d):(\d\d))? (.+)")
_CLOCK = re.compile(r"\b(\d\d):(\d\d)\b")
_WAKE = re.compile(r"get up at (\d+)")


def renew_status(prompt: Prompt) -> dict[str, object]:
    """Return yesterday, what the agent is up to (the same as before), and what today needs."""
    status = next((line.text for line in prompt.lines if line.head == "these days"), "")
    lived = next((line.text for line in prompt.lines if line.number), "nothing out of the way")
    needed = [news.shorten(told, _PHRASE) for told, _ in _find_news_of_today(prompt)]
    return {
        "yesterday": cut_text(lived, _SENTENCE),
        "status": cut_text(status, _SENTENCE) or "living as usual",
        "requirements": needed[:4] or ["the usual things"],
    }


def outline_day(prompt: Prompt) -> dict[str, object]:
    """Return the hour of getting up, and the day: what is usual, and the occasions of its date."""
    found = _WAKE.search(prompt.words)
    wake = int(found[1]) if found else 7
    usual = {at: text for at, text in list_entries(prompt).items() if not text.startswith(_ASLEEP)}
    strokes = {at: _format_stroke(at, text) for at, text in usual.items()}
    for told, (begin, end) in _find_news_of_today(prompt):
        span = f"{_format_clock(begin)}-{_format_clock(end)}"
        strokes[begin] = f"{span} {cut_text(news.describe_occasion(told), _PHRASE - len(span) - 1)}"
    for hour in (wake, 9, 11, 13, 15):
        if len(strokes) < _LEAST_STROKES:
            strokes.setdefault(
                hour * 60, _format_stroke(hour * 60, _choose_default(prompt, hour * 60))
            )
    day = [strokes[at] for at in sorted(strokes)]
    habits = [stroke for stroke in day if stroke[5] == " "]
    for habit in habits[: max(0, len(day) - _MOST_STROKES)]:  # rather than an occasion
        day.remove(habit)
    spare = [_RESTING] * (_LEAST_STROKES - len(day))
    outline = [*day, *spare][:_MOST_STROKES]
    if "wake_hour" not in prompt.fields:  # the agent is up already
        return {"outline": outline}
    hours = (
        prompt.find_limit("minimum", wake, "wake_hour"),
        prompt.find_limit("maximum", wake, "wake_hour"),
    )
    return {"wake_hour": min(max(wake, hours[0]), hours[1]), "outline": outline}


def plan_hours(prompt: Prompt) -> dict[str, object]:
    """Return what is done in each hour asked for: an occasion it meets, else what is usual."""
    head = prompt.words.rpartition("hours:")[2]
    clocks = [_to_minutes(*found) for found in _CLOCK.findall(head)]
    usual, occasions = list_entries(prompt), _list_occasions(prompt)
    ends = [*clocks[1:], DAY]
    planned = [
        _find_occasion(occasions, at, end) or find_entry_at(prompt, usual, at)[1]
        for at, end in zip(clocks, ends, strict=True)
    ]
    return {"hours": [shorten_activity(text) for text in planned]}


def cut_pieces(prompt: Prompt) -> dict[str, object]:
    """Return the blocks of the stretch asked for, cut into pieces as long as they may be."""
    blocks = list_entries(prompt)
    begin, end = find_stretch(prompt)
    length = ("pieces", "items", "minutes")
    shortest, longest = (
        prompt.find_limit("minimum", 5, *length),
        prompt.find_limit("maximum", 15, *length),
    )
    least = prompt.find_limit("minItems", 1, "pieces")
    most = prompt.find_limit("maxItems", 12, "pieces")
    cuts = [*(find_next_minute(at, begin) for at in blocks), end]
    found: list[dict[str, object]] = []
    at = begin
    while (at < end and len(found) < most) or len(found) < least:
        until = min((cut_at for cut_at in cuts if cut_at > at), default=end)
        minutes = min(longest, max(shortest, until - at))
        found.append(
            {
                "what": shorten_activity(find_entry_at(prompt, blocks, at % DAY)[1]),
                "minutes": minutes,
            }
        )
        at += minutes
    return {"pieces": found}


def find_stretch(prompt: Prompt) -> Minutes:
    """Return from when to when a prompt asks about; the end may lie in the next day."""
    clocks = [_to_minutes(*found) for found in _CLOCK.findall(prompt.words)]
    begin, end = (*clocks, 0, 60)[:2]
    return begin, end + DAY * (end <= begin)


def shorten_activity(text: str, limit: int = _PHRASE) -> str:
    """Return an activity in about `limit` characters, never more than a phrase has.

    The place at its end stays, since the agent could not go there otherwise.
    """
    doing, comma, where = text.rpartition(", ")
    if len(text) <= limit or not comma or len(where) > _PHRASE - _LEAST:
        return cut_text(text, limit)
    return f"{cut_text(doing, max(_LEAST, limit - len(where)) - 2)}, {where}"


def list_entries(prompt: Prompt) -> dict[int, str]:
    """Return what is planned or usual from which minute of the day on.

    What is planned goes before what is usual, and that before the outline of today.
    """
    outlined: dict[int, str] = {}
    planned: dict[int, str] = {}
    for line in prompt.lines:
        usual, today = _USUAL.fullmatch(line.head), _TODAY.match(line.text)
        if usual and line.number is None:
            planned[_to_minutes(*usual.groups())] = line.text
        elif line.head == "today" and today and today[3] is None:
            outlined[_to_minutes(today[1], today[2])] = today[5]
    return outlined | planned


def _list_occasions(prompt: Prompt) -> list[tuple[str, Minutes]]:
    """Return what takes place on the day asked about: by its outline, then by the news."""
    found: list[tuple[str, Minutes]] = []
    for line in prompt.lines:
        today = _TODAY.match(line.text) if line.head == "today" else None
        if today and today[3] is not None:
            span = _to_minutes(today[1], today[2]), _to_minutes(today[3], today[4])
            found.append((today[5], span))
    return [
        *found,
        *((news.describe_occasion(told), span) for told, span in _find_news_of_today(prompt)),
    ]


def _find_news_of_today(prompt: Prompt) -> list[tuple[str, Minutes]]:
    """Return the news that is of the day asked about and has its hours."""
    asked = news.find_date(prompt.words)
    needs = [line.text for line in prompt.lines if line.head == "today needs"]
    told = [item.statement for item in news.find_news(prompt.lines)]
    return [
        (text, span)
        for text in dict.fromkeys([*needs, *told])
        if asked is not None
        and news.find_date(text) == asked
        and (span := news.find_hours(text)) is not None
    ]


def _find_occasion(occasions: Sequence[tuple[str, Minutes]], at: int, end: int) -> str:
    met = (text for text, (begin, until) in occasions if at < until and begin < end)
    return next(met, "")


def find_entry_at(prompt: Prompt, entries: dict[int, str], at: int) -> tuple[int, str]:
    """Return since when what is done at a minute: by the latest entry not later than that.

    Before the first entry it is what people do anyway, from that minute on.
    """
    begun = [entry for entry in sorted(entries) if entry <= at]
    if begun:
        return begun[-1], entries[begun[-1]]
    return at, _choose_default(prompt, at)


def _choose_default(prompt: Prompt, at: int) -> str:
    """Return what people do of whose day nothing else is said."""
    if prompt.work and _WORKING_HOURS[0] <= at < _WORKING_HOURS[1]:
        return f"working, {prompt.work.split('/')[0]}"
    return _RESTING


def _format_stroke(at: int, text: str) -> str:
    return f"{_format_clock(at)} {shorten_activity(text, _PHRASE - 6)}"


def find_next_minute(at: int, begin: int) -> int:
    """Return a minute of the day as the first one not before `begin`."""
    return at if at >= begin else at + DAY


def _to_minutes(hour: str, minute: str) -> int:
    return 60 * int(hour) + int(minute)


def _format_clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"
