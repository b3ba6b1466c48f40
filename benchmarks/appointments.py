"""Prints the appointments of a run: what each memo says was agreed, and who was where then.

Run: `python -m benchmarks.appointments RUN...`; run files of Smallville minds. Then it lists
whoever was shown doing something at a place that they were not in.
"""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from genagents_env.record import RunReader
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.places import is_within

_MEMO = "converse.memo"
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = "january february march april may june july august september october november december"
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d\d))?\s*([ap]\.?m)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Agreed:
    """What one agent's memo says was agreed. `begin` is None where no time could be read."""

    agent: str
    tick: int
    said: str
    what: str
    where: str
    with_whom: str
    begin: datetime | None


def list_agreed(data: RunData) -> list[Agreed]:
    """Return everything agreed, in the order of the memos."""
    found = []
    for call in sorted(data.calls, key=lambda call: (call.tick, call.agent)):
        if call.purpose != _MEMO or call.outcome == "fallback":
            continue
        now = data.reader.time(call.tick)
        for one in json.loads(call.reply).get("commitments", []):
            begin = read_begin(one["day"], one["time"], now)
            said = f"{one['day']} {one['time']}".strip()
            texts = one["what"], one["where"], one["with_whom"]
            found.append(Agreed(call.agent, call.tick, said, *texts, begin))
    return found


def read_begin(day: str, clock: str, now: datetime) -> datetime | None:
    """Return the moment that a day and a time in words mean, told at `now`."""
    hour, on = _CLOCK.search(clock), _read_day(day.casefold(), now.date())
    if hour is None or on is None:
        return None
    late = (hour[3] or "").lower().startswith("p") and int(hour[1]) < 12
    hours, minutes = int(hour[1]) + 12 * late, int(hour[2] or 0)
    return datetime.combine(on, time(hours, minutes)) if hours < 24 and minutes < 60 else None


def _read_day(words: str, today: date) -> date | None:
    number = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", words)
    for name, month in zip(_MONTHS.split(), range(1, 13), strict=True):
        if name in words and number is not None and 1 <= int(number[1]) <= 28:
            return date(today.year, month, int(number[1]))
    for name, weekday in zip(_DAYS, range(7), strict=True):
        if name in words:
            return today + timedelta(days=(weekday - today.weekday()) % 7)
    if "tomorrow" in words:
        return today + timedelta(days=1)
    return today if not words or "today" in words or "tonight" in words else None


def find_place(data: RunData, agent: str, tick: int) -> str | None:
    """Return where an agent is at a tick, None for out of town or after the end."""
    if agent not in data.row or not 0 <= tick <= data.last_tick:
        return None
    at = int(data.whereabouts[data.row[agent], tick])
    return data.arenas[at] if at >= 0 else None


def find_partners(data: RunData, one: Agreed) -> list[str]:
    """Return the people whom an appointment is with, by first or whole names."""
    words = set(re.findall(r"[\w']+", one.with_whom))
    return [name for name in data.names if name != one.agent and name.split()[0] in words]


def list_misplaced(data: RunData) -> Iterator[tuple[int, str, str, str]]:
    """Yield (tick, agent, what they are shown doing, place) where the words name another place."""
    places = {arena.split("/")[0] for arena in data.arenas} - {data.scenario.outside}
    for event in data.of_kind("doing"):
        doing = str(event.data["doing"])
        if event.agent is None or doing.startswith(("walking", "going", "heading", "talking")):
            continue
        here = find_place(data, event.agent, event.tick)
        named = [place for place in places if f"at {place}".casefold() in doing.casefold()]
        if here is not None and named and not any(is_within(here, place) for place in named):
            yield event.tick, event.agent, doing, here


def format_appointments(data: RunData) -> Iterator[str]:
    """Yield the lines about one run."""
    agreed = list_agreed(data)
    yield f"{data.path}: {len(agreed)} commitments in memos"
    for one in agreed:
        where = f" at {one.where}" if one.where else ""
        told = data.reader.time(one.tick)
        yield f"{told:%a %d %H:%M} {one.agent}: {one.said}: {one.what}{where} with {one.with_whom}"
        if one.begin is None:
            yield "    no moment could be read"
            continue
        partners, tick = find_partners(data, one), data.reader.tick_at(one.begin)
        for name in partners:
            same = [o for o in agreed if o.agent == name and o.begin == one.begin]
            yield f"    {'also noted' if same else 'NOT noted'} by {name}"
        if not 0 <= tick <= data.last_tick:
            yield "    not in the time of the run"
            continue
        end = min(data.last_tick, tick + round(data.hour / 2))
        spots = [{find_place(data, n, t) for t in range(tick, end + 1)} for n in partners]
        mine = {find_place(data, one.agent, t) for t in range(tick, end + 1)}
        met = all((mine & spot) - {None, data.scenario.outside} for spot in spots)
        yield f"    {'kept' if met and spots else 'NOT kept'}: {_list_places(mine)}" + "".join(
            f"; {name}: {_list_places(spot)}" for name, spot in zip(partners, spots, strict=True)
        )
    misplaced = list(list_misplaced(data))
    yield f"{len(misplaced)} acts shown at a place other than where they were done"
    for tick, agent, doing, here in misplaced:
        yield f"    {data.reader.time(tick):%a %d %H:%M:%S} {agent} in {here}: {doing}"


def _list_places(places: set[str | None]) -> str:
    return ", ".join(sorted(place or "away" for place in places))


def main() -> None:
    """Print the appointments of each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    for path in parser.parse_args().runs:
        with RunReader(path) as run:
            print("\n".join(format_appointments(RunData(run))))


if __name__ == "__main__":
    main()
