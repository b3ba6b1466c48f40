"""What happened, as data: the unit of the record, and the cause that percepts point at.

`data` by kind (places and objects are full ids, people are names):

| kind | agent | data |
|---|---|---|
| start | who is here | place, tile, doing, emoji, asleep |
| object | who did it, or None | object, state |
| doing | who | doing, emoji |
| arrive | who entered another arena | place |
| say | speaker | text, to, heard_by, addressed, conversation, phone, facts, by a rule claims |
| learn | who heard a fact first | fact, cause (event id), source (who said it, or None) |
| converse | who joined | conversation, members (after joining) |
| leave | who left | conversation, reason (see below) |
| sleep, wake | who | cause: object, hour, speech, action, intervention |
| fail | whose action was impossible | action, reason |
| whisper | to whom | text |
| news | None | text, place, heard_by |
| put | who was moved | as start |
| detour | who got round somebody | around (a name), longer (by how many tiles) |
| swap | who waited, then changed places | with (a name), waited (seconds) |
| aside | who waited until others moved up | moved (names), waited (seconds) |
| join, part | who came to or left the town | as start; or nothing |

Reasons to leave: said_so, walked_away, limit, silence, alone, asleep, removed.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from genagents_env.scenario.schema import ObjectCheck

JSON = Any  # str, int, float, bool, None, and lists and string-keyed dicts of them


class Event(NamedTuple):
    """One event. `id` counts from 0 over a run; ids never repeat and never have gaps."""

    id: int
    tick: int
    kind: str
    agent: str | None
    data: Mapping[str, JSON]


class Log:
    """Numbers events and holds those of one tick, in order; ids count up over the run."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self.next_id = 0
        self.tick = 0
        self.events: list[Event] = []

    def begin(self, tick: int) -> None:
        """Start a tick with no events."""
        self.tick = tick
        self.events = []

    def emit(self, kind: str, agent: int | None, **data: JSON) -> int:
        """Add an event and return its id; `agent` is an index."""
        event_id = self.next_id
        self.next_id += 1
        name = None if agent is None else self._names[agent]
        self.events.append(Event(event_id, self.tick, kind, name, data))
        return event_id


class Deed(NamedTuple):
    """The last change of an object: its state, and by whom; None where that does not count."""

    state: str
    agent: str | None


def follow_deed(
    check: ObjectCheck, before: Deed | None, event: Event, was_there: Callable[[str], bool]
) -> Deed | None:
    """Return the last change of a check's object after an event; `before` where that changes none.

    An intervention does not count, nor what one did while somebody was there of whom the check says
    that nobody of them may be.

    Args:
        check: of the object.
        before: the change before the event; None where there was none.
        event: of any kind.
        was_there: says of a name whether they were awake in the object's arena as the tick ended.
    """
    if event.kind != "object" or event.data["object"] != check.object:
        return before
    state = event.data["state"]
    if before is not None and before.state == state:
        return before
    watched = any(name != event.agent and was_there(name) for name in check.unseen_by)
    return Deed(state, None if watched else event.agent)
