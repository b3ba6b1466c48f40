"""Estimate beforehand what a run of a town costs: memory, and the time of a tick.

The pairs of people who see each other grow fastest, so a crowd in one place costs more than many
people in many places. The estimate takes the fullest half hour of the day by the routines; people
without one stay where they start. It is for the policy `scripted`: models cost more.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from genagents_env.scenario.faults import Fault, quote
from genagents_env.scenario.plan import TownPlan
from genagents_env.scenario.schema import Person, Scenario

# Measured by `python -m benchmarks.crowds` on one core of 2.1 GHz.
SECONDS_PER_PERSON, SECONDS_PER_PAIR, SECONDS_PER_DOOR = 150e-6, 3.1e-6, 3e-6
BYTES, BYTES_PER_PERSON, BYTES_PER_PAIR = 120e6, 50e3, 720.0
MOST_BEGINNING, MOST_SECONDS, MOST_BYTES = 3.0, 0.6, 1e9  # before the first tick; of a tick
MOST_ANSWERS = 20_000  # in all interviews
_SLOTS, _MINUTES = 48, 30  # of a day


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of a town.

    Attributes:
        place: the most crowded place.
        crowd: people there at once.
        bytes: of memory, the process's own included.
        begin: seconds before the first tick, spent on entry rights.
        tick: seconds of one tick in the fullest half hour.
        run: seconds of the whole horizon.
    """

    place: str
    crowd: int
    bytes: float
    begin: float
    tick: float
    run: float


def estimate_cost(scenario: Scenario, plan: TownPlan) -> Cost:
    """Estimate the cost of a town."""
    people, tiles = len(scenario.people), _count_tiles(plan)
    radii = [p.vision_radius or scenario.rules.vision_radius for p in scenario.people]
    view = (2 * max(radii) + 1) ** 2
    still = Counter(
        _shorten(plan.locate(p.start or p.home)) for p in scenario.people if not p.routine
    )
    slots = [still.copy() for _ in range(_SLOTS)]
    for person in scenario.people:
        for slot, places in enumerate(_list_places(person) if person.routine else ()):
            slots[slot].update(places)
    pairs = [
        sum(n**2 * min(1.0, view / (tiles[place] or view)) for place, n in slot.items())
        for slot in slots
    ]
    crowd, place = max((n, place) for slot in slots for place, n in slot.items())
    fixed = people * SECONDS_PER_PERSON
    mean = fixed + sum(pairs) / _SLOTS * SECONDS_PER_PAIR
    return Cost(
        place,
        crowd,
        BYTES + people * BYTES_PER_PERSON + max(pairs) * BYTES_PER_PAIR,
        people * (len(plan.arenas) + len(plan.objects)) * SECONDS_PER_DOOR,
        fixed + max(pairs) * SECONDS_PER_PAIR,
        mean * scenario.horizon,
    )


def count_answers(scenario: Scenario) -> int:
    """Count the answers that the scenario's interviews ask for, at both ends together."""
    people = len(scenario.people)
    answers = 0
    for question in scenario.questions:
        each = people - 1 if question.about == "everyone" else 1
        ends = 2 if question.when == "both" else 1
        answers += (len(question.to) or people) * each * ends
    return answers * scenario.interview_repeats


def check_cost(scenario: Scenario, plan: TownPlan) -> Iterator[Fault]:
    """Reject a town whose interviews, ticks or memory would cost too much."""
    cost, people = estimate_cost(scenario, plan), len(scenario.people)
    if (answers := count_answers(scenario)) > MOST_ANSWERS:
        text = f"{people} people would give {answers} answers; at most {MOST_ANSWERS} are allowed"
        yield Fault(("questions",), f"{text}: ask fewer people, or less about everyone")
    if cost.begin > MOST_BEGINNING:
        places = f"{people} people and {len(plan.arenas) + len(plan.objects)} rooms and objects"
        text = f"{places} would take about {cost.begin:.0f} s before the first tick"
        yield Fault(("people",), f"{text}; at most {MOST_BEGINNING:g} s: make either fewer")
    if cost.tick <= MOST_SECONDS and cost.bytes <= MOST_BYTES:
        return
    need = f"about {cost.tick:.1f} s a tick and {cost.bytes / 1e9:.1f} GB"
    most = f"at most {MOST_SECONDS:g} s and {MOST_BYTES / 1e9:g} GB"
    crowd = f"{cost.crowd} of {people} people at once in {quote(cost.place)}"
    text = f"{crowd} would need {need}; {most} are allowed: spread them over more places, or fewer"
    yield Fault(("people",), text)


def _count_tiles(plan: TownPlan) -> Counter[str]:
    """Count the walkable tiles of each sector and arena."""
    counts: Counter[str] = Counter()
    walkable = np.bincount(plan.arena[~plan.blocked], minlength=len(plan.arenas))
    for index, tiles in enumerate(walkable.tolist()):
        sector = plan.sectors[plan.arenas[index].sector].name
        for place in {sector, plan.arena_id(index)}:
            counts[place] += tiles
    return counts


def _list_places(person: Person) -> list[set[str]]:
    """List the places of somebody with a routine in each half hour of a day."""
    entries = sorted((e.at.hour * 60 + e.at.minute, _shorten(e.place)) for e in person.routine)
    here = entries[-1][1]
    slots: list[set[str]] = []
    for first in range(0, 24 * 60, _MINUTES):
        begun = []
        while entries and entries[0][0] < first + _MINUTES:
            begun.append(entries.pop(0))
        stays = not begun or begun[0][0] > first
        slots.append({place for _, place in begun} | ({here} if stays else set()))
        here = begun[-1][1] if begun else here
    return slots


def _shorten(ref: str) -> str:
    """Return the arena, or the sector, of a place or an object."""
    return "/".join(ref.split("/")[:2])
