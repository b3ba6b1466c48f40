"""Why somebody did what they did: the calls behind it, what they recalled, what they perceived.

All of it stands in the record. What was perceived, in words, does not: see `percepts.py`.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from genagents_env.memory.content import AskedCall, ContentMemory
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.run.policies import find_policy_class, is_shipped
from genagents_env.show.view.causes import ACTS, find_acts, find_causes
from genagents_env.show.view.mind import list_calls, read_mind
from genagents_env.text import fold
from genagents_env.world.events import Event

_HOUR = 3600  # seconds that something heard can still be answered


def make_why(run: RunReader, number: int, tick: int) -> JSON:
    """Return why an agent did what it did at a tick.

    Args:
        run: the record.
        number: of the agent among the run's names.
        tick: of the act.
    """
    return ReasonFinder(run, run.meta.names[number]).describe(tick)


def make_whys(run: RunReader, number: int) -> JSON:
    """Return `make_why` of the ticks at which an agent did something that it was asked about.

    An exported page has no other: between two of them what the first began goes on. After
    what it was asked about, the first act that nobody asked about is there, too.
    """
    agent = run.meta.names[number]
    finder = ReasonFinder(run, agent)
    ticks = dict.fromkeys(e.tick for e in finder.events if e.agent == agent and e.kind in ACTS)
    whys: dict[str, JSON] = {}
    asked = False
    for tick in ticks:
        why = finder.describe(tick)
        if why["calls"] or asked:
            whys[str(tick)] = why
        asked = bool(why["calls"])
    return {"whys": whys}


class ReasonFinder:
    """Finds what led to the acts of one agent of a run, whose record it reads once.

    Args:
        run: the record.
        agent: whose acts.
    """

    def __init__(self, run: RunReader, agent: str) -> None:
        self.run, self.agent = run, agent
        self.events = list(run.events())
        self._policy = policy = str(run.meta.policies[agent]["name"])
        self._causes = find_policy_class(policy).causes if is_shipped(policy) else {}
        self._calls = list_calls(run, agent)
        self._memories = read_mind(run, agent).content.memories
        self._lines: dict[AskedCall, frozenset[str]] = {}
        self._ticks = [event.tick for event in self.events]

    def describe(self, tick: int) -> JSON:
        """Return why the agent did what it did at a tick."""
        events = self.events[: bisect_right(self._ticks, tick)]
        acts = find_acts(events, self.agent, tick)
        calls = find_causes(acts, self._calls, self._causes, self.run.meta.names)
        lines = {line for call in calls for line in self._list_lines(call)}
        said = "" if calls else " ".join(fold(str(act.data.get("text", ""))) for act in acts)
        memories = _find_recalled(self._memories, lines, said, tick)
        return {
            "tick": max(0, tick - 1),
            "note": _describe(self.run, acts, tick),
            "asked": self._describe_calls(acts, calls),
            "calls": [
                {"tick": call.tick, "purpose": call.purpose, "number": call.number}
                for call in calls
            ],
            "recalled": [memory.id for memory in memories],
            "events": self._list_events(events, memories, lines, tick),
        }

    def _describe_calls(self, acts: Sequence[Event], calls: Sequence[AskedCall]) -> str:
        """Describe calls that only precede the acts, or their absence; else return ""."""
        if calls and self._causes:
            return ""
        if calls:
            opening = f"The policy {self._policy} does not say which of its calls leads to what; "
            if calls[-1].tick == acts[0].tick - 1:
                return f"{opening}these are the ones of this moment."
            time = self.run.time(calls[-1].tick)
            return f"{opening}these are the latest before, of {time:%H:%M:%S}."
        rules = f"the policy {self._policy} decided by its rules, from what was perceived"
        if self._calls:
            return f"No call of {self.agent} led to it: {rules}."
        if self.run.measure().calls:
            return f"No model was asked for {self.agent} in this run: {rules}."
        return f"No model was asked in this run: {rules}."

    def _list_lines(self, call: AskedCall) -> frozenset[str]:
        if call not in self._lines:
            self._lines[call] = frozenset(_list_lines(call.prompt))
        return self._lines[call]

    def _list_events(
        self,
        events: Sequence[Event],
        memories: Iterable[ContentMemory],
        lines: set[str],
        tick: int,
    ) -> list[int]:
        """Return the ids of what was perceived before and bears on it, ascending."""
        since = bisect_left(self._ticks, tick - _HOUR // self.run.meta.seconds_per_tick)
        heard = {
            event.data["text"]: event.id
            for event in events[since:]
            if event.kind in ("say", "news", "whisper") and event.tick < tick
            if self.agent in _list_hearers(event)
        }
        said = {id_ for text, id_ in heard.items() if text in lines}
        return sorted(said | {id_ for memory in memories for id_ in memory.events})


def _describe(run: RunReader, acts: Sequence[Event], tick: int) -> str:
    """Describe an act that began before this tick; "" where it began now."""
    if not acts:
        return "Nothing was done yet."
    if acts[0].tick < tick:
        begun = f"{run.time(acts[0].tick):%H:%M:%S}"
        return f"Nothing new was begun at this moment: it goes on with what was begun at {begun}."
    return ""


def _list_lines(prompt: str) -> Iterator[str]:
    """Yield the texts at the end of the lines of a prompt's data."""
    for line in prompt.splitlines():
        if line.startswith("["):
            try:
                parts = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(parts, list) and parts and isinstance(parts[-1], str):
                yield parts[-1]


def _find_recalled(
    memories: Iterable[ContentMemory], lines: set[str], said: str, tick: int
) -> list[ContentMemory]:
    """Return the memories made by then that are in `lines` or `said`; of equals the latest.

    What was taken in as the act was decided is there from the tick of the act on.

    Args:
        memories: to choose from.
        lines: of prompts.
        said: words that were said where nobody was asked for them, folded.
        tick: of the act.
    """
    latest: dict[str, ContentMemory] = {}
    for memory in memories:
        shown = memory.text in lines or (said and fold(memory.text).rstrip(".") in said)
        if shown and (memory.tick is None or memory.tick <= tick):
            known = latest.get(memory.text)
            if known is None or (known.tick or 0) <= (memory.tick or 0):
                latest[memory.text] = memory
    return list(latest.values())


def _list_hearers(event: Event) -> Sequence[str]:
    data: Mapping[str, JSON] = event.data
    return [event.agent or ""] if event.kind == "whisper" else data.get("heard_by") or ()
