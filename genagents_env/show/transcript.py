"""A run to read: who went where, did what, and said what to whom, with the town's time."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from genagents_env.text import clean, quote
from genagents_env.world.events import Event

_LEFT = {
    "said_so": "leaves the conversation",
    "walked_away": "walks away from the conversation",
    "limit": "has to end the conversation (its limit is reached)",
    "silence": "lets the conversation end in silence",
    "alone": "is left alone, the conversation is over",
    "asleep": "falls asleep in the conversation",
    "removed": "is taken out of the conversation",
}


def format_transcript(
    events: Iterable[Event], time: Callable[[int], datetime], agent: str | None = None
) -> Iterator[str]:
    """Yield a line for each event worth telling: `08:00:10  Maria Lopez: "Hello"`.

    Lines are clean (`text.clean`), whatever the record holds, and not wrapped. A new day begins
    with a line of its own.

    Args:
        events: in order.
        time: from a tick to town time.
        agent: only what this person did or heard, or who changed places with them.
    """
    day = None
    for event in events:
        if agent is not None and not concerns(event, agent):
            continue
        line = _format_event(event)
        if line is None:
            continue
        now = time(event.tick)
        if now.date() != day:
            day = now.date()
            yield f"{now:%A} {now.day} {now:%B %Y}"
        yield f"{now:%H:%M:%S}  {clean(line, 2000)}"


def concerns(event: Event, agent: str) -> bool:
    """Return True if somebody did, heard or changed places in `event`."""
    data = event.data
    others = (*data.get("heard_by", ()), *data.get("moved", ()), data.get("with"))
    return agent == event.agent or agent in others


def _format_event(event: Event) -> str | None:
    if event.kind == "object" and event.tick == 0:
        return None  # how the town is furnished
    tell = _TELL.get(event.kind)
    return tell(event.agent or "someone", event.data) if tell is not None else None


def _say(who: str, data: Mapping[str, object]) -> str:
    to = f" to {data['to']}" if data["to"] else ""
    phone = " by telephone" if data["phone"] else ""
    unheard = "" if data["heard_by"] else " (nobody hears it)"
    return f"{who}{to}{phone}: {quote(str(data['text']))}{unheard}"


def _learn(who: str, data: Mapping[str, object]) -> str:
    source = f" from {data['source']}" if data["source"] else ""
    return f"* {who} hears of {data['fact']}{source}"


def _doing(data: Mapping[str, object]) -> str:
    return f"{data['doing']} {data.get('emoji', '')}".strip()


_TELL: Mapping[str, Callable[[str, Mapping[str, object]], str]] = {
    "start": lambda who, data: f"{who} is at {data['place']}, {_doing(data)}",
    "object": lambda who, data: f"{data['object']} is now: {data['state']} ({who})",
    "doing": lambda who, data: f"{who}: {_doing(data)}",
    "arrive": lambda who, data: f"{who} -> {data['place']}",
    "say": _say,
    "learn": _learn,
    "leave": lambda who, data: f"{who} {_LEFT.get(str(data['reason']), 'leaves')}",
    "sleep": lambda who, data: f"{who} falls asleep",
    "wake": lambda who, data: f"{who} wakes up ({data['cause']})",
    "fail": lambda who, data: f"{who} cannot: {data['reason']}",
    "whisper": lambda who, data: f'{who} thinks: "{data["text"]}"',
    "news": lambda who, data: f'News: "{data["text"]}"',
    "put": lambda who, data: f"{who} is put at {data['place']}",
    "detour": lambda who, data: f"{who} goes round {data['around']}",
    "swap": lambda who, data: f"{who} and {data['with']} change places",
    "aside": lambda who, data: f"{who} is let in and the others move up",
    "join": lambda who, data: f"{who} comes to town, at {data['place']}",
    "part": lambda who, data: f"{who} leaves town",
}
