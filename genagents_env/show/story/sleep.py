"""Who slept where and when, the nights of a run folded into scenes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from genagents_env.show.story.scene import Scene, SceneLine
from genagents_env.study.evaluate.run_data import RunData


@dataclass(frozen=True, slots=True)
class _Sleep:
    """Somebody slept from tick `first` until `last`; `woke`: and woke then, in town."""

    agent: str
    place: str
    first: int
    last: int
    woke: bool


def find_sleep_scenes(data: RunData) -> Iterator[Scene]:
    """Yield a scene for all those whose sleep overlaps, directly or by way of others."""
    for sleeps in _group(_find_sleeps(data)):
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


def _group(sleeps: Iterable[_Sleep]) -> Iterator[list[_Sleep]]:
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
