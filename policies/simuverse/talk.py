"""Talk: the agent's next words in a conversation, when it is its turn. All of a reply is speech.

People speak one after another in the order of joining. A signal in brackets ends it: what stands
before `(LEAVE CONVERSATION)` is still said, and `(MOVE)` leaves and goes; `(CONVERSE)` with a name
asks somebody near to join. Nobody says more than the most exchanges. No interpreter is asked here,
and nothing is a strike.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from genagents_env.cognition.names import cut_reply
from genagents_env.cognition.prompts import shorten_names
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.llm.schemas import PlainReply
from genagents_env.percept import Conversation
from genagents_env.text import cut_sentences

from . import prompt, scope, turns
from .checker import find_people, find_place
from .grammar import CONVERSE, LEAVE, MOVE, find_prefix
from .mind import Handlers, SimuverseMind, ToolStep
from .results import report_outcome

_SPEECH = 480  # characters
_WAIT = 60  # seconds after which one whose turn it is loses it, where the town has no rule
_MEMBERS = 3  # SimuVerse update
_NAME = r"[^\W\d_a-z][\w.'\u2019-]*(?: [^\W\d_a-z][\w.'\u2019-]*)*"
_NAMES = re.compile(rf"(?:with )?{_NAME}(?:(?:,|,? and| &) {_NAME})*")
_QUOTES = " \"'\u201c\u201d\u2018\u2019*_"


class SpokenReply(PlainReply):
    """What the agent says next."""

    wire_name: ClassVar[str] = "Speech"


@dataclass(frozen=True, slots=True)
class ReadSpeech:
    """A reply in a conversation, as it was read.

    Attributes:
        words: that are said; empty for none.
        leaves: whether one leaves then.
        heading: what was said of where one goes after that.
        joining: words that name who is to join the conversation.
        refused: a tool that cannot be used in a conversation.
    """

    words: str
    leaves: bool = False
    heading: str = ""
    joining: str = ""
    refused: str = ""


def read_speech(text: str, name: str, others: Sequence[str]) -> ReadSpeech:
    """Read a reply in a conversation.

    Args:
        text: the reply.
        name: whose it is; it may begin with it.
        others: in the conversation; what is written in their place is left out.
    """
    tool = find_prefix(text)
    if tool is not None and tool.tool == CONVERSE:
        joining, colon, rest = tool.context.partition(":")
        said = rest if colon and _NAMES.fullmatch(joining.strip()) else tool.context
        return ReadSpeech(_trim(f"{tool.before} {said}", name, others), joining=joining)
    if tool is None:
        return ReadSpeech(_trim(text, name, others))
    words = _trim(tool.before, name, others)
    if tool.tool == LEAVE:
        return ReadSpeech(words or _trim(tool.context, name, others), leaves=True)
    if tool.tool == MOVE:
        return ReadSpeech(words, leaves=True, heading=tool.context)
    return ReadSpeech(words, refused=tool.tool)


def make_queries(mind: SimuverseMind, moment: Moment) -> Sequence[Query]:
    """Ask for words when it is the agent's turn; one who has had all its exchanges leaves."""
    talk = moment.percept.conversation
    if talk is None or mind.is_busy("talk") or not _may_speak(mind, talk, moment.now):
        return ()
    if mind.config.count == "utterance" and mind.talk.spoken >= mind.config.exchanges:
        _leave(mind, moment, "long")
        return ()
    return (Query(turns.SPEAK, {"talk": talk.id}),)


def _may_speak(mind: SimuverseMind, talk: Conversation, now: int) -> bool:
    """Return True if it is the agent's turn: by the town's rule, else in the order of joining."""
    if talk.turn is not None:
        return talk.may_speak
    last, order = mind.talk.speaker, talk.members
    if last not in order:
        return order[0] == mind.name or now - mind.talk.at >= _WAIT
    mine = order[(order.index(last) + 1) % len(order)] == mind.name
    return mine or (last != mind.name and now - mind.talk.at >= _WAIT)


