"""What people did where, and which of it was in a place that is unusual for it.

The data file `activities.toml` says which words are which activity and in which kinds of place it
is usual. Time decides something only where both are known: a known activity in a place of a kind.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from genagents_env.scenario.schema.scenario import arenas_of
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.places import list_homes, list_workplaces
from genagents_env.study.evaluate.run_data import RunData

FILE = "activities.toml"
HOME, WORK = "home", "work"


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


def sum_doings(data: RunData) -> Counter[tuple[str, str, bool]]:
    """Return game seconds awake by agent, arena, and whether what one showed is usual there.

    Only what decides something is in it: a known activity in a place of a known kind.
    """
    by = load_customs()
    known = {doing: by.activity(doing) for doing in {doing for _, doing, *_ in data.doings}}
    things = {
        one.id: [thing.name for thing in one.spec.objects] for one in arenas_of(data.scenario)
    }
    kinds = {place: by.kinds_of(place, things.get(place, ())) for place in data.arenas}
    homes, workplaces = list_homes(data), list_workplaces(data)
    found: Counter[tuple[str, str, bool]] = Counter()
    for agent, doing, first, end in data.doings:
        row, activity = data.row.get(agent), known[doing]
        if row is None or activity is None:
            continue
        where = data.whereabouts[row, first:end][data.awake[row, first:end]]
        for at, ticks in zip(*np.unique(where[where >= 0], return_counts=True), strict=True):
            place, own = data.arenas[at], {HOME: homes[row], WORK: workplaces[row]}
            also = [kind for kind, sector in own.items() if sector == place.split("/")[0]]
            if here := by.with_own(kinds[place], *also):
                usual = not activity.usual.isdisjoint(here)
                found[agent, place, usual] += int(ticks) * data.meta.seconds_per_tick
    return found


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
    found = sum_doings(data)
    unusual = sum(seconds for (*_, usual), seconds in found.items() if not usual)
    return ratio(unusual, found.total())
