"""Who told whom: the first hearings of each fact, with the words, the place and the time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from genagents_env.study.evaluate.hearings import find_statements
from genagents_env.study.evaluate.measures.diffusion import Hearing, Spread, trace_run_facts
from genagents_env.study.evaluate.run_data import RunData, once_per_run
from genagents_env.text import clean
from genagents_env.world.events import Event

Means: TypeAlias = Literal["said", "by telephone", "news", "whisper", "otherwise"]
WORDS = 2000  # characters of an utterance


@dataclass(frozen=True, slots=True)
class Telling:
    """One event from which people heard a fact for the first time.

    Attributes:
        event: its id.
        tick: in which it happened.
        teller: who said it; None where nobody did.
        hearers: who had not known the fact, in the order of the record.
        means: `said`, `by telephone`, `news`, `whisper`, or `otherwise`.
        place: where the teller was, or the first hearer where nobody told it; empty where unknown.
        words: all that was said.
        sentence: the one of them that states the fact; empty where none was recognised.
        knew: whether the teller had known or heard it by then.
    """

    event: int
    tick: int
    teller: str | None
    hearers: tuple[str, ...]
    means: Means
    place: str
    words: str
    sentence: str
    knew: bool


@dataclass(frozen=True, slots=True)
class ToldFact:
    """How one fact went round, in the order in which it was heard.

    Attributes:
        fact: its id.
        statement: what it says.
        at_start: who knew it from the start.
        tellings: by which others heard of it, in order.
        never: who did not know it at the end.
    """

    fact: str
    statement: str
    at_start: tuple[str, ...]
    tellings: tuple[Telling, ...]
    never: tuple[str, ...]

    @property
    def heard(self) -> tuple[str, ...]:
        """Who heard it, in order."""
        return tuple(name for one in self.tellings for name in one.hearers)

    @property
    def common_words(self) -> str:
        """The sentence that all of several tellings have in common; empty without one."""
        found = {one.sentence or one.words for one in self.tellings}
        return found.pop() if len(found) == 1 and len(self.tellings) > 1 else ""

    def walk_tree(self) -> Iterator[tuple[int, Telling]]:
        """Yield the tellings with their depth: after each those by people who heard it there.

        At depth 0 are those by people who knew it from the start, or by nobody.
        """
        below: dict[str, list[Telling]] = {}
        roots: list[Telling] = []
        for one in self.tellings:
            inner = one.knew and one.teller is not None and one.teller not in self.at_start
            below.setdefault(str(one.teller), []).append(one) if inner else roots.append(one)
        waiting = [(0, one) for one in reversed(roots)]
        while waiting:  # a chain may be longer than calls may nest
            depth, one = waiting.pop()
            yield depth, one
            next_ones = [told for name in one.hearers for told in below.pop(name, ())]
            next_ones.sort(key=lambda told: told.event)
            waiting += [(depth + 1, told) for told in reversed(next_ones)]


@once_per_run
def trace_tellings(data: RunData) -> tuple[ToldFact, ...]:
    """Return how each fact of the scenario went round in a run, in its order.

    Heard is what the world recognised (`learn` events), the sentence what states it; see
    `study.evaluate.hearings`.
    """
    spreads = trace_run_facts(data)
    stated = {one.fact: one for one in find_statements(data).heard}
    wanted = {hearing.cause for spread in spreads for hearing in spread.heard}
    causes = {event.id: event for event in data.events if event.id in wanted}
    return tuple(_trace_fact(data, one, stated.get(one.fact), causes) for one in spreads)


def _trace_fact(
    data: RunData, spread: Spread, stated: Spread | None, causes: Mapping[int, Event]
) -> ToldFact:
    sentences = {} if stated is None else {one.cause: one.sentence for one in stated.heard}
    known = dict.fromkeys(spread.at_start, -1)  # the event in which each heard it
    several: dict[int, list[Hearing]] = {}
    for hearing in spread.heard:
        if hearing.agent not in known and hearing.agent in data.row:
            known[hearing.agent] = hearing.cause
            several.setdefault(hearing.cause, []).append(hearing)
    tellings = (
        _describe_telling(data, heard, causes.get(cause), sentences.get(cause, ""), known)
        for cause, heard in several.items()
    )
    never = tuple(name for name in data.names if name not in known)
    return ToldFact(spread.fact, spread.statement, spread.at_start, tuple(tellings), never)


def _describe_telling(
    data: RunData,
    heard: Sequence[Hearing],
    cause: Event | None,
    sentence: str,
    known: Mapping[str, int],
) -> Telling:
    first = heard[0]
    words = "" if cause is None else clean(str(cause.data.get("text", "")), WORDS)
    teller = first.source
    return Telling(
        first.cause,
        first.tick,
        teller,
        tuple(one.agent for one in heard),
        _find_means(cause),
        data.find_arena(first.agent if teller is None else teller, first.tick),
        words,
        clean(sentence, WORDS),
        teller is not None and known.get(teller, first.cause) < first.cause,
    )


def _find_means(cause: Event | None) -> Means:
    if cause is None:
        return "otherwise"
    if cause.kind == "say":
        return "by telephone" if cause.data["phone"] else "said"
    if cause.kind == "news":
        return "news"
    return "whisper" if cause.kind == "whisper" else "otherwise"
