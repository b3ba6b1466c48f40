"""Every kind of thought by its purpose, gathered from the faculties."""

from collections.abc import Mapping

from genagents_env.cognition.thought import QueryHandler

from . import controller, memory, monitor, reflect, talk
from .mind import LyfeMind

HANDLERS: Mapping[str, QueryHandler[LyfeMind]] = {
    **controller.HANDLERS,
    **talk.HANDLERS,
    **reflect.HANDLERS,
    **monitor.HANDLERS,
    **memory.HANDLERS,
}
