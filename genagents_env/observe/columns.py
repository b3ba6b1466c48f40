"""The columns of an observation vector: where each number stands, its range, and what it means.

The first `SIZE` are the same in every town and for both menus; the portable menu adds those of its
slots. No column depends on how many people, places, things or facts a town has.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from genagents_env.errors import ConfigError
from genagents_env.scenario.schema import GOAL_KINDS

PERSON_SLOTS, OBJECT_SLOTS, STATE_SLOTS, GOAL_SLOTS, FACT_SLOTS = 5, 4, 4, 2, 8
PLACE_ROLES = ("the place of goal 1", "the place of goal 2", "home", "one's workplace")
PLACE_SLOTS, TELL_SLOTS = len(PLACE_ROLES) + 8, 4

PERSON_COLUMNS, OBJECT_COLUMNS, THING_COLUMNS = 11, 6, 4 + STATE_SLOTS
GOAL_COLUMNS, FACT_COLUMNS, PLACE_COLUMNS, TELL_COLUMNS = len(GOAL_KINDS) + 15, 4, 7, 4
GOAL_FIXED = len(GOAL_KINDS) + 5  # of each goal: what changes with what one knows alone

PEOPLE = 10
TILE = PEOPLE + PERSON_SLOTS * PERSON_COLUMNS
ROOM = TILE + 2 + OBJECT_SLOTS * OBJECT_COLUMNS
SELF = ROOM + 3
GOALS = SELF + 2
FACTS = GOALS + GOAL_SLOTS * GOAL_COLUMNS
THINGS = FACTS + FACT_SLOTS * FACT_COLUMNS
SIZE = THINGS + OBJECT_SLOTS * THING_COLUMNS
TELLS = SIZE + PLACE_SLOTS * PLACE_COLUMNS
PORTABLE_SIZE = TELLS + TELL_SLOTS * TELL_COLUMNS

_Row = tuple[str, str, str]  # name, range, meaning
_BIT, _PART, _BOTH = "0 or 1", "0 to 1", "-1 to 1"


OWN_ROWS: tuple[_Row, ...] = (
    ("hour_sine", _BOTH, "sine of the hour of the day"),
    ("hour_cosine", _BOTH, "cosine of the hour of the day"),
    ("elapsed", _PART, "part of the scenario's time that is over"),
    ("asleep", _BIT, "one is asleep"),
    ("talking", _BIT, "one is in a conversation"),
    ("arrived", _BIT, "the last Move has arrived"),
    ("failed", _BIT, "the last action failed"),
    ("addressed", _BIT, "one was spoken to, or a thought came"),
    ("overheard", _BIT, "one heard anything else"),
    ("facts", _PART, "part of the scenario's facts that one knows"),
)
_ROOM: Iterable[_Row] = (
    ("room.index", _PART, "place one is in: number among the places over that of all places"),
    ("room.home", _BIT, "one is at home"),
    ("room.workplace", _BIT, "one is at one's workplace"),
    ("self.index", _PART, "who one is: number in the scenario over that of all people"),
    ("self.count", _PART, "how many people the scenario has: logarithm over that of 1,000"),
)


@dataclass(frozen=True, slots=True)
class VectorColumn:
    """One number of an observation vector."""

    index: int
    name: str
    range: str
    meaning: str


def describe_columns(menu: str = "town") -> tuple[VectorColumn, ...]:
    """Return every column of the observation vector, in order.

    Args:
        menu: "town", or "portable", which adds the columns of its slots. Those of the plain menu
            are others: `plain_columns.describe_plain_columns`.

    Raises:
        ConfigError: it is neither.
    """
    if menu not in ("town", "portable"):
        told = "'town' or 'portable' is; for 'plain' call plain_columns.describe_plain_columns()"
        raise ConfigError(f"menu: {menu!r} is not allowed; {told}")
    parts: list[Iterable[_Row]] = [
        OWN_ROWS,
        _list_people(),
        _list_objects(),
        _ROOM,
        _list_goals(),
        _list_facts(),
    ]
    parts.append(_list_things())
    if menu == "portable":
        parts += [_list_places(), _list_tells()]
    return tuple(VectorColumn(index, *row) for index, row in enumerate(chain(*parts)))


def format_columns() -> str:
    """Return the table of all columns in Markdown: those from `SIZE` on, of the portable menu."""
    lines = ["| column | name | range | meaning |\n|---|---|---|---|\n"]
    for c in describe_columns("portable"):
        lines.append(f"| {c.index} | `{c.name}` | {c.range} | {c.meaning} |\n")
    return "".join(lines)


def _list_people() -> Iterator[_Row]:
    for k in range(PERSON_SLOTS):
        whom, slot = f"{_ordinal(k)} person in sight", f"person_{k + 1}"
        yield f"{slot}.there", _BIT, f"there is a {whom}"
        yield f"{slot}.x", _BOTH, f"how far east the {whom} is, over one's vision radius"
        yield f"{slot}.y", _BOTH, f"how far south the {whom} is, over one's vision radius"
        yield f"{slot}.asleep", _BIT, "asleep"
        yield f"{slot}.with_me", _BIT, "in one's own conversation"
        yield f"{slot}.index", _PART, "who it is: number in the scenario over that of all people"
        for g in range(GOAL_SLOTS):
            yield f"{slot}.of_goal_{g + 1}", _BIT, f"the person of one's goal {g + 1}"
        for g in range(GOAL_SLOTS):
            meaning = f"heard the fact of one's goal {g + 1} from oneself, within sight"
            yield f"{slot}.told_goal_{g + 1}", _BIT, meaning
        yield f"{slot}.in_a_fact", _BIT, "a fact that one knows is about this person"


def _list_objects() -> Iterator[_Row]:
    yield "x", _PART, "own column over the town's width"
    yield "y", _PART, "own row over the town's height"
    for k in range(OBJECT_SLOTS):
        what, slot = f"{_ordinal(k)} object in sight", f"object_{k + 1}"
        yield f"{slot}.there", _BIT, f"there is a {what}"
        yield f"{slot}.x", _BOTH, f"how far east the {what} is, over one's vision radius"
        yield f"{slot}.y", _BOTH, f"how far south the {what} is, over one's vision radius"
        yield f"{slot}.state", _PART, "index of its state over the number of its states"
        yield f"{slot}.in_reach", _BIT, "within reach"
        yield f"{slot}.index", _PART, "what it is: number in the plan over that of all objects"


def _list_goals() -> Iterator[_Row]:
    for g in range(GOAL_SLOTS):
        slot = f"goal_{g + 1}"
        for kind in GOAL_KINDS:
            yield f"{slot}.{kind}", _BIT, f"goal {g + 1} is of the kind `{kind}`"
        yield f"{slot}.done", _BIT, "it is achieved, or lost, and one can know that"
        yield f"{slot}.state", _PART, "number of the wanted state over that of the object's states"
        yield f"{slot}.person", _PART, "number of its person over that of all people"
        yield f"{slot}.fact", _PART, "number of its fact over that of all facts"
        yield f"{slot}.fact_known", _BIT, "one knows its fact"
        yield f"{slot}.located", _BIT, "one knows where its target is, or saw that person before"
        yield f"{slot}.x", _BOTH, "how far east the target is, over the town's width"
        yield f"{slot}.y", _BOTH, "how far south the target is, over the town's height"
        yield f"{slot}.distance", _PART, "tiles across and down to it, over those of the town"
        yield f"{slot}.at_place", _BIT, "one is at the goal's place"
        yield f"{slot}.start", _BOTH, "ticks until it counts, over the scenario's; 0 without a time"
        yield f"{slot}.end", _BOTH, "ticks until it ends, over the scenario's; 1 without a time"
        yield f"{slot}.person_seen", _BIT, "one has seen its person"
        yield f"{slot}.person_x", _BOTH, "how far east its person was when last seen"
        yield f"{slot}.person_y", _BOTH, "how far south its person was when last seen"


def _list_facts() -> Iterator[_Row]:
    for f in range(FACT_SLOTS):
        slot = f"fact_{f + 1}"
        yield f"{slot}.known", _BIT, f"one knows the scenario's {_ordinal(f, '')} fact"
        yield f"{slot}.about", _PART, "if known: number of whom it is about over that of all people"
        for g in range(GOAL_SLOTS):
            yield f"{slot}.of_goal_{g + 1}", _BIT, f"it is the fact of goal {g + 1}"


def _list_things() -> Iterator[_Row]:
    wanted = "of an accusation: that names a person of whom one knows a fact"
    for k in range(OBJECT_SLOTS):
        slot = f"object_{k + 1}"
        for g in range(GOAL_SLOTS):
            yield f"{slot}.of_goal_{g + 1}", _BIT, f"it is the object of goal {g + 1}"
        for g in range(GOAL_SLOTS):
            yield f"{slot}.as_goal_{g + 1}", _BIT, f"and in the state that goal {g + 1} wants"
        for s in range(STATE_SLOTS):
            meaning = f"a goal wants its next state {s + 1}; {wanted}"
            yield f"{slot}.next_{s + 1}_wanted", _BIT, meaning


def _list_places() -> Iterator[_Row]:
    others = tuple(f"the {_ordinal(k)} other place" for k in range(PLACE_SLOTS - len(PLACE_ROLES)))
    for k, what in enumerate((*PLACE_ROLES, *others)):
        slot = f"place_{k + 1}"
        yield f"{slot}.there", _BIT, f"there is {what}, and one may go there"
        yield f"{slot}.x", _BOTH, "how far east its middle is, over the town's width"
        yield f"{slot}.y", _BOTH, "how far south its middle is, over the town's height"
        yield f"{slot}.distance", _PART, "tiles across and down to it, over those of the town"
        for g in range(GOAL_SLOTS):
            yield f"{slot}.of_goal_{g + 1}", _BIT, f"it is the place of goal {g + 1}"
        yield f"{slot}.inside", _BIT, "one is in it"


def _list_tells() -> Iterator[_Row]:
    for f in range(TELL_SLOTS):
        slot = f"tell_{f + 1}"
        yield f"{slot}.there", _BIT, f"there is a {_ordinal(f, '')} fact that one can tell"
        yield f"{slot}.about", _PART, "number of whom it is about over that of all people"
        for g in range(GOAL_SLOTS):
            yield f"{slot}.of_goal_{g + 1}", _BIT, f"it is the fact of goal {g + 1}"


def _ordinal(k: int, nearest: str = " nearest") -> str:
    if k == 0 and nearest:
        return nearest.strip()
    return f"{k + 1}{('st', 'nd', 'rd')[k] if k < 3 else 'th'}{nearest}"
