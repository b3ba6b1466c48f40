"""Status: what one is up to these days, renewed when a talk or a reflection may have changed it.

The paper calls it "currently". The public code renews it once a day, so that somebody who has told
nobody yet stays so until the next morning, whomever she told. Here a new day renews it too
(`outline.py`), and within the day it is asked for after what may change it, once in a while.
What the profile said of the start is then no longer recalled.
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
from genagents_env.memory.stream import Memory
from genagents_env.text import split_sentences

from .commitments import format_commitments, list_ahead
from .mind import PAST, SEED, SmallvilleMind
from .retrieve import add_times, recall
from .summary import describe_self

_LATELY = 12  # of what happened since, at most


class StatusReply(ReplyModel):
    """What the agent is up to now."""

    wire_name: ClassVar[str] = "Status"
    wire_description: ClassVar[str] = "What one is up to now."

    status: Sentence


def make_queries(mind: SmallvilleMind, moment: Moment) -> Sequence[Query]:
    """Ask for the status where something happened that may have changed it."""
    attention, stream, config = mind.attention, mind.stream, mind.config
    new = (stream[id_] for id_ in range(attention.scanned, len(stream)))
    attention.changes += [memory.id for memory in new if _may_change_it(memory)]
    attention.scanned = len(stream)
    if not attention.changes or not config.describe or not config.status_minutes:
        return ()
    if mind.asleep or mind.dialogue is not None or mind.is_busy("summary."):
        return ()
    # A small model's words for it would be worse than the old ones.
    if mind.services.prompts.small or moment.now - attention.renewed < config.status_minutes * 60:
        return ()
    changes, attention.changes = attention.changes[-_LATELY:], []
    attention.renewed = moment.now
    return [Query("summary.status", {"changes": changes})]


def _may_change_it(memory: Memory) -> bool:
    if memory.cause in (SEED, PAST):
        return False
    return memory.kind == "chat" or memory.cause.startswith("reflect.insights")


def replace_status(mind: SmallvilleMind, status: str, now: int) -> None:
    """Be up to `status` from now on; what the profile said of the start is not recalled again."""
    mind.status = status
    mind.attention.renewed = now
    before = set(split_sentences(mind.profile.currently))
    for id_ in range(len(mind.stream)) if before else ():
        memory = mind.stream[id_]
        if memory.cause == SEED and memory.text in before:
            mind.stream.expire(id_, now)


async def _prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> PreparedQuery | None:
    changes = add_times(mind, data["changes"])
    texts = [memory.text for _, memory in changes]
    lately: list[JSONValue] = [["lately", when, memory.text] for when, memory in changes]
    queries = [f"what {mind.name} is up to these days", texts[-1]]
    shown = mind.services.prompts.fill(
        "summary_status",
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            *describe_self(mind),
            Section(
                "commitments",
                format_commitments(list_ahead(mind.commitments, moment.percept.time)),
            ),
            Section("lately", lately, keep="last"),
        ],
        memories=await recall(mind, queries, moment.now, without=(*texts, mind.status)),
    )
    return PreparedQuery(shown.messages, data, shown.cuts)


async def _apply(
    mind: SmallvilleMind, data: QueryData, moment: Moment, reply: QueryReply
) -> list[Query]:
    """Take the new status; where there is none, the old one stays."""
    if not reply.fallback:
        replace_status(mind, reply.value.status, moment.now)
    return []


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    "summary.status": QueryHandler(
        prepare=_prepare,
        reply_model=lambda data: StatusReply,
        # Only `reply.fallback` is looked at: no sentence about a person is a harmless default.
        fallback=lambda data: StatusReply(status="-"),
        apply=_apply,
        max_tokens=lambda data: 540,
    )
}
