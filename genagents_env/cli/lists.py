"""`genagents validate`, `scenarios` and `policies`."""

from typing import Annotated

import typer

from genagents_env.cli.screen import say


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(validate)
    app.command()(scenarios)
    app.command()(policies)


def validate(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a scenario.")],
) -> None:
    """Check a scenario and print everything that is wrong with it, a line each."""
    from genagents_env.scenario import validate_folder

    faults = validate_folder(folder)
    for fault in faults:
        say(fault, error=True)
    if faults:
        raise typer.Exit(2)
    say(f"{folder}: valid")


def scenarios() -> None:
    """List the scenarios that come with the package."""
    from genagents_env.scenario import load_scenario, scenario_names

    for name in scenario_names():
        scenario = load_scenario(name)
        people = f"{len(scenario.people)} people, {scenario.hours:g} hours"
        say(f"{name}  {scenario.title}  ({people})", indent=4)


def policies() -> None:
    """List the policies that `--policy` knows."""
    from genagents_env.policy import policy_class, policy_names

    for name in policy_names():
        found = policy_class(name)
        first = (found.__doc__ or "").strip().split("\n")[0]
        say(f"{name}  {first}{'  (asks a model)' if found.needs_model else ''}", indent=4)
