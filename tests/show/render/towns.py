"""A small town and its ticks, made by hand."""

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import ArenaPlan, ObjectPlan, SectorPlan, TownPlan
from genagents_env.show.render import RenderSnapshot

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

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
    """Return a house of two rooms beside a garden."""
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


@dataclass(frozen=True, eq=False)
class Frame:
    """A snapshot of three people, at 09:01 unless told otherwise."""

    tick: int = 6
    time: datetime = NINE
    x: Ints = field(default_factory=lambda: np.array([2, 9, 9]))
    y: Ints = field(default_factory=lambda: np.array([3, 3, 3]))
    arena: Ints = field(default_factory=lambda: np.array([1, 3, 3]))
    asleep: Bools = field(default_factory=lambda: np.array([False, False, True]))
    present: Bools = field(default_factory=lambda: np.ones(3, bool))
    doing: tuple[str, ...] = ("cooking", "watering the roses", "")
    emoji: tuple[str, ...] = ("🍳", "🌹", "")
    object_states: tuple[str, ...] = ("off", "still")
    spoken: tuple[tuple[int, str], ...] = ((0, "Good morning, Ben!"),)


def check_same(shown: RenderSnapshot, true: RenderSnapshot) -> None:
    """Check that two snapshots are drawn alike."""
    assert (shown.tick, shown.time) == (true.tick, true.time)
    for name in ("x", "y", "arena", "asleep", "present"):
        assert np.array_equal(getattr(shown, name), getattr(true, name)), (shown.tick, name)
    for name in ("doing", "emoji", "object_states", "spoken"):
        assert tuple(getattr(shown, name)) == tuple(getattr(true, name)), (shown.tick, name)
