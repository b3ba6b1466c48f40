"""The moments of a run that are worth a picture, chosen by rule: which, and why.

In this order, until there are enough: the first hearing of the fact that most people heard; the
most people in one place (of a gathering, if one falls into the run); the talks with most
utterances; the last tick; the first. A moment within two minutes, or a fiftieth of the run, of one
that is chosen is passed over.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from genagents_env.evaluate.measures.gatherings import find_gathering_visits
from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.evaluate.scene_talks import join_names, name_fact
from genagents_env.evaluate.tellings import ToldFact, trace_tellings
from genagents_env.world.events import Event
from genagents_env.world.places import is_within

Reason: TypeAlias = Literal["hearing", "gathering", "talk", "end", "start"]
MOST = 3
_APART, _SHARE = 120, 0.02  # between two moments: game seconds, and this share of the run
_TALKS, _LONG_TALK = 5, 4  # talks that are looked at; utterances of one worth a picture
_NAMED = 4  # people whom a caption names


@dataclass(frozen=True, slots=True)
class ShownMoment:
    """A tick worth a picture.

    Attributes:
        tick: of the run.
        reason: by which rule it was chosen.
        agents: whom it is about, who speaks first; everybody in town where none is named.
        place: where, a place's id; empty where it is about the whole town.
        caption: what happens, and why this moment.
    """

    tick: int
    reason: Reason
    agents: tuple[str, ...]
    place: str
    caption: str


@once_per_run
def choose_moments(data: RunData) -> tuple[ShownMoment, ...]:
    """Return at most `MOST` moments, in the order of time."""
    chosen: list[ShownMoment] = []
    apart = max(_APART / data.meta.seconds_per_tick, _SHARE * data.last_tick)
    for moment in _list_candidates(data):
        if len(chosen) < MOST and all(abs(moment.tick - one.tick) >= apart for one in chosen):
            chosen.append(moment)
    return tuple(sorted(chosen, key=lambda one: one.tick))


def _list_candidates(data: RunData) -> Iterator[ShownMoment]:
    yield from _find_first_hearing(data, trace_tellings(data))
    yield from _find_gathering(data)
    yield from _find_long_talks(data)
    if data.reader.last_tick >= 0:
        yield ShownMoment(data.last_tick, "end", (), "", "The town at the end.")
        yield ShownMoment(0, "start", (), "", "The town at the start.")


def _find_first_hearing(data: RunData, facts: Sequence[ToldFact]) -> Iterator[ShownMoment]:
    told = max(facts, key=lambda fact: len(fact.heard), default=None)
    if told is None or not told.tellings:
        return
    first = told.tellings[0]
    hearers, fact = _name_people(first.hearers), f"“{name_fact(told.fact)}”"
    if first.teller is not None:
        how = f"{first.teller} tells {hearers} of {fact}"
    else:
        how = f"{hearers} hear{'s' if len(first.hearers) == 1 else ''} of {fact}"
    count = f"{len(told.heard)} {'person' if len(told.heard) == 1 else 'people'}"
    reach = "No other fact was heard by more people" if len(facts) > 1 else "In all it was heard by"
    caption = f"{how}, the first to hear it. {reach}: {count}."
    agents = first.hearers if first.teller is None else (first.teller, *first.hearers)
    yield ShownMoment(first.tick, "hearing", agents, first.place, caption)


def _find_gathering(data: RunData) -> Iterator[ShownMoment]:
    """Yield the most who came to a gathering at once; without one, the most in one room."""
    visits = find_gathering_visits(data)
    main = max(visits, key=lambda one: len(one.visits), default=None)
    if main is not None and len(main.visits) > 1:
        first, end = (data.reader.tick_at(moment) for moment in (main.start, main.end))
        there = _find_present(data, main.place)
        there[:, :first] = False
        there[:, end:] = False
        count, tick = _find_fullest(data, there)
        if count > 1:
            caption = (
                f"{count} of {len(data.names)} people at {name_fact(main.gathering)}: "
                "the most at once while it goes on."
            )
            yield ShownMoment(
                tick, "gathering", _list_present(data, there, tick), main.place, caption
            )
            return
    room = _find_fullest_room(data)
    if room is not None:
        there = (data.whereabouts == room) & data.awake
        count, tick = _find_fullest(data, there)
        place = data.arenas[room]
        caption = f"{count} people, awake, in {place.replace('/', ', ')}: the most in one room."
        agents = _list_present(data, there, tick)
        yield ShownMoment(tick, "gathering", agents, place, caption)


def _find_fullest_room(data: RunData) -> int | None:
    """Return the row in `arenas` of the room that held most at once; None where none held three."""
    counts = np.zeros((len(data.arenas), data.last_tick + 1), dtype=np.int32)
    ticks = np.arange(data.last_tick + 1)
    for where, awake in zip(data.whereabouts, data.awake, strict=True):
        here = awake & (where >= 0)
        counts[where[here], ticks[here]] += 1  # each tick once
    for room, place in enumerate(data.arenas):
        if place == data.scenario.outside:
            counts[room] = 0
    most = counts.max(axis=1, initial=0)
    return int(most.argmax()) if most.max(initial=0) > 2 else None


def _find_present(data: RunData, place: str) -> npt.NDArray[np.bool_]:
    """Return who was in a place, or a room of it, and awake: shape (N, last_tick + 1)."""
    own = [k for k, arena in enumerate(data.arenas) if is_within(arena, place)]
    found: npt.NDArray[np.bool_] = np.isin(data.whereabouts, own) & data.awake
    return found


def _find_fullest(data: RunData, there: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """Return how many were there at most, and a tick of it: the first with words, if any has."""
    counts = there.sum(axis=0)
    most = int(counts.max())
    full = np.flatnonzero(counts == most)
    spoken = {
        event.tick for event in data.utterances if there[data.row[str(event.agent)], event.tick]
    }
    return most, next((int(tick) for tick in full if int(tick) in spoken), int(full[0]))


def _list_present(data: RunData, there: npt.NDArray[np.bool_], tick: int) -> tuple[str, ...]:
    return tuple(name for row, name in enumerate(data.names) if there[row, tick])


def _find_long_talks(data: RunData) -> Iterator[ShownMoment]:
    """Yield the middle of the conversations in which most was said, the longest first."""
    said: dict[int, list[Event]] = {}
    for event in data.utterances:
        if event.data["conversation"] is not None:
            said.setdefault(event.data["conversation"], []).append(event)
    longest = sorted(said.values(), key=lambda own: -len(own))[:_TALKS]
    for number, own in enumerate(longest):
        if number and len(own) < _LONG_TALK:
            return
        middle = own[len(own) // 2]
        speakers = tuple(dict.fromkeys(str(event.agent) for event in (middle, *own)))
        here = int(data.whereabouts[data.row[speakers[0]], middle.tick])
        count = f"{len(own)} utterance{'' if len(own) == 1 else 's'}"
        what = f"the longest talk: {count}" if not number else f"a long talk: {count}"
        yield ShownMoment(
            middle.tick,
            "talk",
            speakers,
            data.arenas[here] if here >= 0 else "",
            f"{_name_people(speakers)} in the middle of {what}.",
        )


def _name_people(names: Sequence[str]) -> str:
    """Return names in a sentence: some of them where they are many."""
    more = len(names) - _NAMED
    return join_names([*names[:_NAMED], f"{more} more"] if more > 0 else names)
