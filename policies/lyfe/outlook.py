"""Outlook: the goal and the traits of the agent, which change with experience.

After a thought, once in a while, one call asks whether they still hold. Source: Lyfe Agents,
appendix D.3, where actions rest on "updated traits and goals"; how they are updated is ours.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from genagents_env.cognition.query import Moment, Prepared, Query, QueryData, QueryReply, handle
from genagents_env.cognition.replies import Sentence, Word, keep_first
from genagents_env.llm.schemas import ReplyModel

from .mind import Handlers, LyfeMind, LyfeOutlook
from .prompt import fill_prompt

MOST_TRAITS = 6


class OutlookReply(ReplyModel):
    """Goal and traits as they are now; empty where as before."""

    wire_name = "Outlook"

    goal: Sentence | Literal[""]
    traits: Annotated[list[Word], keep_first(MOST_TRAITS), Field(max_length=MOST_TRAITS)]


def make_queries(mind: LyfeMind, moment: Moment) -> Sequence[Query]:
    """Ask whether goal and traits still hold, where enough time has passed.

    A small model is not asked: its words for them would be worse than the old ones.
    """
    minutes = mind.config.outlook_minutes
    if not minutes or mind.services.prompts.small or mind.is_busy("outlook"):
        return ()
    if moment.now - mind.outlook.considered < minutes * 60:
        return ()
    mind.outlook.considered = moment.now
    return (Query("outlook.update", {}),)


async def _prepare(mind: LyfeMind, data: QueryData, moment: Moment) -> Prepared:
    shown, _ = await fill_prompt(mind, "outlook_update", moment)
    return mind.ask_filled(shown, data)


async def _apply(mind: LyfeMind, moment: Moment, reply: QueryReply) -> Sequence[Query]:
    if reply.fallback:
        return ()
    before = mind.outlook
    goal = reply.value.goal or before.goal
    traits = [trait for trait in reply.value.traits if trait] or before.traits
    mind.outlook = LyfeOutlook(goal, traits, before.considered)
    return ()


HANDLERS: Handlers = {
    "outlook.update": handle(_prepare, _apply, OutlookReply(goal="", traits=[]), 200)
}
