"""What a scripted person knows, told from its saved state: facts, and whom it has met."""

from genagents_env.memory.content import (
    BEFORE,
    ContentMemory,
    ContentPlan,
    MindContent,
    SavedMind,
)

_NOTE = (
    "A scripted person keeps the facts it knows, and no other memories; its day is the routine of "
    "its profile."
)


def describe_mind(saved: SavedMind) -> MindContent:
    """Return the facts that are known, each with the event of hearing it, and the routine."""
    days = saved.list_days() if saved.routine else []
    plans = tuple(ContentPlan(day, "the usual day", tuple(saved.routine)) for day in days)
    if saved.state is None:
        return MindContent(plans=plans)
    sources = saved.state["sources"]
    facts = saved.state["facts"].items()
    memories = [
        ContentMemory(
            number,
            None if fact in sources else BEFORE,
            "observation" if fact in sources else "known",
            text,
            events=(sources[fact],) if fact in sources else (),
        )
        for number, (fact, text) in enumerate(facts)
    ]
    return MindContent(tuple(memories), plans, note=_NOTE)
