"""Who told whom: first hearings of each fact, with words and place; and the shape of their tree."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from genagents_env.study.evaluate.measure import measure
from genagents_env.study.evaluate.measures.diffusion import Hearing, Spread, trace_run_facts
from genagents_env.study.evaluate.measures.flow import find_statements
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
    `flow`.
    """
    spreads = trace_run_facts(data)
    stated = {one.fact: one for one in find_statements(data).heard}
    return tuple(_trace_fact(data, one, stated[one.fact]) for one in spreads)


def _trace_fact(data: RunData, spread: Spread, stated: Spread) -> ToldFact:
    sentences = {one.cause: one.sentence for one in stated.heard}
    known = dict.fromkeys(spread.at_start, -1)  # the event in which each heard it
    several: dict[int, list[Hearing]] = {}
    for hearing in spread.heard:
        if hearing.agent not in known and hearing.agent in data.row:
            known[hearing.agent] = hearing.cause
            several.setdefault(hearing.cause, []).append(hearing)
    tellings = (
        _describe_telling(data, heard, sentences.get(cause, ""), known)
        for cause, heard in several.items()
    )
    never = tuple(name for name in data.names if name not in known)
    return ToldFact(spread.fact, spread.statement, spread.at_start, tuple(tellings), never)


def _describe_telling(
    data: RunData, heard: Sequence[Hearing], sentence: str, known: Mapping[str, int]
) -> Telling:
    first, teller, cause = heard[0], heard[0].source, data.by_id.get(heard[0].cause)
    return Telling(
        first.cause,
        first.tick,
        teller,
        tuple(one.agent for one in heard),
        _find_means(cause),
        data.find_arena(first.agent if teller is None else teller, first.tick),
        "" if cause is None else clean(str(cause.data.get("text", "")), WORDS),
        clean(sentence, WORDS),
        teller is not None and known.get(teller, first.cause) < first.cause,
    )


def _find_means(cause: Event | None) -> Means:
    if cause is None:
        return "otherwise"
    if cause.kind == "say":
        return "by telephone" if cause.data["phone"] else "said"
    means: dict[str, Means] = {"news": "news", "whisper": "whisper"}
    return means.get(cause.kind, "otherwise")


_SOURCE = "Vosoughi et al. 2018, The spread of true and false news online; Goel et al. 2016"


def count_generations(fact: ToldFact) -> Counter[int]:
    """Return how many heard a fact in which generation; 1 are those who heard it of the first."""
    found: Counter[int] = Counter()
    for depth, one in fact.walk_tree():
        found[depth + 1] += len(one.hearers)
    return found


@measure("Depth of the cascade", "tellings", _SOURCE)
def cascade_depth(data: RunData) -> dict[str, float | None]:
    """The longest chain of tellings by which the fact reached somebody; news and whispers begin
    one. 0 where nobody heard it. One for each fact that somebody did not know from the start; none
    before any time has passed.
    """
    return _count_each(data, lambda generations: max(generations, default=0))


@measure("Breadth of the cascade", "agents", _SOURCE)
def cascade_breadth(data: RunData) -> dict[str, float | None]:
    """The most people who heard the fact by chains of one length. 0 where nobody heard it. One for
    each fact that somebody did not know from the start; none before any time has passed.
    """
    return _count_each(data, lambda generations: max(generations.values(), default=0))


def _count_each(data: RunData, count: Callable[[Counter[int]], int]) -> dict[str, float | None]:
    return {
        one.fact: float(count(count_generations(one))) if data.ticks else None
        for one in trace_tellings(data)
        if one.heard or one.never
    }
