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


def report_result(mind: SimuverseMind, moment: Moment) -> None:
    """Report what came of the step of the last tick, as far as it has come to something."""
    if report := _REPORTS.get(mind.step.kind):
        report(mind, moment)


def report_removal(mind: SimuverseMind) -> None:
    """Report that one has been in a conversation for too long; idling may be a fifth tool."""
    mind.report(REMOVED.replace("four", "five") if mind.config.allow_idle else REMOVED)


def has_invited(mind: SimuverseMind, name: str) -> bool:
    """Return True if by the last messages the agent invited somebody."""
    texts = (*mind.input, *(line.text for line in mind.history))
    return any(_INVITED.format(name) in text for text in texts)


def report_outcome(mind: SimuverseMind, moment: Moment, *lines: str, chosen: bool = True) -> None:
    """Report what came of the tool that was chosen last, or of an earlier one, and remember it."""
    mind.report(*lines)
    text = " ".join(lines)
    if chosen and mind.chosen:
        text, mind.chosen = f"I chose {mind.chosen.rstrip('.')}. {text}", ""
    memory.remember(mind, text, moment.now)


def report_failure(mind: SimuverseMind, moment: Moment, *lines: str) -> None:
    """Report that the tool failed; after the first time the agent chooses again at once."""
    report_outcome(mind, moment, *lines)
    mind.failures += 1
    mind.due = mind.failures == 1


def _report_walk(mind: SimuverseMind, moment: Moment) -> None:
    percept, result = moment.percept, moment.percept.result
    place = mind.going
    if not place:
        return
    if not result.ok:
        report_failure(mind, moment, f"You did not get to {place}: {result.text}.")
    elif result.arrived:
        at = scope.format_tile(percept.me.tile)
        arrival = scope.describe_arrival(mind, percept)
        report_outcome(mind, moment, f"You moved to {percept.me.place}, at {at}.", *arrival)
        mind.due = True
    elif moment.now - mind.going_since >= mind.config.walk_seconds:
        report_outcome(mind, moment, f"You gave up walking to {place}: it took too long.")
    else:
        return
    mind.going = ""


def _report_words(mind: SimuverseMind, moment: Moment) -> None:
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


def _report_opening(mind: SimuverseMind, moment: Moment) -> None:
    """Report why no conversation began, unless the other began it at the same time."""
    step, result, talk = mind.step, moment.percept.result, moment.percept.conversation
    if result.ok or (talk is not None and step.target in talk.members):
        _report_words(mind, moment)
        if talk is None:  # the other was out of earshot before the moment was over
            mind.opening, mind.talk = [], TalkSession()
            report_failure(mind, moment, f"{step.target} heard you and was gone.")
        mind.chosen = ""
        return
    if result.text == TAKEN and talk is None and moment.now - step.since < _OPENING_SECONDS:
        mind.plan = step  # once more: a moment later nobody may be speaking
        return
    mind.opening = []
    report_failure(mind, moment, f"You could not talk to {step.target}: {result.text}.")


def _report_leaving(mind: SimuverseMind, moment: Moment) -> None:
    if not moment.percept.result.ok:
        mind.talk.ending = ""


def _report_call(mind: SimuverseMind, moment: Moment) -> None:
    step, result = mind.step, moment.percept.result
    again = step in mind.calls
    if not result.ok and result.text.endswith(ENGAGED):
        _hold_call(mind, moment, again)
        return
    mind.calls = [one for one in mind.calls if one.target != step.target]
    if not result.ok:
        line = "" if mind.profile.phone else " There is no telephone: only who is near hears you."
        text = f"You could not call {step.target}: {result.text}.{line}"
    elif result.text == _UNHEARD:
        text = f"You called {step.target}, who did not hear it. Try again later."
    elif step.words.startswith(INVITES):
        text = f"{_INVITED.format(step.target)}{step.about}."
    else:
        text = f"You answered the invitation of {step.target} to {step.about}."
    report_outcome(mind, moment, text, chosen=not again)


def _hold_call(mind: SimuverseMind, moment: Moment, again: bool) -> None:
    """Keep a call that finds somebody talking; a new one to the same person takes its place."""
    step, mind.called_at = mind.step, moment.now
    over = moment.now - step.since >= mind.config.call_seconds
    others = [one for one in mind.calls if one.target != step.target]
    mind.calls = others if over else [*others, step]
    if over:
        text = f"{step.target} could not be reached by telephone."
        report_outcome(mind, moment, text, chosen=not again)
    elif not again:
        text = f"{step.target} is talking to somebody. Your call waits, and is tried again."
        report_outcome(mind, moment, text)


def _report_scan(mind: SimuverseMind, moment: Moment) -> None:
    report_outcome(mind, moment, *scope.describe_scan(mind, moment.percept))


def _report_idling(mind: SimuverseMind, moment: Moment) -> None:
    """Report that the time of idling is over, or that something broke it off."""
    idle = moment.now - mind.step.since
    if mind.due or idle >= mind.config.idle_seconds:
        doing = f": {mind.step.words}" if mind.step.words else ""
        minutes = max(1, idle // 60)
        text = f"You were idle for {minutes} minute{'s' if minutes > 1 else ''}{doing}"
        report_outcome(mind, moment, text if text.endswith(".") else f"{text}.")
        mind.due = True
        mind.step.kind = ""


def _report_restart(mind: SimuverseMind, moment: Moment) -> None:
    if not moment.percept.result.ok:
        mind.report(f"You are still where you were: {moment.percept.result.text}.")


_REPORTS: Mapping[StepKind, Callable[[SimuverseMind, Moment], None]] = {
    "walk": _report_walk,
    "open": _report_opening,
    "say": _report_words,
    "leave": _report_leaving,
    "call": _report_call,
    "scan": _report_scan,
    "idle": _report_idling,
    "restart": _report_restart,
}
