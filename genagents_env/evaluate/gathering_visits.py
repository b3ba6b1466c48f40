"""Who came to the gatherings of the scenario."""

from dataclasses import dataclass
from datetime import datetime

from genagents_env.evaluate.presence import Visit, find_visits
from genagents_env.evaluate.run_data import RunData, once_per_run


@dataclass(frozen=True, slots=True)
class GatheringVisits:
    """A gathering of the scenario and who came, in the order of coming."""

    gathering: str
    place: str
    start: datetime
    end: datetime
    visits: tuple[Visit, ...]


@once_per_run
def gathering_visits(data: RunData) -> tuple[GatheringVisits, ...]:
    """Return who came to each gathering that falls into the time simulated."""
    reader = data.reader
    return tuple(
        GatheringVisits(
            gathering.id,
            gathering.place,
            gathering.start,
            gathering.end,
            tuple(
                find_visits(
                    data.stays,
                    gathering.place,
                    reader.tick_at(gathering.start),
                    reader.tick_at(gathering.end),
                )
            ),
        )
        for gathering in data.scenario.gatherings
        if gathering.start <= reader.time(data.last_tick) and gathering.end > reader.time(0)
    )
