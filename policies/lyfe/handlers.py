"""Every kind of thought by its purpose, gathered from the faculties."""

from collections.abc import Mapping

from genagents_env.cognition.thought import Handler

from . import controller, memory, monitor, reflect, talk
from .mind import Mind

HANDLERS: Mapping[str, Handler[Mind]] = {
    **controller.HANDLERS,
    **talk.HANDLERS,
    **reflect.HANDLERS,
    **monitor.HANDLERS,
    **memory.HANDLERS,
}
