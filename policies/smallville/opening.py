"""Opening: from the wish to talk to the first words, which are thought of once they can be said.

The agent goes on until the town's pause after a talk of the two is over, walks up to the other,
waits for the tick at which it may begin (`turns.may_begin`), and only then thinks of words. Those
who talk already it joins: it turns to them, they pause, it speaks.
"""

from typing import Literal, TypeAlias

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.cognition.query import Moment
from genagents_env.percept import Percept, SeenPerson

from .dialogue import end, is_late, list_before
from .mind import Dialogue, SmallvilleMind
from .turns import COMING, TALKING, TURNING, is_approached, is_talking, may_begin

EMOJI = "💬"
_APPROACH = 180  # seconds for which the agent walks up to somebody
_PATIENCE = 2 * _APPROACH  # seconds after which it no longer wants to talk
_SPEAKING = 4  # tiles from which one speaks: within half of the sight all who might begin are seen
Step: TypeAlias = Literal["go on", "walk", "wait", "turn", "say", "give up"]


def begin(
    mind: SmallvilleMind, other: str, moment: Moment, *, reason: str = "", phone: bool = False
) -> Dialogue:
    """Decide to speak to `other`; nobody knows of it yet."""
    percept = moment.percept
    dialogue = Dialogue(-1, moment.now, [other], place=percept.me.place, reason=reason)
    dialogue.phone, dialogue.reach = phone, _find_reach(mind)
    seen = _find_person(percept, other)
    if seen is not None and not seen.doing.startswith((TALKING, COMING, TURNING)):
        dialogue.activities = {other: seen.doing}
    if is_talking(percept, other):
        dialogue.before = list_before(mind, moment, {seen.name for seen in percept.people})
    mind.dialogue = dialogue
    return dialogue


def find_step(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> Step:
    """Return what leads to the first words now; `say` where they can be said at this tick."""
    percept, other = moment.percept, dialogue.others[0]
    seen = _find_person(percept, other)
    if is_late(mind, moment) or (seen is not None and seen.asleep):
        return "give up"
    if (ready := _find_ready(mind, other)) > moment.now:
        return "go on"
    since = max(dialogue.begun, ready)
    if moment.now - since > _PATIENCE and not mind.is_busy("converse."):
        return "give up"
    if dialogue.phone:
        return "say" if may_begin(mind, moment) else "wait"
    if dialogue.since >= 0 and moment.now - dialogue.since > _APPROACH:
        return "give up"
    stuck = mind.last == "Move" and not percept.result.ok
    arrived = mind.last == "Move" and percept.result.arrived
    if seen is None:
        return "give up" if stuck or arrived or dialogue.since < 0 else "walk"
    if seen.distance > dialogue.reach and not arrived:
        return "give up" if stuck else "walk"
    if is_approached(percept, besides=other):
        return "wait"
    if not is_talking(percept, other):
        return "say" if may_begin(mind, moment) else "wait"
    if dialogue.turned == moment.tick - 1:
        return "say"
    return "turn" if may_begin(mind, moment) else "wait"


def choose_step(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> Action | None:
    """Return the next step towards the other, or the first words.

    None where it is given up, or the agent goes on with what it does until the pause is over.
    """
    other, step = dialogue.others[0], find_step(mind, dialogue, moment)
    if step == "go on":
        return None
    if step == "give up":
        end(mind, dialogue, moment)
        return None
    if step == "walk":
        dialogue.since = moment.now if dialogue.since < 0 else dialogue.since
        return Move(other, f"{COMING} {other}", EMOJI)
    if step == "turn":
        dialogue.turned = moment.tick
        return Idle(f"{TURNING} {other}", EMOJI)
    if step == "wait" or not dialogue.unsaid:
        return Idle()  # what one was doing goes on to be seen
    doing = f"{TALKING} {other}"
    return Talk(other, dialogue.unsaid, leave=dialogue.leaving, doing=doing, emoji=EMOJI)


def _find_ready(mind: SmallvilleMind, other: str) -> int:
    """Return from when on the town lets these two talk again."""
    talked = mind.attention.talked.get(other)
    return 0 if talked is None else talked + mind.services.pause_seconds


def _find_reach(mind: SmallvilleMind) -> int:
    return max(1, min(_SPEAKING, mind.profile.vision_radius // 2))


def _find_person(percept: Percept, name: str) -> SeenPerson | None:
    return next((seen for seen in percept.people if seen.name == name), None)
