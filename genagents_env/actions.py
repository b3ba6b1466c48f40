"""Actions for `step`: five verbs, as frozen dataclasses, and a reader for their text form.

Minds act with these. Trainers use the menu (see `spaces`); both reach the same world.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Move:
    """Walk one tick's worth of tiles towards `place`; repeat to arrive.

    `place`: a sector, arena or object id, `x,y`, or the name of a person whom one sees or has
    seen (one goes where they were seen last). Short names serve where they are unambiguous.
    """

    place: str
    doing: str | None = None
    emoji: str | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """Say `text` to a person (joining or opening a conversation), or to all in earshot (None).

    Someone out of earshot is called, where the scenario gives people a telephone.
    `leave` says it and then leaves the conversation; with an empty text one just leaves.
    """

    to: str | None
    text: str
    leave: bool = False
    doing: str | None = None
    emoji: str | None = None


@dataclass(frozen=True, slots=True)
class Interact:
    """Put `object`, at most one tile away, into `state`. A bed's sleep state lays one down."""

    object: str
    state: str
    doing: str | None = None
    emoji: str | None = None


@dataclass(frozen=True, slots=True)
class Idle:
    """Stay where one is; `doing` says what one is doing there. A sleeper sleeps on."""

    doing: str | None = None
    emoji: str | None = None


@dataclass(frozen=True, slots=True)
class Restart:
    """Return at once to one's starting place, where the scenario allows it (SimuVerse's reset)."""

    doing: str | None = None
    emoji: str | None = None


Action: TypeAlias = Move | Talk | Interact | Idle | Restart

# Each is linear: no text between two delimiters can be divided in more than one way.
_PREFIX = re.compile(r"\(([^()]*)\)([^(]*)")
_VERB = re.compile(r"[A-Za-z ]+")
_SETS = re.compile(r"->|=|:")
_MOST_NAME = 60  # characters of a name before a colon


def parse_action(text: str) -> Action | None:
    """Read an action from its text form; None where there is none.

    Forms, the first prefix wins, case does not matter: `(MOVE) park`, `(TALK) Maria: hello`,
    `(TALK) hello all`, `(INTERACT) stove -> on`, `(IDLE) reading`, `(LEAVE CONVERSATION)`,
    `(RESTART)`. The prefixes follow SimuVerse's tools; CONVERSE and CALL read as TALK.
    """
    prefixes = (match.groups() for match in _PREFIX.finditer(text))
    pairs = ((inner.strip(), rest.strip()) for inner, rest in prefixes)
    verb, rest = next((pair for pair in pairs if _VERB.fullmatch(pair[0])), ("", ""))
    return _make_action(verb.upper(), rest)


def _make_action(verb: str, rest: str) -> Action | None:
    if verb == "MOVE":
        return Move(rest) if rest else None
    if verb in ("TALK", "CONVERSE", "CALL", "SAY"):
        return _make_talk(rest)
    if verb in ("INTERACT", "USE"):
        return _make_interaction(rest)
    if verb in ("IDLE", "WAIT"):
        return Idle(rest or None)
    if verb in ("LEAVE CONVERSATION", "LEAVE"):
        return Talk(None, rest, leave=True)
    return Restart() if verb in ("RESTART", "RESET") else None


def _make_talk(rest: str) -> Talk | None:
    """Read `Maria: hello`, `to Maria: hello` or `hello all`."""
    before, _, said = rest.partition(":")
    parts = before.split(maxsplit=1)
    name = (parts[1] if len(parts) > 1 and parts[0] == "to" else before).strip()
    if said and 0 < len(name) <= _MOST_NAME:
        return Talk(name, said.strip())
    return Talk(None, rest) if rest else None


def _make_interaction(rest: str) -> Interact | None:
    """Read `stove -> on`, `stove = on` or `stove: on`."""
    sets = _SETS.search(rest, 1)
    if sets is None or sets.end() == len(rest):
        return None
    return Interact(rest[: sets.start()].rstrip(), rest[sets.end() :].strip())
