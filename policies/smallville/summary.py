"""Summary: who the agent is, what it is up to, and what it remembers of something, in sentences.

The description is made from memory and serves for hours, so that prompts which cannot hold many
memories still know whom they speak for (Park et al. 2023, appendix A, which asks its three
questions one by one; here all are one call). The status, the paper's "currently", is renewed when a
talk or a reflection may have changed it: the public code renews it once a day, so that somebody who
has told nobody yet stays so until the next morning, whomever she told. Here a new day renews it too
(`plan`). With `context="summary"` the prompts of reacting and talking hold a summary of the
memories that matter in place of the memories (section 4.3.1), at the price of one more call each
time.
"""

from collections.abc import Callable, Sequence

from genagents_env.cognition.prompts import Section, describe_here_and_now
from genagents_env.cognition.query import (
    Moment,
    Prepared,
    Query,
    QueryData,
    QueryHandler,
    QueryReply,
    handle,
)
from genagents_env.cognition.replies import Sentence, Speech
from genagents_env.llm.calls import JSONValue
from genagents_env.llm.schemas import ReplyModel
from genagents_env.memory.stream import Memory
from genagents_env.text import split_sentences

from .agenda import describe_upcoming, format_commitments, list_ahead, rank_last
from .mind import HOUR, MINUTE, PAST, SEED, Handlers, SelfSummary, SmallvilleMind, first_status
from .retrieve import add_times, recall

# What each of the sentences is headed by in a prompt.
_HEADS = (("you", "core"), ("your days", "occupation"), ("you feel", "progress"))
_LATELY = 12  # memories at most of what happened since the status was renewed


class Description(ReplyModel):
    """What kind of person one is, what one does, and how one feels about one's life."""

    core: Sentence
    occupation: Sentence
    progress: Sentence


class StatusReply(ReplyModel):
    """What one is up to now."""

    wire_name = "Status"

    status: Sentence


class ContextReply(ReplyModel):
    """What one's memories say that matters now."""

    wire_name = "Context"

    summary: Speech


