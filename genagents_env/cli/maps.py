"""`genagents map`: towns taken from other tools, and given to them."""

import typer

from genagents_env.cli import tiled_maps


def add_to(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(no_args_is_help=True, help="Maps: from other tools, and for them.")
    tiled_maps.add_to(group)
    app.add_typer(group, name="map")
