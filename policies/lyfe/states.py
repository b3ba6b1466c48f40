"""The internal states as a prompt shows them: goal, summary, work memory, and what was recalled."""

from collections.abc import Sequence

from genagents_env.cognition.here_and_now import describe_here_and_now
from genagents_env.cognition.prompts import FilledPrompt
from genagents_env.cognition.query import Moment
from genagents_env.cognition.sections import SPOKEN, Section
from genagents_env.llm.calls import JSONValue
from genagents_env.memory.forgetting import MemoryItem

from . import memory, narrative
from .mind import LyfeMind, WorkItem


async def fill_prompt(
    mind: LyfeMind, prompt: str, moment: Moment, sections: Sequence[Section] = (), **fields: object
) -> tuple[FilledPrompt, list[narrative.Source]]:
    """Return the prompt `prompt`.jinja with the internal states, and what its reply is made of.

    `sections` stand before what just came to mind.
    """
    now = moment.now
    when: list[tuple[str, MemoryItem]] = await memory.recall(mind, now)
    filled = mind.services.prompts.fill(
        prompt,
        mind.profile,
        [
            *describe_here_and_now(moment.percept),
            Section("goal", format_goal(mind)),
            Section("summary", format_summary(mind)),
            *sections,
            Section("talk", format_work(mind), SPOKEN, "last"),
        ],
        memories=when,
        **fields,
    )
    return filled, narrative.list_sources(mind, when)


def format_goal(mind: LyfeMind) -> list[JSONValue]:
    """Return the agent's goal."""
    return [["goal", mind.profile.goal]] if mind.profile.goal else []


def format_summary(mind: LyfeMind) -> list[JSONValue]:
    """Return the summary; without a self-monitor the latest observations in its place."""
    if mind.config.self_monitor:
        return [["summary", mind.summary.text]] if mind.summary.text else []
    return [format_item(mind, item) for item in mind.buffer if item not in mind.work]


def format_work(mind: LyfeMind) -> list[JSONValue]:
    """Return what just came to mind."""
    return [format_item(mind, item) for item in mind.work]


def format_item(mind: LyfeMind, item: WorkItem) -> JSONValue:
    """Return an item as a line: who said what, or what the agent noticed."""
    if not item.speaker:
        return ["you notice", item.text]
    return ["you" if item.speaker == mind.name else item.speaker, "said", item.text]
