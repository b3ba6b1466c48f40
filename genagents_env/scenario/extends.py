"""Scenarios that build on another: `extends = "name"` in scenario.toml.

The base is a shipped scenario, or the folder of that name beside the one that extends it. From the
base come its people and every key that is not given anew. Tables are joined key by key, so that
one rule given anew leaves the others as they are; but an empty table (`rules = {}`) is empty, and
`[reward]` with a `name` of its own is another reward, whose keys are all its own. Lists are taken
whole. A person of the same name takes the place of the base's, others are added. With
`extends = { scenario = "name", people = [] }` only these of the base's people come along, here
none; casts that name others stay behind. The town is taken as a whole: with `sectors` of its own,
a scenario does not use the base's map. Every scenario has its own name.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from genagents_env.scenario.faults import quote, suggest
from genagents_env.scenario.fields import NAME_LIMIT
from genagents_env.scenario.files import Folder, Raw, read_folder
from genagents_env.scenario.maps.tiled import attach_map
from genagents_env.scenario.sprites import attach_sprites
from genagents_env.text import fold

KEY = "extends"
CHAIN_LIMIT = 8  # folders
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_OWN = ("name", "title", "description")

Where: TypeAlias = tuple[str, ...]  # keys, the outermost first


def read_whole(path: Path, shipped: Mapping[str, Path]) -> Folder:
    """Return the data of a scenario folder together with what it takes from those it builds on.

    Args:
        path: the folder.
        shipped: the folders of the scenarios that come with the package, by name.
    """
    return _read(path, shipped, (path.resolve(),))


def _read(path: Path, shipped: Mapping[str, Path], chain: tuple[Path, ...]) -> Folder:
    folder = read_folder(path)
    attach_map(folder, path)
    attach_sprites(folder, path)
    if KEY not in folder.raw:
        return folder
    name, guests, faults = _read_reference(folder.raw.pop(KEY))
    folder.faults += [f"scenario.toml:{KEY}{fault}" for fault in faults]
    if faults:
        return folder
    where, fault = _find(name, path, shipped, chain)
    if where is None:
        folder.faults.append(f"scenario.toml:{KEY}: {fault}")
        return folder
    base = _read(where, shipped, (*chain, where.resolve()))
    if guests is not None:
        folder.faults += _drop_people(base, guests)
    return _join(base, folder, f"{where.name}/")


def _read_reference(value: object) -> tuple[object, list[str] | None, list[str]]:
    """Return the base's name, whom to take from it (None: everyone), and what is wrong."""
    if not isinstance(value, dict):
        return value, None, []
    known = ("scenario", "people")
    faults = [f".{key}: unknown key; {suggest(key, known)}" for key in value if key not in known]
    if "scenario" not in value:
        faults.append(".scenario: missing; it is required")
    guests = value.get("people")
    if guests is not None and not (
        isinstance(guests, list) and all(isinstance(guest, str) for guest in guests)
    ):
        faults.append(
            ".people: this is no list of names; a list in [ ], empty for nobody, is wanted"
        )
    return value.get("scenario"), guests, faults


def _drop_people(base: Folder, guests: list[str]) -> list[str]:
    """Drop all of the base's people but these, and return a fault for each name it lacks."""
    people = base.raw.get("people")
    if not isinstance(people, list):
        return []
    wanted = {fold(guest[:NAME_LIMIT]) for guest in guests}
    kept = [i for i, person in enumerate(people) if _name(person) in wanted]
    names = [person["name"] for person in people if _name(person)]
    folded = {fold(name[:NAME_LIMIT]) for name in names}
    faults = [
        f"scenario.toml:{KEY}.people: no person {quote(guest)} there; {suggest(guest, names)}"
        for guest in guests
        if fold(guest[:NAME_LIMIT]) not in folded
    ]
    _drop_casts(base, {fold(name[:NAME_LIMIT]) for name in names} - wanted)
    base.raw["people"] = [people[i] for i in kept]
    base.people = [base.people[i] for i in kept]
    return faults


