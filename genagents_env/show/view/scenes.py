"""The resources `story` and `gatherings`: the run as scenes, and who was together when."""

from genagents_env.evaluate.measures.gatherings import find_gathering_visits
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.scenes import index_scenes
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON


def make_story(run: RunReader) -> dict[str, JSON]:
    """Return the run as scenes by place and talk, ordered by start."""
    return index_scenes(RunData(run))


def make_gatherings(run: RunReader) -> dict[str, JSON]:
    """Return when the scenario's gatherings were, and who came."""
    data = RunData(run)
    return {
        "gatherings": [
            {
                "first": run.tick_at(one.start),
                "last": min(run.tick_at(one.end), data.last_tick),
                "place": one.place,
                "people": [data.row[visit.agent] for visit in one.visits],
            }
            for one in find_gathering_visits(data)
        ]
    }
