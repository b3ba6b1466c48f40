"""A run as scenes: who talked, gathered, did or slept where and when, and first heard what there.

Walking is folded: a scene tells who has come since the scene before, and from where.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from genagents_env.record.rows import JSON
from genagents_env.show.story.activities import find_activity_scenes
from genagents_env.show.story.scene import LineKind, Scene, SceneKind, SceneLine
from genagents_env.show.story.talks import find_hearings, find_talks, join_names, name_fact
from genagents_env.study.evaluate.measures.gatherings import find_gathering_visits
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.world.events import Event
from genagents_env.world.places import is_within

_ORDER: tuple[SceneKind, ...] = ("intervention", "gathering", "talk", "activity", "sleep")
_FEW = 3  # people whom a title names
_FROM_OUTSIDE: tuple[LineKind, ...] = ("news", "whisper", "put", "join", "part")


@once_per_run
def find_scenes(data: RunData) -> tuple[Scene, ...]:
    """Return the scenes of a run in the order in which they began."""
    gatherings = tuple(_show_gatherings(data))
    talks = [_place_in(talk, gatherings) for talk in find_talks(data)]
    scenes = [
        *gatherings,
        *talks,
        *find_activity_scenes(data, talks),
        *_find_sleep_scenes(data),
        *_show_interventions(data),
    ]
    scenes.sort(key=lambda scene: (scene.first, _ORDER.index(scene.kind), scene.place))
    return tuple(_add_arrivals(scenes))


def index_scenes(data: RunData) -> dict[str, JSON]:
    """Return the scenes for a page: people by row, facts by their place in the scenario."""
    facts = {fact.id: at for at, fact in enumerate(data.scenario.facts)}
    return {
        "until": data.last_tick,
        "scenes": [scene.as_indices(data.row, facts) for scene in find_scenes(data)],
    }


def _show_gatherings(data: RunData) -> Iterator[Scene]:
    for one in find_gathering_visits(data):
        minute = 60 / data.meta.seconds_per_tick
        people = tuple(visit.agent for visit in one.visits)
        yield Scene(
            "gathering",
            max(0, data.reader.tick_at(one.start)),
            min(data.reader.tick_at(one.end), data.last_tick),
            one.place,
            people,
            f"{name_fact(one.gathering)}: {len(people)} of {len(data.names)} people came",
            tuple(
                SceneLine(v.first, v.agent, "visit", f"is there for {v.ticks / minute:.0f} minutes")
                for v in one.visits
            ),
            one.gathering,
        )


def _place_in(talk: Scene, gatherings: Iterable[Scene]) -> Scene:
    """Return a talk with the gathering that it was part of, if any."""
    for one in gatherings:
        if one.first <= talk.first <= one.last and is_within(talk.place, one.place):
            return replace(talk, gathering=one.gathering)
    return talk


def _show_interventions(data: RunData) -> Iterator[Scene]:
    hearings = find_hearings(data)
    for event in data.events:
        for kind in _FROM_OUTSIDE:
            if event.kind == kind:
                yield _show_intervention(event, kind, hearings.get(event.id, ()))
        if event.kind == "object" and event.agent is None and event.tick > 0:
            place, _, name = str(event.data["object"]).rpartition("/")
            told = f"{name} is now {event.data['state']}"
            line = SceneLine(event.tick, None, "object", told, event.id)
            yield Scene("intervention", event.tick, event.tick, place, (), told, (line,))


def _show_intervention(event: Event, kind: LineKind, hearings: Iterable[SceneLine]) -> Scene:
    who, data = event.agent or "", event.data
    place, words = str(data.get("place") or ""), str(data.get("text", ""))
    people = tuple(data["heard_by"]) if kind == "news" else (who,)
    told = {"put": f"is put at {place}", "join": "comes to town", "part": "leaves town"}
    title = {
        "news": f"News reaches {_name_few(people)}",
        "whisper": f"A thought is given to {who}",
    }.get(kind) or f"{who} {told[kind]}"
    line = SceneLine(event.tick, event.agent, kind, words or told.get(kind, ""), event.id)
    lines = (line, *hearings)
    return Scene("intervention", event.tick, event.tick, place, people, title, lines)


def _name_few(people: Sequence[str]) -> str:
    if not people:
        return "nobody"
    return join_names(people) if len(people) <= _FEW else f"{len(people)} people"


def _add_arrivals(scenes: Iterable[Scene]) -> Iterator[Scene]:
    before: dict[str, str] = {}  # the place of each person's scene before
    for scene in scenes:
        if scene.kind not in ("talk", "activity"):
            yield scene
            continue
        come = (
            SceneLine(scene.first, name, "come", f"comes from {before[name]}", other=before[name])
            for name in scene.people
            if before.get(name, scene.place) != scene.place
        )
        yield replace(scene, lines=(*come, *scene.lines))
        before.update(dict.fromkeys(scene.people, scene.place))


@dataclass(frozen=True, slots=True)
class _Sleep:
    """Somebody slept from tick `first` until `last`; `woke`: and woke then, in town."""

    agent: str
    place: str
    first: int
    last: int
    woke: bool


def _find_sleep_scenes(data: RunData) -> Iterator[Scene]:
    """Yield a scene for all those whose sleep overlaps, directly or by way of others."""
    for sleeps in _group_sleeps(_find_sleeps(data)):
        people = tuple(dict.fromkeys(one.agent for one in sleeps))
        places = {one.place for one in sleeps}
        lines = [SceneLine(one.first, one.agent, "sleep", "falls asleep") for one in sleeps]
        lines += [SceneLine(one.last, one.agent, "wake", "wakes up") for one in sleeps if one.woke]
        yield Scene(
            "sleep",
            sleeps[0].first,
            max(one.last for one in sleeps),
            places.pop() if len(places) == 1 else "",
            people,
            f"{people[0]} sleeps" if len(people) == 1 else f"{len(people)} people sleep",
            tuple(sorted(lines, key=lambda line: line.tick)),
        )


def _find_sleeps(data: RunData) -> list[_Sleep]:
    """Return everyone's sleep, in the order of falling asleep."""
    since: dict[str, int] = {}
    found: list[_Sleep] = []

    def end(agent: str, tick: int, woke: bool) -> None:
        first = since.pop(agent, None)
        if first is not None and tick > first:
            at = data.whereabouts[data.row[agent], first]
            place = data.arenas[at] if at >= 0 else ""
            found.append(_Sleep(agent, place, first, tick, woke))

    for event in data.events:
        if event.agent is None or event.agent not in data.row:
            continue
        if event.kind in ("wake", "part"):
            end(event.agent, event.tick, event.kind == "wake")
        elif event.kind == "sleep" or (
            event.kind in ("start", "put", "join") and event.data["asleep"]
        ):
            since.setdefault(event.agent, event.tick)
        elif event.kind in ("put", "join"):
            end(event.agent, event.tick, woke=True)
    for agent in list(since):
        end(agent, data.last_tick, woke=False)
    return sorted(found, key=lambda one: one.first)


def _group_sleeps(sleeps: Iterable[_Sleep]) -> Iterator[list[_Sleep]]:
    group: list[_Sleep] = []
    over = 0
    for one in sleeps:
        if group and one.first > over:
            yield group
            group = []
        group.append(one)
        over = max(over, one.last)
    if group:
        yield group
