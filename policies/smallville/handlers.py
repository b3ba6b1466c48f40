"""Every kind of thought by its purpose, gathered from the faculties."""

from collections.abc import Mapping

from . import converse, ground, perceive, plan, react, reflect, summary
from .thought import Handler

HANDLERS: Mapping[str, Handler] = {
    **perceive.HANDLERS,
    **summary.HANDLERS,
    **plan.HANDLERS,
    **ground.HANDLERS,
    **react.HANDLERS,
    **converse.HANDLERS,
    **reflect.HANDLERS,
}