async def _prepare(mind: SimuverseMind, data: QueryData, moment: Moment) -> Prepared:
    opens = data["talk"] < 0
    others = mind.opening if opens else mind.talk.members
    left = mind.config.exchanges - mind.talk.said
    if moment.percept.conversation is not None:
        left = min(left, moment.percept.conversation.exchanges_left)
    shown = await prompt.fill_prompt(
        mind,
        "talk_speak",
        moment,
        prompt.describe_ties(mind, others, moment),
        others=shorten_names(others),
        opens=opens,
        left=left,
    )
    small = mind.services.prompts.small
    return mind.ask_filled(shown, {**data, "small": small})


async def _apply(mind: SimuverseMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    talk = moment.percept.conversation
    opens = reply.data["talk"] < 0
    if (talk is not None) if opens else (talk is None or talk.id != reply.data["talk"]):
        mind.opening = []
        return ()  # the conversation is another one by now
    others = mind.opening if opens else mind.talk.members
    speech = read_speech(reply.value.text, mind.name, others)
    if opens:
        _open(mind, moment, speech.words)
    else:
        _speak(mind, moment, speech)
    return ()


def _open(mind: SimuverseMind, moment: Moment, words: str) -> None:
    """Begin a conversation with the first words to the first of those meant."""
    if words:
        mind.plan = ToolStep("open", mind.opening[0], words, since=moment.now)
        return
    mind.opening = []
    report_outcome(mind, moment, "You said nothing, so no conversation began.")


def _speak(mind: SimuverseMind, moment: Moment, speech: ReadSpeech) -> None:
    talk = mind.talk
    if speech.heading:
        mind.then = find_place(speech.heading, scope.find_scope(mind, moment))
    if speech.joining:
        named = find_people(speech.joining, scope.find_scope(mind, moment))
        talk.to_join = [name for name in named if name not in talk.members]
        if talk.to_join and len(talk.members) + 1 >= _MEMBERS:
            reason = f"{', '.join(talk.to_join)} cannot join: {_MEMBERS} are talking already"
            mind.note(moment.now, "it came to", reason)
            talk.to_join = []
    if speech.refused:
        reason = f"({speech.refused}) is not for conversations: speak, or ({LEAVE}) first"
        mind.note(moment.now, "it came to", reason)
    if not (speech.words or speech.leaves):
        talk.silent += 1
        if talk.silent >= mind.config.silences:
            _leave(mind, moment, "left")
        return
    if not speech.words:
        _leave(mind, moment, "left")
        return
    long = talk.said + 1 >= mind.config.exchanges
    talk.ending = "left" if speech.leaves else "long" if long else ""
    to = _find_joiner(mind, moment)
    leaves = speech.leaves or long
    mind.plan = ToolStep("say", to, speech.words, leaves, moment.now)


def _leave(mind: SimuverseMind, moment: Moment, why: str) -> None:
    mind.talk.ending = "long" if why == "long" else "left"
    mind.plan = ToolStep("leave", leave=True, since=moment.now)


def _find_joiner(mind: SimuverseMind, moment: Moment) -> str:
    """Find the person near whom the words ask into the conversation; empty for nobody."""
    near = scope.list_near(mind, moment.percept)
    while mind.talk.to_join and len(mind.talk.members) + 1 < _MEMBERS:
        name = mind.talk.to_join.pop(0)
        if name in near:
            return name
        mind.note(moment.now, "it came to", f"{name} is not near enough to join you")
    return ""


def _trim(text: str, name: str, others: Sequence[str]) -> str:
    """Return the agent's own words in a reply: without names before them, or others' lines."""
    return cut_sentences(cut_reply(text.strip(_QUOTES), name, others).strip(_QUOTES), _SPEECH)


HANDLERS: Handlers = {
    turns.SPEAK: handle(
        _prepare, _apply, SpokenReply(text=""), lambda data: 60 if data.get("small") else 160
    )
}
