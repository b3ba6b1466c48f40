"""The checker: whether a triple names a tool, and what its context means here.

A triple is `[agent, TOOL, context]`. Who it says the agent is does not matter: it is whose reply it
was. A triple that names no tool is invalid; one that names a tool, and what the town does not have
or allow, is valid and fails, with a message that says what there is.
"""

import re
from dataclasses import dataclass
from typing import Literal

from genagents_env.cognition import aims, names

from .grammar import CALL, CONVERSE, FOUR_TOOLS, IDLE, MOVE, find_prefix

Triple = tuple[str, str, str]

_TOWARDS = re.compile(r"\b(?:to|into|towards?)\s", re.IGNORECASE)
_THERE = re.compile(r"\b(?:for|at|in)\s", re.IGNORECASE)
_LEAD = re.compile(r"(?:(?:the|my|our|back|go|to|walk|head)\s+)+", re.IGNORECASE)
_CAPITALS = r"([A-Z\u00c0-\u00de][\w'-]*(?: [A-Z\u00c0-\u00de][\w'-]*)*)"
_ALONE = re.compile(rf"(?:(?:with|to)\s+)?{_CAPITALS}\W*(?:,.*)?")
_WITH = re.compile(rf"\b(?:with|to)\s+{_CAPITALS}")
_HOME = re.compile(r"\bhome\b", re.IGNORECASE)
_PARTNERS = 2  # beside oneself: three converse at most (SimuVerse, 2024)


