"""What people did where, and which of it was in a place that is unusual for it.

The data file `activities.toml` says which words are which activity and in which kinds of place it
is usual. Time decides something only where both are known: a known activity in a place of a kind.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from genagents_env.scenario.schema.scenario import arenas_of
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.places import list_homes, list_workplaces
from genagents_env.study.evaluate.phrases import join_patterns
from genagents_env.study.evaluate.run_data import RunData

HOME, WORK = "home", "work"


@dataclass(frozen=True, slots=True)
class Customs:
    """The content of `activities.toml`; see its head.

    Attributes:
        ignore: what is shown and decides nothing.
        kinds: of place, by name: what its ids look like, and what stands in it.
        alone: of these, those whose places are of no other kind.
        activities: by name, the words that show them.
        usual: by the name of an activity, the kinds of place in which it is usual.
    """

    ignore: re.Pattern[str]
    kinds: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]]
    alone: frozenset[str]
    activities: Mapping[str, re.Pattern[str]]
    usual: Mapping[str, frozenset[str]]

    def find_activity(self, doing: str) -> str | None:
        """Return what somebody does who shows these words; None for what no activity knows."""
        if self.ignore.search(doing):
            return None
        return next((name for name, words in self.activities.items() if words.search(doing)), None)

    def kinds_of(self, place: str, objects: Sequence[str]) -> frozenset[str]:
        """Return the kinds of an arena with these objects, one's own apart."""
        found = frozenset(
            name
            for name, (places, things) in self.kinds.items()
            if places.search(place) or any(map(things.search, objects))
        )
        return found & self.alone or found

    def with_own(self, kinds: frozenset[str], *own: str) -> frozenset[str]:
        """Return the kinds of a place that is also one's `own`: home, work or neither."""
        return kinds if kinds & self.alone else kinds | set(own)


@cache
def load_customs() -> Customs:
    """Return the activities and kinds of place of the package's data file."""
    path = files("genagents_env.study.evaluate").joinpath("activities.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    kinds, activities = data["kinds"], data["activities"]
    return Customs(
        join_patterns(data["ignore"]),
        {k["name"]: (join_patterns(k["places"]), join_patterns(k["objects"])) for k in kinds},
        frozenset(kind["name"] for kind in kinds if kind.get("alone")),
        {one["name"]: join_patterns(one["patterns"]) for one in activities},
        {one["name"]: frozenset(one["usual"]) for one in activities},
    )


def sum_doings(data: RunData) -> Counter[tuple[str, str, bool]]:
    """Return game seconds awake by agent, arena, and whether what one showed is usual there.

    Only what decides something is in it: a known activity in a place of a known kind.
    """
    by = load_customs()
    known = {doing: by.find_activity(doing) for doing in {doing for _, doing, *_ in data.doings}}
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
                usual = not by.usual[activity].isdisjoint(here)
                found[agent, place, usual] += int(ticks) * data.meta.seconds_per_tick
    return found


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
