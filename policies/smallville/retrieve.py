"""Retrieve: the memories that come to mind for some questions.

They are ranked by recency, importance and relevance, each scaled to [0, 1] and added up. Source:
Park et al. 2023, section 4.1; the ranking itself is `genagents_env.memory.retrieval`. Differs: what
the prompt shows already does not come to mind, nor the same thing twice, and passing sights
("Klaus is walking to the library") only where there is little else. With the weights of the public
code what comes to mind is what that code finds, repetitions included.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TypeAlias

from genagents_env.memory import embedder
from genagents_env.memory.columns import Floats, compare
from genagents_env.memory.retrieval import PRESETS, retrieve, retrieve_in_turn
from genagents_env.memory.stream import KINDS, Kind, Memory
from genagents_env.text import fold, split_sentences

from .mind import SEED, SmallvilleMind

TimedMemory = tuple[str, Memory]
FindVector: TypeAlias = Callable[[], Floats | None]  # of length one, where there is one yet

LEAST = 15  # memories that come to mind where there are so many, passing sights among them
_WIDER = 4  # times as many are ranked where what repeats leaves too few

# The cosine from which a text that has only words of another says the same. Embeddings alone cannot
# tell: measured with the local sentence model, "reading at the library" beside "writing at the
# library" is 0.96 and a party from 5 to 7 beside one from 6 to 8 is 1.00, while "I run the cafe"
# beside "Isabella Rodriguez runs the cafe" is 0.76. "Reading a book" beside "reading a book at the
# library" is 0.93; a step of a plan beside the plan that holds it is below 0.7.
ALIKE = 0.9
_WORD = re.compile(r"\w+(?:['\u2019]\w+)?|[^\W_]")
_CONTRACTED = re.compile(r"['\u2019](?:s|m|ve|re)$")
# Words that differ with the one who speaks, or say nothing.
_PRONOUNS = ("i", "me", "my", "mine", "myself", "our", "her", "his", "their")
_FORMS = ("am", "is", "are", "was", "were", "be", "been", "has", "have", "had")
_EMPTY = frozenset((*_PRONOUNS, *_FORMS, "the", "a", "an"))
_SHORTEST = 4  # letters of a word that may lose an s

IDLE = "idle"  # the state of a thing that nobody uses, as the public code words it
# How an activity begins that is only the way to something, or no doing at all.
_PASSING = (
    *("walking", "at ", "going home", "going to bed", "turning to"),
    *("standing", "waiting", "dozing", "asleep", "sleeping", IDLE),
)
_TALKING = "talking with "


async def recall(
    mind: SmallvilleMind,
    queries: Sequence[str],
    now: int,
    *,
    touch: bool = True,
    without: Collection[str | int] = (),
) -> list[TimedMemory]:
    """Return the memories that `queries` bring up, the best of each first, none twice.

    Taken in turns: the best of every query, then the second best of every query, and so on. With
    retrieval switched off: the latest memories, whatever is asked. A memory that says what another
    says is left out, or what stands in every prompt: the persona and the status; and so is that
    the agent walked, stood or talked, and what it planned for a time that is past.

    Args:
        mind: whose.
        queries: in words.
        now: game second.
        touch: recalling counts as access, which keeps a memory recent; an interview leaves none.
        without: what the prompt shows beside memories: texts, and ids of the record's events, such
            as those of the words of the conversation under way. A memory that says the same, or
            rests on nothing else, is left out.

    Returns:
        Pairs of the words for when it was ("Mon 13 Feb 08:10") and the memory.
    """
    config, stream, count = mind.config, mind.stream, mind.config.recall
    if not config.retrieval or mind.services.embedder is None:
        return recall_latest(mind, count, now, touch=touch, without=without)
    await embed_new(mind)
    vectors = await mind.services.embedder.embed(list(queries))
    weights = PRESETS[config.retrieval_weights]
    if config.retrieval_weights == "public_code":
        weights = replace(weights, decay=mind.profile.recency_decay or weights.decay)
        find = retrieve_in_turn if touch else retrieve
        rankings = find(stream, vectors, now=now, k=count, weights=weights)
        return add_times(mind, _Choice(mind, rankings, count, now, without, repeated=True).memories)
    ranked = count
    while True:
        rankings = retrieve(stream, vectors, now=now, k=ranked, weights=weights)
        choice = _Choice(mind, rankings, count, now, without)
        if choice.full or ranked >= len(stream):
            break
        ranked *= _WIDER
    if touch:
        stream.touch([memory.id for memory in choice.memories], now)
    return add_times(mind, choice.memories)


def recall_latest(
    mind: SmallvilleMind,
    count: int,
    now: int,
    *,
    kinds: Sequence[Kind] = KINDS,
    touch: bool = True,
    without: Collection[str | int] = (),
) -> list[TimedMemory]:
    """Return the latest `count` memories worth recalling, newest first; the rest as in `recall`."""
    latest = mind.stream.recent(len(mind.stream), kinds=kinds, now=now)
    memories = _Choice(mind, [latest], count, now, without).memories
    if touch:
        mind.stream.touch([memory.id for memory in memories], now)
    return add_times(mind, memories)


def add_times(mind: SmallvilleMind, memories: Sequence[Memory]) -> list[TimedMemory]:
    """Return memories with words for their times; "before" for what was known first."""
    format_moment = mind.services.format_moment
    return [
        ("before" if memory.cause == SEED else format_moment(memory.created), memory)
        for memory in memories
    ]


async def embed_new(mind: SmallvilleMind) -> None:
    """Embed the memories that have no vector yet."""
    if mind.services.embedder is not None:
        await embedder.embed_new(mind.services.embedder, mind.stream)


class _Choice:
    """The memories worth showing of some rankings, beside what a prompt shows already.

    Attributes:
        memories: at most `count` of each ranking, in turns; passing sights come last, if at all.
        full: whether every ranking had so many.

    With `repeated` only what the prompt shows already is left out.
    """

    def __init__(
        self,
        mind: SmallvilleMind,
        rankings: Sequence[Sequence[int]],
        count: int,
        now: int,
        without: Collection[str | int],
        *,
        repeated: bool = False,
    ) -> None:
        self._stream, self._name = mind.stream, mind.name
        self._now, self._repeated = now, repeated
        texts = [text for text in without if isinstance(text, str)]
        self._shown = ShownTexts(self._name, [*_list_own_words(mind), *texts])
        self._events = {event for event in without if isinstance(event, int)}
        self._kept: dict[int, Memory] = {}
        self._passing: list[Memory] = []
        turns = [self._pick(self._stream.select(ranking)) for ranking in rankings]
        for _ in range(count):
            turns = [turn for turn in turns if next(turn, None) is not None]
        self.full = len(turns) == len(rankings)
        missing = max(0, min(LEAST, count * len(rankings)) - len(self._kept))
        self.memories = [*self._kept.values(), *self._passing[:missing]]

    def _pick(self, ranking: Sequence[Memory]) -> Iterator[Memory]:
        """Keep the best of a ranking that is new, one more each time it is asked."""
        for memory in ranking:
            if memory.id in self._kept or self._is_new(memory):
                self._kept[memory.id] = memory
                yield memory

    def _is_new(self, memory: Memory) -> bool:
        """Return True if a memory says something new to the prompt, and is worth showing."""
        passing = is_passing(memory.about, self._name)
        if not self._repeated:
            own = passing and memory.about[0] == self._name
            # A plan for a time that is past: what was done instead is remembered.
            over = memory.start is not None and memory.start + (memory.duration or 0) <= self._now
            if own or over or memory.about[1:] == ("is", IDLE):
                return False
        if memory.events and self._events.issuperset(memory.events):
            return False
        find_vector = partial(self._stream.find_vector, memory.id)
        if self._shown.repeats(memory.text, find_vector):
            return False
        if self._repeated:
            return True
        self._shown.add(memory.text, find_vector)
        if passing:
            self._passing.append(memory)
        return not passing


def _list_own_words(mind: SmallvilleMind) -> tuple[str, ...]:
    """List the texts on oneself that prompts show; small ones may have no room for them."""
    if mind.services.prompts.small:
        return ()
    status = split_sentences(mind.status)
    return (*split_sentences(mind.profile.persona), mind.profile.goal, *status, mind.status)


def is_passing(about: tuple[str, ...], own_name: str) -> bool:
    """Return True if somebody only walks, stands, sleeps, or talks with the one who sees it.

    Such a sight is worth neither a thought nor a model call.

    Args:
        about: subject, predicate and object of what is seen.
        own_name: of the one who sees it, whose own talks are remembered by what was said in them.
    """
    if len(about) != 3 or about[1] != "is":
        return False
    subject, _, doing = about
    if doing.startswith(_TALKING):
        return subject == own_name or own_name in doing
    return doing.startswith(_PASSING)


# Repetitions.


@lru_cache(maxsize=20_000)
def reduce_words(text: str, own_name: str = "") -> str:
    """Return the words of `text` by which it is compared, blanks between and around them.

    Without articles, forms of *be* and *have*, the first person, the name of the one whose memory
    it is, and an s at the end: what is left is the same in the first and in the third person.
    """
    own = frozenset(fold(own_name).split())
    words = (_CONTRACTED.sub("", word) for word in _WORD.findall(fold(text)))
    kept = [_drop_s(word) for word in words if word not in _EMPTY and word not in own]
    return f" {' '.join(kept)} "


def _drop_s(word: str) -> str:
    """Drop an s at the end of a word of some length."""
    return word[:-1] if len(word) >= _SHORTEST and word[-1] == "s" and word[-2] != "s" else word


class ShownTexts:
    """Texts that stand in a prompt, against which a memory is held before it joins them.

    A text repeats another that has the same words, or all its words and nearly the same meaning.

    Args:
        own_name: of the one who remembers.
        texts: what the prompt shows beside memories.
    """

    def __init__(self, own_name: str, texts: Sequence[str] = ()) -> None:
        self._own = own_name
        self._shown: list[tuple[str, FindVector]] = []
        self._equal: set[str] = set()
        for text in texts:
            self._equal.add(reduce_words(text, own_name))

    def add(self, text: str, find_vector: FindVector) -> None:
        """Show `text`, of which `find_vector` returns the embedding."""
        words = reduce_words(text, self._own)
        self._shown.append((words, find_vector))
        self._equal.add(words)

    def repeats(self, text: str, find_vector: FindVector) -> bool:
        """Return True if what is shown says `text` already."""
        words = reduce_words(text, self._own)
        return words in self._equal or any(
            words in shown and _are_alike(find_vector(), find_other())
            for shown, find_other in self._shown
        )


def _are_alike(vector: Floats | None, other: Floats | None) -> bool:
    if vector is None or other is None:
        return False
    return bool(compare(other[None], vector[None])[0, 0] >= ALIKE)
