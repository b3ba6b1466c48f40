"""What people did, place by place: what held for a minute while they mostly stood still.

What is shorter, or done on the way, is walking, and folded.
"""

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from genagents_env.show.story.scene import Scene, SceneLine
from genagents_env.study.evaluate.run_data import Bools, RunData, Stay, once_per_run

_LEAST_SECONDS = 60  # that something holds, or somebody stays, to be told
_SHORT_SECONDS = 600  # a scene no longer than this belongs to the next at its place
_TOGETHER_SECONDS = 1800  # scenes that end within this are one, whoever comes and goes


@once_per_run
def find_activities(data: RunData) -> dict[str, list[SceneLine]]:
    """Return what people did at each place, by tick; what one goes on with is told once."""
    resting, busy = _find_resting(data), data.talking | ~data.awake
    found: dict[str, list[SceneLine]] = {}
    for agent, changes in _list_changes(data).items():
        row, before = data.row[agent], ("", "")
        for (tick, doing, emoji, id_), (end, *_) in pairwise(changes):
            here = _find_main_place(data, resting, busy, row, tick, end) if doing else None
            if here is None or (doing, here[1]) == before:
                continue
            told = f"{doing} {emoji}".strip()
            found.setdefault(here[1], []).append(SceneLine(here[0], agent, "doing", told, id_))
            before = doing, here[1]
    for lines in found.values():
        lines.sort(key=lambda line: (line.tick, data.row[str(line.agent)]))
    return found


def _find_resting(data: RunData) -> Bools:
    """Return who stood still, awake and in no talk, as each tick ended: shape (N, last + 1)."""
    moved = np.zeros((len(data.names), data.last_tick + 1), dtype=np.bool_)
    moved[:, 1:] = (data.positions[1:] != data.positions[:-1]).any(axis=2).T
    return data.awake & ~data.talking & ~moved


def _list_changes(data: RunData) -> dict[str, list[tuple[int, str, str, int]]]:
    """Return for each agent the ticks at which one did something else, with an end."""
    found: dict[str, list[tuple[int, str, str, int]]] = {name: [] for name in data.names}
    for event in data.events:
        if event.kind in ("start", "put", "join", "doing") and event.agent in found:
            doing, changes = str(event.data["doing"]), found[event.agent]
            if not changes or changes[-1][1] != doing:
                changes.append((event.tick, doing, str(event.data.get("emoji", "")), event.id))
        elif event.kind == "part" and event.agent in found:
            found[event.agent].append((event.tick, "", "", event.id))
    for changes in found.values():
        changes.append((data.last_tick + 1, "", "", -1))
    return found


def _find_main_place(
    data: RunData, resting: Bools, busy: Bools, row: int, first: int, end: int
) -> tuple[int, str] | None:
    """Return where one did it and from when on; None for what was short, or done on the way."""
    still = np.flatnonzero(resting[row, first:end])
    free = end - first - int(busy[row, first:end].sum())
    least = _LEAST_SECONDS / data.meta.seconds_per_tick
    if len(still) < least or len(still) * 2 < free:
        return None
    places = data.whereabouts[row, first:end][still]
    main = int(np.bincount(places + 1).argmax()) - 1
    if main < 0:
        return None
    return first + int(still[np.argmax(places == main)]), data.arenas[main]


def find_activity_scenes(data: RunData, talks: Iterable[Scene]) -> Iterator[Scene]:
    """Yield a scene for each time in which the same people did something at the same place.

    It ends where a talk begins or ends there, and where people come or go; what is short by that
    belongs to the scene before or after it.
    """
    cuts: dict[str, set[int]] = {}
    for talk in talks:
        cuts.setdefault(talk.place, set()).update((talk.first, talk.last))
    present = _find_present(data)
    for place, done in find_activities(data).items():
        breaks = cuts.get(place, set())
        pieces = _cut_pieces(place, present.get(place, []), done, breaks)
        for scene in _merge(pieces, breaks, data.meta.seconds_per_tick):
            if scene.lines:
                title = _make_title(scene)
                yield replace(scene, last=min(scene.last, data.last_tick), title=title)


def _find_present(data: RunData) -> dict[str, list[Stay]]:
    """Return for each place who was there to stay, awake."""
    resting = _find_resting(data)
    least = _LEAST_SECONDS / data.meta.seconds_per_tick
    begun: dict[tuple[str, str], list[int]] = {}
    for place, lines in find_activities(data).items():
        for line in lines:
            begun.setdefault((str(line.agent), place), []).append(line.tick)
    found: dict[str, list[Stay]] = {}
    for stay in data.stays:
        if stay.agent not in data.row:
            continue
        row, ticks = data.row[stay.agent], begun.get((stay.agent, stay.place), [])
        acts = bisect_left(ticks, stay.first) < bisect_left(ticks, stay.end)
        if acts or resting[row, stay.first : stay.end].sum() >= least:
            found.setdefault(stay.place, []).extend(_cut_sleep(stay, data.awake[row]))
    return found


def _cut_sleep(stay: Stay, awake: Bools) -> Iterator[Stay]:
    """Yield the parts of a stay in which one was awake."""
    span = awake[stay.first : stay.end].astype(np.int8)
    edges = np.flatnonzero(np.diff(span, prepend=0, append=0)) + stay.first
    for first, end in edges.reshape(-1, 2).tolist():
        yield Stay(stay.agent, stay.place, first, end)


def _cut_pieces(
    place: str, present: Iterable[Stay], done: Sequence[SceneLine], breaks: Iterable[int]
) -> Iterator[Scene]:
    """Yield the time at a place, cut wherever somebody comes or goes, or a talk begins or ends."""
    come: dict[int, list[str]] = {}
    gone: dict[int, list[str]] = {}
    for stay in present:
        come.setdefault(stay.first, []).append(stay.agent)
        gone.setdefault(stay.end, []).append(stay.agent)
    cuts = sorted({*come, *gone, *breaks})
    ticks = [line.tick for line in done]
    here: dict[str, None] = {}
    for first, end in pairwise(cuts):
        for name in gone.get(first, ()):
            here.pop(name, None)
        here.update(dict.fromkeys(come.get(first, ())))
        if here:
            lines = done[bisect_left(ticks, first) : bisect_left(ticks, end)]
            yield Scene("activity", first, end, place, tuple(here), "", tuple(lines))


def _merge(pieces: Iterable[Scene], breaks: Container[int], second: int) -> list[Scene]:
    """Return the pieces, those joined that are one scene."""
    found: list[Scene] = []
    for piece in pieces:
        follows = found and found[-1].last == piece.first and piece.first not in breaks
        if follows and _belong_together(found[-1], piece, second):
            before = found.pop()
            people = tuple(dict.fromkeys((*before.people, *piece.people)))
            piece = replace(
                piece, first=before.first, people=people, lines=before.lines + piece.lines
            )
        found.append(piece)
    return found


def _belong_together(scene: Scene, later: Scene, second: int) -> bool:
    """Return whether two scenes in a row at a place are told as one; ticks are `second` long."""
    return (
        set(scene.people) == set(later.people)
        or (scene.last - scene.first) * second <= _SHORT_SECONDS
        or (later.last - scene.first) * second <= _TOGETHER_SECONDS
    )


def _make_title(scene: Scene) -> str:
    first, rest = scene.lines[0], len(scene.lines) - 1
    more = f", and {rest} more" if rest else ""
    return f"{first.agent}: {first.text}{more}"
