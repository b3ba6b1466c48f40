"""How each fact flowed: who received, stored and retrieved it, by sentences that state it.

The world recognises a fact by its patterns wherever they stand, in a question too; these are its
`learn` events. Here a sentence has to state the fact, and may do so in other words where the run
had an embedder that knows meaning (`memory.testimony`); pronouns stand for the names before them,
questions and denials state nothing. What each step is of, the measures say.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from genagents_env.errors import ConfigError
from genagents_env.llm.event_loop import OwnLoop
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.memory.testimony import THRESHOLDS, FactFinder, Statement, Testimony
from genagents_env.study.evaluate.interviews import find_run_replies, list_hearers
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.diffusion import Hearing, Spread
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.world.events import Event

PATTERNS, MEANING = "patterns", "patterns and meaning"
_LOCAL = "minilm-int8"


@dataclass(frozen=True, slots=True)
class Statements:
    """What the words of a run state.

    Attributes:
        by: how facts were recognised: `PATTERNS` or `MEANING`.
        heard: the spread of each fact, each hearing with its sentence.
        stated: the (fact, agent, text) of answers after the run and of memories that state a fact.
    """

    by: str
    heard: tuple[Spread, ...]
    stated: frozenset[tuple[str, str | None, str]]


@dataclass(frozen=True, slots=True)
class AgentFlow:
    """One fact in one agent.

    Attributes:
        agent: who.
        knew: at the start.
        received: the tick of hearing it first; None for never.
        stored: at the end; None where the record holds no memories of the end.
        retrieved: share of the interviews after the run, 0..1; None where nobody asked.
        sentence: the one that was heard first.
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
    by: str = PATTERNS

    @property
    def receivers(self) -> tuple[AgentFlow, ...]:
        """Those who did not know it at the start and received it."""
        return tuple(one for one in self.agents if not one.knew and one.received is not None)

    @property
    def keepers(self) -> tuple[AgentFlow, ...]:
        """Those of `receivers` who stored it."""
        return tuple(one for one in self.receivers if one.stored)

    @property
    def p_receive(self) -> float | None:
        """The share of those who did not know it at the start who received it."""
        return ratio(len(self.receivers), sum(not one.knew for one in self.agents))

    @property
    def p_store(self) -> float | None:
        """The share of the receivers who stored it."""
        return _mean(one.stored for one in self.receivers)

    @property
    def p_retrieve(self) -> float | None:
        """The mean share of the interviews in which the keepers retrieved it."""
        return _mean(one.retrieved for one in self.keepers)


@once_per_run
def find_statements(data: RunData) -> Statements:
    """Return what was stated in what people heard, answered after the run, and remembered."""
    finder, embedder = _open_finder(data)
    said = [
        (event, Statement(event.data["text"], event.agent, _find_addressee(event)))
        for event in data.events
        if event.kind in ("say", "news", "whisper")
    ]
    own = [
        *(Statement(row.answer, row.agent) for _, row in find_run_replies(data, "after", None)),
        *(Statement(row.text, row.agent) for row in data.reader.memories()),
    ]
    known = list(dict.fromkeys((*(words for _, words in said), *own)))
    loop = OwnLoop()
    try:
        told = dict(zip(known, loop.run(finder.find(known)), strict=True))
        if embedder is not None:
            loop.run(embedder.aclose())
    finally:
        loop.close()
    return Statements(
        PATTERNS if finder.threshold is None else MEANING,
        tuple(_trace_spreads(data, [(event, told[words]) for event, words in said])),
        frozenset((found.fact, one.speaker, one.text) for one in own for found in told[one]),
    )


def _open_finder(data: RunData) -> tuple[FactFinder, Embedder | None]:
    """Return a finder with the run's own embedder, if that knows meaning and is at hand here."""
    embedder = None
    if data.meta.embedder == _LOCAL and _LOCAL in THRESHOLDS and data.scenario.facts:
        with suppress(ConfigError):  # the model is not here: `Statements.by` says so in reports
            embedder = Embedder(open_source("local"))
    return FactFinder(data.scenario.facts, data.names, embedder), embedder


def _find_addressee(event: Event) -> str | None:
    """Return to whom it was said, by choice or since nobody else was addressed."""
    to, addressed = event.data.get("to"), event.data.get("addressed")
    if isinstance(to, str):
        return to
    return str(addressed[0]) if isinstance(addressed, list) and len(addressed) == 1 else None


def _trace_spreads(
    data: RunData, told: Sequence[tuple[Event, Iterable[Testimony]]]
) -> Iterator[Spread]:
    heard: dict[str, dict[str, Hearing]] = {fact.id: {} for fact in data.scenario.facts}
    for event, testimonies in told:
        source = event.agent if event.kind == "say" else None
        for one in testimonies:
            for agent in list_hearers(event):
                hearing = Hearing(agent, event.tick, source, event.id, one.sentence)
                heard[one.fact].setdefault(agent, hearing)
    for fact in data.scenario.facts:
        new = (one for one in heard[fact.id].values() if one.agent not in fact.known_by)
        yield Spread.of(data, fact, new)


@once_per_run
def compute_flows(data: RunData) -> tuple[Flow, ...]:
    """Return how each fact of the scenario flowed, as far as it is recorded."""
    told = find_statements(data)
    asked: dict[tuple[str, int], set[str]] = {}  # the answers of each interview after the run
    for _, row in find_run_replies(data, "after", repeat=None):
        asked.setdefault((row.agent, row.repeat), set()).add(row.answer)
    rows, last = data.reader.memories(), data.last_tick
    held = {(row.fact, row.agent, row.text) for row in rows if last and row.tick == last}
    # People may have forgotten everything by the end, if they were asked then.
    stored = {one[:2] for one in held & told.stated} if held or (rows and asked) else None
    return tuple(
        Flow(one.fact, tuple(_trace_agents(data, one, asked, stored, told.stated)), told.by)
        for one in told.heard
    )


def _trace_agents(
    data: RunData,
    spread: Spread,
    asked: Mapping[tuple[str, int], set[str]],
    stored: Collection[tuple[str, str | None]] | None,
    stated: Collection[tuple[str, str | None, str]],
) -> Iterator[AgentFlow]:
    heard = {hearing.agent: hearing for hearing in spread.heard}
    for name in data.names:
        shown = [
            any((spread.fact, name, answer) in stated for answer in answers)
            for (agent, _), answers in asked.items()
            if agent == name
        ]
        yield AgentFlow(
            name,
            name in spread.at_start,
            heard[name].tick if name in heard else None,
            None if stored is None else (spread.fact, name) in stored,
            _mean(shown),
            heard[name].sentence if name in heard else "",
        )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return ratio(sum(known), len(known))


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
