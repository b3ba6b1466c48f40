"""Who brought an object into its state, with nobody there who must not see it."""

from collections.abc import Callable
from typing import NamedTuple

from genagents_env.scenario.schema import ObjectCheck
from genagents_env.world.events import Event


class Deed(NamedTuple):
    """The last change of an object: its state, and by whom; None where that does not count."""

    state: str
    agent: str | None


def follow_deed(
    check: ObjectCheck, before: Deed | None, event: Event, was_there: Callable[[str], bool]
) -> Deed | None:
    """Return the last change of a check's object after an event; `before` where that changes none.

    An intervention does not count, nor what one did while somebody was there of whom the check says
    that nobody of them may be.

    Args:
        check: of the object.
        before: the change before the event; None where there was none.
        event: of any kind.
        was_there: says of a name whether they were awake in the object's arena as the tick ended.
    """
    if event.kind != "object" or event.data["object"] != check.object:
        return before
    state = event.data["state"]
    if before is not None and before.state == state:
        return before
    watched = any(name != event.agent and was_there(name) for name in check.unseen_by)
    return Deed(state, None if watched else event.agent)
