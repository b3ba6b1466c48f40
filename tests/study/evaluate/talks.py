"""Makes events and interview answers by hand, for tests of the measures."""

from collections.abc import Sequence

from genagents_env.scenario.questions import PosedQuestion
from genagents_env.study.evaluate.interviews import InterviewReply
from genagents_env.world.events import Event


def say(id_: int, who: str, to: Sequence[str], text: str = "hello", **data: object) -> Event:
    rest: dict[str, object] = {"to": to[0] if to else None, "heard_by": list(to)}
    rest["addressed"] = list(to)
    rest |= {"phone": False, "conversation": None, "facts": []}
    return Event(id_, id_, "say", who, {**rest, "text": text, **data})


def learn(id_: int, who: str, fact: str, cause: int, source: str | None = None) -> Event:
    return Event(id_, id_, "learn", who, {"fact": fact, "cause": cause, "source": source})


def news(id_: int, heard_by: Sequence[str], text: str) -> Event:
    return Event(id_, id_, "news", None, {"text": text, "place": None, "heard_by": list(heard_by)})


def reply(
    agent: str,
    text: str,
    *evidence: int,
    question: str = "q",
    person: str | None = None,
    tick: int = 1000,
) -> InterviewReply:
    words = question if person is None else f"Do you know of {person}?"
    return InterviewReply(PosedQuestion(agent, question, words, person), text, evidence, tick)
