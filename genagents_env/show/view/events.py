"""The resource `events/K`: what happened in the ticks of a part."""

from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.show.view.parts import find_span


def make_events(run: RunReader, part: int) -> dict[str, JSON]:
    """Return the events of a part, ordered by id; agents by their rows, -1 for nobody."""
    row = {name: index for index, name in enumerate(run.meta.names)}
    return {
        "events": [
            [event.id, event.tick, event.kind, row.get(event.agent or "", -1), dict(event.data)]
            for event in run.events(*find_span(part))
        ]
    }
