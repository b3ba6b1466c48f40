"""Turns: who begins to talk, whom words are meant for, and who answers them.

Nobody presides: all compute it alike from what they perceive, the run's seed
and the tick, before any words are thought of: of those who see one another one may begin at a tick,
who is walked up to or turned to listens, and whoever is addressed by name answers next.
"""

import re
from collections.abc import Sequence

from genagents_env.cognition.query import Moment
from genagents_env.percept import Percept
from genagents_env.rng import draw_bits, draw_index

from .mind import Dialogue, DialogueLine, SmallvilleMind

# How what one does begins, for all to see.
TALKING, TURNING, COMING = "talking with", "turning to", "walking up to"
_PAUSE = 6  # turns without an answer after which whoever spoke last may speak once more
_ALTERNATE = 4  # utterances of the same two after which whoever else is there comes before them
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+")
_BEFORE = (  # what may stand before the name of the one who is spoken to
    r"(?:^|[,.!?:;\u2026\u2014-]\s*|\b(?:hi|hello|hey|oh|ah|so|and|well|yes|no|okay|dear|thanks"
    r"|thank you|sorry|please|you|morning|afternoon|evening|night|bye|good-?bye)\s+)"
)
_TITLE = r"(?:(?:mr|mrs|ms|dr|professor|prof|officer)\.?\s+)?"


def may_begin(mind: SmallvilleMind, moment: Moment, span: int = 1) -> bool:
    """Return True if the agent is the one, of all whom it sees, who may begin a talk now.

    Args:
        mind: whose.
        moment: now.
        span: of so many ticks only the first is one to begin at.
    """
    if moment.tick % span or moment.percept.me.doing.startswith(TALKING):
        return False
    people = moment.percept.people
    others = [seen for seen in people if not (seen.asleep or seen.doing.startswith(TALKING))]
    if any(seen.doing.startswith(TURNING) for seen in others):
        return False
    mine = _draw(mind, mind.name, moment.tick // span)
    return all(_draw(mind, seen.name, moment.tick // span) < mine for seen in others)


def is_approached(percept: Percept, *, besides: str = "") -> bool:
    """Return True if somebody in sight, `besides` left out, is about to speak to the agent."""
    mine = {f"{words} {percept.me.name}" for words in (TURNING, COMING)}
    return any(seen.doing in mine for seen in percept.people if seen.name != besides)


def is_talking(percept: Percept, other: str) -> bool:
    """Return True if somebody is seen in a talk, or is spoken to just now."""
    talking = [seen for seen in percept.people if seen.doing.startswith(TALKING)]
    return any(
        other in (seen.name, *seen.doing.removeprefix(TALKING).strip().split(" and "))
        for seen in talking
    )


def is_interrupted(percept: Percept, members: Sequence[str]) -> bool:
    """Return True if somebody else is turning to one of `members` to speak: they wait for it."""
    turning = {f"{TURNING} {name}" for name in members}
    return any(
        seen.doing in turning and seen.name not in members and not seen.asleep
        for seen in percept.people
    )


def is_my_turn(mind: SmallvilleMind, dialogue: Dialogue, moment: Moment) -> bool:
    """Return True if it is the agent's turn to speak next in the conversation it is in.

    Whoever was addressed comes first, then the others, each for as long as an answer takes to be
    thought of. After its own words the agent waits; if nobody answers it may speak once more.
    """
    talk = moment.percept.conversation
    if talk is None or not talk.may_speak or dialogue.passed == len(dialogue.lines):
        return False
    if is_interrupted(moment.percept, talk.members):
        return False
    last = dialogue.lines[-1] if dialogue.lines else None
    elapsed = (moment.tick - dialogue.heard) // (1 + mind.config.latency("converse"))
    if last is not None and last.speaker == mind.name:
        alone = len(dialogue.lines) > 1 and dialogue.lines[-2].speaker == mind.name
        return not alone and elapsed >= _PAUSE
    if talk.turn is not None:
        return True
    order = _order_answers(mind, dialogue, talk.members, talk.id)
    return order[elapsed % len(order)] == mind.name


def find_addressee(words: str, names: Sequence[str]) -> str:
    """Find which of `names` words are spoken to, empty where they do not say.

    By whole, first or last name, with or without a title: the one who is asked something, else
    the last who is called by name; one of whom something is asked goes before none.
    """
    called, asked, mentioned = "", "", ""
    for sentence in _SENTENCE_END.split(words):
        name = _find_last(sentence, names, called=True)
        called = name or called
        if "?" in sentence:
            asked = name or asked
            mentioned = _find_last(sentence, names, called=False) or mentioned
    return asked or called or mentioned


def _draw(mind: SmallvilleMind, name: str, period: int) -> int:
    """Draw the lot of somebody for a period; all who compute it get the same."""
    return draw_bits(mind.services.model.run_seed, "begins", period, name)


def _order_answers(
    mind: SmallvilleMind, dialogue: Dialogue, members: Sequence[str], talk: int
) -> list[str]:
    """Return those who may answer the last words, in the order in which they do."""
    last = dialogue.lines[-1] if dialogue.lines else DialogueLine("", "", -1)
    waiting = [name for name in members if name != last.speaker]
    first = draw_index(mind.services.model.run_seed, len(waiting), "answers", talk, last.event)
    waiting = [*waiting[first:], *waiting[:first]]
    before = [line.speaker for line in dialogue.lines if line.speaker in waiting]
    spoken_to = find_addressee(last.text, waiting)
    recent = [line.speaker for line in dialogue.lines[-_ALTERNATE:]]
    among_two = len(recent) == _ALTERNATE and len(set(recent)) < 3
    if not spoken_to and before and not among_two:
        spoken_to = before[-1]
    return sorted(waiting, key=lambda name: name != spoken_to)


def _find_last(sentence: str, names: Sequence[str], *, called: bool) -> str:
    """Find who is named last in a sentence; `called`: as one who is spoken to."""
    named = [(at, name) for name in names if (at := _find_name(sentence, name, names, called)) >= 0]
    return max(named)[1] if named else ""


def _find_name(sentence: str, name: str, names: Sequence[str], called: bool) -> int:
    """Find where a sentence names somebody last, -1 where it does not."""
    parts = name.split()
    shared = {part for other in names if other != name for part in other.split()}
    own = [part for part in (parts[0], parts[-1]) if part not in shared] if parts else []
    words = "|".join(re.escape(word) for word in dict.fromkeys((name, *own)))
    if not words:
        return -1
    pattern = rf"(?<!\w)(?:{words})(?!\w)"
    if called:
        pattern = rf"(?i:{_BEFORE}{_TITLE})(?:{words})(?=\s*(?:[,.!?:;\u2026\u2014]|$|and\s))"
    ends = [match.end() for match in re.finditer(pattern, sentence)]
    return ends[-1] if ends else -1
