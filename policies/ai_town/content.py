"""What a mind holds, told from its saved state: the stream, which holds talks and insights."""

from genagents_env.memory.content import CallCause, Causes, MindContent, SavedMind, list_stream

from .mind import SEED

CAUSES: Causes = {
    "say": (CallCause(("converse.",)),),
    "leave": (CallCause(("converse.",)),),
}


def describe_mind(saved: SavedMind) -> MindContent:
    """Return the memories; this mind makes no plans, and thinks of others only by their talks."""
    if saved.state is None:
        return MindContent()
    memories = list_stream(saved, saved.state["stream"], (SEED,))
    return MindContent(tuple(memories), note=_NOTE)


_NOTE = "This mind makes no plans: it remembers its talks, and what it concludes from them."
