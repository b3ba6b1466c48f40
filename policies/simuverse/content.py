"""A saved mind for reports and pages: its memory, and the tools that it chose."""

from collections.abc import Iterator

from genagents_env.memory.content import (
    CallCause,
    Causes,
    ContentPlan,
    ContentPlanLine,
    MindContent,
    SavedMind,
    list_items,
    read_reply,
)

from .turns import CHOOSE

_NO_MEMORY = (
    "This mind has no memory but its last messages: the option `memory` is not `rag` in this run."
)
_CHOSEN = CallCause((CHOOSE,))
CAUSES: Causes = {
    "say": (CallCause(("talk.speak", CHOOSE)),),
    "converse": (_CHOSEN,),
    "leave": (CallCause(("talk.speak",)),),
    "doing": (_CHOSEN,),
    "object": (_CHOSEN,),
    "arrive": (_CHOSEN,),
    "talk.speak": (_CHOSEN,),
    CHOOSE: (CallCause(("interpret.triple",)),),
}


def describe_mind(saved: SavedMind) -> MindContent:
    """Return the memories and the choices."""
    plans = tuple(_list_choices(saved))
    if saved.state is None:
        return MindContent(plans=plans)
    memories = list_items(saved, saved.state["memory"])
    return MindContent(tuple(memories), plans, note="" if memories else _NO_MEMORY)


def _list_choices(saved: SavedMind) -> Iterator[ContentPlan]:
    for call in saved.calls:
        if call.purpose == CHOOSE and (text := str(read_reply(call).get("text", ""))):
            yield ContentPlan(call.tick + 1, "what to do next", (ContentPlanLine(text),))
