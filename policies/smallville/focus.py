"""Focus: which of the things noticed the agent considers reacting to, and when.

News, whispers and notices come first, whatever the agent is doing; then what waits: of the things
noticed at a moment the first person it may speak to, else whoever or whatever concerns it, else the
first object that changed. A person is considered at a tick at which the agent may begin to talk.

What calls for nothing is not considered: what the agent itself did to a thing, that a thing is as
it was found or is in use, and that somebody comes to talk, since the talk is the answer.
"""

import re
from collections.abc import Sequence

from genagents_env.cognition.query import Moment
from genagents_env.percept import HeardWords, SeenObject
from genagents_env.text import quote

from .dialogue import may_open
from .mind import Focus, SmallvilleMind
from .perceive import Observation
from .turns import COMING, TALKING, TURNING, is_approached, may_begin

PERSON, OBJECT, SPEECH = "person", "object", "speech"
NEWS = ("news", "thought", "notice")
_WAITS = {PERSON: 600, OBJECT: 120}  # seconds for which something may still be reacted to
_NEWS_WAITS = 600
_NEWS_KEPT = 8
_CONSIDERED_KEPT = 100
_IN_USE = re.compile(r"(?:in use|taken|occupied|free|clear|full|crowded|being \w+.*)$", re.I)


def take_in(mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]) -> None:
    """Note what was heard and seen that the agent may react to."""
    attention = mind.attention
    heard = moment.percept.heard
    news = [_make_news(words, moment) for words in heard if _is_news(mind, words, moment)]
    attention.news = [
        focus for focus in [*attention.news, *news] if moment.now - focus.since < _NEWS_WAITS
    ][-_NEWS_KEPT:]
    if attention.focus is not None and not _holds(mind, attention.focus, moment):
        attention.focus = None
    if is_free(mind, moment):
        found = _find_new(mind, moment, observations)
        if found is not None and (attention.focus is None or found.named):
            attention.focus = found


def choose(mind: SmallvilleMind, moment: Moment) -> Focus | None:
    """Return what to consider now, and note that it is; None where there is nothing."""
    attention = mind.attention
    if moment.percept.me.asleep or mind.is_busy("react.") or _is_grounding(mind):
        return None
    if attention.news:
        return attention.news.pop(0)
    focus = attention.focus
    if focus is None or not is_free(mind, moment):
        return None
    if focus.kind == PERSON and not _is_time(mind, moment):
        return None
    attention.focus = None
    _note_considered(mind, focus, moment)
    return focus


def is_free(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return whether the agent could react to what it sees: not asleep, talking, or reacting."""
    percept, activity = moment.percept, mind.activity
    if percept.me.asleep or mind.dialogue is not None or percept.conversation is not None:
        return False
    return not (activity.reaction and moment.now < activity.until)


def may_talk(mind: SmallvilleMind, moment: Moment, other: str) -> bool:
    """Return whether the agent may speak to somebody: it does not sleep, nor again so soon."""
    if not mind.config.conversation or mind.activity.kind == "sleep":
        return False
    return may_open(mind, moment, other)


def _is_time(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return whether the agent may begin to talk, and nobody is about to speak to it."""
    span = 1 + mind.config.latency("react") + 2 * mind.config.latency("converse")
    return not is_approached(moment.percept) and may_begin(mind, moment, span)


def _is_grounding(mind: SmallvilleMind) -> bool:
    """Return whether a reaction is decided on, but not yet where it takes place."""
    return any(p.purpose.startswith("ground.") and "minutes" in p.data for p in mind.pending)


def _is_news(mind: SmallvilleMind, heard: HeardWords, moment: Moment) -> bool:
    """Return whether words are news, a whisper or a notice, or called out to all who are near."""
    if heard.kind in NEWS:
        return bool(heard.text)
    parted = mind.attention.talked.get(heard.speaker or "") == moment.now  # a farewell is none
    return heard.addressed and moment.percept.conversation is None and not parted


def _make_news(heard: HeardWords, moment: Moment) -> Focus:
    said = heard.kind == "speech" and heard.speaker is not None
    text = f"{heard.speaker} calls out: {quote(heard.text)}" if said else heard.text
    return Focus(heard.kind, heard.speaker or "", text, moment.now)


def _find_new(
    mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]
) -> Focus | None:
    """Return what to react to of what was noticed now."""
    foci = [
        _make_focus(mind, seen, moment)
        for seen in observations
        if _is_visible(seen) and _calls_for_something(mind, seen, moment)
    ]
    new = [focus for focus in foci if _is_new(mind, moment, focus)]
    for focus in new:
        if focus.kind == PERSON and may_talk(mind, moment, focus.subject):
            return focus
    named = next((focus for focus in new if focus.named), None)
    return named or next((focus for focus in new if focus.kind == OBJECT), None)


