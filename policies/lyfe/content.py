"""A saved mind for reports and pages: both memories, and the options that it chose."""

from collections.abc import Iterator
from dataclasses import replace

from genagents_env.memory.content import (
    CallCause,
    Causes,
    ContentMemory,
    ContentPlan,
    ContentPlanLine,
    MindContent,
    SavedMind,
    list_items,
    read_reply,
)

from .controller import NOBODY
from .memory import MERGE

_NOTE = (
    "This mind forgets: what was merged with others or resembled something newer by {clock} is not "
    "shown."
)
_CHOSEN = CallCause(("controller.choose",))
CAUSES: Causes = {
    "say": (CallCause(("talk.speak",)),),
    "converse": (_CHOSEN,),
    "leave": (CallCause(("talk.speak", "controller.choose")),),
    "doing": (_CHOSEN,),
    "object": (_CHOSEN,),
    "arrive": (_CHOSEN,),
    "talk.speak": (_CHOSEN, CallCause(("monitor.update",))),
    "controller.choose": (CallCause(("monitor.update",)), CallCause(("reflect.think",))),
}


def describe_mind(saved: SavedMind) -> MindContent:
    """Return the memories that are left, the oldest first, and the options that it chose."""
    plans = tuple(_list_options(saved))
    if saved.state is None:
        return MindContent(plans=plans)
    long = list_items(saved, saved.state["long"])
    recent = list_items(saved, saved.state["recent"], len(long))
    merged = {read_reply(c).get("memory"): c.tick + 1 for c in saved.calls if c.purpose == MERGE}
    memories = [_date(memory, merged) for memory in (*long, *recent)]
    until = (saved.state["tick"] + 1) * saved.seconds_per_tick
    return MindContent(
        tuple(sorted(memories, key=lambda memory: memory.tick or 0)),
        plans,
        note=_NOTE.format(clock=saved.format_clock(until)),
    )


def _date(memory: ContentMemory, merged: dict[object, int]) -> ContentMemory:
    """Return the memory with the tick at which it was merged: it is kept as old as its newest."""
    if memory.kind != "merged" or memory.text not in merged:
        return memory
    return replace(memory, tick=merged[memory.text])


def _list_options(saved: SavedMind) -> Iterator[ContentPlan]:
    for call in saved.calls:
        if call.purpose == "controller.choose" and (fields := read_reply(call)):
            option, target = str(fields.get("option", "")), str(fields.get("target", ""))
            what = option if target in ("", NOBODY) else f"{option}: {target}"
            line = ContentPlanLine(f"{what}. {fields.get('subgoal', '')}")
            yield ContentPlan(call.tick + 1, "what to be at next", (line,))
