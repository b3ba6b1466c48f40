"""The agent's side of a conversation: kept true, tick by tick, to what is perceived of it.

The world says who is in a conversation and what was heard; whether the agent was heard is
known a tick after it spoke. No model is asked here.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, time, timedelta

from genagents_env.cognition.query import Moment
from genagents_env.percept import Conversation, Percept

from .commitments import has_begun_with
from .mind import Dialogue, DialogueLine, HeardLine, SmallvilleMind
from .turns import find_addressee

# How the world words refusals.
OUT_OF_EARSHOT, BUSY = "out of earshot", "someone else was speaking"
_NEVER_LATE = 24
_HEARD_SECONDS = 300  # for which words in one's hearing are kept, those of a talk one may join
_HEARD_LINES = 24
_WORTH_WAITING = 1800  # seconds of the town's pause after a talk for which one keeps a wish


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
            mind.dialogue.before = list_before(mind, moment, talk.members)
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


def may_open(mind: SmallvilleMind, moment: Moment, other: str) -> bool:
    """Return whether this is a time to speak to `other`: not late, not again so soon.

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
    """Return whether it is between the late hour and the agent's waking."""
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


def note_heard(mind: SmallvilleMind, moment: Moment) -> None:
    """Keep the words heard for some minutes, whoever they were meant for."""
    mind.heard += [
        HeardLine(heard.speaker or "", heard.text, heard.event_id, moment.now)
        for heard in moment.percept.heard
        if heard.text and heard.kind in ("speech", "news")
    ]
    oldest = moment.now - _HEARD_SECONDS
    mind.heard = [line for line in mind.heard if line.at >= oldest][-_HEARD_LINES:]


def list_before(
    mind: SmallvilleMind, moment: Moment, speakers: Collection[str]
) -> list[DialogueLine]:
    """Return what some people said in the agent's hearing before this moment, of late."""
    return [
        DialogueLine(line.speaker, line.text, line.event)
        for line in mind.heard
        if line.speaker in speakers and line.at < moment.now
    ]


def is_refused(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> bool:
    """Return whether the first words came to nothing, and would again.

    One who was out of earshot is walked up to, and another who was speaking is waited for.
    """
    result = moment.percept.result
    if mind.last != "Talk" or result.ok or BUSY in result.text:
        return False
    if OUT_OF_EARSHOT not in result.text or dialogue.phone:
        return True
    dialogue.reach //= 2
    return dialogue.reach < 1


def _is_same(dialogue: Dialogue, talk: Conversation | None) -> bool:
    """Return whether the conversation perceived is this one, or what this one has become."""
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
    if heard:
        _think_again(mind, dialogue, heard)
    if fresh or heard:
        dialogue.heard = moment.tick
    dialogue.lines += _sort_lines([*fresh, *heard], talk)


def _think_again(mind: SmallvilleMind, dialogue: Dialogue, heard: Sequence[DialogueLine]) -> None:
    """Keep words that were ready only where what was heard asks nothing of the agent.

    Otherwise what it meant to say goes with the question for other words.
    """
    if not dialogue.unsaid:
        return
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
    """Return what those of the conversation said to the agent, a farewell included."""
    return [
        DialogueLine(heard.speaker, heard.text, heard.event_id)
        for heard in percept.heard
        if heard.kind == "speech" and heard.addressed
        if heard.speaker is not None and heard.speaker in others
    ]


def _sort_lines(lines: list[DialogueLine], talk: Conversation | None) -> list[DialogueLine]:
    """Return lines of one tick in an order that is the same for everyone who heard them."""
    place = {name: k for k, name in enumerate(talk.members)} if talk is not None else {}
    return sorted(lines, key=lambda line: place.get(line.speaker, -1))


def _is_over(
    mind: SmallvilleMind, dialogue: Dialogue, moment: Moment, talk: Conversation | None
) -> bool:
    percept = moment.percept
    if talk is not None or percept.me.asleep:
        return percept.me.asleep
    if dialogue.id >= 0 or dialogue.lines or percept.conversation is not None:
        return True
    return is_refused(mind, dialogue, moment)


def _note_parting(mind: SmallvilleMind, names: Sequence[str], moment: Moment) -> None:
    mind.attention.talked.update(dict.fromkeys(names, moment.now))
