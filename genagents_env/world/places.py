"""Names of places: the containment tree world > sector > arena > object, and who knows what."""

from dataclasses import dataclass
from difflib import get_close_matches

import networkx as nx

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


def build_tree(plan: TownPlan, town: str) -> "nx.DiGraph[str]":
    """Return the tree town > sector > arena > object; nodes are ids with attribute `level`.

    A sector whose only arena bears its name is one node of level `sector`.
    """
    tree: nx.DiGraph[str] = nx.DiGraph()
    tree.add_node(town, level="world")
    for sector in plan.sectors:
        tree.add_node(sector.name, level="sector")
        tree.add_edge(town, sector.name)
    for index, arena in enumerate(plan.arenas):
        name = plan.arena_id(index)
        if name not in tree:
            tree.add_node(name, level="arena")
            tree.add_edge(plan.sectors[arena.sector].name, name)
    for index, item in enumerate(plan.objects):
        tree.add_node(plan.object_id(index), level="object")
        tree.add_edge(plan.arena_id(item.arena), plan.object_id(index))
    return tree


def find_arenas(plan: TownPlan, ref: str) -> set[int]:
    """Return the arenas that a place id (sector, arena, or an object's arena) covers.

    A sector covers its arenas and its ground outside them.
    """
    for o in range(len(plan.objects)):
        if plan.object_id(o) == ref:
            return {plan.objects[o].arena}
    exact = {a for a, x in enumerate(plan.arenas) if plan.arena_id(a) == ref and not x.ground}
    sector = {a for a, x in enumerate(plan.arenas) if plan.sectors[x.sector].name == ref}
    return exact or sector


def is_within(place: str, whole: str) -> bool:
    """Return whether the arena `place` is `whole` or a room of it, or `whole` lies in that arena.

    A gathering at an object counts everyone in the object's room.
    """
    return place == whole or place.startswith(whole + "/") or whole.startswith(place + "/")


class Places:
    """The places of a plan in a fixed order, and the reading of names people use for them."""

    def __init__(self, plan: TownPlan) -> None:
        self.plan = plan
        self.all = _list_places(plan)
        self.ids = tuple(place.id for place in self.all)
        self.index = {place.id: i for i, place in enumerate(self.all)}
        self.of_arena = tuple(self.index[plan.arena_id(a)] for a in range(len(plan.arenas)))
        self.object_ids = tuple(plan.object_id(o) for o in range(len(plan.objects)))
        self._by_name = self._names()

    def to_bits(self, arenas: set[int] | frozenset[int]) -> int:
        """Return the set of places known by knowing `arenas`, as bits by place index."""
        known = 0
        for i, place in enumerate(self.all):
            if not arenas.isdisjoint(place.arenas):
                known |= 1 << i
        return known

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
        """Return a sentence on why `find` found nothing."""
        hits = self._by_name.get(fold(name), ())
        if len(hits) > 1:
            return f"{name!r} is ambiguous: {', '.join(self.id_of(*h) for h in hits[:4])}"
        return f"there is no place called {name!r}"

    def suggest(self, name: str, known: list[str]) -> str:
        """Return a hint with the known place spelt most like `name`, or nothing."""
        close = get_close_matches(name, known, 1)
        return f"; did you mean {close[0]}?" if close else ""

    def id_of(self, kind: str, index: int) -> str:
        """Return the full id of what `find` returned."""
        return self.ids[index] if kind == "place" else self.object_ids[index]

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


def _list_places(plan: TownPlan) -> tuple[Place, ...]:
    """Sectors (where they are more than their one arena) and arenas, in the plan's order."""
    places: list[Place] = []
    for s, sector in enumerate(plan.sectors):
        inside = [a for a, arena in enumerate(plan.arenas) if arena.sector == s]
        named = [a for a in inside if not plan.arenas[a].ground]
        names = [plan.arena_id(a) for a in named]
        if len(inside) > 1 and sector.name not in names:
            places.append(Place(sector.name, sector.name, s, tuple(inside)))
        for a, name in zip(named, names, strict=True):
            places.append(Place(name, name.replace("/", ", "), s, (a,)))
    return tuple(places)
