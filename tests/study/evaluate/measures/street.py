"""A street of four houses with rules, two or three people, and records of it written by hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, time
from pathlib import Path
from typing import Any

import numpy as np

from genagents_env.record import RunReader, RunWriter
from genagents_env.scenario import Person, Scenario, load_scenario
from genagents_env.scenario.schema import (
    ArenaSpec,
    Fact,
    Gathering,
    ObjectSpec,
    RoutineEntry,
    SectorSpec,
)
from genagents_env.study.evaluate.measure import Measure, take_values
from genagents_env.study.evaluate.measures import load_measure
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.world.events import Event
from tests.study.report.planted import meta

ADA, BEN, CAT = "Ada Brook", "Ben Carver", "Cat Dole"
HOME, CAFE, WASH, SHOP = "Brook house/kitchen", "Cafe/cafe", "Cafe/washroom", "Shop"

Happening = tuple[int, str, str | None, Mapping[str, object]]


def person(name: str, **given: object) -> Person:
    """Return someone who lives with Ada and has no routine unless told otherwise."""
    return Person.model_validate(
        {"name": name, "persona": "Someone.", "home": "Brook house", **given}
    )


def street(**changes: object) -> Scenario:
    """Return the scenario: the cafe closes at ten, its washroom is for one, the shop is Ben's."""
    day = (
        RoutineEntry(at=time(7), place=HOME, doing="having breakfast"),
        RoutineEntry(at=time(9), place=CAFE, doing="having coffee"),
    )
    given = {
        "name": "street",
        "sectors": (
            SectorSpec(name="Brook house", arenas=(ArenaSpec(name="kitchen"),)),
            SectorSpec(
                name="Cafe",
                hours=("08:00-10:00",),
                arenas=(
                    ArenaSpec(name="cafe"),
                    ArenaSpec(name="washroom", capacity=1, objects=(ObjectSpec(name="toilet"),)),
                ),
            ),
            SectorSpec(name="Shop", users=(BEN,), arenas=(ArenaSpec(name="Shop"),)),
        ),
        "people": (
            person(ADA, routine=day, workplace="Cafe"),
            person(BEN),
            person(CAT),
        ),
        "facts": (Fact(id="cake", statement="Cake!", known_by=(ADA,), patterns=("cake",)),),
        "gatherings": (),
        "questions": (),
        "checks": (),
        "success": (),
        "events": (),
    }
    return load_scenario("tiny").model_copy(update={**given, **changes})


def begins(agent: str, place: str = HOME, doing: str = "", asleep: bool = False) -> Happening:
    data = {"place": place, "tile": [0, 0], "doing": doing, "emoji": "", "asleep": asleep}
    return 0, "start", agent, data


def goes(tick: int, agent: str, place: str) -> Happening:
    return tick, "arrive", agent, {"place": place}


def does(tick: int, agent: str, doing: str) -> Happening:
    return tick, "doing", agent, {"doing": doing, "emoji": ""}


def uses(tick: int, agent: str | None, thing: str, state: str) -> Happening:
    return tick, "object", agent, {"object": thing, "state": state}


def fails(tick: int, agent: str, reason: str) -> Happening:
    return tick, "fail", agent, {"action": "move", "reason": reason}


def joins(tick: int, conversation: int, *agents: str) -> list[Happening]:
    """Return everyone's joining of a conversation."""
    data = {"conversation": conversation, "members": list(agents)}
    return [(tick, "converse", agent, data) for agent in agents]


def leaves(tick: int, conversation: int, agent: str, reason: str = "said_so") -> Happening:
    return tick, "leave", agent, {"conversation": conversation, "reason": reason}


def make_utterance(
    tick: int,
    agent: str,
    text: str,
    to: Sequence[str] = (),
    conversation: int | None = 0,
    facts: Sequence[str] = (),
) -> Happening:
    """Return words to these people, who hear them."""
    data = {
        "text": text,
        "to": to[0] if to else None,
        "addressed": list(to),
        "heard_by": list(to),
        "conversation": conversation,
        "phone": False,
        "facts": list(facts),
    }
    return tick, "say", agent, data


@contextmanager
def record_street(
    path: Path,
    happenings: Sequence[Happening] = (),
    last: int = 0,
    names: Sequence[str] = (ADA, BEN),
    seconds: int = 60,
    start: str = "2023-02-13T08:00:00",
    scenario: Scenario | None = None,
    steps: Sequence[tuple[int, str]] = (),
    **head: object,
) -> Iterator[RunData]:
    """Write a run in which just this happens, and read it; ticks are minutes from eight on.

    `steps`: at which ticks who is a tile further than before.
    """
    scenario = street() if scenario is None else scenario
    policies = {name: {"name": "scripted", "config": {}} for name in names}
    told = {"scenario": scenario, "names": tuple(names), "start": start, **head}
    began = {event[2] for event in happenings if event[1] == "start"}
    ordered = [*(begins(name) for name in names if name not in began), *happenings]
    events = [Event(id_, *one) for id_, one in enumerate(sorted(ordered, key=lambda one: one[0]))]
    with RunWriter.create(
        path / "run.sqlite", meta(policies, seconds_per_tick=seconds, **told)
    ) as writer:
        at = np.zeros((len(names), 2), dtype=np.int16)
        for tick in range(last + 1):
            own = [event for event in events if event.tick == tick]
            at[[names.index(agent) for when, agent in steps if when == tick], 0] += 1
            writer.commit_tick(tick, at, own)
        writer.set_status("finished")
    with RunReader(path / "run.sqlite") as run:
        yield RunData(run)


def gathering() -> Gathering:
    """Return cake at the cafe from half past eight to nine, with Ada as the host."""
    start = datetime.fromisoformat("2023-02-13T08:30:00")
    end = datetime.fromisoformat("2023-02-13T09:00:00")
    return Gathering(id="treat", place=CAFE, start=start, end=end, host=ADA, fact="cake")


def value(record: RunData, name: str) -> Any:
    """Return the number of a measure, or its numbers by key."""
    one = load_measure(name)
    found = one.take(record)
    return (
        found[name] if set(found) == {name} else {k.split(".", 1)[1]: v for k, v in found.items()}
    )


def take_all(record: RunData, measures: Iterable[Measure]) -> tuple[Mapping[str, Any], Any]:
    """Return the numbers of measures by full name, and what raised."""
    values, faults = take_values(record, measures)
    return {one.name: one.value.seen for one in values}, faults
