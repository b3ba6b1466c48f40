"""Retrieve: what comes to mind for some questions, by recency, importance and relevance.

What the prompt shows already does not come to mind, nor the same thing twice, and passing sights
("Klaus is walking to the library") only where there is little else. With the weights of the public
code what comes to mind is what that code finds, repetitions included.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from genagents_env.memory import embedder
from genagents_env.memory.retrieval import PRESETS, retrieve, retrieve_in_turn
from genagents_env.memory.stream import Kind, Memory
from genagents_env.text import split_sentences

from .mind import SEED, SmallvilleMind
from .repeats import ShownTexts
from .trivia import is_idle, is_passing

ALL: tuple[Kind, ...] = ("event", "thought", "chat", "plan")
TimedMemory = tuple[str, Memory]

LEAST = 15  # memories that come to mind where there are so many, passing sights among them
_WIDER = 4  # times as many are ranked where what repeats leaves too few


async def recall(
    mind: SmallvilleMind,
    queries: Sequence[str],
    now: int,
    *,
    kinds: Sequence[Kind] = ALL,
    touch: bool = True,
    without: Collection[str | int] = (),
) -> list[TimedMemory]:
    """Return the memories that `queries` bring up, the best of each first, none twice.

    Taken in turns: the best of every query, then the second best of every query, and so on. With
    retrieval switched off: the latest memories, whatever is asked. A memory that says what another
    says is left out (see `repeats`), or what stands in every prompt: the persona and the status;
    and so is that the agent walked, stood or talked, and what it planned for a time that is past.

    Args:
        mind: whose.
        queries: in words.
        now: game second.
        kinds: of memories.
        touch: recalling counts as access, which keeps a memory recent; an interview leaves none.
        without: what the prompt shows beside memories: texts, and ids of the record's events, such
            as those of the words of the conversation under way. A memory that says the same, or
            rests on nothing else, is left out.

    Returns:
        Pairs of the words for when it was ("Mon 13 Feb 08:10") and the memory.
    """
    count, stream = mind.config.recall, mind.stream
    if mind.config.retrieval and mind.services.embedder is not None:
        await embed_new(mind)
        vectors = await mind.services.embedder.embed(list(queries))
        weights = PRESETS[mind.config.retrieval_weights]
        if mind.config.retrieval_weights == "public_code":
            decay = mind.profile.recency_decay or weights.decay
            weights = replace(weights, decay=decay)
            find = retrieve_in_turn if touch else retrieve
            found = find(stream, vectors, now=now, k=count, weights=weights, kinds=kinds)
            return add_times(mind, _Choice(mind, found, count, now, without, whole=True).ids)
        ranked, whole = count, False
        while not whole:
            found = retrieve(stream, vectors, now=now, k=ranked, weights=weights, kinds=kinds)
            choice = _Choice(mind, found, count, now, without)
            whole = choice.full or ranked >= len(stream)
            ranked *= _WIDER
    else:
        return recall_latest(mind, count, now, kinds=kinds, touch=touch, without=without)
    if touch:
        stream.touch(choice.ids, now)
    return add_times(mind, choice.ids)


def recall_latest(
    mind: SmallvilleMind,
    count: int,
    now: int,
    *,
    kinds: Sequence[Kind] = ALL,
    touch: bool = True,
    without: Collection[str | int] = (),
) -> list[TimedMemory]:
    """Return the latest `count` memories worth recalling, newest first; the rest as in `recall`."""
    latest = mind.stream.recent(len(mind.stream), kinds=kinds, now=now)
    ids = _Choice(mind, [latest], count, now, without).ids
    if touch:
        mind.stream.touch(ids, now)
    return add_times(mind, ids)


class _Choice:
    """What is worth showing of some rankings, beside what a prompt shows already.

    Attributes:
        ids: at most `count` of each ranking, in turns; passing sights come last, if at all.
        full: whether every ranking had so many.

    With `whole` only what the prompt shows already is left out.
    """

    def __init__(
        self,
        mind: SmallvilleMind,
        rankings: Sequence[Sequence[int]],
        count: int,
        now: int,
        without: Collection[str | int],
        *,
        whole: bool = False,
    ) -> None:
        self._mind, self._now, self._whole = mind, now, whole
        texts = [text for text in without if isinstance(text, str)]
        self._shown = ShownTexts(mind.name, [*_list_own_words(mind), *texts])
        self._events = {event for event in without if isinstance(event, int)}
        self._kept: dict[int, None] = {}
        self._passing: list[int] = []
        turns = [self._pick(ranking) for ranking in rankings]
        for _ in range(count):
            turns = [turn for turn in turns if next(turn, None) is not None]
        self.full = len(turns) == len(rankings)
        missing = max(0, min(LEAST, count * len(rankings)) - len(self._kept))
        self.ids = [*self._kept, *self._passing[:missing]]

    def _pick(self, ranking: Sequence[int]) -> Iterator[int]:
        """Keep the best of a ranking that is new, one more each time it is asked."""
        for id_ in ranking:
            if id_ in self._kept or self._is_new(id_):
                self._kept[id_] = None
                yield id_

    def _is_new(self, id_: int) -> bool:
        memory, vector = self._mind.stream[id_], self._mind.stream.find_vector(id_)
        if self._whole:
            said = memory.events and self._events.issuperset(memory.events)
            return not said and not self._shown.repeats(memory.text, vector)
        passing = is_passing(memory.about, self._mind.name)
        if (
            is_idle(memory)
            or _is_over(memory, self._now)
            or (passing and memory.about[0] == self._mind.name)
        ):
            return False
        if memory.events and self._events.issuperset(memory.events):
            return False
        if self._shown.repeats(memory.text, vector):
            return False
        self._shown.add(memory.text, vector)
        if passing:
            self._passing.append(id_)
        return not passing


def _is_over(memory: Memory, now: int) -> bool:
    """Return whether it is a plan for a time that is past: what was done instead is remembered."""
    return memory.start is not None and memory.start + (memory.duration or 0) <= now


def _list_own_words(mind: SmallvilleMind) -> tuple[str, ...]:
    """Return what prompts show of who one is and is up to; small ones may have no room for it."""
    if mind.services.prompts.small:
        return ()
    status = split_sentences(mind.status)
    return (*split_sentences(mind.profile.persona), mind.profile.goal, *status, mind.status)


def add_times(mind: SmallvilleMind, ids: Sequence[int]) -> list[TimedMemory]:
    """Return memories with the words for when they were made."""
    memories = (mind.stream[id_] for id_ in ids)
    return [(format_time(mind, memory), memory) for memory in memories]


def format_time(mind: SmallvilleMind, memory: Memory) -> str:
    """Return when a memory was made; what the profile says without a time was before."""
    if memory.cause == SEED:
        return "before"
    made = mind.services.to_time(memory.created)
    return f"{made:%a} {made.day} {made:%b %H:%M}"


async def embed_new(mind: SmallvilleMind) -> None:
    """Embed the memories that have no vector yet."""
    if mind.services.embedder is not None:
        await embedder.embed_new(mind.services.embedder, mind.stream)
