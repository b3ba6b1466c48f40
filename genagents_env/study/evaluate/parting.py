"""Where two runs of the same town part, and what it changed: facts heard, people who came.

The checksum of a tick covers all ticks before it, so the first that differs is found by halves.
"""

from bisect import bisect_left
from collections.abc import Iterator, Set
from itertools import permutations

from genagents_env.record import canonical_hash
from genagents_env.show.transcript import format_transcript
from genagents_env.study.evaluate.measures.diffusion import trace_run_facts
from genagents_env.study.evaluate.measures.gatherings import find_gathering_visits
from genagents_env.study.evaluate.run_data import RunData

_MOST_NAMES = 6  # of a line


def describe_parting(first: RunData, second: RunData) -> Iterator[str]:
    """Yield where two runs part, the first difference, and what it changed, line by line."""
    for one, parent in permutations((first, second)):
        origin = one.reader.origin
        if origin is not None and origin.hash == canonical_hash(parent.path):
            when = parent.reader.time(origin.tick)
            yield f"{one.path} is a fork of {parent.path}, after {when:%H:%M:%S}."
    tick = _find_parting(first, second)
    if tick is None:
        same = "are equal" if first.last_tick == second.last_tick else "are equal as far as both go"
        yield f"{first.path} and {second.path} {same}."
        return
    when = first.reader.time(tick)
    yield f"{first.path} and {second.path} part at {when:%Y-%m-%d %H:%M:%S} (tick {tick})."
    lines = [_list_lines(data, tick) for data in (first, second)]
    for data, own, others in zip((first, second), lines, reversed(lines), strict=True):
        yield from (f"    only in {data.path}: {line}" for line in own if line not in others)
    yield from _describe_consequences(first, second)


def _describe_consequences(first: RunData, second: RunData) -> Iterator[str]:
    """Yield of each fact who heard it in one run only or at another time, and who came where."""
    paths = str(first.path), str(second.path)
    for both in zip(trace_run_facts(first), trace_run_facts(second), strict=False):
        ours, theirs = ({h.agent: h.tick for h in reversed(one.heard)} for one in both)
        yield from _describe_groups(f"Heard of {both[0].fact}", ours.keys(), theirs.keys(), paths)
        times = [
            f"{name} ({first.reader.time(ours[name]):%d %b %H:%M:%S}, "
            f"{first.reader.time(theirs[name]):%d %b %H:%M:%S})"
            for name in sorted(ours.keys() & theirs)
            if ours[name] != theirs[name]
        ]
        if times:
            yield f"    at another time: {_list_some(times)}"
    for visits in zip(find_gathering_visits(first), find_gathering_visits(second), strict=False):
        came = [{visit.agent for visit in gathering.visits} for gathering in visits]
        yield from _describe_groups(f"Came to {visits[0].gathering}", came[0], came[1], paths)


def _find_parting(first: RunData, second: RunData) -> int | None:
    """Return the first tick that differs; None if one run is the beginning of the other."""

    def differ(tick: int) -> bool:
        return first.reader.find_checksum(tick) != second.reader.find_checksum(tick)

    common = range(min(first.last_tick, second.last_tick) + 1)
    tick = bisect_left(common, True, key=differ)
    return tick if tick < len(common) else None


def _list_lines(data: RunData, tick: int) -> list[str]:
    events = data.reader.events(tick, tick)
    return [line for line in format_transcript(events, data.reader.time) if "  " in line]


def _describe_groups(
    what: str, ours: Set[str], theirs: Set[str], paths: tuple[str, str]
) -> Iterator[str]:
    if ours == theirs:
        yield f"{what}: the same {len(ours)} in both."
        return
    yield f"{what}: {len(ours)} in {paths[0]}, {len(theirs)} in {paths[1]}."
    for path, only in zip(paths, (ours - theirs, theirs - ours), strict=True):
        if only:
            yield f"    only in {path}: {_list_some(sorted(only))}"


def _list_some(words: list[str]) -> str:
    rest = len(words) - _MOST_NAMES
    return ", ".join(words[:_MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")
