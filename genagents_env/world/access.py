"""Access to places: opening hours, users and capacity."""

from typing import NamedTuple

import numpy as np

from genagents_env.scenario.plan import DAY, Hours, TownPlan
from genagents_env.scenario.schema import Person
from genagents_env.world.places import Places
from genagents_env.world.tiles import Bools

_KEPT = 16  # hours of which the rights are kept


class Rights(NamedTuple):
    """Whether people may enter arenas, shape (N, arenas), and places, shape (N, places)."""

    enter: Bools
    places: Bools


class EntryRights:
    """The rights at every minute of a day. They never change, so worlds of a town share them.

    Attributes:
        plan: of the town.
        allowed: whether the users of arena and sector admit people, at any hour, shape (N, arenas).
        limited: the arenas with a capacity, their own or their sector's.
        timed: whether there are opening hours at all.
    """

    def __init__(self, plan: TownPlan, places: Places, people: tuple[Person, ...]) -> None:
        self.plan = plan
        self.hours = tuple((plan.sectors[a.sector].hours, a.hours) for a in plan.arenas)
        self.timed = any(s or a for s, a in self.hours)
        self.limited = tuple(
            a
            for a, arena in enumerate(plan.arenas)
            if arena.capacity is not None or plan.sectors[arena.sector].capacity is not None
        )
        self._sector_of = np.array([arena.sector for arena in plan.arenas], dtype=np.int64)
        self.allowed = self._find_allowed(people)
        self._staff = self._find_staff(people)
        # The arenas of all places, place by place, and where those of each begin.
        self._covered = np.array([a for place in places.all for a in place.arenas], dtype=np.int64)
        sizes = [len(place.arenas) for place in places.all]
        self._first = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
        self._patterns, self._pattern_at = self._find_patterns()
        self._rights: dict[int, Rights] = {}
        self.always = self._make_rights(self.allowed)

    def find_pattern(self, minute: int) -> int:
        """Return the pattern of open arenas at a minute of the day; 0 if nothing has hours."""
        return self._pattern_at[minute] if self.timed else 0

    def find_rights(self, pattern: int) -> Rights:
        """Return the rights while arenas are open by a pattern, the same object as last time."""
        if not self.timed:
            return self.always
        rights = self._rights.get(pattern)
        if rights is None:
            if len(self._rights) == _KEPT:
                self._rights.clear()
            rights = self._make_rights(self.allowed & (self._patterns[pattern] | self._staff))
            self._rights[pattern] = rights
        return rights

    def _find_allowed(self, people: tuple[Person, ...]) -> Bools:
        index = {person.name: i for i, person in enumerate(people)}
        allowed: Bools = np.ones((len(people), len(self.plan.arenas)), dtype=np.bool_)
        for a, arena in enumerate(self.plan.arenas):
            for users in (arena.users, self.plan.sectors[arena.sector].users):
                if users:
                    admitted = np.zeros(len(people), dtype=np.bool_)
                    admitted[[index[name] for name in users if name in index]] = True
                    allowed[:, a] &= admitted
        return allowed

    def _find_staff(self, people: tuple[Person, ...]) -> Bools:
        """Mark the people who live or work in the sector of each arena: hours do not bind them."""
        index: dict[str, list[int]] = {}
        for s, sector in enumerate(self.plan.sectors):
            index.setdefault(sector.name, []).append(s)
        own: Bools = np.zeros((len(people), len(self.plan.sectors)), dtype=np.bool_)
        for i, person in enumerate(people):
            for ref in (person.home, person.workplace):
                own[i, index.get(ref.split("/")[0], []) if ref else []] = True
        return own[:, self._sector_of]

    def _find_patterns(self) -> tuple[Bools, list[int]]:
        """Return the open arenas of each pattern, and the pattern of each minute of a day."""
        if not self.timed:
            return np.ones((1, len(self.hours)), dtype=np.bool_), []
        made: dict[tuple[Hours, ...], Bools] = {}
        table: Bools = np.ones((DAY, len(self.hours)), dtype=np.bool_)
        for a, both in enumerate(self.hours):
            for spans in both:
                if spans:
                    table[:, a] &= made.setdefault(spans, _list_minutes(spans))
        patterns, at = np.unique(table, axis=0, return_inverse=True)
        return patterns, at.ravel().tolist()

    def _make_rights(self, enter: Bools) -> Rights:
        places = np.logical_or.reduceat(enter[:, self._covered], self._first, axis=1)
        return Rights(enter, places)


class Access:
    """Entry rights by agent and arena. Hours do not bind those who live or work in the sector."""

    def __init__(self, rights: EntryRights) -> None:
        self._rights, self.plan = rights, rights.plan
        self.timed, self.limited = rights.timed, rights.limited
        self.begin()

    def begin(self) -> None:
        """Reset the hour, as before the first episode."""
        self._pattern = -1
        self.enter, self.places = self._rights.always

    def set_minute(self, minute: int) -> bool:
        """Set the minute of the day; return whether any right may have changed."""
        pattern = self._rights.find_pattern(minute)
        if pattern == self._pattern:
            return False
        self._pattern = pattern
        self.enter, self.places = self._rights.find_rights(pattern)
        return True

    def may_enter(self, agent: int, arena: int, here: int) -> bool:
        """Return True if `agent`, now in `here`, may go into `arena`.

        Closing time keeps people out, not in: within a sector one may always walk on.
        """
        if self.enter[agent, arena]:
            return True
        same = self.plan.arenas[arena].sector == self.plan.arenas[here].sector
        return same and bool(self._rights.allowed[agent, arena])

    def explain_refusal(self, agent: int, arena: int) -> str:
        """Explain why `agent` may not enter `arena`."""
        name = self.plan.arena_id(arena)
        if not self._rights.allowed[agent, arena]:
            return f"{name} is private"
        spans = next(h for h in self._rights.hours[arena] if h)
        return f"{name} is closed; open {', '.join(map(str, spans))}"

    def is_full(self, arena: int, arenas_now: list[int]) -> bool:
        """Return True if one more person would exceed a capacity; `arenas_now` by agent."""
        plan = self.plan
        room, sector = plan.arenas[arena], plan.sectors[plan.arenas[arena].sector]
        if room.capacity is not None and arenas_now.count(arena) >= room.capacity:
            return True
        if sector.capacity is None:
            return False
        inside = sum(plan.arenas[a].sector == room.sector for a in arenas_now if a >= 0)
        return inside >= sector.capacity


def _list_minutes(spans: tuple[Hours, ...]) -> Bools:
    """Mark the minutes of a day within `spans`."""
    on: Bools = np.zeros(DAY, dtype=np.bool_)
    for span in spans:
        on[np.arange(span.start, span.end) % DAY] = True
    return on
