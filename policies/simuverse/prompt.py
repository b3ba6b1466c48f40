"""A prompt of a SimuVerse mind: here and now, the last messages, the last input, memories.

At the beginning, and again after a reset, the introduction stands in the place of the last input.
"""

from collections.abc import Sequence

from genagents_env.cognition.mind import list_untold_facts
from genagents_env.cognition.prompts import (
    REMEMBERED,
    SPOKEN,
    FilledPrompt,
    Section,
    describe_here_and_now,
)
from genagents_env.cognition.query import Moment
from genagents_env.llm.calls import JSONValue
from genagents_env.scenario.profiles import TownPlace
from genagents_env.text import split_sentences

from . import memory, scope
from .mind import SimuverseMind

_THINGS = 4  # of a place
_SMALL_HISTORY = 4  # messages that a small model is shown


async def fill_prompt(
    mind: SimuverseMind,
    prompt: str,
    moment: Moment,
    sections: Sequence[Section],
    last: Sequence[Section] = (),
    **fields: object,
) -> FilledPrompt:
    """Return the prompt `prompt`.jinja; the last messages stand between `sections` and `last`."""
    shown = {*mind.input, *(line.text for line in mind.history)}
    query = _make_query(mind) if mind.introduced else ""
    recalled = await memory.recall(mind, query, shown=shown)
    return mind.fill(
        prompt,
        [
            *describe_here_and_now(moment.percept),
            *describe_purpose(mind),
            *describe_knowledge(mind),
            *sections,
            describe_history(mind),
            *last,
        ],
        recalled,
        **fields,
    )


def describe_purpose(mind: SimuverseMind) -> list[Section]:
    """Describe the person's task, and the invitations that stand."""
    task: list[JSONValue] = [["your task", mind.profile.goal]] if mind.profile.goal else []
    invited: list[JSONValue] = [
        [
            "invitation",
            f"{invitation.who}, {mind.services.format_clock(invitation.at)}",
            invitation.words,
        ]
        for invitation in mind.invitations
    ]
    return [Section("task", task), Section("invitations", invited)]


def describe_knowledge(mind: SimuverseMind) -> list[Section]:
    """Describe the knowledge of the start, which later prompts show where there is room."""
    if mind.introduced and mind.services.prompts.small:
        return []
    persona = split_sentences(mind.profile.persona)
    past = [memory.text for memory in mind.profile.dated if mind.config.memory == "off"]
    known = [*mind.profile.memories, *past, *list_untold_facts(mind.profile)]
    lines: list[JSONValue] = [["you know", text] for text in known if text not in persona]
    return [Section("knowledge", lines, REMEMBERED if mind.introduced else SPOKEN)]


def describe_history(mind: SimuverseMind) -> Section:
    """Describe the last messages, the oldest first."""
    last = mind.history[-_SMALL_HISTORY:] if mind.services.prompts.small else mind.history
    lines: list[JSONValue] = [
        [mind.services.format_clock(line.at), line.head, line.text] for line in last
    ]
    return Section("history", lines, SPOKEN, "last")


def describe_input(mind: SimuverseMind) -> Section:
    """Describe the result of the last tool."""
    lines: list[JSONValue] = [["it came to", line] for line in mind.input]
    return Section("input", lines)


def describe_choices(mind: SimuverseMind, moment: Moment) -> list[Section]:
    """Return the places and the people that a tool may name; in full where one is introduced."""
    percept, near = moment.percept, scope.list_near(mind, moment.percept)
    known = {place.id: place for place in mind.profile.town}
    brief = mind.introduced or mind.services.prompts.small
    places: list[JSONValue] = []
    for place in percept.known:
        here = "you are here" if scope.is_within(percept.me.place, place) else ""
        about = "" if brief else _describe_place(known.get(place))
        places.append(["place", place, *filter(None, ["; ".join(filter(None, [here, about]))])])
    people: list[JSONValue] = []
    for name in mind.people:
        tie = "" if brief and name not in near else mind.profile.relationships.get(name, "")
        seen = "" if name in near or mind.services.prompts.small else _tell_last_seen(mind, name)
        about = "; ".join(part for part in (tie, seen) if part)
        people.append(["person", name, *([about] if about else [])])
    return [Section("places", places), Section("people", people)]


def _describe_place(place: TownPlace | None) -> str:
    if place is None:
        return ""
    hours = f"open {', '.join(map(str, place.hours))}" if place.hours else ""
    things = ", ".join(dict.fromkeys(thing.name for thing in place.things[:_THINGS]))
    return "; ".join(part for part in (hours, things) if part)


def _tell_last_seen(mind: SimuverseMind, name: str) -> str:
    seen = mind.seen.get(name)
    if seen is None:
        return ""
    return f"last seen {mind.services.format_clock(seen.at)} at {seen.place}, {seen.doing}"


def _make_query(mind: SimuverseMind) -> str:
    """Make the query for memories: the last words in a talk, the last input, else the task."""
    if mind.talk.spoken and mind.history:
        return mind.history[-1].text
    return " ".join(mind.input) or mind.profile.goal or mind.name


def describe_ties(mind: SimuverseMind, others: Sequence[str], moment: Moment) -> list[Section]:
    """Describe the partners of a talk, and the people and places to speak of."""
    ties = mind.profile.relationships
    lines: list[JSONValue] = [["you know", name, ties[name]] for name in others if name in ties]
    if mind.services.prompts.small:
        return [Section("ties", lines)]
    rest = [name for name in mind.people if name not in others]
    names: list[JSONValue] = [["others in town", ", ".join(rest)]] if rest else []
    places: list[JSONValue] = [["places", ", ".join(moment.percept.known)]]
    return [Section("ties", [*lines, *names]), Section("places", places)]
