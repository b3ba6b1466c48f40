"""How much was said."""

from collections.abc import Iterable
from dataclasses import dataclass

from genagents_env.world.events import Event


@dataclass(frozen=True, slots=True)
class Talk:
    """Counts over a run; `by_phone` and `alone` (nobody heard it) are parts of `utterances`."""

    conversations: int
    utterances: int
    by_phone: int
    alone: int


def talk(events: Iterable[Event]) -> Talk:
    """Return the counts over `events`."""
    conversations: set[int] = set()
    utterances = by_phone = alone = 0
    for event in events:
        if event.kind == "converse":
            conversations.add(event.data["conversation"])
        elif event.kind == "say":
            utterances += 1
            by_phone += bool(event.data["phone"])
            alone += not event.data["heard_by"]
    return Talk(len(conversations), utterances, by_phone, alone)
