"""Doors: who may walk from one arena into another, as the rooms fill."""

from genagents_env.world.state import WorldState
from genagents_env.world.tiles import Ints


class Doors:
    """The doors of one town during one step; people go through one after another."""

    def __init__(self, state: WorldState) -> None:
        self._state, self._access = state, state.access
        self._now: list[int] = []
        if self._access.limited:
            now = zip(state.arena, state.present, strict=True)
            self._now = [int(arena) if present else -1 for arena, present in now]

    def let(self, i: int, here: int, there: int) -> bool:
        """Let `i` go from one arena into another, or tell why not; return whether it may be."""
        state, access = self._state, self._access
        if not access.may_enter(i, there, here):
            state.fail(i, "move", access.explain_refusal(i, there))
            return False
        if access.limited:
            before, self._now[i] = self._now[i], -1
            if there in access.limited and access.is_full(there, self._now):
                self._now[i] = before
                state.fail(i, "move", f"{state.town.plan.arena_id(there)} is full")
                return False
            self._now[i] = there
        state.log.emit("arrive", i, place=state.town.places.arena_ids[there])
        return True


def cross(state: WorldState, new: Ints, arena: Ints, crossing: set[int]) -> None:
    """Let people through doors in the order of ties; who may not pass stays outside.

    Args:
        state: where they are.
        new: the tile each steps onto, shape (N,); put back where somebody may not.
        arena: in which each of these is, shape (N,).
        crossing: whose arena changes.
    """
    doors = Doors(state)
    order = state.rank() if len(crossing) > 1 and state.access.limited else sorted(crossing)
    for i in order:
        if i in crossing and not doors.let(i, int(state.arena[i]), int(arena[i])):
            new[i] = state.tile[i]
