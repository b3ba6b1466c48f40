"""A saved mind for reports and pages: the last lines it heard or said, its decisions."""

from collections.abc import Iterator

from genagents_env.memory.content import (
    CallCause,
    Causes,
    ContentMemory,
    ContentPlan,
    ContentPlanLine,
    MindContent,
    SavedMind,
    read_reply,
)

from .mind import LINES_KEPT

_NOTE = "This mind remembers but the last {count} things it heard, said or was told."
_DECIDED = (CallCause(("decide",)),)
CAUSES: Causes = dict.fromkeys(("say", "converse", "leave", "doing", "object", "arrive"), _DECIDED)


def describe_mind(saved: SavedMind) -> MindContent:
    """Return the lines and facts of the last moment, and each decision."""
    plans = tuple(_list_decisions(saved))
    if saved.state is None:
        return MindContent(plans=plans)
    last = saved.state["lines"]
    lines = [*(line for _, line in saved.state["facts"] if line not in last), *last]
    said = {read_reply(c).get("say"): c.tick + 1 for c in saved.calls if c.purpose == "decide"}
    memories = [
        ContentMemory(
            number,
            said.get(line["text"]) if line["source"] == "you" else None,
            "observation",
            f"{line['source']}: {line['text']}",
            events=(line["event"],) if line["event"] >= 0 else (),
        )
        for number, line in enumerate(lines)
    ]
    return MindContent(tuple(memories), plans, note=_NOTE.format(count=LINES_KEPT))


def _list_decisions(saved: SavedMind) -> Iterator[ContentPlan]:
    for call in saved.calls:
        if call.purpose == "decide" and (fields := read_reply(call)):
            parts = [str(fields.get("do", "")), str(fields.get("doing", ""))]
            line = ContentPlanLine(": ".join(part for part in parts if part))
            yield ContentPlan(call.tick + 1, "what to do next", (line,))
