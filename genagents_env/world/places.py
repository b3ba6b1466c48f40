"""Names of places (sectors, arenas, objects), and the reading of names that people use."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import TownPlan
from genagents_env.text import fold


@dataclass(frozen=True, slots=True)
class Place:
    """A named place one can go to: a sector or an arena. `arenas` are the indices it covers.

    The ground of a sector outside its arenas is part of the sector, and no place of its own.
    """

    id: str
    label: str
    sector: int
    arenas: tuple[int, ...]


def index_arenas(plan: TownPlan) -> dict[str, frozenset[int]]:
    """Map each place id (sector, arena or object) to the arenas that it covers.

    A sector covers its arenas and its ground outside them.
    """
    arenas: dict[str, set[int]] = {}
    sectors: dict[str, set[int]] = {}
    for a, arena in enumerate(plan.arenas):
        sectors.setdefault(plan.sectors[arena.sector].name, set()).add(a)
        if not arena.ground:
            arenas.setdefault(plan.arena_id(a), set()).add(a)
    objects: dict[str, set[int]] = {}
    for o, item in enumerate(plan.objects):
        objects.setdefault(plan.object_id(o), {item.arena})
    return {ref: frozenset(indices) for ref, indices in (sectors | arenas | objects).items()}


def find_arenas(plan: TownPlan, ref: str) -> frozenset[int]:
    """Return the arenas that a place id covers; for many ids see `Places.find_arenas`."""
    return index_arenas(plan).get(ref, frozenset())


def is_within(place: str, whole: str) -> bool:
    """Return True if the arena `place` is `whole` or a room of it, or `whole` lies in that arena.

    A gathering at an object counts everyone in the object's room.
    """
    return place == whole or place.startswith(whole + "/") or whole.startswith(place + "/")


class Places:
    """The places of a plan in a fixed order, and the reading of names people use for them."""

    def __init__(self, plan: TownPlan) -> None:
        self.plan = plan
        self.arena_ids = tuple(plan.arena_id(a) for a in range(len(plan.arenas)))
        self.all = _list_places(plan, self.arena_ids)
        self.ids = tuple(place.id for place in self.all)
        self.index = {place.id: i for i, place in enumerate(self.all)}
        self.of_arena = tuple(self.index[id_] for id_ in self.arena_ids)
        self.object_ids = tuple(f"{self.arena_ids[o.arena]}/{o.name}" for o in plan.objects)
        self._by_name = self._names()
        self._arenas = index_arenas(plan)
        # The places known by knowing each arena, as bits by place index.
        self.bits_of_arena = [0] * len(plan.arenas)
        for i, place in enumerate(self.all):
            for arena in place.arenas:
                self.bits_of_arena[arena] |= 1 << i

    def find_arenas(self, ref: str) -> frozenset[int]:
        """Return the arenas that a place id covers, as `index_arenas` has them; none for others."""
        return self._arenas.get(ref, frozenset())

    def find(self, name: str) -> tuple[str, int] | None:
        """Return ("place", index) or ("object", index) for an id or an unambiguous short name."""
        hits = self._by_name.get(fold(name), ())
        return hits[0] if len(hits) == 1 else None

    def find_place(self, ref: str) -> int:
        """Return the index of a place by the id that a valid scenario gives it."""
        return next(i for kind, i in self._by_name[fold(ref)] if kind == "place")

    def find_object(self, ref: str) -> int:
        """Return the index of an object by its full id."""
        return self.object_ids.index(ref)

    def explain_unknown(self, name: str) -> str:
        """Explain why `find` returned None."""
        hits = self._by_name.get(fold(name), ())
        if len(hits) > 1:
            return f"{name!r} is ambiguous: {', '.join(self.id_of(*h) for h in hits[:4])}"
        return f"there is no place called {name!r}"

    def suggest(self, name: str, known: list[str]) -> str:
        """Suggest the known place spelt most like `name`, or return ""."""
        close = get_close_matches(name, known, 1)
        return f"; did you mean {close[0]}?" if close else ""

    def id_of(self, kind: str, index: int) -> str:
        """Return the full id for a result of `find`."""
        return self.ids[index] if kind == "place" else self.object_ids[index]

    def to_rows(self, known: Sequence[int]) -> npt.NDArray[np.uint8]:
        """Return sets of places, bits by place index, as rows of 0 and 1, by place."""
        size = -(-len(self.all) // 8)
        packed = np.frombuffer(b"".join(bits.to_bytes(size, "little") for bits in known), np.uint8)
        rows = np.unpackbits(packed.reshape(-1, size), axis=1, bitorder="little")
        return rows[:, : len(self.all)]

    def _names(self) -> dict[str, tuple[tuple[str, int], ...]]:
        full: dict[str, tuple[tuple[str, int], ...]] = {}
        short: dict[str, list[tuple[str, int]]] = {}
        for i, place in enumerate(self.all):  # a sector of one arena goes by its own name too
            full[fold(self.plan.sectors[place.sector].name)] = (("place", i),)
        ids = [("place", i, p.id) for i, p in enumerate(self.all)]
        ids += [("object", i, o) for i, o in enumerate(self.object_ids)]
        for kind, i, name in ids:
            full[fold(name)] = ((kind, i),)
            parts = name.split("/")
            for k in range(1, len(parts)):
                short.setdefault(fold("/".join(parts[k:])), []).append((kind, i))
        return {name: tuple(hits) for name, hits in short.items()} | full


def _list_places(plan: TownPlan, arena_ids: Sequence[str]) -> tuple[Place, ...]:
    """List sectors (unless they are one arena) and arenas, in the plan's order."""
    inside: list[list[int]] = [[] for _ in plan.sectors]
    for a, arena in enumerate(plan.arenas):
        inside[arena.sector].append(a)
    places: list[Place] = []
    for s, (sector, arenas) in enumerate(zip(plan.sectors, inside, strict=True)):
        named = [a for a in arenas if not plan.arenas[a].ground]
        names = [arena_ids[a] for a in named]
        if len(arenas) > 1 and sector.name not in names:
            places.append(Place(sector.name, sector.name, s, tuple(arenas)))
        for a, name in zip(named, names, strict=True):
            places.append(Place(name, name.replace("/", ", "), s, (a,)))
    return tuple(places)
