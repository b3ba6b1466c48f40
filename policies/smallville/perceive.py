"""Perceive: what is new among what is near becomes memory, and gets its importance.

Nearest first, as many as the attention holds; what somebody was seen to do lately is not noticed
again. An object seen for the first time is knowledge of the place, not an event; each change of its
state is. That it is idle is no memory, but counts towards the next reflection as in the public
code, two thirds of whose events are of that kind; with `idle_objects` it is remembered, too.

The model is asked for an importance where there is something to weigh. What one does as planned is
everyday (1, what models mostly say of it), and so is what is passing; what says again what was
rated is as important as before. Source: Park et al. 2023, section 4.1 and appendix; bandwidth and
retention as in its public code.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from genagents_env.cognition.prompts import (
    FilledPrompt,
    Section,
    describe_here_and_now,
    fill_with_items,
)
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Importance, list_of, narrow
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.percept import HeardWords, Percept, SeenObject, SeenPerson
from genagents_env.text import fold, quote, set_apart

from .mind import MINUTE, BelievedObject, Handlers, SmallvilleMind
from .places import find_arena
from .retrieve import IDLE, is_passing, reduce_words
from .summary import describe_status

_ME = ""  # the agent's own key among the events noticed; no person is called so
_RATINGS_KEPT = 500
_EVERYDAY = 1.0  # the least importance
_EXAMPLE = (2, 1, 6, 3, 1)  # ratings, of which the prompt shows as many as it asks for


@dataclass(frozen=True, slots=True)
class Observation:
    """Something new. `kind`: person, object or heard; `subject`: a name or an object's id."""

    kind: Literal["person", "object", "heard"]
    subject: str
    text: str
    asleep: bool = False


class Ratings(ReplyModel):
    """One importance for each memory asked about, in order."""

    ratings: list[Importance]


def notice(mind: SmallvilleMind, moment: Moment) -> list[Observation]:
    """Take in a percept: remember what is new in it, and return that."""
    percept = moment.percept
    mind.tick, mind.asleep, mind.place = percept.tick, percept.me.asleep, percept.me.place
    new = [_notice_words(mind, heard, moment) for heard in percept.heard]
    if not mind.asleep:
        _notice_oneself(mind, moment)
        _note_own_use(mind, moment)
        for seen in _list_attended(mind, percept):
            if isinstance(seen, SeenPerson):
                new.append(_notice_person(mind, seen, moment))
            else:
                new.append(_notice_object(mind, seen, moment))
    return [observation for observation in new if observation is not None]


