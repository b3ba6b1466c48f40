"""`genagents map`: maps taken from elsewhere, and pictures of maps."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from genagents_env.cli.new import check_name, place_folder
from genagents_env.cli.screen import print_steps, say
from genagents_env.errors import ConfigError
from genagents_env.files import find_inside, guard_files, replace_file
from genagents_env.scenario import lay_out, list_scenario_names, load_scenario, validate_folder
from genagents_env.scenario.maps.tiled import convert_map
from genagents_env.scenario.maps.ville import read_ville
from genagents_env.scenario.new_town import format_new_town
from genagents_env.scenario.town import list_warnings
from genagents_env.show.render.map_picture import draw_map

NewFolder = Annotated[
    Path, typer.Argument(metavar="OUT", help="The new folder; its name is the scenario's.")
]


app = typer.Typer()
_group = typer.Typer(no_args_is_help=True, help="Draw a map, or import one from elsewhere.")
app.add_typer(_group, name="map")


@_group.command()
def draw(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="The folder of a scenario, or its name.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The PNG file to write; by default NAME.png.")
    ] = None,
) -> None:
    """Draw the map of a scenario, with the names of places and things.

    Example: genagents map draw valentines_party --out town.png
    """
    if out is not None and out.suffix.lower() != ".png":
        raise ConfigError(f"--out: {out} is to be a picture; name a file that ends in .png")
    scenario = load_scenario(folder)
    path = out or find_inside(Path(), f"{scenario.name}.png")
    picture = draw_map(lay_out(scenario), title=scenario.title)
    with replace_file(path) as file:
        picture.save(file, "PNG")
    say(f"{path}: {picture.width} x {picture.height} pixels")


@_group.command("import-ville")
def import_ville(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="A folder with maze_meta_info.json, maze/ and special_blocks/."
        ),
    ],
    out: NewFolder,
    people: Annotated[int, typer.Option(min=1, max=26, help="Number of residents.")] = 3,
) -> None:
    """Make a scenario of a map in the matrices of Smallville's public code.

    Sectors, arenas, objects with all their tiles, and spawn tiles keep their places. Defaults for
    the rest are written into scenario.toml, to be edited: objects allow anything, and a few
    residents live at the spawn tiles.

    Example: genagents map import-ville the_ville/matrix ville && genagents run ./ville
    """
    name = check_name(out, "scenario", list_scenario_names())
    drawn, world = read_ville(folder)
    title = f"{world[:1].upper()}{world[1:]}, as its matrices have it"
    files = format_new_town(drawn, name=name, title=title, town=world, people=people)
    place_folder(out, files, validate_folder)
    _describe_town(out)


@_group.command("import-tiled")
def import_tiled(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .tmj or .tmx file of Tiled.")],
    out: NewFolder,
) -> None:
    """Make a scenario of a town drawn in Tiled.

    docs/maps.md explains layers and properties. To keep drawing in Tiled, put the map into a
    scenario's folder instead, and write `map = "FILE"` into its scenario.toml.

    Example: genagents map import-tiled town.tmj my_town && genagents map draw my_town
    """
    name = check_name(out, "scenario", list_scenario_names())
    with guard_files(file, "read"):
        files = convert_map(file, name)
    place_folder(out, files, validate_folder)
    _describe_town(out)


def _describe_town(folder: Path) -> None:
    """Print what is in an imported town, what is odd in it, and what to do next."""
    scenario = load_scenario(folder)
    plan = lay_out(scenario)
    sectors, rooms = len(scenario.sectors), sum(len(s.arenas) for s in scenario.sectors)
    size = f"{plan.width} x {plan.height} tiles, {sectors} sectors, {rooms} arenas"
    things = f"{len(plan.objects)} objects on {sum(len(o.tiles) for o in plan.objects)} tiles"
    say(f"{folder}: {size}, {things}, {len(plan.spawns)} spawn tiles")
    for line in list_warnings(plan):
        say(line, indent=2)
    steps = (
        ("edit it", f"{folder}/scenario.toml, {folder}/people/residents.toml"),
        ("look at it", f"genagents map draw {quote(str(folder))} --out {scenario.name}.png"),
        ("run it", f"genagents run {quote(str(folder))} --policy random"),
    )
    print_steps(steps, 20)
