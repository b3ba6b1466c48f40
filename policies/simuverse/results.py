"""Results: the outcome of the last step, reported in the next input."""

from collections.abc import Callable, Mapping

from genagents_env.cognition.query import Moment
from genagents_env.text import quote
from genagents_env.world.speech import ENGAGED, TAKEN

from . import memory, scope
from .mind import SimuverseMind, StepKind, TalkSession

REMOVED = (  # SimuVerse update, word for word
    "You have been in conversation too long and have been removed from the conversation. "
    "Please select one of the four tools to use next."
)
_OPENING_SECONDS = 60  # for which one tries to get a word in
_UNHEARD = "Nobody heard you."
INVITES = "Will you meet me at"
_INVITED = "You invited {} to "


def tell_result(mind: SimuverseMind, moment: Moment) -> None:
    """Tell what came of the step of the last tick, as far as it has come to something."""
    if telling := _TELLINGS.get(mind.step.kind):
        telling(mind, moment)


def tell_removal(mind: SimuverseMind) -> None:
    """Tell that one has been in a conversation for too long; idling may be a fifth tool."""
    mind.tell(REMOVED.replace("four", "five") if mind.config.allow_idle else REMOVED)


def has_invited(mind: SimuverseMind, name: str) -> bool:
    """Return True if by the last messages the agent invited somebody."""
    told = (*mind.input, *(line.text for line in mind.history))
    return any(_INVITED.format(name) in text for text in told)


def tell_outcome(mind: SimuverseMind, moment: Moment, *lines: str, chosen: bool = True) -> None:
    """Tell what came of the tool that was chosen last, or of an earlier one, and remember it."""
    mind.tell(*lines)
    told = " ".join(lines)
    if chosen and mind.chosen:
        told, mind.chosen = f"I chose {mind.chosen.rstrip('.')}. {told}", ""
    memory.remember(mind, told, moment.now)


def tell_failure(mind: SimuverseMind, moment: Moment, *lines: str) -> None:
    """Report that the tool failed; after the first time the agent chooses again at once."""
    tell_outcome(mind, moment, *lines)
    mind.failures += 1
    mind.due = mind.failures == 1


def _tell_walk(mind: SimuverseMind, moment: Moment) -> None:
    percept, result = moment.percept, moment.percept.result
    place = mind.going
    if not place:
        return
    if not result.ok:
        tell_failure(mind, moment, f"You did not get to {place}: {result.text}.")
    elif result.arrived:
        at = scope.format_tile(percept.me.tile)
        arrival = scope.describe_arrival(mind, percept)
        tell_outcome(mind, moment, f"You moved to {percept.me.place}, at {at}.", *arrival)
        mind.due = True
    elif moment.now - mind.going_since >= mind.config.walk_seconds:
        tell_outcome(mind, moment, f"You gave up walking to {place}: it took too long.")
    else:
        return
    mind.going = ""


def _tell_words(mind: SimuverseMind, moment: Moment) -> None:
    """Note that the agent's words were said, or why they were not."""
    step, result = mind.step, moment.percept.result
    if not result.ok:
        mind.note(moment.now, "you could not say", f"{step.words} ({result.text})")
        mind.talk.ending = ""
        if step.kind == "say" and step.target and result.text == TAKEN:
            mind.talk.to_join.insert(0, step.target)
        return
    mind.talk.said += 1
    mind.talk.spoken += 1
    mind.talk.silent = 0
    mind.talk.speaker, mind.talk.at = mind.name, moment.now
    others = ", ".join(mind.talk.members or mind.opening)
    mind.note(moment.now, "you said", step.words)
    memory.remember(mind, f"I said to {others}: {quote(step.words)}", moment.now)


def _tell_opening(mind: SimuverseMind, moment: Moment) -> None:
    """Tell why no conversation began, unless the other began it at the same time."""
    step, result, talk = mind.step, moment.percept.result, moment.percept.conversation
    if result.ok or (talk is not None and step.target in talk.members):
        _tell_words(mind, moment)
        if talk is None:  # the other was out of earshot before the moment was over
            mind.opening, mind.talk = [], TalkSession()
            tell_failure(mind, moment, f"{step.target} heard you and was gone.")
        mind.chosen = ""
        return
    if result.text == TAKEN and talk is None and moment.now - step.since < _OPENING_SECONDS:
        mind.plan = step  # once more: a moment later nobody may be speaking
        return
    mind.opening = []
    tell_failure(mind, moment, f"You could not talk to {step.target}: {result.text}.")


def _tell_leaving(mind: SimuverseMind, moment: Moment) -> None:
    if not moment.percept.result.ok:
        mind.talk.ending = ""


def _tell_call(mind: SimuverseMind, moment: Moment) -> None:
    step, result = mind.step, moment.percept.result
    again = step in mind.calls
    if not result.ok and result.text.endswith(ENGAGED):
        _hold_call(mind, moment, again)
        return
    mind.calls = [one for one in mind.calls if one.target != step.target]
    if not result.ok:
        line = "" if mind.profile.phone else " There is no telephone: only who is near hears you."
        told = f"You could not call {step.target}: {result.text}.{line}"
    elif result.text == _UNHEARD:
        told = f"You called {step.target}, who did not hear it. Try again later."
    elif step.words.startswith(INVITES):
        told = f"{_INVITED.format(step.target)}{step.about}."
    else:
        told = f"You answered the invitation of {step.target} to {step.about}."
    tell_outcome(mind, moment, told, chosen=not again)


def _hold_call(mind: SimuverseMind, moment: Moment, again: bool) -> None:
    """Keep a call that finds somebody talking; a new one to the same person takes its place."""
    step, mind.called_at = mind.step, moment.now
    over = moment.now - step.since >= mind.config.call_seconds
    others = [one for one in mind.calls if one.target != step.target]
    mind.calls = others if over else [*others, step]
    if over:
        told = f"{step.target} could not be reached by telephone."
        tell_outcome(mind, moment, told, chosen=not again)
    elif not again:
        told = f"{step.target} is talking to somebody. Your call waits, and is tried again."
        tell_outcome(mind, moment, told)


def _tell_scan(mind: SimuverseMind, moment: Moment) -> None:
    tell_outcome(mind, moment, *scope.describe_scan(mind, moment.percept))


def _tell_idling(mind: SimuverseMind, moment: Moment) -> None:
    """Tell that the time of idling is over, or that something broke it off."""
    idle = moment.now - mind.step.since
    if mind.due or idle >= mind.config.idle_seconds:
        doing = f": {mind.step.words}" if mind.step.words else ""
        minutes = max(1, idle // 60)
        told = f"You were idle for {minutes} minute{'s' if minutes > 1 else ''}{doing}"
        tell_outcome(mind, moment, told if told.endswith(".") else f"{told}.")
        mind.due = True
        mind.step.kind = ""


def _tell_restart(mind: SimuverseMind, moment: Moment) -> None:
    if not moment.percept.result.ok:
        mind.tell(f"You are still where you were: {moment.percept.result.text}.")


_TELLINGS: Mapping[StepKind, Callable[[SimuverseMind, Moment], None]] = {
    "walk": _tell_walk,
    "open": _tell_opening,
    "say": _tell_words,
    "leave": _tell_leaving,
    "call": _tell_call,
    "scan": _tell_scan,
    "idle": _tell_idling,
    "restart": _tell_restart,
}
