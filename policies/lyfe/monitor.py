"""The self-monitor: a narrative summary of what goes on, written beside what the agent does.

Asked only when enough is new, or a step came to nothing; never of what it was made of
last. It goes into every other prompt, into recent memory, and into itself. The first one is what
the goal brings to mind, as it stands. Source: Lyfe Agents, section 3.3 and appendix A.2; when it is
written as in the release.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import cut_to
from genagents_env.llm.schemas import SMALL, ReplyModel
from genagents_env.text import cut_sentences

from . import memory, narrative, states
from .mind import Handlers, LyfeMind, SummarySentence
from .prompt import fill_prompt

SUMMARY_LIMIT = 1200  # characters: well over a hundred words (release), which are asked for
_SMALL_LIMIT = 480  # characters that a small model may write
_FIRST = 3  # memories that the first summary is made of


Narrative = Annotated[
    str,
    cut_to(SUMMARY_LIMIT),
    Field(
        min_length=1,
        max_length=SUMMARY_LIMIT,
        json_schema_extra={SMALL: {"maxLength": _SMALL_LIMIT}},
    ),
]


class SummaryUpdate(ReplyModel):
    """The summary as it is from now on."""

    wire_name = "Update"

    summary: Narrative


async def begin(mind: LyfeMind, moment: Moment) -> None:
    """Begin with what the goal brings to mind, where there is no summary yet; no model is asked."""
    if not mind.config.self_monitor or mind.summary.text:
        return
    recalled = await memory.recall(mind, mind.goal or mind.name, _FIRST)
    mind.summary.parts = [SummarySentence(kept.text, list(kept.events)) for _, kept in recalled]
    mind.summary.text = cut_sentences(" ".join(kept.text for _, kept in recalled), SUMMARY_LIMIT)


def make_queries(mind: LyfeMind, moment: Moment) -> Sequence[Query]:
    """Ask for a new summary where enough has happened."""
    if not mind.config.self_monitor or mind.is_busy("monitor") or moment.percept.me.asleep:
        return ()
    if len(mind.news) < mind.config.summary_after and not mind.feedback:
        return ()
    mind.feedback = False
    made_of = "\n".join(item.format_text() for item in states.list_items(mind))
    if mind.summary.updates and made_of == mind.summary.seen:
        mind.news = []
        return ()
    mind.summary.seen = made_of
    return (Query("monitor.update", {}),)


async def _prepare(mind: LyfeMind, data: QueryData, moment: Moment) -> Prepared:
    """Ask for a summary of all that is new; from now on only what comes after that is."""
    shown, made_of = await fill_prompt(mind, "monitor_update", moment)
    mind.news, mind.unthought = [], 0
    return mind.ask_filled(shown, {"grounds": made_of})


async def _apply(mind: LyfeMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    if not reply.fallback:
        await rewrite(mind, reply.value.summary, reply.data["grounds"])
    return ()


async def rewrite(mind: LyfeMind, text: str, grounds: Sequence[narrative.Source]) -> None:
    """Take a new summary, which was made of `grounds`."""
    summary = mind.summary
    summary.text, summary.parts = text, await narrative.trace_sentences(mind, text, grounds)
    summary.updates += 1


HANDLERS: Handlers = {"monitor.update": handle(_prepare, _apply, SummaryUpdate(summary="-"), 480)}
