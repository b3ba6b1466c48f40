"""Synthetic towns for the benchmarks: any number of people, about equally crowded."""

import json

import numpy as np

from genagents_env.scenario import Scenario
from genagents_env.scenario.plan import ArenaPlan, ObjectPlan, SectorPlan, TownPlan


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


def make_crowd(people: int) -> Scenario:
    """Return one hall that holds everybody, in sight and earshot of one another."""
    hall = {"name": "hall", "size": (8, 6), "objects": _things("board", "lamp")}
    names = [f"Person {i}" for i in range(people)]
    town = {
        "name": "crowd",
        "title": f"A crowd of {people}",
        "town": "Benchmark",
        "start": "2023-02-13T09:00:00",
        "hours": 24.0,
        "sectors": [{"name": "Hall", "arenas": [hall]}],
        "people": [{"name": n, "persona": "Lives here.", "home": "Hall"} for n in names],
        "facts": [
            {
                "id": "party",
                "statement": "There is a party at Hobbs Cafe tonight.",
                "patterns": [r"\bparty\b"],
                "known_by": names[:1],
            }
        ],
    }
    return Scenario.model_validate_json(json.dumps(town))


def _things(*names: str) -> list[dict[str, object]]:
    return [{"name": n, "state": "off", "states": ["off", "on"]} for n in names]


def make_plan() -> TownPlan:
    """Return a town of 140 x 100 tiles, as large as the one of Park et al. 2023, drawn by rule.

    Twenty houses stand in rows on open ground. Each has a hall with a door at either end, so that
    a path could lead through it, and two rooms on either side of the hall.
    """
    blocked = np.zeros((100, 140), dtype=np.bool_)
    arena = np.zeros((100, 140), dtype=np.int16)
    sectors = [SectorPlan("outside", common=True)]
    arenas = [ArenaPlan("outside", 0, open_air=True)]
    objects: list[ObjectPlan] = []
    doors: list[tuple[int, int]] = []
    for top in range(3, 100, 25):
        for left in range(3, 140, 28):
            house = len(sectors)
            sectors.append(SectorPlan(f"House {house}", common=True))
            blocked[top : top + 18, left : left + 22] = True
            rooms = [
                ("hall", left + 8, top + 1, 6, 16, [(left + 10, top), (left + 11, top + 17)]),
                ("kitchen", left + 1, top + 1, 6, 7, [(left + 7, top + 4)]),
                ("bedroom", left + 1, top + 9, 6, 8, [(left + 7, top + 12)]),
                ("study", left + 15, top + 1, 6, 7, [(left + 14, top + 4)]),
                ("bath", left + 15, top + 9, 6, 8, [(left + 14, top + 12)]),
            ]
            for name, x, y, width, height, entrances in rooms:
                index = len(arenas)
                arenas.append(ArenaPlan(name, house))
                blocked[y : y + height, x : x + width] = False
                arena[y : y + height, x : x + width] = index
                for column, row in entrances:
                    blocked[row, column], arena[row, column] = False, index
                    doors.append((column, row))
                corners = [(x, y), (x + width - 1, y + height - 1)]
                objects += [
                    ObjectPlan(f"thing {k}", index, (at,), "") for k, at in enumerate(corners)
                ]
    return TownPlan(
        *(140, 100, blocked, arena),
        *(tuple(sectors), tuple(arenas), tuple(objects), tuple(doors)),
    )
