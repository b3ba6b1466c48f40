"""React: whether what is noticed makes the agent do something else than was planned.

Of what is noticed one thing is considered at a time. News, whispers and notices come first,
whatever the agent is doing; then what waits: of the things noticed at a moment the first person it
may speak to, else whoever or whatever concerns it, else the first object that changed. What calls
for nothing is not considered: what the agent itself did to a thing, that a thing is as it was found
or is in use, and that somebody comes to talk, since the talk is the answer.

The agent goes on, speaks to somebody here (who talks already is joined) or calls somebody who is
not, waits, or does something else, which is then grounded like any activity; after the last two the
rest of the day is planned anew. A plan such as "calling Maria Lopez" becomes a call where there are
telephones. Source: Park et al. 2023, section 4.3.1. Where the public code cannot read a reply it
talks; here the agent goes on.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from genagents_env.cognition.prompts import Section, find_object, shorten_name, shorten_names
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Phrase, narrow, one_of
from genagents_env.llm.schemas import ReplyModel
from genagents_env.percept import HeardWords, SeenObject
from genagents_env.rng import draw_index
from genagents_env.text import quote

from . import ground
from .agenda import rank_last
from .converse import query_words
from .dialogue import begin, may_open
from .memo import format_tie, list_tie_memories
from .mind import MINUTE, Focus, Handlers, SmallvilleActivity, SmallvilleMind
from .perceive import Observation
from .retrieve import TimedMemory, recall
from .summary import describe_briefly, describe_context, make_context_handler, query_in_context
from .turns import COMING, TALKING, TURNING, is_approached, is_talking, may_begin

GO_ON, WAIT, ELSE = "go on", "wait", "something else"
TALK, CALL = "talk to ", "call "  # before a name
WAITING, WAITING_EMOJI = "waiting", "⏳"
_MOST_PARTNERS = 3  # people whom one may talk to, or call, that are offered
_MINUTES = 5  # of a reaction where none are given
_HEADS = {
    "news": "you hear the news",
    "thought": "a thought comes to you",
    "notice": "you notice",
    "speech": "you hear",
}
_PERSON, _OBJECT = "person", "object"
_NEWS = ("news", "thought", "notice")
_WAITS = {_PERSON: 600, _OBJECT: 120}  # seconds for which something may still be reacted to
_NEWS_WAITS = 600
_NEWS_KEPT = 8
_CONSIDERED_KEPT = 100
_IN_USE = re.compile(r"(?:in use|taken|occupied|free|clear|full|crowded|being \w+.*)$", re.I)
_CALL = re.compile(
    r"\b(?:call|calling|phone|phoning|telephone|telephoning|ring|ringing)\b(.*)", re.I
)


class Reaction(ReplyModel):
    """What one does about it: `what` in words, and for how long where one does something."""

    choice: str
    what: Phrase | Literal[""]
    minutes: Annotated[int, Field(ge=0, le=60)]


def make_queries(
    mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]
) -> list[Query]:
    """Consider one of the things noticed, unless the agent sleeps or is reacting already."""
    if not mind.config.reaction:
        return []
    _take_in(mind, moment, observations)
    focus = _choose_focus(mind, moment)
    if focus is None:
        return _call_as_planned(mind, moment)
    data = {"kind": focus.kind, "subject": focus.subject, "text": focus.text}
    return [query_in_context(mind, "react.decide", data)]


def _is_free(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return True if the agent could react to what it sees: not asleep, talking, or reacting."""
    percept, activity = moment.percept, mind.activity
    if percept.me.asleep or mind.dialogue is not None or percept.conversation is not None:
        return False
    return not (activity.reaction and moment.now < activity.until)


def _may_talk(mind: SmallvilleMind, moment: Moment, other: str) -> bool:
    """Return True if the agent may speak to somebody: it does not sleep, nor again so soon."""
    if not mind.config.conversation or mind.activity.kind == "sleep":
        return False
    return may_open(mind, moment, other)


# What is considered.


