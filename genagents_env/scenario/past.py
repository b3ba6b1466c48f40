"""A folder of pasts, one file a person, and the scenario whose people begin with them."""

import json
import re
from collections.abc import Container, Mapping
from pathlib import Path

from pydantic import ValidationError

from genagents_env.errors import ConfigError, FileError
from genagents_env.files import find_inside, guard_files, parse_json, read_text, replace_file
from genagents_env.scenario.schema import Fact, Past, Person, Scenario

_LIMIT = 32 << 20  # bytes of a file
_MOST_FILES = 4000  # as people in a scenario
_NOT_IN_NAMES = re.compile(r"[^\w]+")

Pasts = Mapping[str, Past]


def write_pasts(folder: Path, pasts: Pasts) -> list[Path]:
    """Write a JSON file for each person, a memory a line, and return their paths.

    Raises:
        FileError: one cannot be written.
        ConfigError: there are memories in the folder, or two people have one file.
    """
    with guard_files(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.glob("*.json")):
            raise ConfigError(f"{folder} holds memories of people already; name another folder")
    written = []
    for name, past in pasts.items():
        path = folder / f"{_NOT_IN_NAMES.sub('_', name.lower()).strip('_') or 'nobody'}.json"
        if path in written:
            raise ConfigError(f"{path} would be the file of two people; import them apart")
        with replace_file(find_inside(folder, path.name)) as file:
            file.write(_format_past(name, past).encode())
        written.append(path)
    return written


def _format_past(name: str, past: Past) -> str:
    data = past.model_dump(mode="json", exclude_defaults=True)
    memories = data.pop("memories", [])
    lines = [f'  "name": {json.dumps(name)}']
    lines += [f'  "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in data.items()]
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in memories)
    lines.append(f'  "memories": [\n{rows}\n  ]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_pasts(folder: Path) -> dict[str, Past]:
    """Read the past of every person who has a file in `folder`.

    Raises:
        FileError: there is no such folder, a file in it is no past or a link, or two are of one
            person.
    """
    with guard_files(folder, "read"):
        files = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    if not files:
        raise FileError(
            f"{folder} holds no memories; `genagents import-memories` writes them, a file a person"
        )
    if len(files) > _MOST_FILES:
        raise FileError(f"{folder} holds {len(files)} files; at most {_MOST_FILES} are read")
    pasts: dict[str, Past] = {}
    for path in files:
        name, past = _read_past(find_inside(folder, path.name))
        if name in pasts:
            raise FileError(f"{path}: a second file of {name}")
        pasts[name] = past
    return pasts


def _read_past(path: Path) -> tuple[str, Past]:
    text = read_text(path, _LIMIT)
    try:
        data = parse_json(text)
        if not isinstance(data, dict):
            raise TypeError("a person is a table")
        name = data.pop("name")
        if not isinstance(name, str):
            raise TypeError("its name is no text")
        return name, Past.model_validate_json(json.dumps(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FileError(f"{path}: {where}: {first['msg']}"[:300]) from None
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise FileError(f"{path} cannot be read: it is no past of a person ({error})") from None


def give_pasts(scenario: Scenario, pasts: Pasts) -> Scenario:
    """Give people of the scenario their `pasts`; people without one begin as ever.

    With a past come the places they knew and the facts they had heard.

    Raises:
        ConfigError: nobody in the scenario has one of them.
    """
    names = [person.name for person in scenario.people]
    if not {*names} & {*pasts}:
        raise ConfigError(
            f"memories: they are of {', '.join(pasts)}, none of whom is in {scenario.name}"
        )
    sectors = scenario.sectors
    places = {sector.name for sector in sectors}
    places |= {f"{sector.name}/{arena.name}" for sector in sectors for arena in sector.arenas}
    return scenario.model_copy(
        update={
            "people": tuple(
                _give_past(person, pasts[person.name], places) if person.name in pasts else person
                for person in scenario.people
            ),
            "facts": tuple(_add_knowers(fact, pasts, names) for fact in scenario.facts),
        }
    )


def _give_past(person: Person, past: Past, places: Container[str]) -> Person:
    known = (*person.known_places, *(place for place in past.places if place in places))
    return person.model_copy(update={"known_places": tuple(dict.fromkeys(known)), "past": past})


def _add_knowers(fact: Fact, pasts: Pasts, names: list[str]) -> Fact:
    knowers = [name for name in names if name in pasts and fact.id in pasts[name].facts]
    return fact.model_copy(update={"known_by": tuple(dict.fromkeys([*fact.known_by, *knowers]))})