def make_queries(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Ask for a description that is missing or has served its time, and for a changed status."""
    return [*query_description(mind, moment), *query_status(mind, moment)]


def describe_situation(mind: SmallvilleMind, moment: Moment) -> list[Section]:
    """Describe when and where it is, who is there, what the agent is up to, and what it is."""
    return [*describe_here_and_now(moment.percept), *describe_self(mind)]


def describe_briefly(
    mind: SmallvilleMind, moment: Moment, promised: Sequence[JSONValue]
) -> list[Section]:
    """Return the situation and what comes next, of which clock and status alone keep their room.

    `promised`: lines on promises that the prompt has already.
    """
    sections = [*describe_situation(mind, moment), *describe_upcoming(mind, moment, promised)]
    return rank_last(sections, besides=("now", "status"))


def describe_self(mind: SmallvilleMind) -> list[Section]:
    """Describe what the agent is up to, and what it is."""
    return [describe_status(mind), Section("summary", format_lines(mind))]


def describe_status(mind: SmallvilleMind) -> Section:
    """Describe what the agent is up to these days, and its goal until it has put that in own words.

    A status that was renewed says what has become of the goal.
    """
    goal, status = mind.profile.goal, mind.status
    shows_goal = goal and goal != status and status in ("", first_status(mind.profile))
    lines: list[JSONValue] = [["your goal", goal]] if shows_goal else []
    return Section("status", [*lines, ["these days", status]] if status else lines)


def format_lines(mind: SmallvilleMind) -> list[JSONValue]:
    """Format what the agent is, as lines: a head, such as `you`, and a sentence; no empty ones."""
    sentences = [(head, getattr(mind.summary, name)) for head, name in _HEADS]
    return [[head, text] for head, text in sentences if text]


# The description.


def query_description(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Ask for a description where there is none, or it has served its time."""
    made = mind.summary.made
    if made >= 0 and moment.now - made < mind.config.describe_hours * HOUR:
        return []
    if not mind.config.describe or mind.asleep or mind.is_busy("summary."):
        return []
    return [Query("summary.describe", {})]


async def _prepare_description(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for the three parts of the description at once (paper, appendix A: one by one)."""
    queries = [
        f"{mind.name}'s core characteristics",
        f"{mind.name}'s current daily occupation",
        f"{mind.name}'s feeling about recent progress in life",
    ]
    memories = await recall(mind, queries, moment.now)
    sections = [*describe_here_and_now(moment.percept), describe_status(mind)]
    return mind.ask("summary_describe", data, sections, memories)


async def _apply_description(
    mind: SmallvilleMind, moment: Moment, reply: QueryReply
) -> list[Query]:
    """Take the description; where there is none, the last one serves as long again."""
    if not reply.fallback:
        value = reply.value
        mind.summary = SelfSummary(value.core, value.occupation, value.progress)
    mind.summary.made = moment.now
    return []


# The status.


def query_status(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Ask for the status where something happened that may have changed it, not again so soon."""
    attention, stream, minutes = mind.attention, mind.stream, mind.config.status_minutes
    new = stream.select(range(attention.scanned, len(stream)))
    attention.changes += [memory.id for memory in new if _may_change_status(memory)]
    attention.scanned = len(stream)
    if not attention.changes or not mind.config.describe or not minutes:
        return []
    if mind.asleep or mind.dialogue is not None or mind.is_busy("summary."):
        return []
    # A small model's words for it would be worse than the old ones.
    if mind.services.prompts.small or moment.now - attention.renewed < minutes * MINUTE:
        return []
    changes, attention.changes = attention.changes[-_LATELY:], []
    attention.renewed = moment.now
    return [Query("summary.status", {"changes": changes})]


def _may_change_status(memory: Memory) -> bool:
    """Return True if a talk or an insight may have changed what the agent is up to."""
    if memory.cause in (SEED, PAST):
        return False
    return memory.kind == "chat" or memory.cause.startswith("reflect.insights")


def replace_status(mind: SmallvilleMind, status: str, now: int) -> None:
    """Be up to `status` from now on; what the profile said of the start is not recalled again."""
    mind.status = status
    mind.attention.renewed = now
    before = set(split_sentences(mind.profile.currently))
    for memory in list(mind.stream):
        if memory.cause == SEED and memory.text in before:
            mind.stream.expire(memory.id, now)


async def _prepare_status(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for the status after what happened since it was renewed last."""
    changes = add_times(mind, mind.stream.select(data["changes"]))
    texts = [memory.text for _, memory in changes]
    promised = format_commitments(list_ahead(mind.commitments, moment.percept.time))
    lately: list[JSONValue] = [["lately", when, memory.text] for when, memory in changes]
    queries = [f"what {mind.name} is up to these days", texts[-1]]
    sections = [
        *describe_situation(mind, moment),
        Section("commitments", promised),
        Section("lately", lately, keep="last"),
    ]
    memories = await recall(mind, queries, moment.now, without=(*texts, mind.status))
    return mind.ask("summary_status", data, sections, memories)


async def _apply_status(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> list[Query]:
    """Take the new status; where there is none, the old one stays."""
    if not reply.fallback:
        replace_status(mind, reply.value.status, moment.now)
    return []


# The context of reacting and talking.


def query_in_context(mind: SmallvilleMind, purpose: str, data: QueryData) -> Query:
    """Return the query for `purpose`, or the one for the summary that goes before it."""
    if mind.config.context == "memories":
        return Query(purpose, data)
    return Query(f"{purpose.split('.')[0]}.context", {**data, "for": purpose})


def describe_context(data: QueryData) -> list[Section]:
    """Return the summary of memories as a section, where one was made."""
    summary = data.get("summary")
    return [Section("context", [["you remember", summary]])] if summary else []


def make_context_handler(
    list_questions: Callable[[SmallvilleMind, QueryData], Sequence[str]],
) -> QueryHandler[SmallvilleMind]:
    """Return the handler of a faculty's summaries.

    Args:
        list_questions: what memory is looked through for; nothing is asked where there is none.
    """

    async def prepare(mind: SmallvilleMind, data: QueryData, moment: Moment) -> Prepared:
        questions = list_questions(mind, data)
        if not questions:
            return Query(data["for"], data)
        sections = [
            *describe_situation(mind, moment),
            Section("questions", [["question", question] for question in questions]),
        ]
        memories = await recall(mind, questions, moment.now)
        return mind.ask("context_summary", data, sections, memories)

    return handle(prepare, _apply_context, ContextReply(summary=""), 320)


async def _apply_context(mind: SmallvilleMind, moment: Moment, reply: QueryReply) -> list[Query]:
    """Ask what the summary was made for; without one the memories themselves are shown."""
    return [Query(reply.data["for"], {**reply.data, "summary": reply.value.summary})]


# No sentence about a person is a harmless default: where a reply fails, none is taken.
HANDLERS: Handlers = {
    "summary.describe": handle(
        _prepare_description,
        _apply_description,
        Description(core="-", occupation="-", progress="-"),
        540,
    ),
    "summary.status": handle(_prepare_status, _apply_status, StatusReply(status="-"), 540),
}
