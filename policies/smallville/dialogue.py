"""The agent's side of a conversation: the way to its first words, who is in it, what was said.

The world says who is in a conversation and what was heard; whether the agent was heard is known a
tick after it spoke. Whoever wants to talk goes on until the town's pause after a talk of the two is
over, walks up to the other, waits for the tick at which it may begin (`turns.may_begin`), and only
then thinks of words. Those who talk already it joins: it turns to them, they pause, it speaks. No
model is asked here.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, time, timedelta
from typing import Literal, TypeAlias

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.cognition.prompts import find_person
from genagents_env.cognition.query import Moment
from genagents_env.percept import Conversation, Percept

from .agenda import has_begun_with
from .mind import Dialogue, DialogueLine, HeardLine, SmallvilleMind
from .turns import (
    COMING,
    TALKING,
    TURNING,
    find_addressee,
    is_approached,
    is_talking,
    may_begin,
)

EMOJI = "💬"
# How the world words refusals.
_OUT_OF_EARSHOT, _BUSY = "out of earshot", "someone else was speaking"
_NEVER_LATE = 24
_HEARD_SECONDS = 300  # for which words in one's hearing are kept, those of a talk one may join
_HEARD_LINES = 24
_WORTH_WAITING = 1800  # seconds of the town's pause after a talk for which one keeps a wish
_APPROACH = 180  # seconds for which the agent walks up to somebody
_PATIENCE = 2 * _APPROACH  # seconds after which it no longer wants to talk
_SPEAKING = 4  # tiles from which one speaks: within half of the sight all who might begin are seen
Step: TypeAlias = Literal["go on", "walk", "wait", "turn", "say", "give up"]


def follow(mind: SmallvilleMind, moment: Moment) -> list[Dialogue]:
    """Bring `mind.dialogue` up to what is perceived.

    Returns:
        The conversations that are over and in which something was said.
    """
    talk, over = moment.percept.conversation, []
    if mind.dialogue is not None:
        mine = talk if _is_same(mind.dialogue, talk) else None
        _update(mind, mind.dialogue, moment, mine)
        if _is_over(mind, mind.dialogue, moment, mine):
            over = end(mind, mind.dialogue, moment)
    if mind.dialogue is None and talk is not None:
        mind.dialogue = Dialogue(talk.id, moment.now, [], place=moment.percept.me.place)
        if len(talk.members) > 2:  # it was under way before the agent was drawn in
            mind.dialogue.before = _list_before(mind, moment, talk.members)
        _update(mind, mind.dialogue, moment, talk)
    return over


def end(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> list[Dialogue]:
    """Be done with a conversation; return it, unless not a word was said in it.

    A wish to talk that another talk came before is no parting: it may come again after that.
    """
    if dialogue.id < 0 and moment.percept.conversation is not None:
        mind.attention.considered.pop(dialogue.others[0], None)
    else:
        _note_parting(mind, list_company(mind, dialogue), moment)
    if dialogue.id < 0:
        mind.last = mind.going = ""  # the way to the other says nothing about the way to the plan
    mind.dialogue = None
    return [dialogue] if dialogue.lines else []


def list_company(mind: SmallvilleMind, dialogue: Dialogue) -> list[str]:
    """Return everyone else who is in the conversation or spoke in it, each once."""
    speakers = (line.speaker for line in dialogue.lines if line.speaker != mind.name)
    return list(dict.fromkeys((*speakers, *dialogue.others)))


def note_heard(mind: SmallvilleMind, moment: Moment) -> None:
    """Keep the words heard for some minutes, whoever they were meant for."""
    mind.heard += [
        HeardLine(heard.speaker or "", heard.text, heard.event_id, moment.now)
        for heard in moment.percept.heard
        if heard.text and heard.kind in ("speech", "news")
    ]
    oldest = moment.now - _HEARD_SECONDS
    mind.heard = [line for line in mind.heard if line.at >= oldest][-_HEARD_LINES:]


def _list_before(
    mind: SmallvilleMind, moment: Moment, speakers: Collection[str]
) -> list[DialogueLine]:
    """List what some people said in the agent's hearing before this moment, of late."""
    return [
        DialogueLine(line.speaker, line.text, line.event)
        for line in mind.heard
        if line.speaker in speakers and line.at < moment.now
    ]


def _is_same(dialogue: Dialogue, talk: Conversation | None) -> bool:
    """Return True if the conversation perceived is this one, or what this one has become."""
    if talk is None or dialogue.id >= 0:
        return talk is not None and talk.id == dialogue.id
    return dialogue.others[0] in talk.members


def _update(
    mind: SmallvilleMind, dialogue: Dialogue, moment: Moment, talk: Conversation | None
) -> None:
    """Take in who is there, what the agent itself said, and what the others said."""
    before = dialogue.others
    if talk is not None:
        dialogue.id = talk.id
        dialogue.others = [name for name in talk.members if name != mind.name]
        _note_parting(mind, [name for name in before if name not in talk.members], moment)
    fresh = _take_own_words(mind, dialogue, moment)
    if dialogue.id < 0 and not fresh:
        return  # nobody knows yet that the agent wants to talk, so what they say is no reply
    heard = _list_others_words(moment.percept, {*before, *dialogue.others})
    if heard and dialogue.unsaid:
        _think_again(mind, dialogue, heard)
    if fresh or heard:
        dialogue.heard = moment.tick
    # In an order that is the same for everyone who heard them.
    order = {name: k for k, name in enumerate(talk.members)} if talk is not None else {}
    dialogue.lines += sorted([*fresh, *heard], key=lambda line: order.get(line.speaker, -1))


