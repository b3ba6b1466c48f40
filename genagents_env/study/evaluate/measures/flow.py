"""How each fact flowed: who received, stored and retrieved it.

A sentence states a fact by its patterns, or by its meaning where the run's embedder knows any
(`study.evaluate.hearings`); pronouns stand for the names before them, questions and denials state
nothing. What each step is of, the measures say.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from genagents_env.record import InterviewRow
from genagents_env.study.evaluate.hearings import PATTERNS, Statements, find_statements
from genagents_env.study.evaluate.interviews import find_run_replies
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.diffusion import Spread
from genagents_env.study.evaluate.run_data import RunData, once_per_run


@dataclass(frozen=True, slots=True)
class AgentFlow:
    """One fact in one agent.

    Attributes:
        agent: who.
        knew: at the start.
        received: the tick of hearing it first; None for never.
        sentence: the one that was heard then.
        stored: at the end; None where the record holds no memories of the end.
        retrieved: share of the interviews after the run, 0..1; None where nobody asked.
    """

    agent: str
    knew: bool
    received: int | None
    stored: bool | None
    retrieved: float | None
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    """One fact in everyone; each probability is None where it has nobody to be of.

    `stored` and `retrieved` of those who knew it at the start stand in `agents` alone. `by`: how
    sentences were recognised.
    """

    fact: str
    agents: tuple[AgentFlow, ...]
    p_receive: float | None
    p_store: float | None
    p_retrieve: float | None
    by: str = PATTERNS

    @property
    def receivers(self) -> tuple[AgentFlow, ...]:
        """Those who did not know it at the start and received it."""
        return tuple(one for one in self.agents if not one.knew and one.received is not None)

    @property
    def keepers(self) -> tuple[AgentFlow, ...]:
        """Those of `receivers` who stored it."""
        return tuple(one for one in self.receivers if one.stored)


@once_per_run
def compute_flows(data: RunData) -> tuple[Flow, ...]:
    """Return how each fact of the scenario flowed, as far as it is recorded."""
    told = find_statements(data)
    after = [row for _, row in find_run_replies(data, "after", repeat=None)]
    held = _find_held_memories(data, bool(after))
    stating = None if held is None else {row[:2] for row in held & told.stated}
    return tuple(_trace_flow(data, one, after, stating, told) for one in told.heard)


def _find_held_memories(data: RunData, asked: bool) -> set[tuple[str, str | None, str]] | None:
    """Return fact, agent and text of the memories of the end; None where none were written.

    They were, if any is there, or if some were at the start and people were asked at the end, by
    when they may have forgotten everything.
    """
    rows, last = data.reader.memories(), data.last_tick
    held: set[tuple[str, str | None, str]] = {
        (row.fact, row.agent, row.text) for row in rows if last and row.tick == last
    }
    return held if held or (rows and asked) else None


def _trace_flow(
    data: RunData,
    spread: Spread,
    after: Iterable[InterviewRow],
    held: Collection[tuple[str, str | None]] | None,
    told: Statements,
) -> Flow:
    """Return the flow of a fact, by all answers after the run, and who holds memories of it."""
    heard = {hearing.agent: hearing for hearing in spread.heard}
    shown: dict[str, dict[int, bool]] = {}  # by agent and repeat, whether any answer states it
    for row in after:
        repeats = shown.setdefault(row.agent, {})
        states = (spread.fact, row.agent, row.answer) in told.stated
        repeats[row.repeat] = repeats.get(row.repeat, False) or states
    agents = tuple(
        AgentFlow(
            name,
            name in spread.at_start,
            heard[name].tick if name in heard else None,
            None if held is None else (spread.fact, name) in held,
            _mean(list(shown.get(name, {}).values())),
            heard[name].sentence if name in heard else "",
        )
        for name in data.names
    )
    flow = Flow(spread.fact, agents, None, None, None, told.by)
    stored = [one.stored for one in flow.receivers if one.stored is not None]
    retrieved = [one.retrieved for one in flow.keepers if one.retrieved is not None]
    share = ratio(len(flow.receivers), sum(not one.knew for one in agents))
    return replace(flow, p_receive=share, p_store=_mean(stored), p_retrieve=_mean(retrieved))


def _mean(values: Sequence[float]) -> float | None:
    return ratio(sum(values), len(values))


_LYFE = (
    "Lyfe Agents (Kaiya et al. 2023), section 5.1 and figure 3c-d, which print no definition; "
    "this one is ours"
)


@measure("Received", "share", _LYFE)
def received(data: RunData) -> dict[str, float | None]:
    """Of those who did not know the fact at the start, the share who heard a sentence in the run
    that states it, by its patterns or, where the run's embedder knows meaning, in other words. One
    for each fact; none where everybody knew it, and before any time has passed.
    """
    return {one.fact: one.p_receive if data.ticks else None for one in compute_flows(data)}


@measure("Stored", "share", _LYFE)
def stored(data: RunData) -> dict[str, float | None]:
    """Of those who heard the fact first in the run, the share who hold a memory at the end that
    states it. One for each fact; none where nobody heard it, or the record has no memories of the
    end.
    """
    return {one.fact: one.p_store for one in compute_flows(data)}


@measure("Retrieved", "share", _LYFE)
def retrieved(data: RunData) -> dict[str, float | None]:
    """Of those who heard the fact first in the run and stored it, the mean share of the interviews
    after the run in which an answer states it. One for each fact; none where nobody stored it or
    nobody was asked.
    """
    return {one.fact: one.p_retrieve for one in compute_flows(data)}
