"""What goes into `step`: five verbs, as frozen dataclasses, and a reader for their text form.

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

_PREFIX = re.compile(r"\(\s*([A-Za-z ]+?)\s*\)\s*([^(]*)", re.DOTALL)
_TALK = re.compile(r"^(?:to\s+)?([^:]{1,60}?)\s*:\s*(.+)$", re.DOTALL)
_INTERACT = re.compile(r"^(.+?)\s*(?:->|=|:)\s*(.+)$", re.DOTALL)


def parse_action(text: str) -> Action | None:
    """Read an action from its text form; None where there is none.

    Forms, the first prefix wins, case does not matter: `(MOVE) park`, `(TALK) Maria: hello`,
    `(TALK) hello all`, `(INTERACT) stove -> on`, `(IDLE) reading`, `(LEAVE CONVERSATION)`,
    `(RESTART)`. The prefixes follow SimuVerse's tools; CONVERSE and CALL read as TALK.
    """
    match = _PREFIX.search(text)
    if match is None:
        return None
    verb, rest = match.group(1).upper(), match.group(2).strip()
    if verb == "MOVE":
        return Move(rest) if rest else None
    if verb in ("TALK", "CONVERSE", "CALL", "SAY"):
        said = _TALK.match(rest)
        if said is not None:
            return Talk(said.group(1), said.group(2).strip())
        return Talk(None, rest) if rest else None
    if verb in ("INTERACT", "USE"):
        used = _INTERACT.match(rest)
        return Interact(used.group(1), used.group(2).strip()) if used else None
    if verb in ("IDLE", "WAIT"):
        return Idle(rest or None)
    if verb in ("LEAVE CONVERSATION", "LEAVE"):
        return Talk(None, rest, leave=True)
    return Restart() if verb in ("RESTART", "RESET") else None
