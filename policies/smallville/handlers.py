"""Every kind of thought by its purpose, gathered from the faculties."""

from collections.abc import Mapping

from genagents_env.cognition.thought import QueryHandler

from . import converse, ground, perceive, plan, react, reflect, summary
from .mind import SmallvilleMind

HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    **perceive.HANDLERS,
    **summary.HANDLERS,
    **plan.HANDLERS,
    **ground.HANDLERS,
    **react.HANDLERS,
    **converse.HANDLERS,
    **reflect.HANDLERS,
}
