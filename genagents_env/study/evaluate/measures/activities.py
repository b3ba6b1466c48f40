"""What people did where, and which of it was in a place that is unusual for it.

The data file `activities.toml` says which words are which activity and in which kinds of place it
is usual. Time decides something only where both are known: a known activity in a place of a kind.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, NamedTuple

import numpy as np

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.places import (
    list_homes,
    list_places,
    list_workplaces,
)
from genagents_env.study.evaluate.run_data import RunData

FILE = "activities.toml"
HOME, WORK = "home", "work"

Fit = Literal["usual", "unusual"]


@dataclass(frozen=True, slots=True)
class ActivityRule:
    """Something people do, and the kinds of place in which it is usual."""

    name: str
    pattern: re.Pattern[str]
    usual: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlaceKind:
    """A kind of place, known by the place's id or by what stands in it.

    `alone`: a place of it is of no other kind.
    """

    name: str
    places: re.Pattern[str]
    objects: re.Pattern[str]
    alone: bool


@dataclass(frozen=True, slots=True)
class Customs:
    """The content of a data file of activities; see the head of `activities.toml`."""

    ignore: re.Pattern[str]
    kinds: tuple[PlaceKind, ...]
    activities: tuple[ActivityRule, ...]

    def activity(self, doing: str) -> ActivityRule | None:
        """Return what somebody does who shows these words; None for what no activity knows."""
        if self.ignore.search(doing):
            return None
        return next((one for one in self.activities if one.pattern.search(doing)), None)

    def kinds_of(self, place: str, objects: Sequence[str]) -> frozenset[str]:
        """Return the kinds of an arena with these objects, one's own apart."""
        found = [
            kind
            for kind in self.kinds
            if kind.places.search(place) or any(map(kind.objects.search, objects))
        ]
        alone = [kind for kind in found if kind.alone]
        return frozenset(kind.name for kind in alone or found)

    def with_own(self, kinds: frozenset[str], *own: str) -> frozenset[str]:
        """Return the kinds of a place that is also one's `own`: home, work or neither."""
        if any(kind.alone for kind in self.kinds if kind.name in kinds):
            return kinds
        return kinds | set(own)


@dataclass(frozen=True, slots=True)
class Doing:
    """Somebody showed one thing, awake, in one arena for `seconds` of game time in all.

    Attributes:
        agent: who.
        place: the arena.
        verdict: whether the place is usual for it.
        seconds: of game time.
    """

    agent: str
    place: str
    verdict: Fit
    seconds: float


def load_customs() -> Customs:
    """Return the activities and kinds of place of the package's data file."""
    text = files("genagents_env.study.evaluate").joinpath(FILE).read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return Customs(
        _compile(data["ignore"]),
        tuple(
            PlaceKind(
                k["name"], _compile(k["places"]), _compile(k["objects"]), k.get("alone", False)
            )
            for k in data["kinds"]
        ),
        tuple(
            ActivityRule(a["name"], _compile(a["patterns"]), frozenset(a["usual"]))
            for a in data["activities"]
        ),
    )


def find_doings(data: RunData) -> tuple[Doing, ...]:
    """Return what was done where, as far as it decides something, agent by agent."""
    by, shown = load_customs(), find_stretches(data)
    words = {stretch.doing for mine in shown.values() for stretch in mine}
    known = {doing: activity for doing in words if (activity := by.activity(doing)) is not None}
    things = {place.id: place.things for place in list_places(data.scenario)}
    kinds = {place: by.kinds_of(place, things.get(place, ())) for place in data.arenas}
    found: list[Doing] = []
    for name, *own in zip(data.names, list_homes(data), list_workplaces(data), strict=True):
        mine = [stretch for stretch in shown.get(name, ()) if stretch.doing in known]
        for (doing, place), ticks in _count_ticks(data, name, mine).items():
            sector = place.split("/")[0]
            also = [kind for kind, of in zip((HOME, WORK), own, strict=True) if of == sector]
            here = by.with_own(kinds[place], *also)
            if here:
                verdict: Fit = "usual" if known[doing].usual & here else "unusual"
                found.append(Doing(name, place, verdict, float(ticks * data.meta.seconds_per_tick)))
    return tuple(found)


class Stretch(NamedTuple):
    """Words that showed what somebody did from tick `first` until before tick `end`."""

    doing: str
    first: int
    end: int


def find_stretches(data: RunData) -> dict[str, list[Stretch]]:
    """Return what each agent's words showed it do, from which tick until before which."""
    found: dict[str, list[Stretch]] = {}
    now: dict[str, tuple[str, int]] = {}
    for event in data.events:
        if event.agent is None or event.kind not in ("start", "put", "join", "doing", "part"):
            continue
        before = now.pop(event.agent, None)
        if before is not None and before[1] < event.tick:
            found.setdefault(event.agent, []).append(Stretch(*before, event.tick))
        if event.kind != "part":
            now[event.agent] = (str(event.data["doing"]), event.tick)
    for agent, (doing, first) in now.items():
        if first < data.ticks:
            found.setdefault(agent, []).append(Stretch(doing, first, data.ticks))
    return found


def _count_ticks(
    data: RunData, name: str, stretches: Iterable[Stretch]
) -> Counter[tuple[str, str]]:
    """Return for what somebody did the ticks awake in each arena."""
    awake, where = data.awake[data.row[name]], data.whereabouts[data.row[name]]
    sums: Counter[tuple[str, str]] = Counter()
    for doing, first, end in stretches:
        here = where[first:end][awake[first:end]]
        for at, ticks in zip(*np.unique(here[here >= 0], return_counts=True), strict=True):
            sums[doing, data.arenas[at]] += int(ticks)
    return sums


def _compile(patterns: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern that finds what any of `patterns` finds, in any case; nothing for none."""
    return re.compile("|".join(f"(?:{one})" for one in patterns) or r"(?!)", re.IGNORECASE)


_PARK = (
    "failure named in Park et al. 2023, section 7.2: lunch at a bar meant for the evening; the "
    "rule by words (`evaluate/activities.toml`, English) is ours"
)


@measure("Unusual places", "share", _PARK)
def unusual_places(data: RunData) -> float | None:
    """Of the time in which agents were awake and showed an activity that `activities.toml` knows,
    in a place of a kind that it knows, the share in a place of no kind that is usual for the
    activity. None without such time.
    """
    found = find_doings(data)
    unusual = sum(one.seconds for one in found if one.verdict == "unusual")
    return ratio(unusual, sum(one.seconds for one in found))
