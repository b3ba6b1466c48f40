"""Turns: what follows from a reply once it was read. Two invalid ones in a row are a reset.

After the first the agent is asked once more with the same input, after the second it returns to
where it started, and the introduction is its input again. Source: SimuVerse update, "Reset
Mechanism".
"""

from collections.abc import Sequence

from genagents_env.cognition.query import Moment, Query
from genagents_env.llm.calls import JSONValue

from . import scope
from .checker import CheckedTurn, Triple, check
from .grammar import CALL, CONVERSE, MOVE, SCAN, find_prefix
from .mind import SimuverseMind, ToolStep, make_mind
from .results import INVITES, report_failure, report_outcome

CHOOSE, SPEAK = "act.choose", "talk.speak"
STRIKES = 2  # that are a reset
_NOT_GIVEN: Triple = ("", "", "")


def settle(
    mind: SimuverseMind,
    moment: Moment,
    text: str,
    triple: Triple | None,
    rival: Triple | None = _NOT_GIVEN,
) -> Sequence[Query]:
    """Count a strike, or use the tool that was chosen; return the queries that follow.

    Args:
        mind: whose reply it is.
        moment: now.
        text: the reply.
        triple: as it was read; None where no tool was found.
        rival: as the grammar reads it, where a model interpreted it.
    """
    around = scope.find_scope(mind, moment)
    turn = check(triple, text, around)
    agrees = None if rival is _NOT_GIVEN else turn.is_same(check(rival, text, around))
    mind.strikes = mind.strikes + 1 if turn.kind == "strike" else 0
    _note(mind, turn, text, triple, agrees)
    if mind.strikes >= STRIKES:
        reset(mind, moment)
        return ()
    if turn.kind == "strike":
        return (Query(CHOOSE, {}),) if mind.config.retry_in_step else ()
    return _accept(mind, moment, turn, text)


def reset(mind: SimuverseMind, moment: Moment) -> None:
    """Return to the start: nothing is under way, and the introduction is the input again."""
    if not mind.config.keep_memory:
        fresh = make_mind(mind.services, mind.profile)
        mind.memory, mind.people = fresh.memory, fresh.people
        mind.seen, mind.invitations = {}, []
    mind.strikes, mind.introduced, mind.input, mind.history = 0, False, [], []
    mind.chosen, mind.going, mind.then, mind.opening = "", "", "", []
    mind.calls, mind.failures = [], 0
    mind.plan = ToolStep("restart", since=moment.now)
    mind.due = False  # one who never chooses a tool is not asked at every tick


def note_fault(mind: SimuverseMind, text: str) -> None:
    """Note for the record that the interpreter gave no triple."""
    note: dict[str, JSONValue] = {"verdict": "no triple", "kind": "fault", "text": text}
    mind.services.notes.add_turn(mind.agent, mind.tick, note)


def _note(
    mind: SimuverseMind, turn: CheckedTurn, text: str, triple: Triple | None, agrees: bool | None
) -> None:
    """Note for the record how the reply was read."""
    tool = find_prefix(text)
    mind.services.notes.add_turn(
        mind.agent,
        mind.tick,
        {
            "verdict": turn.describe(),
            "kind": turn.kind,
            "text": text,
            "triple": None if triple is None else list(triple),
            "agrees": agrees,
            "others": list(tool.others) if tool is not None else [],
            "strikes": mind.strikes,
            "reset": mind.strikes >= STRIKES,
        },
    )


def _accept(mind: SimuverseMind, moment: Moment, turn: CheckedTurn, text: str) -> Sequence[Query]:
    """Answer the last input with a tool, and begin to use it."""
    mind.shelve_input(moment.now)
    mind.note(moment.now, "you chose", text)
    mind.chosen, mind.introduced = text, True
    if turn.kind == "failure":
        mind.note_wish(turn.describe())
        report_failure(mind, moment, f"({turn.tool}) came to nothing: {turn.why}.")
        return ()
    if turn.why:
        mind.note_wish(turn.why)
        mind.note(moment.now, "it came to", turn.why)
    if turn.tool != CONVERSE:
        mind.failures = 0
    if turn.tool == MOVE:
        begin_walk(mind, moment, turn.place)
    elif turn.tool == CONVERSE:
        mind.opening = list(turn.people)
        return (Query(SPEAK, {"talk": -1}),)
    else:
        mind.plan = _make_step(mind, turn, moment.now)
    return ()


def begin_walk(mind: SimuverseMind, moment: Moment, place: str) -> None:
    """Set out for a place; one who is there already gets that as a result at once."""
    if scope.is_within(moment.percept.me.place, place):
        here = scope.describe_arrival(mind, moment.percept)
        report_outcome(mind, moment, f"You are at {place} already.", *here)
        return
    mind.going, mind.going_since = place, moment.now


def _make_step(mind: SimuverseMind, turn: CheckedTurn, now: int) -> ToolStep:
    if turn.tool == CALL:
        meant = (turn.people[0], turn.place)
        answers = bool(turn.words) and meant in [
            (invitation.who, invitation.place) for invitation in mind.invitations
        ]
        ask = "" if answers else f"{INVITES} {turn.place}?"
        words = f"{ask} {turn.words[:1].upper()}{turn.words[1:]}".strip()
        return ToolStep("call", turn.people[0], words, leave=True, since=now, about=turn.place)
    return ToolStep("scan" if turn.tool == SCAN else "idle", words=turn.words, since=now)
