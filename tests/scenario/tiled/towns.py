"""Comparing towns."""

from genagents_env.scenario import TownPlan

_PARTS = ("width", "height", "sectors", "arenas", "objects", "doors", "spawns", "sealed")


def assert_equal_towns(one: TownPlan, other: TownPlan) -> None:
    for part in _PARTS:
        assert getattr(one, part) == getattr(other, part), part
    assert (one.blocked == other.blocked).all()
    assert (one.arena == other.arena).all()
