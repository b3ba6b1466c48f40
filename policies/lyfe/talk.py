"""Talk: the next words, when it is the agent's turn; one call for each utterance, silence included.

Words that mean going somewhere end the talk. Source: Lyfe Agents, section 3.2; phrases of the
release.
"""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator

from genagents_env.cognition.prompts import shorten_names
from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Speech
from genagents_env.llm.schemas import ReplyModel

from . import narrative, options, questions, states, turns
from .mind import Handlers, LyfeMind
from .prompt import fill_prompt

_PARTING = re.compile(
    r"\blet(?:.s| us) (?:go|head|walk|leave|meet)\b|\bhead(?:ing)? over\b|\bI(?:.ll| will) go\b",
    re.IGNORECASE,
)
_ROOMY = 1000  # tokens of a prompt from which on it says how to speak at more length
_SILENT = re.compile(r"^\W*(?:(?:none|silence|nothing|null)\W*)?$", re.IGNORECASE)


def _silence_to_nothing(value: object) -> object:
    """Return words as they are said: a reply such as [NONE] is silence."""
    return "" if isinstance(value, str) and _SILENT.match(value) else value


class UtteranceReply(ReplyModel):
    """What one says next; nothing to stay silent."""

    wire_name = "Words"

    say: Annotated[Speech, BeforeValidator(_silence_to_nothing)]


def make_queries(mind: LyfeMind, moment: Moment) -> Sequence[Query]:
    """Ask for words when it is the agent's turn and it has none yet."""
    if mind.option.kind != "talk" or mind.turn.unsaid or mind.is_busy("talk"):
        return ()
    if moment.percept.me.asleep or not turns.may_speak(mind, moment):
        return ()
    return (Query("talk.speak", {"event": mind.turn.event, "begun": mind.option.begun}),)


def is_parting(words: str) -> bool:
    """Return True if the agent means to go with these words."""
    return _PARTING.search(words) is not None


async def _prepare(mind: LyfeMind, data: QueryData, moment: Moment) -> Prepared:
    partners = sorted(mind.near, key=lambda name: name != mind.option.target)
    shown, made_of = await fill_prompt(
        mind,
        "talk_speak",
        moment,
        [states.describe_company(mind)],
        others=shorten_names(partners),
        roomy=mind.services.prompts.limit >= _ROOMY,
        asked=questions.is_asked(mind, moment.now),
        closing=options.is_closing(mind, moment.now),
    )
    return mind.ask_filled(shown, {**data, "grounds": made_of})


async def _apply(mind: LyfeMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    """Decide what to say; what was said meanwhile makes it out of date."""
    turn = mind.turn
    if mind.option.kind != "talk" or mind.option.begun != reply.data["begun"]:
        return ()
    if turn.event != reply.data["event"]:
        return ()
    turn.unsaid = reply.value.say
    turn.behind = await narrative.find_events(mind, turn.unsaid, reply.data["grounds"])
    turn.passed = 0 if turn.unsaid else mind.config.pass_utterances
    if not turn.unsaid:
        questions.note_silence(mind)
    return ()


HANDLERS: Handlers = {"talk.speak": handle(_prepare, _apply, UtteranceReply(say=""), 300)}
