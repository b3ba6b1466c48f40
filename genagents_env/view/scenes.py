"""The resources `story` and `gatherings`: the run as scenes, and who was together when."""

from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.scenes import find_scenes, index_scenes
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
                "first": scene.first,
                "last": scene.last,
                "place": scene.place,
                "people": [data.row[name] for name in scene.people],
            }
            for scene in find_scenes(data)
            if scene.kind == "gathering"
        ]
    }
