"""`genagents map import-tiled` and `export-tiled`: towns drawn in Tiled."""

from pathlib import Path
from typing import Annotated

import typer

from genagents_env.cli.imported_town import describe_town
from genagents_env.cli.new import check_name, place_folder
from genagents_env.cli.screen import say


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("import-tiled")(import_tiled)
    app.command("export-tiled")(export_tiled)


def import_tiled(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .tmj or .tmx of Tiled.")],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder, a new one; its name is its name.")
    ],
) -> None:
    """Make a scenario folder with the town that a Tiled map shows.

    What layers and properties mean says docs/maps.md. To go on drawing in Tiled, write
    `map = "FILE"` into a scenario.toml instead, with the map beside it: nothing is imported then.

    Example: genagents map import-tiled town.tmj my_town && genagents map draw my_town
    """
    from genagents_env.files import guard_files
    from genagents_env.scenario import list_scenario_names, validate_folder
    from genagents_env.scenario.tiled import convert_map

    name = check_name(folder, "scenario", list_scenario_names())
    with guard_files(file, "read"):
        files = convert_map(file, name)
    place_folder(folder, files, validate_folder)
    describe_town(folder)


def export_tiled(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A name, or a folder.")],
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A new .tmj or .tmx, or .csv: one CSV a layer."),
    ],
) -> None:
    """Write the town of a scenario as a map that Tiled opens; one without a map is laid out first.

    Read again, by import-tiled or `map = "FILE"`, it is the same town.

    Example: genagents map export-tiled valentines_party oak_hill.tmj
    """
    from genagents_env.scenario import load_scenario
    from genagents_env.scenario.tiled import export_town

    for path in export_town(load_scenario(scenario), file):
        say(str(path))
