"""The resources that say what a run is: `head`, `status`, `notices` and `town`."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.scenario import Person
from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.scenario.town import lay_out
from genagents_env.show.render import canvas, make_initials
from genagents_env.show.render.canvas import (
    COLOURS,
    find_floor_color,
    find_person_color,
    format_color,
)
from genagents_env.show.render.ground import find_walls
from genagents_env.show.render.symbols import find_emoji
from genagents_env.show.summary import describe_notices
from genagents_env.show.view.percepts import Percepts


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as it is looked at.

    Attributes:
        run: its reader.
        revision: of what was given of it before; see `OpenRun`.
        live: it may go on while it is looked at.
        percepts: that can be rebuilt; None where none are.
        kept: answers given after the run, a file that need not be there.
        steered: the page may give commands to it.
    """

    run: RunReader
    revision: int = 0
    live: bool = False
    percepts: Percepts | None = None
    kept: Path | None = None
    steered: bool = False


def make_status(of: RunView) -> dict[str, JSON]:
    """Return the state and length of the run."""
    length = of.run.measure()
    return {
        "state": of.run.status,
        "lastTick": length.last_tick,
        "events": length.events,
        "calls": length.calls,
        "revision": of.revision,
    }


def make_head(of: RunView) -> dict[str, JSON]:
    """Return title, scenario, people and facts of the run."""
    meta = of.run.meta
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
        "status": make_status(of),
        "live": of.live,
        "steered": of.steered,
        "model": meta.model,
        "versions": dict(meta.versions),
        "people": list(_list_people(of.run)),
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
            "policy": _describe_policies(run, name),
            "knows": [k for k, fact in enumerate(facts) if name in fact.known_by],
        }


def _describe_policies(run: RunReader, agent: str) -> str:
    """Return who decides for an agent, and who did before another policy took over."""
    before = [
        f"{each.name} until {run.time(each.tick):%H:%M}"
        for each in run.meta.takeovers
        if each.agent == agent
    ]
    now = str(run.meta.policies[agent]["name"])
    return f"{now} ({', '.join(before)})" if before else now


def _describe_person(person: Person) -> str:
    traits = ", ".join(person.traits)
    parts = (traits[:1].upper() + traits[1:], person.persona, person.currently, person.goal)
    return " ".join(part.rstrip(".;") + "." for part in parts if part)


def make_notices(run: RunReader) -> dict[str, JSON]:
    """Return what was degraded or cut in a run, a sentence each."""
    return {"notices": list(describe_notices(run))}


_COLORS = (
    *("grass", "wall", "sign", "hedge", "door", "ink", "faint", "thing"),
    *("edge", "icon", "paper", "night"),
)  # by their names in `canvas`
_HEDGE, _WALL = 1, 2


def make_town(run: RunReader) -> dict[str, JSON]:
    """Return the ground of the run's town: tiles, places, things and colours."""
    plan = lay_out(run.meta.scenario)
    blocked = plan.blocked.astype(np.uint8) * _HEDGE
    blocked[find_walls(plan)] = _WALL
    return {
        "width": plan.width,
        "height": plan.height,
        "arena": b64encode(plan.arena.astype("<u2").tobytes()).decode(),
        "blocked": b64encode(blocked.tobytes()).decode(),
        "doors": [list(tile) for tile in plan.doors],
        "sectors": [{"name": sector.name} for sector in plan.sectors],
        "arenas": [_describe_arena(plan, index) for index in range(len(plan.arenas))],
        "objects": [_describe_object(plan, index) for index in range(len(plan.objects))],
        "colors": {name: format_color(getattr(canvas, name.upper())) for name in _COLORS},
    }


def _describe_arena(plan: TownPlan, index: int) -> dict[str, JSON]:
    arena = plan.arenas[index]
    return {
        "id": plan.arena_id(index),
        "name": arena.name,
        "sector": arena.sector,
        "openAir": arena.open_air or index == OUTSIDE,
        "color": format_color(find_floor_color(plan, index)),
    }


def _describe_object(plan: TownPlan, index: int) -> dict[str, JSON]:
    item = plan.objects[index]
    return {
        "id": plan.object_id(index),
        "name": item.name,
        "arena": item.arena,
        "tiles": [list(tile) for tile in item.tiles],
        "emoji": find_emoji(item.name),
        "state": item.state,
    }
