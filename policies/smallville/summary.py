"""The summary description: who the agent is, what it does and how it feels, in three sentences.

It is made from memory and serves for hours, so that prompts which cannot hold many memories still
know whom they speak for. Source: Park et al. 2023, appendix A, which asks the three questions one
by one; here all are one call.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Sentence
from genagents_env.cognition.sections import Section
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel

from .mind import SelfSummary, SmallvilleMind, first_status
from .retrieve import recall

# What each of the sentences is headed by in a prompt.
_HEADS = (("you", "core"), ("your days", "occupation"), ("you feel", "progress"))


class Description(ReplyModel):
    """What kind of person the agent is, what it does, and how it feels about its life."""

    wire_name: ClassVar[str] = "Description"
    wire_description: ClassVar[str] = (
        "What kind of person one is, what one does, and how one feels about one's life."
    )

    core: Sentence
    occupation: Sentence
    progress: Sentence


def make_queries(mind: SmallvilleMind, moment: Moment) -> Sequence[Query]:
    """Ask for a description when there is none, or it has served its time."""
    made = mind.summary.made
    if made >= 0 and moment.now - made < mind.config.describe_hours * 3600:
        return ()
    if not mind.config.describe or mind.asleep or mind.is_busy("summary."):
        return ()
    return [Query("summary.describe", {})]


def format_lines(mind: SmallvilleMind) -> list[JSONValue]:
    """Return what the agent is, as lines: a head, such as `you`, and a sentence; no empty ones."""
    told = [(head, getattr(mind.summary, name)) for head, name in _HEADS]
    return [[head, text] for head, text in told if text]


def describe_status(mind: SmallvilleMind) -> Section:
    """Return what the agent is up to these days, and its goal until it has put that in own words.

    A status that was renewed says what has become of the goal.
    """
    goal, first = mind.profile.goal, mind.status == first_status(mind.profile)
    first = first or not mind.status
    lines: list[JSONValue] = [["your goal", goal]] if first and goal and goal != mind.status else []
    return Section("status", [*lines, ["these days", mind.status]] if mind.status else lines)


def describe_self(mind: SmallvilleMind) -> list[Section]:
    """Return what the agent is up to, and what it is."""
    return [describe_status(mind), Section("summary", format_lines(mind))]


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    queries = [
        f"{mind.name}'s core characteristics",
        f"{mind.name}'s current daily occupation",
        f"{mind.name}'s feeling about recent progress in life",
    ]
    memories = await recall(mind, queries, moment.now)
    sections = [*describe_here_and_now(moment.percept), describe_status(mind)]
    shown = mind.services.prompts.fill(
        "summary_describe", mind.profile, sections, memories=memories
    )
    return PreparedQuery(shown.messages, data, shown.cuts)


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> list[Query]:
    """Take the description; where there is none, the last one serves as long again."""
    if not reply.fallback:
        said = reply.value
        mind.summary = SelfSummary(said.core, said.occupation, said.progress)
    mind.summary.made = moment.now
    return []


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    "summary.describe": QueryHandler(
        prepare=_prepare,
        reply_model=lambda data: Description,
        # Only `reply.fallback` is looked at: no sentence about a person is a harmless default.
        fallback=lambda data: Description(core="-", occupation="-", progress="-"),
        apply=_apply,
        max_tokens=lambda data: 540,
    )
}
