"""The resource `head`: what the run is, who lives in it and what can spread."""

from collections.abc import Iterator

from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.scenario import Person
from genagents_env.show.render import make_initials
from genagents_env.show.render.palette import COLOURS, find_person_color, format_color
from genagents_env.show.view.status import make_status


def make_head(run: RunReader, *, revision: int = 0, live: bool = False) -> dict[str, JSON]:
    """Return what the run is.

    Args:
        run: the run.
        revision: as of `make_status`.
        live: whether it may go on while it is looked at.
    """
    meta = run.meta
    scenario = meta.scenario
    return {
        "title": scenario.title,
        "scenario": scenario.name,
        "start": meta.start,
        "secondsPerTick": meta.seconds_per_tick,
        "tilesPerTick": scenario.rules.walk_speed * meta.seconds_per_tick,
        "visionRadius": scenario.rules.vision_radius,
        "seed": meta.seed,
        "horizon": meta.horizon,
        "status": make_status(run, revision),
        "live": live,
        "model": meta.model,
        "versions": dict(meta.versions),
        "people": list(_list_people(run)),
        "facts": [
            {"id": fact.id, "text": fact.statement, "color": COLOURS[i % len(COLOURS)]}
            for i, fact in enumerate(scenario.facts)
        ],
    }


def _list_people(run: RunReader) -> Iterator[dict[str, JSON]]:
    known = {person.name: person for person in run.meta.scenario.people}
    facts = run.meta.scenario.facts
    for i, name in enumerate(run.meta.names):
        person = known[name]
        yield {
            "name": name,
            "initials": make_initials(name),
            "color": format_color(find_person_color(i)),
            "sprite": person.sprite,
            "age": person.age,
            "about": _describe_person(person),
            "home": person.home,
            "policy": run.meta.policies[name]["name"],
            "knows": [k for k, fact in enumerate(facts) if name in fact.known_by],
        }


def _describe_person(person: Person) -> str:
    traits = ", ".join(person.traits)
    parts = (traits[:1].upper() + traits[1:], person.persona, person.currently, person.goal)
    return " ".join(part.rstrip(".;") + "." for part in parts if part)
