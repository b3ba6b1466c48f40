"""The internal states as a prompt shows them: goal, summary, work memory, and what was recalled."""

from collections.abc import Sequence

from genagents_env.cognition.prompts import FilledPrompt, shorten_name
from genagents_env.cognition.query import Moment
from genagents_env.llm.calls import JSONValue
from genagents_env.memory.forgetting import MemoryItem

from . import memory, narrative
from .mind import LyfeMind, WorkItem

_GOAL, _SUMMARY = 200, 700  # characters


async def fill_prompt(
    mind: LyfeMind, prompt: str, moment: Moment, lines: Sequence[JSONValue] = (), **fields: object
) -> tuple[FilledPrompt, list[narrative.Source]]:
    """Return the prompt `prompt`.jinja with the internal states, and what its reply is made of.

    `lines` stand before the states.
    """
    now = moment.now
    when: list[tuple[str, MemoryItem]] = await memory.recall(mind, now)
    filled = mind.services.prompts.fill(
        prompt,
        mind.profile,
        lines=[*lines, *format_goal(mind), *format_summary(mind), *format_work(mind)],
        memories=when,
        clock=f"{moment.percept.time:%A %H:%M}",
        place=shorten_name(moment.percept.me.place),  # as short, for there may be names beside it
        **fields,
    )
    return filled, narrative.list_sources(mind, when)


def format_goal(mind: LyfeMind) -> list[JSONValue]:
    """Return the agent's goal."""
    return [["goal", mind.profile.goal[:_GOAL]]] if mind.profile.goal else []


def format_summary(mind: LyfeMind) -> list[JSONValue]:
    """Return the summary; without a self-monitor the latest observations in its place."""
    if mind.config.self_monitor:
        return [["summary", mind.summary.text[:_SUMMARY]]] if mind.summary.text else []
    return [format_item(mind, item) for item in mind.buffer if item not in mind.work]


def format_work(mind: LyfeMind) -> list[JSONValue]:
    """Return what just came to mind."""
    return [format_item(mind, item) for item in mind.work]


def format_item(mind: LyfeMind, item: WorkItem) -> JSONValue:
    """Return an item as a line: who said what, or what the agent noticed."""
    if not item.speaker:
        return ["you notice", item.text]
    return ["you" if item.speaker == mind.name else item.speaker, "said", item.text]
