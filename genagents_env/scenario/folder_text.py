"""A scenario as the files of a folder that gives the same scenario again."""

from base64 import b64decode

from genagents_env.scenario.files import MAPS
from genagents_env.scenario.maps.grid import is_grid, read_grid
from genagents_env.scenario.schema import SPRITE_MARK, Scenario
from genagents_env.scenario.toml_text import format_toml

_PEOPLE = "people/residents.toml"


def format_scenario(scenario: Scenario, head: str = "") -> dict[str, str | bytes]:
    """Return the files of a scenario, by their names in its folder.

    What stands at its default is left out. Of files that it was made of, such as a base that it
    extends or a map of Tiled, nothing is told any more: what they said stands in these.

    Args:
        scenario: to write.
        head: what `scenario.toml` begins with, lines of comment.
    """
    data = scenario.model_dump(exclude_defaults=True, exclude={"map"})
    people = data.pop("people")
    for sector in data["sectors"]:
        for item in (item for arena in sector["arenas"] for item in arena.get("objects", ())):
            if "states" in item:  # a file that leaves the state out means the first of them
                item.setdefault("state", "idle")
    pictures = _take_sprites(scenario, people)
    files: dict[str, str | bytes] = {"scenario.toml": head + format_toml(data)}
    if scenario.map is not None:
        files[MAPS[is_grid(scenario.map)]] = scenario.map
    return files | {_PEOPLE: format_toml({"people": people})} | pictures


def _take_sprites(scenario: Scenario, people: list[dict[str, object]]) -> dict[str, bytes]:
    """Put names of files in place of the pictures of people, and return the files.

    A name that the map gives stays.
    """
    drawn = read_grid(scenario.map)[0] if scenario.map and is_grid(scenario.map) else None
    names = {} if drawn is None else dict(drawn.sprites)
    files = {}
    for number, (person, raw) in enumerate(zip(scenario.people, people, strict=True), 1):
        if person.sprite is not None:
            name = names.get(person.name, f"person_{number}.png")
            raw["sprite"] = name
            files[name] = b64decode(person.sprite.removeprefix(SPRITE_MARK))
    return files
