"""What a Tiled map and scenario.toml say of the same places, put together.

The map says where, and may say what as well, by properties; scenario.toml may add what the map
leaves out. What both say, and not alike, is a fault: neither wins silently. Places stand in the
order of scenario.toml, then those that only the map has, in the order in which they were drawn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import PurePosixPath

from genagents_env.scenario.drawn_map import DrawnMap
from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.files import Raw
from genagents_env.scenario.tiled.place_keys import PERSON, SPRITE
from genagents_env.scenario.tiled.places import DrawnPlace
from genagents_env.scenario.tiled.refusal import locate
from genagents_env.scenario.tiled.town_map import ArenaDrawing, SectorDrawing, TiledTown
from genagents_env.text import fold

_SPELLINGS = 100  # how many names in a room are compared with others, which takes time


@dataclass(slots=True)
class Merger:
    """Adds a drawn town to the data of a scenario folder.

    Attributes:
        folder: of the map, from the scenario's; files that it names lie there.
        names: for the id that the map has of a place, the one of scenario.toml.
        drawn: of what comes from the map, by its place in the scenario, the place in the map.
        faults: what both say, and not alike.
        warnings: what is drawn and what is described, where they may be one and the same.
    """

    folder: PurePosixPath = field(default_factory=PurePosixPath)
    names: dict[str, str] = field(default_factory=dict)
    drawn: dict[Loc, Loc] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    _known: dict[int, dict[str, int]] = field(default_factory=dict)

    def merge(self, raw: Raw, town: TiledTown) -> None:
        """Put the sectors of `town` into `raw`, and where people start."""
        for key, value in town.keys.items():
            if raw.setdefault(key, value) != value:
                text = f"property {quote(key)} of the map is {quote(value)}, and scenario.toml says"
                text += " otherwise; say it in one of them"
                self.faults.append(Fault(locate("map"), text))
        sectors = raw.setdefault("sectors", [])
        if isinstance(sectors, list):
            for drawing in town.sectors:
                self._merge_sector(sectors, drawing)
        self._merge_people(raw, town)

    def rename(self, drawn: DrawnMap) -> DrawnMap:
        """Return a map with the names of scenario.toml, in its spelling."""
        names = self.names
        return replace(
            drawn,
            places=tuple(names.get(id_, id_) for id_ in drawn.places),
            objects=tuple(replace(one, id=names[one.id]) for one in drawn.objects),
            spawns=tuple(replace(one, id=names[one.id]) for one in drawn.spawns),
        )

    def _merge_sector(self, sectors: list[object], drawing: SectorDrawing) -> None:
        table, index = self._merge_place(sectors, drawing.place, ("sectors",), "")
        arenas = table.setdefault("arenas", [])
        if isinstance(arenas, list):
            for arena in drawing.arenas:
                name = str(table["name"])
                self._merge_arena(arenas, arena, ("sectors", index, "arenas"), name)

    def _merge_arena(
        self, arenas: list[object], drawing: ArenaDrawing, loc: Loc, sector: str
    ) -> None:
        table, index = self._merge_place(arenas, drawing.place, loc, sector)
        id_ = self.names[drawing.place.id]
        for kind, places in (("objects", drawing.objects), ("spawns", drawing.spawns)):
            if not places:
                continue
            inside = table.setdefault(kind, [])
            if isinstance(inside, list):
                described = dict(_list_loose(inside))
                for place in places:
                    self._merge_place(inside, place, (*loc, index, kind), id_)
                if kind == "objects":
                    self._warn_of_twins(places, described)

    def _merge_place(
        self, tables: list[object], place: DrawnPlace, loc: Loc, parent: str
    ) -> tuple[Raw, int]:
        """Return the table of a place, found or added, with the keys of the map, and its index."""
        name = place.names[-1]
        known = self._list_known(tables)
        index = known.setdefault(fold(name), len(tables))
        if index == len(tables):
            tables.append({"name": name})
            self.drawn[*loc, index] = place.where
        table = tables[index]
        assert isinstance(table, dict)  # noqa: S101 - found by its name, or made above
        found = str(table["name"])
        id_ = found if not parent or parent == found else f"{parent}/{found}"
        self.names[place.id] = id_
        for key, value in place.keys.items():
            if key in (PERSON, SPRITE):
                continue
            if key in table and table[key] != value:
                text = f"{quote(key)} of {quote(id_)} is said here and in scenario.toml, not alike"
                self.faults.append(Fault(place.wheres[key], f"{text}; say it in one of them"))
            else:
                table[key] = value
                self.drawn[*loc, index, key] = place.wheres[key]
        return table, index

    def _warn_of_twins(self, places: list[DrawnPlace], described: Mapping[str, str]) -> None:
        """Note each thing drawn that is spelled almost as one described and not drawn.

        Args:
            places: what is drawn in an arena.
            described: what scenario.toml has there without a tile, its names by folded names.
        """
        drawn = {fold(place.names[-1]): place for place in places}
        undrawn = [name for name in described if name not in drawn][:_SPELLINGS]
        added = [name for name in drawn if name not in described][:_SPELLINGS]
        for name in added:
            for other in get_close_matches(name, undrawn, n=1):
                text = f"{quote(drawn[name].id)} is not in scenario.toml, which has "
                text += f"{quote(described[other])} there, not drawn and so put on a tile by rule"
                text += ": they are two things; if one is meant, spell them alike"
                self.warnings.append(Fault(drawn[name].where, text))

    def _list_known(self, tables: list[object]) -> dict[str, int]:
        """Return where in a list the table of each folded name is; the first, of several."""
        if id(tables) not in self._known:
            names = [(_find_name(table), i) for i, table in enumerate(tables)]
            known = {name: i for name, i in reversed(names) if name}
            self._known[id(tables)] = known
        return self._known[id(tables)]

    def _merge_people(self, raw: Raw, town: TiledTown) -> None:
        people = raw.get("people")
        tables = people if isinstance(people, list) else []
        known = self._list_known(tables)
        for start in town.starts:
            index = known.get(fold(start.person), -1)
            person = tables[index] if index >= 0 else None
            if not isinstance(person, dict):
                text = f"no person {quote(start.person)} in the scenario; name one of its people"
                self.faults.append(Fault(start.where, text))
                continue
            sprite = None if start.sprite is None else (self.folder / start.sprite).as_posix()
            if sprite is not None and SPRITE not in person:
                self.drawn["people", index, SPRITE] = start.where
            said = {"start": self.names[start.spawn], SPRITE: sprite}
            for key, value in said.items():
                if value is not None and person.setdefault(key, value) != value:
                    text = f"{quote(key)} of {quote(start.person)} is said here and in the scenario"
                    fault = Fault(start.where, f"{text}, not alike; say it in one of them")
                    self.faults.append(fault)


def _list_loose(tables: list[object]) -> Iterator[tuple[str, str]]:
    """Yield the folded name and the name of each thing for which scenario.toml says no tile."""
    for table in tables:
        name = _find_name(table)
        if name and isinstance(table, Mapping) and not (table.get("at") or table.get("tiles")):
            yield name, str(table["name"])


def _find_name(table: object) -> str:
    """Return the name of a table as names are compared, nothing where it has none."""
    found = table.get("name") if isinstance(table, Mapping) else None
    return fold(found[:300]) if isinstance(found, str) else ""