def make_queries(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Ask for the importance of what was noticed, a batch at a time."""
    attention = mind.attention
    if not attention.unrated:
        return []
    full = len(attention.unrated) >= mind.config.rate_batch
    due = moment.now - attention.unrated_since >= mind.config.rate_minutes * MINUTE
    if not (full or due) or mind.is_busy("perceive.rate"):
        return []
    batch = attention.unrated[: mind.config.rate_batch]
    attention.unrated = attention.unrated[len(batch) :]
    attention.unrated_since = moment.now
    return [Query("perceive.rate", {"ids": batch})]


def _list_attended(mind: SmallvilleMind, percept: Percept) -> Sequence[SeenPerson | SeenObject]:
    """List what attention holds of what is in sight: the nearest, people before objects."""
    near: list[SeenPerson | SeenObject] = [*percept.people, *percept.objects]
    most = mind.profile.attention_bandwidth
    return near if len(near) <= most else sorted(near, key=lambda seen: seen.distance)[:most]


def _notice_oneself(mind: SmallvilleMind, moment: Moment) -> None:
    """Remember the agent's own new activity; what was planned is everyday."""
    me = moment.percept.me
    if mind.attention.events.get(_ME) == me.event_id:
        return
    mind.attention.events[_ME] = me.event_id
    piece = mind.day.find_piece(moment.now)
    planned = piece is not None and set_apart(piece.text) == me.doing
    plain = (mind.name, "is", me.doing)
    about = piece.about if piece is not None and planned and piece.about else plain
    everyday = planned or is_passing(plain, mind.name)
    text = f"{mind.name} is {me.doing}"
    _remember(mind, text, me.event_id, moment, about, me.place, everyday=everyday)


def _notice_person(mind: SmallvilleMind, seen: SeenPerson, moment: Moment) -> Observation | None:
    """Remember somebody's new activity, unless it was observed lately (retention)."""
    attention = mind.attention
    if attention.events.get(seen.name) == seen.event_id:
        return None
    attention.events[seen.name] = seen.event_id
    doing = "asleep" if seen.asleep else seen.doing
    text = f"{seen.name} is {doing}"
    if _is_retained(mind, text):
        return None
    about = (seen.name, "is", doing)
    everyday = is_passing(about, mind.name)
    _remember(mind, text, seen.event_id, moment, about, seen.place, everyday=everyday)
    return Observation("person", seen.name, text, seen.asleep)


def _note_own_use(mind: SmallvilleMind, moment: Moment) -> None:
    """Take in what the agent itself did to a thing: it knows that, wherever it now looks."""
    if mind.last == "Interact" and moment.percept.result.ok:
        for item in moment.percept.objects:
            if item.id == mind.going:
                _believe(mind, item, moment.now)


def _believe(mind: SmallvilleMind, seen: SeenObject, now: int) -> None:
    """Believe what is seen of an object from now on, with the states it was seen to have."""
    before = mind.objects.get(seen.id)
    rest, known = (seen.state, []) if before is None else (before.rest, before.states)
    usable = seen.next_states or seen.free_text
    states = list(dict.fromkeys([*known, seen.state, *seen.next_states])) if usable else []
    believed = BelievedObject(seen.name, seen.state, now, rest, states, seen.free_text)
    mind.objects[seen.id] = believed


def _notice_object(mind: SmallvilleMind, seen: SeenObject, moment: Moment) -> Observation | None:
    """Remember an object's change; its first sight is only knowledge of the place."""
    if seen.id not in mind.objects:
        _believe(mind, seen, moment.now)
    believed = mind.objects[seen.id]
    if believed.state == seen.state:
        believed.seen = moment.now
        if seen.state == believed.rest:
            _notice_idle(mind, seen, moment)
        return None
    _believe(mind, seen, moment.now)
    what = seen.state.removeprefix("with ")
    text = f"the {seen.name} {'is' if what == seen.state else 'has'} {what}"
    about = (seen.name, "is", seen.state)
    _remember(mind, text, seen.event_id, moment, about, find_arena(seen.id))
    return Observation("object", seen.id, text)


def _notice_idle(mind: SmallvilleMind, seen: SeenObject, moment: Moment) -> None:
    """Notice that a thing is as it was found, unless that was noticed among the last so many."""
    idle, who = mind.attention.idle, mind.profile
    if seen.id in idle:
        return
    idle.append(seen.id)
    del idle[: max(0, len(idle) - max(who.retention, who.attention_bandwidth))]
    mind.attention.importance += _EVERYDAY
    if mind.config.idle_objects and mind.config.observation:
        mind.stream.add(
            "event",
            f"the {seen.name} is {IDLE}",
            created=moment.now,
            importance=_EVERYDAY,
            events=(seen.event_id,),
            about=(seen.name, "is", IDLE),
            place=find_arena(seen.id),
        )


def _notice_words(mind: SmallvilleMind, heard: HeardWords, moment: Moment) -> Observation | None:
    """Remember words: speech with whom it was for, news, or a whisper."""
    if heard.kind == "notice" or not heard.text:
        return None
    text, about = f"News: {heard.text}", tuple[str, ...]()
    if heard.kind == "thought":
        text, about = heard.text, (mind.name, "thinks", "")
    elif heard.speaker is not None:
        to = _find_addressees(mind, heard, moment.percept)
        text = f"{heard.speaker} said to {to}: {quote(heard.text)}"
        about = (heard.speaker, "said", "")
    _remember(mind, text, heard.event_id, moment, about, moment.percept.me.place)
    return Observation("heard", heard.speaker or "", text)


def _find_addressees(mind: SmallvilleMind, heard: HeardWords, percept: Percept) -> str:
    """Name the addressees: of those in the conversation, the ones the words name, or all."""
    if not heard.addressed:
        return "others"
    talk = percept.conversation
    members = [mind.name] if talk is None or mind.name not in talk.members else talk.members
    others = [name for name in members if name != heard.speaker]
    said = fold(heard.text)
    named = [
        name
        for name in others
        if any(re.search(rf"\b{re.escape(fold(form))}\b", said) for form in (name, name.split()[0]))
    ]
    return " and ".join(named or others)


def _is_retained(mind: SmallvilleMind, text: str) -> bool:
    """Return True if this was observed among the last so many; otherwise it is from now on."""
    recent = mind.attention.recent
    if text in recent:
        return True
    recent.append(text)
    del recent[: max(0, len(recent) - mind.profile.retention)]
    return False


def _remember(
    mind: SmallvilleMind,
    text: str,
    event: int,
    moment: Moment,
    about: tuple[str, ...],
    place: str,
    *,
    everyday: bool = False,
) -> None:
    """Add an observation to the stream, with the importance known for it or to be asked for."""
    attention, config = mind.attention, mind.config
    known = _EVERYDAY if everyday else attention.ratings.get(reduce_words(text))
    importance = config.unrated_importance if known is None else known
    if known is not None or not config.observation:
        attention.importance += importance
    if not config.observation:
        return
    memory = mind.stream.add(
        "event",
        text,
        created=moment.now,
        importance=importance,
        events=(event,),
        about=about,
        place=place,
    )
    if known is None:
        if not attention.unrated:
            attention.unrated_since = moment.now
        attention.unrated.append(memory)


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask about as many as the prompt holds; the rest waits for the next batch."""
    asked: list[int] = data["ids"]
    shown, ids = fill_with_items(lambda ids: _fill_prompt(mind, ids, moment), asked, "ratings")
    mind.attention.unrated = [*asked[len(ids) :], *mind.attention.unrated]
    neutral = round(mind.config.unrated_importance)
    return mind.ask_filled(shown, {**data, "ids": list(ids), "neutral": neutral})


def _fill_prompt(mind: SmallvilleMind, ids: Sequence[int], moment: Moment) -> FilledPrompt:
    """Fill the prompt that asks for importances, with an example of as many ratings."""
    lines: list[JSONValue] = [
        [f"#{number}", mind.stream[id_].text] for number, id_ in enumerate(ids, 1)
    ]
    sections = [
        *describe_here_and_now(moment.percept),
        describe_status(mind),
        Section("ratings", lines),
    ]
    example = [_EXAMPLE[k % len(_EXAMPLE)] for k in range(len(lines))]
    return mind.fill("perceive_rate", sections, count=len(lines), example=example)


async def _apply(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Take the ratings, and remember them by text: the same text is not asked about again."""
    ratings = mind.attention.ratings
    for id_, importance in zip(reply.data["ids"], reply.value.ratings, strict=True):
        mind.stream.rate(id_, importance)
        mind.attention.importance += importance
        if not reply.fallback:
            ratings[reduce_words(mind.stream[id_].text)] = float(importance)
    while len(ratings) > _RATINGS_KEPT:
        del ratings[next(iter(ratings))]
    return ()


HANDLERS: Handlers = {
    "perceive.rate": handle(
        _prepare,
        _apply,
        lambda data: Ratings(ratings=[data["neutral"]] * len(data["ids"])),
        lambda data: 24 + 8 * len(data["ids"]),
        lambda data: narrow(Ratings, ratings=list_of(Importance, len(data["ids"]))),
    )
}
