"""People: where they live and start, whom they know, and whether their routine is possible."""

from collections.abc import Iterator

from genagents_env.scenario.checks.index import ScenarioIndex
from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.schema import Person, RoutineEntry


def check_people(index: ScenarioIndex) -> Iterator[Fault]:
    """Yield what is wrong with each person."""
    people = index.scenario.people
    for i, person in enumerate(people):
        loc: Loc = ("people", i)
        if not person.persona.replace(";", "").strip():
            yield Fault((*loc, "persona"), "empty; say in a sentence or more who this is")
        if person.lifestyle.bed == person.lifestyle.wake:
            text = "wake and bed are at the same time; leave some hours between them"
            yield Fault((*loc, "lifestyle"), text)
        yield from _places(index, person, loc)
        yield from _ties(index, person, loc)
        yield from _routine(index, person, loc)
        yield from _memories(index, person, loc)
    if not any(person.present for person in people):
        yield Fault(("people",), "nobody is present at the start; at least one person is")


def _places(index: ScenarioIndex, person: Person, loc: Loc) -> Iterator[Fault]:
    refs = {"home": person.home, "workplace": person.workplace, "start": person.start}
    for key, ref in refs.items():
        if ref is None:
            continue
        if key == "start":
            yield from index.start(ref, (*loc, key))
        else:
            yield from index.place(ref, (*loc, key), indoors=key == "home")
        barred = index.find_private_part(ref, person.name)
        if barred is not None:
            text = f"{person.name} is not among the users of {quote(barred)}; add the name there"
            yield Fault((*loc, key), text)
    if person.home == index.scenario.outside:
        yield Fault((*loc, "home"), f"{quote(person.home)} is no home; name a sector or an arena")
    for i, ref in enumerate(person.known_places):
        yield from index.place(ref, (*loc, "known_places", i))


def _ties(index: ScenarioIndex, person: Person, loc: Loc) -> Iterator[Fault]:
    seen = set()
    for i, tie in enumerate(person.relationships):
        where = (*loc, "relationships", i, "to")
        if tie.to == person.name:
            yield Fault(where, f"{quote(tie.to)} is this person; name somebody else")
        elif tie.to in seen:
            yield Fault(where, f"{quote(tie.to)} comes twice; say all of it in one `about`")
        else:
            yield from index.person(tie.to, where)
        seen.add(tie.to)


def _memories(index: ScenarioIndex, person: Person, loc: Loc) -> Iterator[Fault]:
    """Yield what is wrong with the memories that have a time: none is of what is yet to come."""
    dated = -1
    for i, memory in enumerate(person.memories):
        if isinstance(memory, str):
            continue
        dated += 1
        where: Loc = (*loc, "memories", i)
        if not memory.text:
            yield Fault((*where, "text"), "empty; say in a sentence what it is")
        if memory.time > index.scenario.start:
            text = f"{memory.time} is after the scenario's start at {index.scenario.start}"
            yield Fault((*where, "time"), f"{text}; a memory is of what was before")
        if any(k >= dated for k in memory.evidence):
            text = f"it names {max(memory.evidence)} and is number {dated} of those with a time"
            yield Fault((*where, "evidence"), f"{text}; name memories that come before it")


def _routine(index: ScenarioIndex, person: Person, loc: Loc) -> Iterator[Fault]:
    last = None
    for i, entry in enumerate(person.routine):
        where: Loc = (*loc, "routine", i)
        if last is not None and entry.at <= last:
            how = "comes twice" if entry.at == last else f"comes after {last:%H:%M}"
            text = f"{entry.at:%H:%M} {how}; list the entries by time of day, from 00:00 on"
            yield Fault((*where, "at"), text)
        last = entry.at
        yield from index.place(entry.place, (*where, "place"))
        yield from _access(index, person, entry, where)
        yield from _use(index, person, entry, where)


def _access(index: ScenarioIndex, person: Person, entry: RoutineEntry, loc: Loc) -> Iterator[Fault]:
    barred = index.find_private_part(entry.place, person.name)
    if barred is not None:
        text = f"{person.name} is not among the users of {quote(barred)}; add the name there"
        yield Fault((*loc, "place"), text)
    # Those who live or work in a sector come and go at any hour.
    own = [ref.split("/")[0] for ref in (person.home, person.workplace) if ref is not None]
    closed = index.describe_closed_part(entry.place, entry.at.hour * 60 + entry.at.minute)
    if closed is not None and entry.place.split("/")[0] not in own:
        yield Fault((*loc, "place"), f"{closed}; come at {entry.at:%H:%M} to a place that is open")


def _use(index: ScenarioIndex, person: Person, entry: RoutineEntry, loc: Loc) -> Iterator[Fault]:
    if entry.use is None or entry.state is None:
        if entry.use is not None or entry.state is not None:
            key = "state" if entry.state is None else "use"
            yield Fault((*loc, key), "missing; `use` and `state` come together")
        return
    if index.item(entry.use) is None:
        yield from index.object(entry.use, (*loc, "use"))
        return
    if not f"{entry.use}/".startswith(f"{entry.place}/"):
        text = f"{quote(entry.use)} is not at {quote(entry.place)}; use what is there"
        yield Fault((*loc, "use"), text)
    yield from index.state(entry.use, entry.state, (*loc, "state"))
    item = index.item(entry.use)
    if item is not None and item.users and person.name not in item.users:
        text = f"{person.name} is not among the users of {quote(entry.use)}; add the name there"
        yield Fault((*loc, "use"), text)
