"""What a mind holds, told from its calls: it remembers nothing, and its acts are its plans."""

from collections.abc import Iterator

from genagents_env.memory.content import (
    CallCause,
    Causes,
    ContentPlan,
    ContentPlanLine,
    MindContent,
    SavedMind,
    read_reply,
)

from .reply import PURPOSE

_NOTE = "This mind remembers nothing: each prompt holds the percept, and what was heard on the way."
_ACTS = ("say", "converse", "leave", "doing", "object", "arrive")
CAUSES: Causes = dict.fromkeys(_ACTS, (CallCause((PURPOSE,)),))


def describe_mind(saved: SavedMind) -> MindContent:
    """Return each act as a plan of one line."""
    return MindContent(plans=tuple(_list_acts(saved)), note=_NOTE)


def _list_acts(saved: SavedMind) -> Iterator[ContentPlan]:
    for call in saved.calls:
        if call.purpose == PURPOSE and (fields := read_reply(call)):
            parts = [str(fields.get(name, "")) for name in ("do", "target", "words")]
            line = ContentPlanLine(" ".join(part for part in parts if part))
            yield ContentPlan(call.tick + 1, "what to do next", (line,))
