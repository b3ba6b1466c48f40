"""Act: the agent's option, turned into the next step. No model is asked here."""

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.cognition.query import Moment
from genagents_env.cognition.routine import choose_night_step

from . import options, places, questions, talk, turns
from .mind import LyfeMind

_TALKING, _THINKING, _WALKING = "💬", "💭", "🚶"


def choose_action(mind: LyfeMind, moment: Moment) -> Action:
    """Return the next step."""
    step = (
        choose_night_step(mind.profile, moment.percept, mind.last)
        or _leave(mind, moment)
        or _step(mind, moment)
    )
    mind.last = type(step).__name__
    mind.going = step.place if isinstance(step, Move) else ""
    return step


def _leave(mind: LyfeMind, moment: Moment) -> Action | None:
    """Return the step out of a conversation that the agent does not mean to be in."""
    if moment.percept.conversation is None or mind.option.kind not in ("go", "find", "wait"):
        return None
    mind.turn.unsaid = ""
    return Talk(None, "", leave=True)


def _step(mind: LyfeMind, moment: Moment) -> Action:
    option = mind.option
    if option.kind == "talk" and mind.turn.unsaid and turns.may_speak(mind, moment):
        return _speak(mind, moment)
    if option.kind == "talk":
        return Idle(f"listening to {option.target}", _TALKING)
    if option.kind in ("go", "find") and (seeker := options.find_seeker(mind, moment.now)):
        return Idle(f"stopping for {seeker}", "🙂")
    if option.kind == "go":
        return Move(option.target, f"going to {option.target}", _WALKING)
    if option.kind == "find":
        return _find(mind, moment)
    if option.kind in ("reflect", "decide"):
        return Idle("thinking", _THINKING)
    return Idle("waiting", "🙂")  # what for is nobody's business


def _speak(mind: LyfeMind, moment: Moment) -> Action:
    """Return to say the words: to whom they turn by name, else to whom the agent means."""
    option, words, talking = mind.option, mind.turn.unsaid, moment.percept.conversation
    turned_to = questions.find_addressees(mind, words, mind.near)
    target = option.target if option.target in mind.near else mind.near[0]
    to: str | None = next(iter(turned_to), target)
    doing = f"talking with {to}"
    if talk.is_parting(words):
        option.leaving = True
    if talking is not None and (
        to in talking.members or not turned_to or questions.is_owed(mind, moment.now)
    ):
        to = None
    return Talk(to, words, doing=doing, emoji=_TALKING)


def _find(mind: LyfeMind, moment: Moment) -> Action:
    """Return the way to a person: where they were last seen, else from place to place."""
    option, percept = mind.option, moment.percept
    doing = f"looking for {option.target}"
    if any(seen.name == option.target for seen in percept.people):
        return Move(option.target, doing, _WALKING)
    on_the_way = mind.last == "Move" and mind.going == option.heading
    if not option.heading and option.target in mind.met:
        option.heading = option.target
    elif not option.heading or (on_the_way and (percept.result.arrived or not percept.result.ok)):
        searched = places.is_searched(mind)
        option.heading = "" if searched else places.choose_next_place(mind, moment)
        if option.heading:
            option.looked.append(option.heading)
    if not option.heading:
        options.give_up(mind, moment.now)
        return Idle("looking round", "🙂")
    return Move(option.heading, doing, _WALKING)
