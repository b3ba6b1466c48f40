"""A small town and its ticks, made by hand."""

from datetime import datetime

import numpy as np

from genagents_env.scenario.plan import ArenaPlan, ObjectPlan, SectorPlan, TownPlan
from genagents_env.show.render import RecordedTick, RenderSnapshot

NAMES = ("Ada Brook", "Ben Carver", "Alma Bell")
MAP = """
..............
.#####.ggggg..
.#aab#.ggggg..
.#aab#.ggggg..
.##+##.ggggg..
..............
"""


def town() -> TownPlan:
    rows = MAP.split()
    letters = np.array([list(row) for row in rows])
    arena = np.zeros(letters.shape, np.int16)
    for index, letter in enumerate(".abg"):
        arena[letters == letter] = index
    arena[letters == "+"] = 1
    return TownPlan(
        width=14,
        height=6,
        blocked=letters == "#",
        arena=arena,
        sectors=(SectorPlan("outside", True), SectorPlan("Inn", True), SectorPlan("Green", True)),
        arenas=(
            ArenaPlan("outside", 0, open_air=True),
            ArenaPlan("hall", 1),
            ArenaPlan("den", 1),
            ArenaPlan("Green", 2, open_air=True),
        ),
        objects=(
            ObjectPlan("stove", 1, ((2, 2),), "off", ("off", "on")),
            ObjectPlan("oddity", 3, ((9, 2),), "still"),
        ),
        doors=((3, 4),),
    )


NINE = datetime.fromisoformat("2023-02-13T09:01")


FRAME = RecordedTick(  # of three people
    tick=6,
    time=NINE,
    x=np.array([2, 9, 9]),
    y=np.array([3, 3, 3]),
    arena=np.array([1, 3, 3]),
    asleep=np.array([False, False, True]),
    present=np.ones(3, bool),
    doing=("cooking", "watering the roses", ""),
    emoji=("🍳", "🌹", ""),
    object_states=("off", "still"),
    spoken=((0, "Good morning, Ben!"),),
)


def check_same(shown: RenderSnapshot, true: RenderSnapshot) -> None:
    assert (shown.tick, shown.time) == (true.tick, true.time)
    for name in ("x", "y", "arena", "asleep", "present"):
        assert np.array_equal(getattr(shown, name), getattr(true, name)), (shown.tick, name)
    for name in ("doing", "emoji", "object_states", "spoken"):
        assert tuple(getattr(shown, name)) == tuple(getattr(true, name)), (shown.tick, name)
