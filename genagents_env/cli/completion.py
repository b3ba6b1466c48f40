"""What the shell offers for the word that is being typed: scenarios, policies, people of a run."""

from collections.abc import Iterable
from contextlib import suppress

import typer

from genagents_env.errors import GenagentsError


def complete_scenario(incomplete: str) -> list[str]:
    """Return the shipped scenarios that begin so."""
    from genagents_env.scenario import list_scenario_names

    return _choose(incomplete, list_scenario_names())


def complete_policy(incomplete: str) -> list[str]:
    """Return the policies that begin so."""
    from genagents_env.run.policies import list_policies

    return _choose(incomplete, list_policies())


def complete_person(context: typer.Context, incomplete: str) -> list[str]:
    """Return what begins so and is enough to name a person of the run that stands before it.

    Single words of names, which no shell has to quote; in small letters where one types these.
    """
    from genagents_env.name_search import search_people
    from genagents_env.record import RunReader

    # An option without its value ends the parsing: what stood before it is left in `args`.
    file = context.params.get("run_file") or next(iter(context.args), None)
    if file is None:
        return []
    with suppress(GenagentsError), RunReader(file) as record:
        names = record.meta.names
        words = [word for name in names for word in name.split()]
        enough = [word for word in words if len(search_people(word, names)) == 1]
        small = incomplete.islower()
        return _choose(incomplete, [word.lower() if small else word for word in enough])
    return []


def _choose(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
