"""What is seen and remembered, but says nothing that is worth a thought or a model call."""

from genagents_env.memory.stream import Memory

IDLE = "idle"  # the state of a thing that nobody uses, as the public code words it
# How what one does begins where it is only the way to something, or no doing at all.
_PASSING = (
    "walking",
    "at ",
    "going home",
    "going to bed",
    "turning to",
    "standing",
    "waiting",
    "dozing",
    "asleep",
    "sleeping",
    IDLE,
)
_TALKING = "talking with "


def is_passing(about: tuple[str, ...], own_name: str) -> bool:
    """Return whether somebody only walks, stands, sleeps, or talks with the one who sees it.

    Args:
        about: subject, predicate and object of what is seen.
        own_name: of the one who sees it, whose own talks are remembered by what was said in them.
    """
    if len(about) != 3 or about[1] != "is":
        return False
    subject, _, doing = about
    if doing.startswith(_TALKING):
        return subject == own_name or own_name in doing
    return doing.startswith(_PASSING)


def is_idle(memory: Memory) -> bool:
    """Return whether it is no more than that a thing is idle."""
    return len(memory.about) == 3 and memory.about[1:] == ("is", IDLE)
