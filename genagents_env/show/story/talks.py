"""The talks of a run as scenes: each conversation with its words, and the facts heard in it."""

from collections.abc import Iterable, Sequence

from genagents_env.show.story.scene import Scene, SceneLine
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.world.events import Event

_PAUSE_SECONDS = 60  # words in no conversation, so soon after the same speaker's, are one talk


@once_per_run
def find_talks(data: RunData) -> tuple[Scene, ...]:
    """Return a scene for each conversation in which something was said, and for words in none."""
    members = _group_members(data)
    return tuple(_show_talk(data, events, members) for events in _group_words(data))


@once_per_run
def find_hearings(data: RunData) -> dict[int, tuple[SceneLine, ...]]:
    """Return who first heard a fact, and from whom, by the id of the event that told it."""
    found: dict[int, tuple[SceneLine, ...]] = {}
    for event in data.of_kind("learn"):
        fact, source = event.data["fact"], event.data["source"] or ""
        told = f"hears of {name_fact(fact)}" + (f" from {source}" if source else "")
        line = SceneLine(event.tick, event.agent, "learn", told, event.id, (fact,), source)
        cause = event.data["cause"]
        found[cause] = (*found.get(cause, ()), line)
    return found


def name_fact(fact: str) -> str:
    """Return the id of a fact or a gathering as words."""
    return fact.replace("_", " ")


def join_names(names: Iterable[str]) -> str:
    """Return `A`, `A and B`, or `A, B and C`."""
    *others, last = [*names] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _group_words(data: RunData) -> list[list[Event]]:
    """Return utterances by conversation, those in none by speaker and pause; by the first."""
    found: dict[tuple[str, int], list[Event]] = {}
    alone: dict[str, tuple[str, int]] = {}
    pause = _PAUSE_SECONDS / data.meta.seconds_per_tick
    for event in data.utterances:
        conversation, speaker = event.data["conversation"], str(event.agent)
        key = ("", conversation)
        if conversation is None:
            key = alone.get(speaker, (speaker, event.id))
            if key in found and event.tick - found[key][-1].tick > pause:
                key = (speaker, event.id)
            alone[speaker] = key
        found.setdefault(key, []).append(event)
    return list(found.values())


def _group_members(data: RunData) -> dict[int, tuple[dict[str, None], int, int]]:
    """Return for each conversation its members, the tick of the first and the end of the last."""
    found: dict[int, tuple[dict[str, None], int, int]] = {}
    for one in data.memberships:
        names, first, last = found.get(one.conversation, ({}, one.first, 0))
        names[one.agent] = None
        over = data.last_tick if one.end is None else one.end
        found[one.conversation] = (names, first, max(last, over))
    return found


def _show_talk(
    data: RunData,
    events: Sequence[Event],
    members: dict[int, tuple[dict[str, None], int, int]],
) -> Scene:
    opening, closing = events[0], events[-1]
    conversation = opening.data["conversation"]
    names, first, last = members.get(conversation, ({}, opening.tick, closing.tick))
    if conversation is None:
        for event in events:
            names.update(dict.fromkeys((str(event.agent), *event.data["heard_by"])))
    hearings = find_hearings(data)
    lines: list[SceneLine] = []
    for event in events:
        lines += _show_words(event), *hearings.get(event.id, ())
    at = data.whereabouts[data.row[str(opening.agent)], opening.tick]
    place, people = data.arenas[at] if at >= 0 else "", tuple(names)
    title = _make_title(people, [line for line in lines if line.kind == "learn"])
    return Scene("talk", first, max(last, closing.tick), place, people, title, tuple(lines))


def _show_words(event: Event) -> SceneLine:
    data = event.data
    return SceneLine(
        event.tick,
        event.agent,
        "say",
        data["text"],
        event.id,
        tuple(data["facts"]),
        data["to"] or "",
        bool(data["phone"]),
        not data["heard_by"],
    )


def _make_title(people: Sequence[str], hearings: Sequence[SceneLine]) -> str:
    if len(people) == 1:
        return f"{people[0]} speaks, and nobody hears it"
    if not hearings:
        return f"{join_names(people)} talk"
    facts = join_names(dict.fromkeys(name_fact(fact) for one in hearings for fact in one.facts))
    sources = {one.other for one in hearings}
    if len(sources) == 1 and (source := hearings[0].other):
        hearers = join_names(dict.fromkeys(str(one.agent) for one in hearings))
        return f"{source} tells {hearers} of {facts}"
    return f"{join_names(people)} talk of {facts}"
