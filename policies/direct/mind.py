"""What a direct mind carries from tick to tick, and when it is asked again."""

from dataclasses import dataclass, replace
from typing import Literal

from genagents_env.actions import Action, Idle, Interact, Move, Talk
from genagents_env.percept import Percept, SeenObject
from genagents_env.text import quote

from .reply import DirectReply

_HEARD = 12  # lines heard on the way that are kept for the next prompt


@dataclass(frozen=True, slots=True)
class DirectMind:
    """Immutable; JSON values only.

    `doing`: what goes on without another call, with its target and the state an object is to be
    put into, until tick `until` at the latest. `heard`: lines heard since the last call.
    `fault`: why the last reply could not be used. `turns`: earlier prompts and replies.
    """

    doing: Literal["nothing", "move", "interact", "wait"] = "nothing"
    target: str = ""
    state: str = ""
    until: int = 0
    heard: tuple[str, ...] = ()
    fault: str = ""
    turns: tuple[tuple[str, str], ...] = ()


def begin(reply: DirectReply, percept: Percept, ticks: int) -> tuple[Action, DirectMind]:
    """Return the action of a reply, and what goes on after it for at most `ticks`."""
    until = percept.tick + ticks
    if reply.do == "move":
        return Move(reply.target), DirectMind("move", reply.target, until=until)
    if reply.do == "interact":
        return go_on(DirectMind("interact", reply.target, reply.words, until), percept)
    if reply.do == "talk":
        return Talk(reply.target or None, reply.words), DirectMind()
    if reply.do == "leave":
        return Talk(None, reply.words, leave=True), DirectMind()
    return Idle(), DirectMind("wait", until=until)


def go_on(mind: DirectMind, percept: Percept) -> tuple[Action, DirectMind]:
    """Return the action that continues what goes on, and what goes on after it."""
    if mind.doing == "interact":
        seen = find_object(percept, mind.target)
        if seen is not None and seen.usable:
            return Interact(seen.id, mind.state), rest(mind)
        return Move(mind.target if seen is None else seen.id), mind
    return (Move(mind.target) if mind.doing == "move" else Idle()), mind


def is_over(mind: DirectMind, percept: Percept) -> bool:
    """Return True if nothing goes on any more: done, not possible, too long, or called upon."""
    if mind.doing == "nothing" or percept.tick >= mind.until or is_called(percept):
        return True
    if mind.doing == "wait":
        return False
    seen = find_object(percept, mind.target) if mind.doing == "interact" else None
    if seen is not None and seen.usable:
        return False
    return percept.result.arrived or not percept.result.ok


def is_called(percept: Percept) -> bool:
    """Return True if the agent was spoken to, or something else calls for it."""
    talk = percept.conversation
    members = talk.members if talk is not None else ()
    return any(h.kind != "speech" or h.addressed or h.speaker in members for h in percept.heard)


def listen(mind: DirectMind, percept: Percept) -> DirectMind:
    """Return the mind with what was heard on the way, for the next prompt."""
    if not percept.heard:
        return mind
    lines = [f"{h.speaker} said: {quote(h.text)}" if h.speaker else h.text for h in percept.heard]
    return replace(mind, heard=(*mind.heard, *lines)[-_HEARD:])


def rest(mind: DirectMind) -> DirectMind:
    """Return the mind with nothing going on."""
    return replace(mind, doing="nothing", target="", state="", until=0)


def find_object(percept: Percept, name: str) -> SeenObject | None:
    """Return the nearest object in sight of that id or name."""
    wanted = name.casefold()
    return next(
        (o for o in percept.objects if wanted in (o.id.casefold(), o.name.casefold())), None
    )