def _think_again(mind: SmallvilleMind, dialogue: Dialogue, heard: Sequence[DialogueLine]) -> None:
    """Keep words that were ready only where what was heard asks nothing of the agent.

    Otherwise what it meant to say goes with the question for other words.
    """
    dialogue.meant = dialogue.unsaid
    names = [mind.name, *dialogue.others]
    if any(find_addressee(line.text, names) in ("", mind.name) for line in heard):
        dialogue.unsaid, dialogue.leaving = "", False


def _take_own_words(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> list[DialogueLine]:
    """Return the agent's words as a line, once it is known that they were spoken."""
    if mind.last != "Talk" or not moment.percept.result.ok or not dialogue.unsaid:
        return []
    words, dialogue.unsaid, dialogue.meant = dialogue.unsaid, "", ""
    return [DialogueLine(mind.name, words, -1)]


def _list_others_words(percept: Percept, others: set[str]) -> list[DialogueLine]:
    """List what those of the conversation said to the agent, a farewell included."""
    return [
        DialogueLine(heard.speaker, heard.text, heard.event_id)
        for heard in percept.heard
        if heard.kind == "speech" and heard.addressed
        if heard.speaker is not None and heard.speaker in others
    ]


def _is_over(
    mind: SmallvilleMind, dialogue: Dialogue, moment: Moment, talk: Conversation | None
) -> bool:
    """Return True if the conversation has ended, or never came about."""
    percept = moment.percept
    if talk is not None or percept.me.asleep:
        return percept.me.asleep
    if dialogue.id >= 0 or dialogue.lines or percept.conversation is not None:
        return True
    return _is_refused(mind, dialogue, moment)


def _is_refused(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> bool:
    """Return True if the first words were refused, and would be again.

    One who was out of earshot is walked up to, and another who was speaking is waited for.
    """
    result = moment.percept.result
    if mind.last != "Talk" or result.ok or _BUSY in result.text:
        return False
    if _OUT_OF_EARSHOT not in result.text or dialogue.phone:
        return True
    dialogue.reach //= 2
    return dialogue.reach < 1


def _note_parting(mind: SmallvilleMind, names: Sequence[str], moment: Moment) -> None:
    """Note when a talk with these people ended."""
    mind.attention.talked.update(dict.fromkeys(names, moment.now))


# Whether and how to begin.


def may_open(mind: SmallvilleMind, moment: Moment, other: str) -> bool:
    """Return True if this is a time to speak to `other`: not late, not again so soon.

    What both agreed on for this hour is a reason to talk as soon as the town lets them.
    """
    if is_late(mind, moment):
        return False
    talked = mind.attention.talked.get(other)
    if talked is None:
        return True
    pause, passed = mind.services.pause_seconds, moment.now - talked
    since, now = mind.services.to_time(talked), moment.percept.time
    if has_begun_with(mind.commitments, other, since, now):
        return pause - passed <= _WORTH_WAITING
    return passed >= max(pause, mind.config.talk_again_seconds)


def is_late(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return True if it is between the late hour and the agent's waking."""
    clock, hour = moment.percept.time, mind.config.late_hour
    if mind.day.date:
        woke = mind.services.to_time(mind.day.wake)
    else:
        woke = datetime.combine(clock.date(), mind.profile.wake)
    if hour == _NEVER_LATE:
        return clock < woke
    late = datetime.combine(clock.date(), time(hour))
    if clock < late:
        late -= timedelta(days=1)
    return not late < woke <= clock


def begin(
    mind: SmallvilleMind, other: str, moment: Moment, *, reason: str = "", phone: bool = False
) -> Dialogue:
    """Decide to speak to `other`; nobody knows of it yet."""
    percept = moment.percept
    dialogue = Dialogue(-1, moment.now, [other], place=percept.me.place, reason=reason)
    dialogue.phone = phone
    dialogue.reach = max(1, min(_SPEAKING, mind.profile.vision_radius // 2))
    seen = find_person(percept, other)
    if seen is not None and not seen.doing.startswith((TALKING, COMING, TURNING)):
        dialogue.activities = {other: seen.doing}
    if is_talking(percept, other):
        dialogue.before = _list_before(mind, moment, {seen.name for seen in percept.people})
    mind.dialogue = dialogue
    return dialogue


def find_step(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> Step:
    """Find what leads to the first words now; `say` where they can be said at this tick."""
    percept, other = moment.percept, dialogue.others[0]
    seen, talked = find_person(percept, other), mind.attention.talked.get(other)
    if is_late(mind, moment) or (seen is not None and seen.asleep):
        return "give up"
    # From when on the town lets these two talk again.
    ready = 0 if talked is None else talked + mind.services.pause_seconds
    if ready > moment.now:
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
    joins = is_talking(percept, other)
    if joins and dialogue.turned == moment.tick - 1:
        return "say"
    if not may_begin(mind, moment):
        return "wait"
    return "turn" if joins else "say"


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
