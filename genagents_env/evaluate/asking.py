"""Who was asked for something in a conversation, and whether they said yes or no, by phrases.

An utterance asks if it holds a phrase of `ask` in `phrases.toml` and somebody it addresses hears
it. The answer is the first utterance, in the same conversation and after it, of each of these. It
declines with a phrase of `decline`; it accepts with one of `accept` and none of `decline`; else it
is neither. Whoever says no to what nobody asked is not counted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from genagents_env.evaluate.phrases import phrases, straight
from genagents_env.evaluate.run_data import RunData
from genagents_env.world.events import Event

Kind = Literal["accepted", "declined", "neither"]


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody was asked: the ids of the two utterances, and what the answer was.

    `answer` and `kind` are None where the one asked said nothing more in the conversation.
    """

    agent: str
    question: int
    answer: int | None
    kind: Kind | None


def asked(data: RunData) -> tuple[Asked, ...]:
    """Return everyone's every being asked in conversations, in the order of the asking.

    Of several utterances that ask one before the answer, the last is the one that is answered;
    the others stand without an answer.
    """
    kinds = phrases()
    waiting: dict[tuple[int, str], int] = {}
    found: dict[tuple[int, str], Asked] = {}
    for event in data.utterances:
        conversation, agent = event.data["conversation"], event.agent or ""
        if conversation is None:
            continue
        text = straight(str(event.data["text"]))
        question = waiting.pop((conversation, agent), None)
        if question is not None:
            found[question, agent] = Asked(agent, question, event.id, _kind(text, kinds))
        if kinds["ask"].search(text):
            for hearer in _hearers(event):
                waiting[conversation, hearer] = event.id
                found[event.id, hearer] = Asked(hearer, event.id, None, None)
    return tuple(found.values())


def _hearers(event: Event) -> list[str]:
    heard = event.data["heard_by"]
    return [name for name in event.data["addressed"] if name in heard and name != event.agent]


def _kind(text: str, kinds: Mapping[str, re.Pattern[str]]) -> Kind:
    if kinds["decline"].search(text):
        return "declined"
    return "accepted" if kinds["accept"].search(text) else "neither"
