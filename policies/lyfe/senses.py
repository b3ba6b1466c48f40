"""Senses: what is new among what is heard, seen and felt reaches the internal states.

A fast filter without a model: words heard lately in the same wording are not new, nor are sights.
Only what is heard or thought reaches work memory; sights are held for a minute and are no events.
Source: Lyfe Agents, section 3.1; which senses go where as in the public release.
"""

from collections.abc import Sequence

from genagents_env.cognition import names
from genagents_env.cognition.query import Moment
from genagents_env.percept import HeardWords

from . import repetition, turns
from .mind import LyfeMind, WorkItem

_MOST_READ = 1000  # characters of an utterance in which names are looked for
_MOST_NEWS = 40  # items that a summary is still to take in
_MOST_NAMED = 50  # people known from words alone


async def perceive(mind: LyfeMind, moment: Moment) -> None:
    """Take in a percept: who is near, what came of the last step, what is heard and seen."""
    percept, now = moment.percept, moment.now
    mind.tick = percept.tick
    _note_people(mind, moment)
    if mind.last == "Talk":
        await _note_own_words(mind, moment)
    for words in percept.heard:
        await _hear(mind, words, moment)
    if not percept.me.asleep:
        _see(mind, now)
    held = now - mind.config.buffer_seconds
    mind.buffer = [item for item in mind.buffer if item.at > held]


def notice_oneself(
    mind: LyfeMind, text: str, now: int, *, behind: Sequence[int] = (), feedback: bool = False
) -> None:
    """Let something of the agent itself come to mind: a thought, or what came of a step.

    `behind`: the events it rests on. `feedback`: the step came to nothing, which the self-monitor
    takes note of at once.
    """
    _add_to_work(mind, WorkItem(text, now, behind=list(behind)))
    mind.unthought += 1
    mind.fresh = True
    mind.feedback = mind.feedback or feedback


def _note_people(mind: LyfeMind, moment: Moment) -> None:
    """Note who is near enough to talk to, and the names of those the agent meets."""
    percept, now, most = moment.percept, moment.now, mind.config.near_tiles
    talk = percept.conversation
    members = [name for name in talk.members if name != mind.name] if talk is not None else []
    near = [each.name for each in percept.people if each.distance <= most and not each.asleep]
    mind.near = list(dict.fromkeys([*members, *near]))
    seen = [person.name for person in percept.people]
    for person in percept.people:
        mind.seen[person.name] = (person.place, now)
    mind.met = list(dict.fromkeys([*mind.met, *seen]))
    mind.people = list(dict.fromkeys([*mind.people, *seen, *members]))
    mind.named = [name for name in mind.named if name not in mind.people]
    _note_seekers(mind, moment)
    mind.missed = {name: at for name, at in mind.missed.items() if name not in seen}


def _note_seekers(mind: LyfeMind, moment: Moment) -> None:
    """Notice once who is seen to look for the agent: an event, for which it stops on its way."""
    looking = f"looking for {mind.name}"
    awake = [person for person in moment.percept.people if not person.asleep]
    seekers = [person.name for person in awake if person.doing == looking]
    for name in seekers:
        if name not in mind.seekers:
            notice_oneself(mind, f"{name} is looking for you.", moment.now)
    mind.seekers = {name: mind.seekers.get(name, moment.now) for name in seekers}


async def _note_own_words(mind: LyfeMind, moment: Moment) -> None:
    """Note that the agent's words were said, or keep them once where another was speaking."""
    turn = mind.turn
    words, turn.unsaid = turn.unsaid, ""
    if not words:
        return
    if moment.percept.result.ok:
        turns.note_said(mind, words, moment)
        _add_to_work(mind, WorkItem(words, moment.now, mind.name, behind=turn.behind))
        await repetition.note_utterance(mind, words, own=True)
    elif not turn.kept:  # until others are heard, whose words make its own out of date
        turn.unsaid, turn.kept = words, True


async def _hear(mind: LyfeMind, words: HeardWords, moment: Moment) -> None:
    if words.kind == "notice" or not words.text:
        return
    speaker = words.speaker or ""
    item = WorkItem(words.text, moment.now, speaker, words.event_id)
    if words.kind == "thought":
        item.text = f"A thought: {words.text}"
    elif not speaker:
        item.text = f"News: {words.text}"
    else:
        turns.note_heard(mind, item, moment)
        if mind.option.kind == "talk":
            await repetition.note_utterance(mind, words.text, own=False)
    if _is_new(mind.heard, item.format_text(), mind.config.heard_kept):
        _add_to_work(mind, item)
        mind.unthought += 1
        _note_names(mind, words, moment)
        if words.addressed or not speaker or turns.is_named(mind, words.text):
            mind.fresh = True


def _note_names(mind: LyfeMind, words: HeardWords, moment: Moment) -> None:
    """Note the names that are heard of people whom the agent does not know, and from whom."""
    known = [mind.name, mind.services.town, *mind.people, *mind.named]
    heard = names.list_full_names(words.text[:_MOST_READ], [*known, *moment.percept.known])
    mind.named = [*mind.named, *heard][-_MOST_NAMED:]
    mind.named_by.update(dict.fromkeys(heard, words.speaker or ""))
    mind.named_by = {name: who for name, who in mind.named_by.items() if name in mind.named}


def _see(mind: LyfeMind, now: int) -> None:
    """Observe who is near, where they are others than those seen lately."""
    sight = f"I see {', '.join(sorted(mind.near))}."
    if mind.near and _is_new(mind.sights, sight, mind.config.sights_kept):
        _add_to_buffer(mind, WorkItem(sight, now))


def _add_to_work(mind: LyfeMind, item: WorkItem) -> None:
    """Put an item into work memory and the buffer; it is an event to the self-monitor."""
    mind.work = [*mind.work, item][-mind.config.work_items :]
    _add_to_buffer(mind, item)
    mind.news = [*mind.news, item][-_MOST_NEWS:]


def _add_to_buffer(mind: LyfeMind, item: WorkItem) -> None:
    mind.buffer = [*mind.buffer, item][-mind.config.buffer_items :]


def _is_new(known: list[str], text: str, most: int) -> bool:
    """Return True if `text` is not among `known`; from now on it is."""
    if text in known:
        return False
    known.append(text)
    del known[:-most]
    return True