def _is_visible(seen: Observation) -> bool:
    return seen.kind == OBJECT or (seen.kind == PERSON and not seen.asleep)


def _calls_for_something(mind: SmallvilleMind, seen: Observation, moment: Moment) -> bool:
    """Return whether what was noticed may ask for an answer."""
    if seen.kind == PERSON:
        doing = seen.text.removeprefix(f"{seen.subject} is ")
        return not (doing.startswith((COMING, TURNING, TALKING)) and mind.name in doing)
    believed = mind.objects.get(seen.subject)
    if believed is not None and believed.state == believed.rest:
        return False
    own = seen.subject in mind.uses or seen.subject == mind.activity.object
    item = next((each for each in moment.percept.objects if each.id == seen.subject), None)
    return not (own or (item is not None and _is_in_use(mind, item, seen.text, moment)))


def _is_in_use(mind: SmallvilleMind, item: SeenObject, text: str, moment: Moment) -> bool:
    """Return whether a thing is used, or is free again, or is used by somebody as before."""
    if _IN_USE.match(item.state) is not None:
        return True
    beside = any(item.is_beside(x.tile) for x in moment.percept.people)
    return beside and text in mind.attention.considered


def _make_focus(mind: SmallvilleMind, seen: Observation, moment: Moment) -> Focus:
    first = mind.name.split()[0] if mind.name.split() else mind.name
    about_me = seen.kind == PERSON and first in seen.text.removeprefix(seen.subject)
    return Focus(seen.kind, seen.subject, seen.text, moment.now, named=about_me)


def _note_considered(mind: SmallvilleMind, focus: Focus, moment: Moment) -> None:
    considered, oldest = (
        mind.attention.considered,
        moment.now - 60 * mind.config.react_again_minutes,
    )
    if len(considered) >= _CONSIDERED_KEPT:
        for key in [key for key, at in considered.items() if at < oldest]:
            del considered[key]
    considered[_find_key(focus)] = moment.now


def _is_new(mind: SmallvilleMind, moment: Moment, focus: Focus) -> bool:
    considered = mind.attention.considered.get(_find_key(focus))
    again = mind.config.react_again_minutes * 60
    return considered is None or moment.now - considered >= again


def _find_key(focus: Focus) -> str:
    """Return what is not considered again so soon: somebody, or an object in one state.

    What somebody does to the agent counts by itself, as serving it.
    """
    return focus.subject if focus.kind == PERSON and not focus.named else focus.text


def _holds(mind: SmallvilleMind, focus: Focus, moment: Moment) -> bool:
    """Return whether what waits may still be reacted to, and no talk since was the answer."""
    if moment.now - focus.since >= _WAITS.get(focus.kind, 0):
        return False
    if mind.attention.talked.get(focus.subject, -1) >= focus.since:
        return False
    if focus.kind == OBJECT and _is_gone(mind, focus):
        return False
    in_sight = any(p.name == focus.subject and not p.asleep for p in moment.percept.people)
    return focus.kind != PERSON or (
        in_sight and (focus.named or may_talk(mind, moment, focus.subject))
    )


def _is_gone(mind: SmallvilleMind, focus: Focus) -> bool:
    """Return whether a thing is meanwhile as it was found: what was noticed is past."""
    believed = mind.objects.get(focus.subject)
    return believed is not None and believed.state == believed.rest
