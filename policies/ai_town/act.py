"""Act: the state of the talk, or what one does by oneself, turned into the next step.

No model is asked here. What one does is worded so that others see how far the talk has come.
"""

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.cognition.prompts import find_person
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import choose_night_step

from . import groups, invitations, pursue, signs
from .mind import AiTownMind, LastStep, StepKind, TalkState

_TALKING, _THINKING, _WALKING = "💬", "💭", "🚶"
_MIDWAY = 4  # tiles from which on one goes half the way (code)


def choose_action(mind: AiTownMind, moment: Moment) -> Action:
    """Return the next step."""
    step, kind = _choose(mind, moment)
    text = step.text if isinstance(step, Talk) else ""
    place = step.place if isinstance(step, Move) else ""
    mind.step = LastStep(kind, text, place, type(step).__name__)
    return step


def _choose(mind: AiTownMind, moment: Moment) -> tuple[Action, StepKind]:
    night = _choose_night_step(mind, moment)
    if night is not None:
        return night, "move" if isinstance(night, Move) else "other"
    if mind.talk is not None:
        return _choose_talk_step(mind, mind.talk, moment)
    step = pursue.choose_action(mind)
    return step, "move" if isinstance(step, Move) else "other"


def _choose_night_step(mind: AiTownMind, moment: Moment) -> Action | None:
    if not mind.config.sleep:
        return Move(moment.percept.me.place) if moment.percept.me.asleep else None
    percept = moment.percept
    step = choose_night_step(mind.profile, percept, mind.step.action)
    if step is not None and percept.conversation is not None and not percept.me.asleep:
        return Talk(None, "", leave=True)
    return step


def _choose_talk_step(mind: AiTownMind, talk: TalkState, moment: Moment) -> tuple[Action, StepKind]:
    if talk.leaving and not talk.unsaid:
        return _leave(moment)
    if mind.config.meet == "collision" and groups.is_over(mind, talk, moment.now):
        return _leave(moment)
    if talk.stage == "talking":
        return _speak_or_wait(mind, talk, moment)
    if moment.now - talk.begun >= mind.config.walk_over_seconds:
        return _leave(moment)
    if talk.stage == "invited":
        return _answer_invitation(mind, talk)
    if talk.stage == "walking":
        return _walk_over(mind, talk, moment)
    if talk.begun == moment.now:
        words = signs.write_invitation(talk.other)
        return _say(None, words, f"{signs.WAITING} {talk.other}"), "invite"
    return Idle(f"{signs.WAITING} {talk.other}", _THINKING), "other"


def _leave(moment: Moment) -> tuple[Action, StepKind]:
    """Leave without a word; where the town knows of no talk it is simply over."""
    if moment.percept.conversation is not None:
        return Talk(None, "", leave=True), "leave"
    return Idle("looking round"), "leave"


def _answer_invitation(mind: AiTownMind, talk: TalkState) -> tuple[Action, StepKind]:
    if not talk.failed and invitations.accepts(mind, talk):
        words = signs.write_acceptance(talk.other)
        return _say(talk.other, words, f"{signs.COMING} {talk.other}"), "accept"
    write = signs.write_apology if talk.failed else signs.write_refusal
    return _say(None, write(talk.other), "staying where one is"), "refuse"


def _walk_over(mind: AiTownMind, talk: TalkState, moment: Moment) -> tuple[Action, StepKind]:
    """Go to the other, half the way where they are far: they come, too."""
    seen = find_person(moment.percept, talk.other)
    doing, place = f"{signs.COMING} {talk.other}", talk.other
    if seen is not None and seen.distance >= _MIDWAY and moment.percept.result.ok:
        (x, y), (other_x, other_y) = moment.percept.me.tile, seen.tile
        place = f"{(x + other_x) // 2},{(y + other_y) // 2}"
    return Move(place, doing, _WALKING), "move"


def _speak_or_wait(mind: AiTownMind, talk: TalkState, moment: Moment) -> tuple[Action, StepKind]:
    town = moment.percept.conversation
    if talk.unsaid and (town is None or town.may_speak):
        doing = signs.write_talking(talk.others, talk.gaze)
        opens = town is None and bool(talk.others)
        to = _find_opening(mind, talk) if opens else None
        return _say(to, talk.unsaid, doing, leave=talk.leaving), "words"
    if mind.is_busy("converse"):
        return Idle(f"{signs.TYPING} {talk.other}", _THINKING), "other"
    return Idle(f"{signs.LISTENING} {talk.other}", _TALKING), "other"


def _find_opening(mind: AiTownMind, talk: TalkState) -> str:
    """Return to whom one speaks who is in no conversation of the town yet: who spoke last."""
    spoke = [line.speaker for line in talk.lines if line.speaker != mind.name]
    return spoke[-1] if spoke else talk.other


def _say(to: str | None, words: str, doing: str, *, leave: bool = False) -> Talk:
    return Talk(to, words, leave=leave, doing=doing, emoji=_TALKING)
