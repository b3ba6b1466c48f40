"""`genagents validate`, `scenarios`, `keys`, `policies` and `measures`."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from genagents_env.cli.screen import say

_ALLOWED, _LONG_LIST = "; allowed: ", 80  # characters that are said once
_LONG = 1800  # seconds: from here on it is said how long a scenario takes


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(validate)
    app.command()(scenarios)
    app.command()(keys)
    app.command()(policies)
    app.command()(measures)


def validate(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a scenario.")],
) -> None:
    """Check a scenario and print everything that is wrong with it, a line each.

    What is odd and yet can be lived in, such as tiles that were closed, is told too.
    """
    from genagents_env.scenario.cost import estimate_cost
    from genagents_env.scenario.loader import inspect_folder
    from genagents_env.scenario.town import lay_out
    from genagents_env.scenario.warnings import list_warnings

    found = inspect_folder(folder)
    for line in _shorten(found.faults):
        say(line, error=True)
    if found.scenario is None or found.faults:
        raise typer.Exit(2)
    scenario, plan = found.scenario, lay_out(found.scenario)
    for line in (*found.warnings, *list_warnings(plan)):
        say(line)
    cost = estimate_cost(scenario, plan)
    long = f"; about {cost.tick:.1f} s a tick, {cost.run / 3600:.1f} hours for its "
    say(f"{folder}: valid" + (f"{long}{scenario.hours:g} hours" if cost.run > _LONG else ""))


def _shorten(faults: Iterable[str]) -> Iterator[str]:
    """Yield the faults, each long list of what is allowed in full only the first time."""
    first: dict[str, str] = {}
    for fault in faults:
        text, _, allowed = fault.partition(_ALLOWED)
        where = first.setdefault(allowed, text.split(": ")[0])
        said = len(allowed) > _LONG_LIST and not text.startswith(f"{where}: ")
        yield f"{text}{_ALLOWED}as of {where}" if said else fault


def scenarios() -> None:
    """List the scenarios that come with the package."""
    from genagents_env.scenario import list_scenario_names, load_scenario

    for name in list_scenario_names():
        scenario = load_scenario(name)
        people = f"{len(scenario.people)} people, {scenario.hours:g} hours"
        say(f"{name}  {scenario.title}  ({people})", indent=4)


def keys(
    table: Annotated[
        str, typer.Argument(metavar="[TABLE]", help="Of this one alone: rules, people.routine.")
    ] = "",
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables of docs/scenario_keys.md.")
    ] = False,
) -> None:
    """List every key a scenario may have, with its type, range, default and meaning.

    Without a table: those of the file itself, and what further tables there are.
    """
    from genagents_env.scenario.key_reference import find_key_tables, format_key_reference

    if markdown:
        typer.echo(format_key_reference(), nl=False)
        return
    found, others = find_key_tables(table)
    for one in found:
        say(f"{' and '.join(one.heads)}: {one.text}", indent=4)
        for key in one.keys:
            allowed = f"; {key.allowed.replace('`', '')}" if key.allowed else ""
            say(f"  {key.name}  {key.type}{allowed}; {key.default_words}", indent=6)
            say(f"      {key.meaning}", indent=6)
    if others:
        say(f"Tables within (genagents keys TABLE): {', '.join(others)}", indent=4)


def policies() -> None:
    """List the policies that `--policy` knows."""
    from genagents_env.run.policies import find_policy_class, list_policies

    for name in list_policies():
        found = find_policy_class(name)
        first = (found.__doc__ or "").strip().split("\n")[0]
        say(f"{name}  {first}{'  (asks a model)' if found.needs_model else ''}", indent=4)


def measures(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]", help="Tell of this one alone: a name, or path/to/file.py:NAME."
        ),
    ] = "",
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table of docs/measures.md.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="As JSON: a list of objects, or the one that was named.")
    ] = False,
) -> None:
    """List what can be measured of a run, or tell how one measure is defined.

    Those with a * are the default of a sweep.
    """
    from genagents_env.evaluate.measure_catalog import format_measure_table
    from genagents_env.evaluate.measures import DEFAULT, list_measures, load_measure

    if markdown:
        typer.echo(format_measure_table(), nl=False)
    elif as_json:
        told = [{**one.as_json(), "default": one.name in DEFAULT} for one in list_measures()]
        typer.echo(json.dumps(load_measure(name).as_json() if name else told, indent=2))
    elif name:
        one = load_measure(name)
        better = f"; {one.better} is better" if one.better else ""
        say(f"{one.label}  {one.title} ({one.unit or 'a number'}{better})")
        say(f"    {one.definition}")
        say(f"    source: {one.source}")
    else:
        for one in list_measures():
            star = "*" if one.name in DEFAULT else " "
            say(f"{one.name:24}{star} {one.title} ({one.unit})", indent=4)
