"""Who may enter where, when: opening hours, users and capacity."""

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Person
from genagents_env.world.places import Places

Bools = npt.NDArray[np.bool_]


class Access:
    """Entry rights by agent and arena. Hours do not bind those who live or work in the sector."""

    def __init__(self, plan: TownPlan, places: Places, people: tuple[Person, ...]) -> None:
        self.plan = plan
        self._hours = tuple((plan.sectors[a.sector].hours, a.hours) for a in plan.arenas)
        self.timed = any(s or a for s, a in self._hours)
        shape = (len(people), len(plan.arenas))
        self._allowed: Bools = np.ones(shape, dtype=np.bool_)
        self._staff: Bools = np.zeros(shape, dtype=np.bool_)
        for i, person in enumerate(people):
            own = {r.split("/")[0] for r in (person.home, person.workplace) if r}
            for a, arena in enumerate(plan.arenas):
                sector = plan.sectors[arena.sector]
                self._staff[i, a] = sector.name in own
                self._allowed[i, a] = all(
                    not users or person.name in users for users in (arena.users, sector.users)
                )
        self._member: Bools = np.zeros((len(plan.arenas), len(places.all)), dtype=np.bool_)
        for p, place in enumerate(places.all):
            self._member[list(place.arenas), p] = True
        self.limited = tuple(
            a
            for a, arena in enumerate(plan.arenas)
            if arena.capacity is not None or plan.sectors[arena.sector].capacity is not None
        )
        self._open: Bools | None = None
        self.enter: Bools = self._allowed
        self.places: Bools = self._place_rights()

    def begin(self) -> None:
        """Reset the hour, as before the first episode."""
        if self._open is not None:
            self._open = None
            self.enter = self._allowed
            self.places = self._place_rights()

    def set_minute(self, minute: int) -> bool:
        """Set the minute of the day; return whether any right changed."""
        opened = np.array(
            [
                all(not h or any(s.contains(minute) for s in h) for h in both)
                for both in self._hours
            ],
            dtype=np.bool_,
        )
        if self._open is not None and bool((opened == self._open).all()):
            return False
        self._open = opened
        self.enter = self._allowed & (opened | self._staff)
        self.places = self._place_rights()
        return True

    def may_enter(self, agent: int, arena: int, here: int) -> bool:
        """Return whether `agent`, now in `here`, may go into `arena`.

        Closing time keeps people out, not in: within a sector one may always walk on.
        """
        if self.enter[agent, arena]:
            return True
        same = self.plan.arenas[arena].sector == self.plan.arenas[here].sector
        return same and bool(self._allowed[agent, arena])

    def explain_refusal(self, agent: int, arena: int) -> str:
        """Return why `agent` may not enter `arena`."""
        name = self.plan.arena_id(arena)
        if not self._allowed[agent, arena]:
            return f"{name} is private"
        spans = next(h for h in self._hours[arena] if h)
        return f"{name} is closed; open {', '.join(map(str, spans))}"

    def is_full(self, arena: int, arenas_now: list[int]) -> bool:
        """Return whether one more person would exceed a capacity; `arenas_now` by agent."""
        plan = self.plan
        room, sector = plan.arenas[arena], plan.sectors[plan.arenas[arena].sector]
        if room.capacity is not None and arenas_now.count(arena) >= room.capacity:
            return True
        if sector.capacity is None:
            return False
        inside = sum(plan.arenas[a].sector == room.sector for a in arenas_now if a >= 0)
        return inside >= sector.capacity

    def _place_rights(self) -> Bools:
        return (self.enter.astype(np.int64) @ self._member.astype(np.int64)) > 0