def _take_in(mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]) -> None:
    """Note what was heard and seen that the agent may react to."""
    attention, heard = mind.attention, moment.percept.heard
    news = [_make_news(words, moment) for words in heard if _is_news(mind, words, moment)]
    attention.news = [
        focus for focus in [*attention.news, *news] if moment.now - focus.since < _NEWS_WAITS
    ][-_NEWS_KEPT:]
    if attention.focus is not None and not _still_waits(mind, attention.focus, moment):
        attention.focus = None
    if _is_free(mind, moment):
        new = _find_new(mind, moment, observations)
        if new is not None and (attention.focus is None or new.named):
            attention.focus = new


def _choose_focus(mind: SmallvilleMind, moment: Moment) -> Focus | None:
    """Choose one thing to consider now, and note that it is; None for nothing."""
    attention = mind.attention
    # Where a reaction that is decided on takes place may still be asked.
    grounding = any(p.purpose.startswith("ground.") and "minutes" in p.data for p in mind.pending)
    if moment.percept.me.asleep or mind.is_busy("react.") or grounding:
        return None
    if attention.news:
        return attention.news.pop(0)
    focus = attention.focus
    if focus is None or not _is_free(mind, moment):
        return None
    if focus.kind == _PERSON and not _may_begin_soon(mind, moment):
        return None
    attention.focus = None
    _note_considered(mind, focus, moment)
    return focus


