"""Access to memory: the mind as it would answer without some of what it remembers.

The evaluation of Park et al. 2023, section 6.2, asks the agents of one run again with no access to
reflections, then to plans, then to observations. What is built on memories (the summary, a status
that was renewed) has been made with all of them, so it goes with the first kind that goes.
"""

from collections.abc import Collection
from dataclasses import replace

from genagents_env.memory.stream import Memory, MemoryStream
from genagents_env.policy import MemoryAccess

from .day import Day
from .mind import SEED, SelfSummary, SmallvilleActivity, SmallvilleMind, first_status

_REFLECTING = ("reflect",)
_PLANNING = ("plan", "converse")  # a talk's memo: what one means to do after it


def limit_access(mind: SmallvilleMind, without: Collection[MemoryAccess]) -> SmallvilleMind:
    """Return a mind of its own that remembers all of `mind` but these memories.

    What the profile says is always remembered, and where one is and what time it is.
    """
    if not without:
        return mind
    limited = replace(
        mind,
        stream=_filter_stream(mind.stream, without),
        summary=SelfSummary(),
        status=first_status(mind.profile),
        pending=[],
    )
    if "planning" in without:
        limited.day, limited.requirements, limited.commitments = Day(), [], []
        limited.activity = SmallvilleActivity()
    if "observation" in without:
        limited.dialogue, limited.activity, limited.objects = None, SmallvilleActivity(), {}
        limited.ties = {}
    return limited


def classify(memory: Memory) -> MemoryAccess | None:
    """Return what made a memory; None where it was known from the start."""
    if memory.cause == SEED:
        return None
    if memory.kind in ("event", "chat"):
        return "observation"
    faculty = memory.cause.split(".")[0]
    if memory.kind == "plan" or faculty in _PLANNING:
        return "planning"
    return "reflection" if faculty in _REFLECTING else "observation"


def _filter_stream(stream: MemoryStream, without: Collection[MemoryAccess]) -> MemoryStream:
    """Return the memories that are left, each with the events it goes back to."""
    kept = MemoryStream()
    for id_ in range(len(stream)):
        memory = stream[id_]
        if classify(memory) in without:
            continue
        new = kept.add(
            memory.kind,
            memory.text,
            created=memory.created,
            importance=memory.importance,
            events=stream.sources([id_]),
            about=memory.about,
            place=memory.place,
            start=memory.start,
            duration=memory.duration,
            expires=memory.expires,
            cause=memory.cause or "perceive",
        )
        kept.touch([new], memory.accessed)
        vector = stream.find_vector(id_)
        if vector is not None:
            kept.embed([new], vector[None])
    return kept
