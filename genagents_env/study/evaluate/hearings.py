"""Who was told which fact in words that state it: by the record, sentence by sentence.

The world recognises a fact by its patterns wherever they stand, in a question too; these are its
`learn` events. Measures ask more and less: the sentence has to state the fact, and may do so in
other words, where the run had an embedder that knows meaning (`memory.testimony`).
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from genagents_env.errors import ConfigError
from genagents_env.llm.event_loop import OwnLoop
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.memory.testimony import THRESHOLDS, FactFinder, Statement, Testimony
from genagents_env.study.evaluate.interviews import find_run_replies, list_hearers
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
        tuple(_trace(data, [(event, told[words]) for event, words in said])),
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


def _trace(data: RunData, told: Sequence[tuple[Event, Iterable[Testimony]]]) -> Iterable[Spread]:
    for fact in data.scenario.facts:
        heard: dict[str, Hearing] = {}
        for event, testimonies in told:
            for one in testimonies:
                if one.fact != fact.id:
                    continue
                source = event.agent if event.kind == "say" else None
                for agent in list_hearers(event):
                    heard.setdefault(
                        agent, Hearing(agent, event.tick, source, event.id, one.sentence)
                    )
        new = (one for one in heard.values() if one.agent not in fact.known_by)
        yield Spread.of(data, fact, new)
