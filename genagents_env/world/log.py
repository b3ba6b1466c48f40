"""Numbers events and holds those of the current tick."""

from genagents_env.world.events import JSON, Event


class Log:
    """The events of one tick, in order; ids go on counting over the run."""

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
