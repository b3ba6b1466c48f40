"""Context: the summary of what memory says of somebody or something, made before one acts on it.

With `context="summary"` the prompts of reacting and talking hold this summary in place of the
memories themselves, at the price of one more call each time. Source: Park et al. 2023, section
4.3.1, "summary of relevant context from the agent's memory".
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.query import (
    Moment,
    PreparedQuery,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
)
from genagents_env.cognition.replies import Speech
from genagents_env.cognition.sections import Section
from genagents_env.llm.schemas import ReplyModel

from .mind import SmallvilleMind
from .retrieve import recall
from .summary import describe_self

SUMMARY = "summary"  # the key of the data that holds it
Questions: TypeAlias = Callable[[SmallvilleMind, QueryData], Sequence[str]]


class ContextReply(ReplyModel):
    """What the agent's memories say that matters now."""

    wire_name: ClassVar[str] = "Context"
    wire_description: ClassVar[str] = "What one's memories say that matters now."

    summary: Speech


def make_query(mind: SmallvilleMind, purpose: str, data: QueryData) -> Query:
    """Return the query for `purpose`, or the one for the summary that goes before it."""
    if mind.config.context == "memories":
        return Query(purpose, data)
    return Query(f"{purpose.split('.')[0]}.context", {**data, "for": purpose})


def find_summary(data: QueryData) -> list[Section]:
    """Return the summary as a section, where one was made."""
    return [Section("context", [["you remember", data[SUMMARY]]])] if data.get(SUMMARY) else []


def make_handler(list_questions: Questions) -> QueryHandler[SmallvilleMind]:
    """Return the handler of a faculty's summaries.

    Args:
        list_questions: what memory is looked through for; nothing is asked where there is none.
    """

    async def prepare(
        mind: SmallvilleMind, data: QueryData, moment: Moment
    ) -> PreparedQuery | Query | None:
        questions = list_questions(mind, data)
        if not questions:
            return Query(data["for"], data)
        shown = mind.services.prompts.fill(
            "context_summary",
            mind.profile,
            [
                *describe_here_and_now(moment.percept),
                *describe_self(mind),
                Section("questions", [["question", question] for question in questions]),
            ],
            memories=await recall(mind, questions, moment.now),
        )
        return PreparedQuery(shown.messages, data, shown.cuts)

    return QueryHandler(
        prepare=prepare,
        reply_model=lambda data: ContextReply,
        fallback=lambda data: ContextReply(summary=""),
        apply=_apply,
        max_tokens=lambda data: 320,
    )


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> Sequence[Query]:
    """Ask what the summary was made for; without one the memories themselves are shown."""
    return [Query(data["for"], {**data, SUMMARY: reply.value.summary})]
