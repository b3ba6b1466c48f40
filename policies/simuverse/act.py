"""Act: the tool under way, turned into the next step. No model is asked here."""

from genagents_env.actions import Action, Idle, Move, Restart, Talk
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import choose_night_step, is_in_bed

from .mind import SimuverseMind, ToolStep

_CALL_AGAIN = 60  # seconds
_TALKING, _LOOKING, _CALLING, _IDLE = "💬", "👀", "📞", "🙂"


def choose_action(mind: SimuverseMind, moment: Moment) -> Action:
    """Return the next step: to bed at night, what was decided now, else what goes on."""
    night = _find_night_step(mind, moment)
    mind.step = ToolStep() if night else mind.plan if mind.plan.kind else _go_on(mind, moment)
    mind.plan = ToolStep()
    action = night or _make_action(mind.step, mind)
    mind.last = type(action).__name__
    return action


def is_night(mind: SimuverseMind, moment: Moment) -> bool:
    """Return True if the agent is to be in bed, or asleep."""
    clock = moment.percept.time.time()
    return moment.percept.me.asleep or (mind.config.sleeps and is_in_bed(mind.profile, clock))


def is_call_due(mind: SimuverseMind, moment: Moment) -> bool:
    """Return True if a call that did not get through is to be tried again now."""
    return bool(mind.calls) and moment.now - mind.called_at >= _CALL_AGAIN


def _find_night_step(mind: SimuverseMind, moment: Moment) -> Action | None:
    """Return the way to bed, where it is the hour for it; a conversation is left before."""
    if not mind.config.sleeps:
        return Move(moment.percept.me.place) if moment.percept.me.asleep else None
    step = choose_night_step(mind.profile, moment.percept, mind.last)
    if step is not None and moment.percept.conversation is not None:
        mind.talk.ending = "left"
        return Talk(None, "", leave=True)
    return step


def _go_on(mind: SimuverseMind, moment: Moment) -> ToolStep:
    if moment.percept.me.asleep or moment.percept.conversation is not None:
        return ToolStep()
    if is_call_due(mind, moment):
        return mind.calls[0]
    if mind.going:
        return ToolStep("walk", mind.going, since=mind.going_since)
    return mind.step if mind.step.kind == "idle" else ToolStep()


def _make_action(step: ToolStep, mind: SimuverseMind) -> Action:
    match step.kind:
        case "walk":
            return Move(step.target)
        case "open":
            return Talk(step.target, step.words, doing=f"talking to {step.target}", emoji=_TALKING)
        case "say" | "leave":
            doing = f"talking to {', '.join(mind.talk.members)}"
            return Talk(step.target or None, step.words, step.leave, doing, _TALKING)
        case "call":
            return Talk(step.target, step.words, True, f"calling {step.target}", _CALLING)
        case "scan":
            return Idle("looking around", _LOOKING)
        case "idle":
            return Idle(step.words or "doing nothing", _IDLE)
        case "restart":
            return Restart()
        case _:
            others = ", ".join(mind.talk.members)
            return Idle(f"talking to {others}", _TALKING) if others else Idle()