def _may_begin_soon(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return True if the agent may begin to talk, and nobody is about to speak to it."""
    span = 1 + mind.config.latency("react") + 2 * mind.config.latency("converse")
    return not is_approached(moment.percept) and may_begin(mind, moment, span)


def _is_news(mind: SmallvilleMind, heard: HeardWords, moment: Moment) -> bool:
    """Return True if words are news, a whisper or a notice, or called out to all who are near."""
    if heard.kind in _NEWS:
        return bool(heard.text)
    parted = mind.attention.talked.get(heard.speaker or "") == moment.now  # a farewell is none
    return heard.addressed and moment.percept.conversation is None and not parted


def _make_news(heard: HeardWords, moment: Moment) -> Focus:
    """Return heard news as something to consider."""
    said = heard.kind == "speech" and heard.speaker is not None
    text = f"{heard.speaker} calls out: {quote(heard.text)}" if said else heard.text
    return Focus(heard.kind, heard.speaker or "", text, moment.now)


def _find_new(
    mind: SmallvilleMind, moment: Moment, observations: Sequence[Observation]
) -> Focus | None:
    """Choose of what was noticed now one thing to react to."""
    first, now = mind.name.split()[0], moment.now
    again = MINUTE * mind.config.react_again_minutes
    new: list[Focus] = []
    for seen in observations:
        if _calls_for_something(mind, seen, moment):
            named = seen.kind == _PERSON and first in seen.text.removeprefix(seen.subject)
            focus = Focus(seen.kind, seen.subject, seen.text, now, named)
            considered = mind.attention.considered.get(_find_key(focus))
            if considered is None or now - considered >= again:
                new.append(focus)
    for focus in new:
        if focus.kind == _PERSON and _may_talk(mind, moment, focus.subject):
            return focus
    concerning = (focus for focus in new if focus.named)
    objects = (focus for focus in new if focus.kind == _OBJECT)
    return next(concerning, None) or next(objects, None)


def _calls_for_something(mind: SmallvilleMind, seen: Observation, moment: Moment) -> bool:
    """Return True if what was noticed may ask for an answer."""
    if seen.kind == _PERSON:
        doing = seen.text.removeprefix(f"{seen.subject} is ")
        comes = doing.startswith((COMING, TURNING, TALKING)) and mind.name in doing
        return not (seen.asleep or comes)
    if seen.kind != _OBJECT or _is_at_rest(mind, seen.subject):
        return False
    if seen.subject in mind.uses or seen.subject == mind.activity.object:
        return False
    item = find_object(moment.percept, seen.subject)
    return item is None or not _is_in_use(mind, item, seen.text, moment)


def _is_at_rest(mind: SmallvilleMind, object_id: str) -> bool:
    """Return True if the agent believes that a thing is as it was found."""
    believed = mind.objects.get(object_id)
    return believed is not None and believed.state == believed.rest


def _is_in_use(mind: SmallvilleMind, item: SeenObject, text: str, moment: Moment) -> bool:
    """Return True if a thing is used, or is free again, or is used by somebody as before."""
    if _IN_USE.match(item.state) is not None:
        return True
    beside = any(item.is_beside(seen.tile) for seen in moment.percept.people)
    return beside and text in mind.attention.considered


def _note_considered(mind: SmallvilleMind, focus: Focus, moment: Moment) -> None:
    """Note when something was considered; entries that no longer matter are dropped."""
    considered = mind.attention.considered
    oldest = moment.now - MINUTE * mind.config.react_again_minutes
    if len(considered) >= _CONSIDERED_KEPT:
        for key in [key for key, at in considered.items() if at < oldest]:
            del considered[key]
    considered[_find_key(focus)] = moment.now


def _find_key(focus: Focus) -> str:
    """Return the key of what is not considered again so soon: a person, or an object's state.

    What somebody does to the agent counts by itself, as serving it.
    """
    return focus.subject if focus.kind == _PERSON and not focus.named else focus.text


def _still_waits(mind: SmallvilleMind, focus: Focus, moment: Moment) -> bool:
    """Return True if what waits may still be reacted to, and no talk since was the answer."""
    if moment.now - focus.since >= _WAITS[focus.kind]:
        return False
    if mind.attention.talked.get(focus.subject, -1) >= focus.since:
        return False
    if focus.kind == _OBJECT:
        return not _is_at_rest(mind, focus.subject)
    in_sight = any(p.name == focus.subject and not p.asleep for p in moment.percept.people)
    return in_sight and (focus.named or _may_talk(mind, moment, focus.subject))


# What is decided.


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask what to do about it, from ties and memories (section 4.3.1)."""
    percept, known = moment.percept, describe_context(data)
    partners = _list_partners(mind, data, moment)
    talks = [f"{TALK}{name}" for name in partners]
    calls = [f"{CALL}{name}" for name in _list_callable(mind, data, moment)]
    choices = [GO_ON, *talks, *calls, WAIT, ELSE]
    # In another order each time: small models take the first.
    seed = mind.services.model.run_seed
    first = draw_index(seed, len(choices), "react", mind.agent, moment.tick)
    choices = [*choices[first:], *choices[:first]]
    tie = format_tie(mind, str(data["subject"]), moment.now) if data["kind"] == _PERSON else []
    return mind.ask(
        "react_decide",
        {**data, "choices": choices},
        [
            *describe_briefly(mind, moment, tie),
            *rank_last([Section("tie", tie), *known]),
            Section("focus", [[_HEADS.get(data["kind"], "you see"), data["text"]]]),
        ],
        () if known else await _recall(mind, data, moment),
        choices=choices,
        talking=shorten_names(mind.dialogue.others) if mind.dialogue is not None else "",
        joined=[shorten_name(name) for name in partners if is_talking(percept, name)],
    )


def _list_questions(mind: SmallvilleMind, data: QueryData) -> list[str]:
    """List the queries to memory before the agent decides."""
    if data["kind"] == _PERSON:
        return [f"{mind.name}'s relationship with {data['subject']}", str(data["text"])]
    return [str(data["text"]), *([mind.activity.text] if mind.activity.text else [])]


async def _recall(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[TimedMemory]:
    """Recall for a reaction, without what the prompt shows already."""
    shown = [str(data["text"])]
    if data["kind"] == _PERSON:
        shown += list_tie_memories(mind, str(data["subject"]), moment.now)
    return await recall(mind, _list_questions(mind, data), moment.now, without=shown)


def _list_partners(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[str]:
    """List the people to speak to here: the one considered first, then the nearest."""
    if mind.dialogue is not None or moment.percept.conversation is not None:
        return []  # to go on is to go on talking
    awake = [seen.name for seen in moment.percept.people if not seen.asleep]
    return _select(mind, sorted(awake, key=lambda name: name != data["subject"]), moment)


def _list_callable(mind: SmallvilleMind, data: QueryData, moment: Moment) -> list[str]:
    """List whom the agent might call: those named in what it considers, then its ties."""
    if not mind.profile.phone or mind.dialogue is not None:
        return []
    here = {seen.name for seen in moment.percept.people}
    away = [name for name in _list_contacts(mind) if name not in here]
    return _select(mind, sorted(away, key=lambda name: name not in data["text"]), moment)


def _select(mind: SmallvilleMind, names: Sequence[str], moment: Moment) -> list[str]:
    """Return the first of `names` whom the agent may speak to, as many as the prompt offers."""
    most = 1 if mind.services.prompts.small else _MOST_PARTNERS
    return [name for name in names if _may_talk(mind, moment, name)][:most]


async def _apply(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Do what was decided, unless by now the agent sleeps or talks; news are no interruption."""
    choice, what = reply.value.choice, reply.value.what
    minutes = reply.value.minutes or _MINUTES
    if moment.percept.me.asleep or not (reply.data["kind"] in _NEWS or _is_free(mind, moment)):
        return ()
    if choice.startswith((TALK, CALL)):
        phone = choice.startswith(CALL)
        other = choice.removeprefix(CALL if phone else TALK)
        return _talk(mind, other, moment, what, phone=phone)
    if choice == GO_ON or (choice == ELSE and not what):
        return ()
    if mind.dialogue is not None and mind.dialogue.id >= 0:
        mind.dialogue.unsaid, mind.dialogue.leaving = "", True
    else:
        mind.dialogue = None
    until = moment.now + MINUTE * minutes
    if choice == WAIT:
        mind.activity = SmallvilleActivity(
            kind="wait",
            text=WAITING,
            emoji=WAITING_EMOJI,
            place=moment.percept.me.place,
            begun=moment.now,
            until=until,
            arrived=True,
            used=True,
            reaction=True,
        )
        return [Query("plan.revise", {"start": until, "why": f"{WAITING}: {reply.data['text']}"})]
    return [
        ground.query_reaction(mind, {"text": what, "minutes": minutes}),
        Query("plan.revise", {"start": until, "why": f"{what} ({reply.data['text']})"}),
    ]


def _talk(
    mind: SmallvilleMind, other: str, moment: Moment, reason: str, *, phone: bool
) -> list[Query]:
    """Make up one's mind to talk, if one may: words are asked for once they can be said."""
    if not _is_free(mind, moment) or not _may_talk(mind, moment, other):
        return []
    begin(mind, other, moment, reason=reason, phone=phone)
    return query_words(mind, moment)


# Calls by telephone.


def _call_as_planned(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Call whom the activity under way says to call, once for each such activity."""
    if not mind.profile.phone or not _is_free(mind, moment):
        return []
    other = _find_contact(mind, mind.activity.text)
    key = f"call {other} {mind.activity.begun}"
    here = any(seen.name == other for seen in moment.percept.people)
    considered = mind.attention.considered
    if not other or here or key in considered or not _may_talk(mind, moment, other):
        return []
    considered[key] = moment.now
    return _talk(mind, other, moment, mind.activity.text, phone=True)


def _list_contacts(mind: SmallvilleMind) -> list[str]:
    """Return the people whom the agent knows well enough to call."""
    return list(dict.fromkeys((*mind.profile.relationships, *mind.ties)))


def _find_contact(mind: SmallvilleMind, text: str) -> str:
    """Find whom an activity says to call, empty where it says of nobody the agent knows."""
    call = _CALL.search(text)
    if call is None:
        return ""
    known, words = _list_contacts(mind), re.findall(r"\w+", call[1])
    whole = next((name for name in known if name in call[1]), "")
    return whole or next((name for name in known if name.split()[0] in words), "")


HANDLERS: Handlers = {
    "react.decide": handle(
        _prepare,
        _apply,
        Reaction(choice=GO_ON, what="", minutes=0),
        160,
        lambda data: narrow(Reaction, choice=one_of(tuple(data["choices"]))),
    ),
    "react.context": make_context_handler(_list_questions),
}
