"""The summaries that a self-monitor wrote, and when memories were merged: by the record's calls.

Lyfe Agents (Kaiya et al. 2023), figure 4: the summary of one agent over the time of a run.
"""

from dataclasses import dataclass

from genagents_env.evaluate.run_data import RunData, once_per_run
from genagents_env.memory.content import read_reply

SUMMARY_CALL, MERGE_CALL = "monitor.update", "memory.merge"


@dataclass(frozen=True, slots=True)
class SummaryCourse:
    """One agent's summaries.

    Attributes:
        agent: whose they are.
        updates: the tick and the words of each summary that a model wrote.
        merges: the ticks at which several memories were made one by a model.
    """

    agent: str
    updates: tuple[tuple[int, int], ...]
    merges: tuple[int, ...]


@once_per_run
def find_summary_courses(data: RunData) -> tuple[SummaryCourse, ...]:
    """Return the summaries of every agent who wrote or merged any, in the order of the names."""
    updates: dict[str, list[tuple[int, int]]] = {}
    merges: dict[str, list[int]] = {}
    for call in sorted(data.calls, key=lambda call: (call.tick, call.number)):
        if call.outcome == "fallback":
            continue
        if call.purpose == SUMMARY_CALL:
            words = str(read_reply(call).get("summary", "")).split()
            updates.setdefault(call.agent, []).append((call.tick, len(words)))
        elif call.purpose == MERGE_CALL:
            merges.setdefault(call.agent, []).append(call.tick)
    return tuple(
        SummaryCourse(name, tuple(updates.get(name, ())), tuple(merges.get(name, ())))
        for name in data.names
        if name in updates or name in merges
    )
