"""A prompt of a living mind: here and now, the internal states, and what they bring to mind."""

from collections.abc import Sequence

from genagents_env.cognition.prompts import FilledPrompt, Section, describe_here_and_now
from genagents_env.cognition.query import Moment

from . import memory, narrative, states
from .mind import LyfeMind


async def fill_prompt(
    mind: LyfeMind, prompt: str, moment: Moment, sections: Sequence[Section] = (), **fields: object
) -> tuple[FilledPrompt, list[narrative.Source]]:
    """Fill the prompt `prompt`.jinja with the internal states; return also what it is made of.

    `sections` stand before what just came to mind.
    """
    recalled = await memory.recall(mind, shown=states.list_shown(mind))
    here = describe_here_and_now(moment.percept)
    shown = [*here, *states.describe_states(mind), *sections, states.describe_talk(mind)]
    filled = mind.fill(prompt, shown, recalled, **fields)
    return filled, narrative.list_sources(mind, states.list_items(mind), recalled)