@dataclass(frozen=True, slots=True)
class ToolScope:
    """What of the town a check depends on, as one person knows it.

    Attributes:
        agent: whose replies are checked.
        name: of that person.
        home: where the person lives.
        here: where the person is.
        places: that the person knows.
        people: whom the person knows or sees, by name.
        near: those who are near enough to talk to, the nearest first.
        idle: whether doing nothing is a tool.
    """

    agent: str
    name: str
    home: str
    here: str
    places: tuple[str, ...]
    people: tuple[str, ...]
    near: tuple[str, ...]
    idle: bool = False

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools to choose from."""
        return (*FOUR_TOOLS, IDLE) if self.idle else FOUR_TOOLS


@dataclass(frozen=True, slots=True)
class CheckedTurn:
    """A reply as it was checked.

    Attributes:
        kind: `tool`, which is to act; `failure`, of a tool that was chosen and cannot act;
            `strike`, no tool was chosen.
        tool: that was chosen.
        place: where to, of MOVE and CALL.
        people: with whom, of CONVERSE and CALL.
        words: what is said with it.
        why: of a failure or a strike, or of people left out, in words for the agent.
    """

    kind: Literal["tool", "failure", "strike"]
    tool: str = ""
    place: str = ""
    people: tuple[str, ...] = ()
    words: str = ""
    why: str = ""

    def describe(self) -> str:
        """Return it in a line: `MOVE park`, `failure MOVE: ...`, `strike: ...`."""
        if self.kind == "tool":
            about = [part for part in (", ".join(self.people), self.place) if part]
            return " ".join([self.tool, ", ".join(about)]).strip()
        return f"{' '.join([self.kind, self.tool]).strip()}: {self.why}"

    def is_same(self, other: "CheckedTurn") -> bool:
        """Return True if both come to the same act."""
        mine, theirs = ((t.kind, t.tool, t.place, t.people) for t in (self, other))
        return mine == theirs


def make_triple(text: str, around: ToolScope) -> Triple | None:
    """Return the triple that the grammar reads in a reply; None without a tool."""
    tool = find_prefix(text, around.tools)
    return None if tool is None else (around.agent, tool.tool, tool.context)


def check(triple: Triple | None, text: str, around: ToolScope) -> CheckedTurn:
    """Check a triple against what is there.

    Args:
        triple: of the interpreter; None where it found no tool.
        text: the reply itself, for what is said with it.
        around: of whose reply it is.
    """
    tool = "" if triple is None else triple[1].strip().strip("()").strip().upper()
    if triple is None or tool not in around.tools:
        why = "an empty reply" if not text.strip() else f"no tool of {', '.join(around.tools)}"
        return CheckedTurn("strike", why=why)
    context = triple[2].strip()
    if tool == MOVE:
        return _check_move(context, around)
    if tool == CONVERSE:
        return _check_converse(context, around)
    if tool == CALL:
        return _check_call(context, text, around)
    return CheckedTurn("tool", tool, words=context if tool == IDLE else "")


def _check_move(context: str, around: ToolScope) -> CheckedTurn:
    place = find_place(context, around)
    if place:
        return CheckedTurn("tool", MOVE, place)
    why = f"you know no place called {context!r}" if context else "you named no place"
    return CheckedTurn("failure", MOVE, why=f"{why}; you know: {', '.join(around.places)}")


def _check_converse(context: str, around: ToolScope) -> CheckedTurn:
    def fail(why: str) -> CheckedTurn:
        return CheckedTurn("failure", CONVERSE, why=why)

    if not around.near:
        return fail("nobody is near enough to talk to")
    here = f"near you: {', '.join(around.near)}"
    if meant := find_people(context, around):
        near = tuple(name for name in meant if name in around.near)
        absent = [name for name in meant if name not in near]
        if not near:
            return fail(f"{' and '.join(absent)}: not near enough to talk to; {here}")
        left = [name for name in meant if name not in near[:_PARTNERS]]
        why = f"{', '.join(left)} left out: not near you, or more than {_PARTNERS + 1} in all"
        return CheckedTurn("tool", CONVERSE, people=near[:_PARTNERS], why=why if left else "")
    if stranger := _find_stranger(context, around):
        return fail(f"nobody called {stranger!r} is near; {here}")
    return CheckedTurn("tool", CONVERSE, people=around.near[:_PARTNERS])


def _check_call(context: str, text: str, around: ToolScope) -> CheckedTurn:
    def fail(why: str) -> CheckedTurn:
        return CheckedTurn("failure", CALL, why=why)

    head, _, words = context.partition(":")
    found = find_prefix(text, (CALL,))
    if found is not None and ":" in found.context:
        words = found.context.partition(":")[2]
    people = find_people(head, around)
    if not people:
        if names.find_mention(around.name, head) is not None:
            return fail("you cannot call yourself")
        who = _find_stranger(head, around)
        known = ", ".join(around.people) or "nobody"
        why = f"you know nobody called {who!r}" if who else "say whom"
        return fail(f"{why}; you know: {known}")
    place = find_place(head, around) or find_place(words, around)
    if not place:
        return fail(f"say where to meet; you know: {', '.join(around.places)}")
    why = f"{', '.join(people[1:])} not called: one person at a time" if people[1:] else ""
    return CheckedTurn("tool", CALL, place, (people[0],), words.strip(), why)


def find_place(words: str, around: ToolScope) -> str:
    """Return the known place that words name, however it is spelled; empty where none.

    What stands behind "to" or the like counts before what is named elsewhere, such as where from.
    """
    folded = {place.casefold(): place for place in around.places}
    behind = [match.end() for sign in (_TOWARDS, _THERE) for match in sign.finditer(words)]
    for start in (0, *behind):
        lead = _LEAD.match(words, start)
        rest = words[lead.end() if lead else start :].casefold()
        begun = [fold for fold in folded if re.match(rf"\W*{re.escape(fold)}(?!\w)", rest)]
        if begun:
            return folded[max(begun, key=len)]
    rooms = {place: [place.split("/")[-1]] for place in around.places if "/" in place}
    found = aims.find_target(words, around.places, rooms) if words.strip() else ""
    return found or (around.home if _HOME.search(words) else "")


def find_people(words: str, around: ToolScope) -> list[str]:
    """Return the people whom words name, in the order of naming."""
    places = [names.find_mention(name, words) for name in around.people]
    found = [(at, name) for at, name in zip(places, around.people, strict=True) if at is not None]
    return [name for _, name in sorted(found) if name != around.name]


def _find_stranger(words: str, around: ToolScope) -> str:
    """Return a name in words that is nobody's whom the person knows; empty where there is none."""
    signs = (_ALONE.fullmatch(words), _WITH.search(words))
    single = [match[1] for match in signs if match is not None]
    named = names.list_full_names(words, (around.name, *around.places))
    return next((name for name in (*named, *single) if name != "I"), "")
