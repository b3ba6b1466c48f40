"""Merge what a Tiled map and scenario.toml say of the same places.

Keys may be in either; where both have one with different values, that is a fault. Places come in
the order of scenario.toml, then those that only the map has, in the order of drawing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import PurePosixPath

from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.files import Raw, fold_name
from genagents_env.scenario.maps.drawn import DrawnMap
from genagents_env.scenario.maps.grid import format_grid
from genagents_env.scenario.maps.tiled.places import PERSON, SPRITE, DrawnPlace
from genagents_env.scenario.maps.tiled.town import TiledTown
from genagents_env.scenario.schema import MAP_LIMIT
from genagents_env.text import fold

_SPELLINGS = 100  # how many names in a room are compared with others, which takes time


@dataclass(slots=True)
class Merger:
    """Adds a drawn town to the data of a scenario folder.

    Attributes:
        folder: of the map, from the scenario's; files that it names lie there.
        drawn: of what comes from the map, by its place in the scenario, the place in the map.
        faults: what both say, and not alike.
        warnings: what is drawn and what is described, where they may be one and the same.
    """

    folder: PurePosixPath = field(default_factory=PurePosixPath)
    drawn: dict[Loc, Loc] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    _ids: dict[str, str] = field(default_factory=dict)  # of the map, as scenario.toml spells them
    _known: dict[int, dict[str, int]] = field(default_factory=dict)

    def merge(self, raw: Raw, town: TiledTown) -> None:
        """Put the sectors and the map of `town` into `raw`, and where people start.

        Of places that both name, the map is written with the names of scenario.toml.
        """
        for key, value in town.keys.items():
            if raw.setdefault(key, value) != value:
                text = f"property {quote(key)} of the map is {quote(value)}, and scenario.toml says"
                text += " otherwise; say it in one of them"
                self.faults.append(Fault(("map", "map"), text))
        sectors = raw.setdefault("sectors", [])
        if isinstance(sectors, list):
            for sector in town.sectors:
                self._merge_place(sectors, sector, ("sectors",), "")
        people = raw.get("people")
        if town.starts:
            self._merge_starts(people if isinstance(people, list) else [], town.starts)
        if not self.faults:
            raw["map"] = self._format_map(town.drawn)

    def _merge_place(self, tables: list[object], place: DrawnPlace, loc: Loc, parent: str) -> None:
        """Add the keys and the parts of a place to its table, which is made where there is none."""
        known = self._list_known(tables)
        index = known.setdefault(fold(place.names[-1]), len(tables))
        if index == len(tables):
            tables.append({"name": place.names[-1]})
            self.drawn[*loc, index] = place.where
        table = tables[index]
        assert isinstance(table, dict)  # noqa: S101 - found by its name, or made above
        name = str(table["name"])
        same = place.kind == "arena" and parent == name
        id_ = self._ids[place.id] = name if same or not parent else f"{parent}/{name}"
        for key, value in place.keys.items():
            if key in (PERSON, SPRITE):
                continue
            if table.setdefault(key, value) != value:
                text = f"{quote(key)} of {quote(id_)} is said here and in scenario.toml, not alike"
                self.faults.append(Fault(place.wheres[key], f"{text}; say it in one of them"))
            else:
                self.drawn[*loc, index, key] = place.wheres[key]
        for kind in dict.fromkeys(part.kind for part in place.parts):
            parts = [part for part in place.parts if part.kind == kind]
            inside = table.setdefault(f"{kind}s", [])
            if isinstance(inside, list):
                undrawn = _list_undrawn(inside) if kind == "object" else {}
                for part in parts:
                    self._merge_place(inside, part, (*loc, index, f"{kind}s"), id_)
                self._warn_of_twins(parts, undrawn)

    def _list_known(self, tables: list[object]) -> dict[str, int]:
        """Map each folded name to the index of its first table in a list."""
        if id(tables) not in self._known:
            names = [(fold_name(table), i) for i, table in enumerate(tables)]
            self._known[id(tables)] = {name: i for name, i in reversed(names) if name}
        return self._known[id(tables)]

    def _warn_of_twins(self, places: list[DrawnPlace], described: Mapping[str, str]) -> None:
        """Warn of each thing drawn whose name is spelled like one described and not drawn.

        Args:
            places: things drawn in an arena.
            described: names that scenario.toml has there without a tile, by folded names.
        """
        drawn = {fold(place.names[-1]): place for place in places}
        undrawn = [name for name in described if name not in drawn][:_SPELLINGS]
        added = [name for name in drawn if name not in described][:_SPELLINGS] if undrawn else []
        for name in added:
            for other in get_close_matches(name, undrawn, n=1):
                text = f"{quote(drawn[name].id)} is not in scenario.toml, which has "
                text += f"{quote(described[other])} there, not drawn and so put on a tile by rule"
                text += ": they are two things; if one is meant, spell them alike"
                self.warnings.append(Fault(drawn[name].where, text))

    def _merge_starts(self, people: list[object], starts: list[DrawnPlace]) -> None:
        known = self._list_known(people)
        for spawn in starts:
            name, sprite = str(spawn.keys[PERSON]), spawn.keys.get(SPRITE)
            index = known.get(fold(name), -1)
            person = people[index] if index >= 0 else None
            if not isinstance(person, dict):
                text = f"no person {quote(name)} in the scenario; name one of its people"
                self.faults.append(Fault(spawn.where, text))
                continue
            keys = {"start": self._ids[spawn.id]}
            if sprite is not None:
                keys[SPRITE] = (self.folder / str(sprite)).as_posix()
                if SPRITE not in person:
                    self.drawn["people", index, SPRITE] = spawn.where
            for key, value in keys.items():
                if person.setdefault(key, value) != value:
                    text = f"{quote(key)} of {quote(name)} is said here and in the scenario"
                    fault = Fault(spawn.where, f"{text}, not alike; say it in one of them")
                    self.faults.append(fault)

    def _format_map(self, drawn: DrawnMap) -> str:
        """Format a map as a `map.grid`, and note the places in the map of its lines."""
        ids = self._ids
        renamed = replace(
            drawn,
            places=tuple(ids.get(id_, id_) for id_ in drawn.places),
            objects=tuple(replace(item, id=ids[item.id]) for item in drawn.objects),
            spawns=tuple(replace(spawn, id=ids[spawn.id]) for spawn in drawn.spawns),
        )
        text = format_grid(renamed)
        lines = text.split("\n")
        for section, parts in (("objects", drawn.objects), ("spawns", drawn.spawns)):
            first = lines.index(f"[{section}]") + 2 if parts else 0  # lines are counted from 1
            wheres = [part.where for part in parts]
            self.drawn |= {("map", f"line {n}"): where for n, where in enumerate(wheres, first)}
        if len(text) > MAP_LIMIT:
            much = f"its places take {len(text)} characters as a map.grid"
            what = f"{much}; at most {MAP_LIMIT} are allowed: draw them fewer or plainer"
            self.faults.append(Fault(("map", "file"), what))
        return text


def _list_undrawn(tables: list[object]) -> dict[str, str]:
    """Map folded names to the names of things that have no tile in scenario.toml."""
    return {
        name: str(table["name"])
        for table in tables
        if (name := fold_name(table))
        and isinstance(table, Mapping)
        and not (table.get("at") or table.get("tiles"))
    }
