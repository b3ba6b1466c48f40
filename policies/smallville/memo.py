"""Memo: what stays of a conversation once it is over: a memory, an intention, a change of plan.

Source: Park et al. 2023, section 4.3.2 and its public code, which asks for the memo and for the
planning thought by two calls; here both are one, rated by the same.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.prompts import shorten_name, shorten_names
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Importance, Phrase, Sentence
from genagents_env.cognition.sections import SPOKEN, Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from .dialogue import list_company
from .mind import Dialogue, DialogueLine, SmallvilleMind
from .summary import describe_self

_DAY = 86_400  # seconds


class Memo(ReplyModel):
    """What stays. `plan`: what the agent now means to do, empty for nothing."""

    wire_name: ClassVar[str] = "Memo"
    wire_description: ClassVar[str] = (
        "What stays. `plan`: what one now means to do, empty for nothing."
    )

    remember: Sentence
    plan: Phrase | Literal[""]
    importance: Importance
    changes_plan: bool


def make_data(mind: SmallvilleMind, dialogue: Dialogue) -> QueryData:
    """Return who said what in a conversation that is over, as data of the query about it."""
    return {
        "others": list_company(mind, dialogue),
        "lines": [[line.speaker, line.text, line.event] for line in dialogue.lines],
        "place": dialogue.place,
    }


def format_transcript(mind: SmallvilleMind, lines: Sequence[DialogueLine]) -> list[JSONValue]:
    """Return what was said as lines for the fence of a prompt."""
    return [
        ["you" if line.speaker == mind.name else shorten_name(line.speaker), "said", line.text]
        for line in lines
    ]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    lines = format_transcript(mind, [DialogueLine(*parts) for parts in data["lines"]])
    others = shorten_names(data["others"])
    sections = [
        *describe_here_and_now(moment.percept),
        *describe_self(mind),
        Section("talk", lines, SPOKEN, "last"),
    ]
    shown = mind.services.prompts.fill("converse_memo", mind.profile, sections, others=others)
    return PreparedQuery(shown.messages, data, shown.cuts)


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    """Remember the conversation, and what the agent means to do because of it."""
    memo, fallback = reply.value, reply.fallback
    importance = mind.config.unrated_importance if fallback else float(memo.importance)
    mind.attention.importance += importance
    plan = "" if fallback else memo.plan
    if mind.config.observation:
        chat = _remember(mind, data, moment, reply, importance)
        if plan:
            mind.stream.add(
                "thought",
                f"For planning: {plan}",
                created=moment.now,
                importance=importance,
                evidence=(chat,),
                expires=moment.now + mind.config.thought_days * _DAY,
                cause=reply.call,
            )
    if plan and memo.changes_plan:
        return [Query("plan.revise", {"start": moment.now, "why": plan})]
    return ()


def _remember(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply, importance: float
) -> int:
    """Add the conversation to the stream, resting on what was heard in it; return its id."""
    spoke = dict.fromkeys(speaker for speaker, _, event in data["lines"] if event >= 0)
    others = " and ".join(spoke or data["others"])
    what = "" if reply.fallback else f": {reply.value.remember}"
    return mind.stream.add(
        "chat",
        f"Talked with {others}{what}",
        created=moment.now,
        importance=importance,
        events=[event for *_, event in data["lines"] if event >= 0],
        about=(mind.name, "talked with", others),
        place=data["place"],
        cause=reply.call,
    )


HANDLER = QueryHandler(
    prepare=_prepare,
    reply_model=lambda data: Memo,
    # Only `reply.fallback` is looked at.
    fallback=lambda data: Memo(remember="a talk", plan="", importance=1, changes_plan=False),
    apply=_apply,
    max_tokens=lambda data: 320,
)
