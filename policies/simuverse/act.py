"""Act: the tool under way, turned into the next step. No model is asked here."""

from genagents_env.actions import Action, Idle, Move, Restart, Talk
from genagents_env.cognition.query import Moment

from .mind import SimuverseMind, ToolStep

_TALKING, _WALKING, _LOOKING, _CALLING, _IDLE = "💬", "🚶", "👀", "📞", "🙂"


def choose_action(mind: SimuverseMind, moment: Moment) -> Action:
    """Return the next step: what was decided now, else what goes on."""
    mind.step = mind.plan if mind.plan.kind else _go_on(mind, moment)
    mind.plan = ToolStep()
    return _make_action(mind.step, mind)


def _go_on(mind: SimuverseMind, moment: Moment) -> ToolStep:
    if moment.percept.me.asleep or moment.percept.conversation is not None:
        return ToolStep()
    if mind.going:
        return ToolStep("walk", mind.going, since=mind.going_since)
    return mind.step if mind.step.kind == "idle" else ToolStep()


def _make_action(step: ToolStep, mind: SimuverseMind) -> Action:
    match step.kind:
        case "walk":
            return Move(step.target, f"going to {step.target}", _WALKING)
        case "open":
            return Talk(step.target, step.words, doing=f"talking to {step.target}", emoji=_TALKING)
        case "say" | "leave":
            return Talk(step.target or None, step.words, step.leave, emoji=_TALKING)
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
