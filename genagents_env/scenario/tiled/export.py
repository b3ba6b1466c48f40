"""A town as files for Tiled."""

from pathlib import Path

from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.scenario.schema import Scenario
from genagents_env.scenario.sprites import decode_sprite
from genagents_env.scenario.tiled.csv_layers import format_layers
from genagents_env.scenario.tiled.drawing import draw_town, name_sprites
from genagents_env.scenario.tiled.palette import draw_tileset
from genagents_env.scenario.tiled.writing import format_tmj, format_tmx
from genagents_env.scenario.town import lay_out

KINDS = (".tmj", ".tmx", ".csv")


def export_town(scenario: Scenario, path: Path) -> list[Path]:
    """Write the town of a scenario, and beside it what belongs to it.

    Args:
        scenario: whose town it is; one without a map is laid out first.
        path: by its end, `.tmj` or `.tmx` (with the picture of the tileset, `STEM_tiles.png`,
            and those of people whose start it shows), or
            `.csv` (a file a layer, `STEM_LAYER.csv`).

    Returns:
        The files, the map itself first.

    Raises:
        ConfigError: the path has another end, or another file is there already.
        FileError: a file cannot be written, or one beside the map is a link.
    """
    plan = lay_out(scenario)
    document, kind = draw_town(scenario, plan), path.suffix.lower()
    if kind == ".csv":
        layers = format_layers(document, plan).items()
        files = {path.with_name(f"{path.stem}_{n}.csv"): text.encode() for n, text in layers}
    elif kind in KINDS:
        image = path.with_name(f"{path.stem}_tiles.png")
        format_map = format_tmj if kind == ".tmj" else format_tmx
        files = {path: format_map(document, image.name).encode(), image: draw_tileset()}
        starts, sprites = {spawn.id for spawn in plan.spawns}, name_sprites(scenario.people)
        for person in scenario.people:
            if person.sprite is not None and person.start in starts:
                files[path.with_name(sprites[person.name])] = decode_sprite(person.sprite)
    else:
        allowed = ", ".join(KINDS)
        raise ConfigError(f"{path} has no end by which Tiled knows a map; allowed: {allowed}")
    for file, content in files.items():
        if file != path:
            find_inside(file.parent, file.name)
        _check_free(file, content)
    for file, content in files.items():
        with replace_file(file) as out:
            out.write(content)
    return list(files)


def _check_free(file: Path, content: bytes) -> None:
    """Refuse to write over anything else than the same, such as a map that somebody drew on."""
    with guard_files(file, "read"):
        if file.exists() and file.read_bytes() != content:
            raise ConfigError(
                f"{file} is there already, and nothing is replaced; take another name"
            )
