"""Synthetic towns for the benchmarks: any number of people, about equally crowded."""

import json

from genagents_env.scenario import Scenario


def make_town(people: int) -> Scenario:
    """Return a town with a house for every two people and a public hall for every five."""
    houses = [
        {
            "name": f"House {h}",
            "common": True,
            "arenas": [
                {"name": "parlour", "size": (8, 6), "objects": _things("table", "lamp")},
                {"name": "kitchen", "size": (6, 5), "objects": _things("stove", "sink")},
            ],
        }
        for h in range(-(-people // 2))
    ]
    halls = [
        {
            "name": f"Hall {h}",
            "common": True,
            "arenas": [{"name": "floor", "size": (10, 8), "objects": _things("board", "bench")}],
        }
        for h in range(-(-people // 5))
    ]
    residents = [
        {
            "name": f"Person {i}",
            "persona": "Lives here.",
            "home": f"House {i // 2}",
        }
        for i in range(people)
    ]
    town = {
        "name": "synthetic",
        "title": f"A town of {people}",
        "town": "Benchmark",
        "start": "2023-02-13T09:00:00",
        "hours": 24.0,
        "sectors": [*houses, *halls],
        "people": residents,
    }
    return Scenario.model_validate_json(json.dumps(town))


def _things(*names: str) -> list[dict[str, object]]:
    return [{"name": n, "state": "off", "states": ["off", "on"]} for n in names]