def _drop_casts(base: Folder, absent: set[str]) -> None:
    """Drop the base's casts in which one of those is who stay behind."""
    casts = base.raw.get("casts")
    if isinstance(casts, dict):
        base.raw["casts"] = {
            key: names
            for key, names in casts.items()
            if not (isinstance(names, list) and any(_fold(name) in absent for name in names))
        }


def _find(
    name: object, path: Path, shipped: Mapping[str, Path], chain: tuple[Path, ...]
) -> tuple[Path | None, str]:
    """Return the folder of the base, or None and what is wrong."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return None, f"{quote(name)} is no scenario's name; a name and not a path is wanted"
    where = shipped.get(name, path.resolve().parent / name)
    if not (where / "scenario.toml").is_file():
        near = suggest(name, sorted(shipped))
        return None, f"no scenario {quote(name)}, shipped or beside this folder; {near}"
    if where.resolve() in chain:
        ring = " -> ".join(quote(folder.name) for folder in (*chain, where.resolve()))
        return None, f"{ring} goes round; extend a scenario that does not build on this one"
    if len(chain) >= CHAIN_LIMIT:
        return None, f"more than {CHAIN_LIMIT} scenarios in a row; extend one further down"
    return where, ""


def _join(base: Folder, own: Folder, prefix: str) -> Folder:
    """Return `own` with what it takes from `base`, whose files are named with `prefix`."""
    if not base.raw:  # what the base lacks cannot be distinguished from what is missing
        return Folder(faults=[*own.faults, *(prefix + fault for fault in base.faults)])
    theirs = {key: value for key, value in base.raw.items() if key not in (*_OWN, "people")}
    if "sectors" in own.raw:
        theirs.pop("map", None)
    reward = own.raw.get("reward")
    if isinstance(reward, dict) and "name" in reward:
        theirs.pop("reward", None)
    raw, taken = _join_tables(theirs, own.raw)
    joined = Folder(
        raw=raw,
        faults=[*own.faults, *(prefix + fault for fault in base.faults)],
        warnings=own.warnings
        if "sectors" in own.raw
        else [prefix + text for text in base.warnings],
        drawn=own.drawn if "sectors" in own.raw else base.drawn,
        keys={**own.keys, **{".".join(path): prefix + base.find_file(path) for path in taken}},
    )
    _join_people(joined, base, own, prefix)
    return joined


def _join_tables(base: Raw, own: Raw, at: Where = ()) -> tuple[Raw, list[Where]]:
    """Return `own` with the keys of `base` that it lacks, in tables within it too.

    Returns:
        The table, and the paths of what is from `base`.
    """
    joined, taken = dict(own), list[Where]()
    for key, value in base.items():
        mine = own.get(key)
        if key not in own:
            joined[key] = value
            taken.append((*at, key))
        elif isinstance(mine, dict) and isinstance(value, dict) and mine:
            joined[key], within = _join_tables(value, mine, (*at, key))
            taken += within
    return joined, taken


def _join_people(joined: Folder, base: Folder, own: Folder, prefix: str) -> None:
    theirs, ours = base.raw.get("people", []), own.raw.get("people", [])
    if not isinstance(theirs, list) or not isinstance(ours, list):
        joined.raw["people"], joined.people = ours, own.people
        return
    places = {name: i for i, person in enumerate(theirs) if (name := _name(person))}
    people = list(theirs)
    origins = [(prefix + file, key) for file, key in base.people]
    for person, origin in zip(ours, own.people, strict=True):
        place = places.pop(_name(person), None)  # of two with one name the second is added: a fault
        if place is None:
            people.append(person)
            origins.append(origin)
        else:
            people[place], origins[place] = person, origin
    joined.raw["people"], joined.people = people, origins


def _name(person: object) -> str:
    """Return the name of a person in raw data as names are compared, "" where there is none."""
    return _fold(person.get("name")) if isinstance(person, dict) else ""


def _fold(name: object) -> str:
    return fold(name[:NAME_LIMIT]) if isinstance(name, str) else ""
