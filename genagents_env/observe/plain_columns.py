"""Choices and columns of the plain menu, the same in every town.

| choices | meaning |
|---|---|
| 0 | idle |
| P | go to the place in a slot, which one knows and may enter |
| K | go to the person in a slot, in sight |
| K | talk to the person in a slot |
| K x F | tell the person in a slot the fact in a slot, which one knows |
| O | go to the thing in a slot, in sight |
| O x S | put the thing in a slot, within reach, into its state number s |
| K | put a thing within reach into that state which is the name of the person in a slot |
| 1 | leave the conversation |
"""

from collections.abc import Iterator
from functools import cache

from genagents_env.observe.columns import OWN_ROWS, VectorColumn
from genagents_env.observe.menu import Choice
from genagents_env.observe.plain_slots import FACT_SLOTS, PERSON_SLOTS, PLACE_SLOTS, THING_SLOTS
from genagents_env.scenario.schema import GOAL_KINDS
from genagents_env.world.goals import GOAL_SLOTS

STATE_SLOTS = 4
OWN, GOAL = 11, len(GOAL_KINDS) + 1 + STATE_SLOTS + 2
PLACE, PERSON, THING = 5 + GOAL_SLOTS, 6 + GOAL_SLOTS, 4 + GOAL_SLOTS + STATE_SLOTS
FACT = 2 + GOAL_SLOTS + PERSON_SLOTS
GOALS = OWN
PLACES = GOALS + GOAL_SLOTS * GOAL
PEOPLE = PLACES + PLACE_SLOTS * PLACE
THINGS = PEOPLE + PERSON_SLOTS * PERSON
FACTS = THINGS + THING_SLOTS * THING
SIZE = FACTS + FACT_SLOTS * FACT

_BIT, _PART, _BOTH = "0 or 1", "0 to 1", "-1 to 1"
_OWN = (
    *OWN_ROWS[:-1],  # all but the part of the facts that one knows
    ("x", _PART, "own column over the town's width"),
    ("y", _PART, "own row over the town's height"),
)


@cache
def list_plain_choices() -> tuple[Choice, ...]:
    """Return the choices."""
    return (
        Choice("idle", 0),
        *(Choice("place", p) for p in range(PLACE_SLOTS)),
        *(Choice("approach", k) for k in range(PERSON_SLOTS)),
        *(Choice("talk", k) for k in range(PERSON_SLOTS)),
        *(Choice("tell", k, f) for k in range(PERSON_SLOTS) for f in range(FACT_SLOTS)),
        *(Choice("reach", o) for o in range(THING_SLOTS)),
        *(Choice("use", o, s) for o in range(THING_SLOTS) for s in range(STATE_SLOTS)),
        *(Choice("name", k) for k in range(PERSON_SLOTS)),
        Choice("leave", 0),
    )


CHOICES = len(list_plain_choices())


@cache
def list_parts() -> dict[str, slice]:
    """Return which choices are of which kind."""
    kinds = [choice.kind for choice in list_plain_choices()]
    return {kind: slice(kinds.index(kind), kinds.index(kind) + kinds.count(kind)) for kind in kinds}


def describe_plain_columns() -> tuple[VectorColumn, ...]:
    """Return every column of the observation vector of the plain menu, in order."""
    return tuple(VectorColumn(index, *row) for index, row in enumerate(_list_columns()))


def _list_columns() -> Iterator[tuple[str, str, str]]:
    """Yield name, range and meaning of every column, in order."""
    yield from _OWN
    goals = range(1, GOAL_SLOTS + 1)
    for g in goals:
        for kind in GOAL_KINDS:
            yield f"goal_{g}.{kind}", _BIT, f"goal {g} is of the kind `{kind}`"
        yield f"goal_{g}.done", _BIT, "it is achieved, or lost, and one can know that"
        for s in range(STATE_SLOTS):
            yield f"goal_{g}.state_{s + 1}", _BIT, f"it wants state {s + 1} of its thing"
        yield f"goal_{g}.start", _BOTH, "ticks until it counts, over the scenario's"
        yield f"goal_{g}.end", _BOTH, "ticks until it ends, likewise; 1 without a time"
    for k in range(1, PLACE_SLOTS + 1):
        yield f"place_{k}.there", _BIT, f"there is a place in slot {k}, and one may go there"
        yield f"place_{k}.x", _PART, "column of its middle over the town's width"
        yield f"place_{k}.y", _PART, "row of its middle over the town's height"
        yield f"place_{k}.inside", _BIT, "one is in it"
        yield f"place_{k}.home", _BIT, "one lives there"
        yield from ((f"place_{k}.of_goal_{g}", _BIT, f"it is that of goal {g}") for g in goals)
    for k in range(1, PERSON_SLOTS + 1):
        yield f"person_{k}.there", _BIT, f"the person in slot {k} is in sight"
        yield f"person_{k}.x", _BOTH, "how far east, over one's vision radius"
        yield f"person_{k}.y", _BOTH, "how far south, over one's vision radius"
        yield f"person_{k}.asleep", _BIT, "asleep"
        yield f"person_{k}.with_me", _BIT, "in one's own conversation"
        yield f"person_{k}.named", _BIT, "a thing in sight is in the state of that person's name"
        yield from ((f"person_{k}.of_goal_{g}", _BIT, f"it is that of goal {g}") for g in goals)
    for k in range(1, THING_SLOTS + 1):
        yield f"thing_{k}.there", _BIT, f"the thing in slot {k} is in sight"
        yield f"thing_{k}.x", _BOTH, "how far east, over one's vision radius"
        yield f"thing_{k}.y", _BOTH, "how far south, over one's vision radius"
        yield f"thing_{k}.in_reach", _BIT, "within reach"
        yield from ((f"thing_{k}.of_goal_{g}", _BIT, f"it is that of goal {g}") for g in goals)
        for s in range(STATE_SLOTS):
            yield f"thing_{k}.state_{s + 1}", _BIT, f"it is in its state {s + 1}"
    for k in range(1, FACT_SLOTS + 1):
        yield f"fact_{k}.known", _BIT, f"one knows the fact in slot {k}"
        yield from ((f"fact_{k}.of_goal_{g}", _BIT, f"it is that of goal {g}") for g in goals)
        yield f"fact_{k}.about_me", _BIT, "it is known, and about oneself"
        for j in range(1, PERSON_SLOTS + 1):
            yield f"fact_{k}.about_{j}", _BIT, f"it is known, and about the person in slot {j}"


def format_plain_columns() -> str:
    """Return the table of all columns in Markdown: of slots those of the first."""
    lines = ["| column | name | range | meaning |\n|---|---|---|---|\n"]
    for c in describe_plain_columns():
        first, size, count = _SLOTS.get(c.name.partition("_")[0], (c.index, 1, 1))
        if c.index < first + size:
            shown = f"{c.index}, and {count - 1} times {size} on" if count > 1 else str(c.index)
            lines.append(f"| {shown} | `{c.name}` | {c.range} | {c.meaning} |\n")
    return "".join(lines)


_SLOTS = {  # first column, columns of each, and how many there are
    "goal": (GOALS, GOAL, GOAL_SLOTS),
    "place": (PLACES, PLACE, PLACE_SLOTS),
    "person": (PEOPLE, PERSON, PERSON_SLOTS),
    "thing": (THINGS, THING, THING_SLOTS),
    "fact": (FACTS, FACT, FACT_SLOTS),
}
