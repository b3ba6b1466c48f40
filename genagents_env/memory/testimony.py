r"""Who states a fact, sentence by sentence: by the fact's patterns, or by what the sentence means.

A question is no testimony, nor is what somebody wonders about, supposes or denies. Pronouns stand
for whoever was named last, in the sentences before, too (`memory.pronouns`). A sentence that
is left states a fact if one of its patterns is found, or if it means nearly the same as the fact's
statement, and more nearly than any other fact's: the mean of two cosines of their embeddings, one
with *I* and *you* replaced by names, one with all names replaced by *someone*, so that talk about
the same people is not yet the same fact; and it has a number where the fact has one. The world
knows only the patterns; this is for measures.

The rules read English. Threshold: `python -m benchmarks.testimony`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genagents_env.memory.columns import Cosines, compare
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.pronouns import PronounReader, list_named
from genagents_env.scenario.patterns import finds_any
from genagents_env.scenario.schema import Fact

THRESHOLDS = {"minilm-int8": 0.66}  # by embedder; chosen and measured by benchmarks/testimony.py
_FEWEST = 3  # words of a sentence that can state something
_FEWEST_SHARED = 2  # beginnings of words that it shares with a fact that it may mean
_STEM = 5  # letters of a word that count then

_SENTENCE_END = re.compile(
    r"(?<=[.!?;…])(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bDr\.)[\"'\u201d)]*\s+"
)
_CLAUSE_END = re.compile(r"(?<=[,:])\s+|\s+(?=(?:but|although|though|however)\b)", re.IGNORECASE)
_WORD = re.compile(r"[a-z0-9]{3,}")
_QUESTION = re.compile(
    r"\?|\b(?:whether|wonder\w*|curious|(?:ask|asks|asked|asking|(?:want|wants|like|love) to know|"
    r"find out|not know|n't know)\b[^.]*\b(?:if|who|what|when|where|why|how))\b|^if\b|"
    r"^(?:(?:please|then|and|so|now),? )*tell (?:me|us)\b[^.]*\b(?:if|who|what|when|"
    r"where|why|how)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|never|no|nobody|no one|none|nothing|neither|nor|without|cannot|untrue|false|"
    r"\w+n't)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)\b",
    re.IGNORECASE,
)
_SUPPOSITION = re.compile(r"^(?:maybe|perhaps|possibly|suppose|imagine)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """Words with who said them, and to whom if it was one person."""

    text: str
    speaker: str | None = None
    hearer: str | None = None


@dataclass(frozen=True, slots=True)
class Testimony:
    """A sentence that states a fact. `similarity` is None where a pattern found it."""

    fact: str
    sentence: str
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Wording:
    """What a sentence states, as it was said, and with names for pronouns."""

    quote: str
    named: str


class FactFinder:
    """Finds the facts of a scenario in what was said.

    Args:
        facts: of the scenario.
        names: of its people.
        embedder: one of `THRESHOLDS` adds what is said in other words; any other, such as n-grams,
            knows no meaning, and None asks for none.
    """

    def __init__(
        self, facts: Sequence[Fact], names: Sequence[str] = (), embedder: Embedder | None = None
    ) -> None:
        self.facts = tuple(facts)
        known = [*names, *list_named(fact.statement for fact in facts)]  # the dead as well
        self._reader = PronounReader(dict.fromkeys(known))
        self._people = self._reader.people
        self.threshold = None if embedder is None else THRESHOLDS.get(embedder.name)
        self._embedder = embedder
        self._stems = [_find_stems(fact.statement) for fact in self.facts]

    async def find(self, statements: Sequence[Statement]) -> list[tuple[Testimony, ...]]:
        """Return what each of `statements` testifies to, each fact once, in the facts' order."""
        found = [self._match(one) for one in statements]
        if self.threshold is not None and self.facts:
            for own, close in zip(found, await self._compare(statements), strict=True):
                for one in close:
                    own.setdefault(one.fact, one)
        return [tuple(own[f.id] for f in self.facts if f.id in own) for own in found]

    def _match(self, said: Statement) -> dict[str, Testimony]:
        """Return the facts whose patterns are in a sentence, or in all that is stated together."""
        found: dict[str, Testimony] = {}
        stated = {deny: self._list_parts(said, deny=deny) for deny in (False, True)}
        for fact in self.facts:
            parts = stated[is_denial(fact.statement)]
            together = Wording(" ".join(one.quote for one in parts), "")
            for part in (*parts, together):
                if finds_any(fact.patterns, part.quote) or finds_any(fact.patterns, part.named):
                    found[fact.id] = Testimony(fact.id, part.quote, None)
                    break
        return found

    def _list_parts(self, said: Statement, *, deny: bool) -> list[Wording]:
        """Return what is stated, as it was said and with names for pronouns."""
        sentences = split_sentences(said.text)
        named = self._reader.read(sentences, said.speaker, said.hearer)
        found = []
        for sentence, other in zip(sentences, named, strict=True):
            part = Wording(_keep_stated(sentence, deny=deny), _keep_stated(other, deny=deny))
            if len(part.named.split()) >= _FEWEST:
                found.append(part)
        return found

    async def _compare(self, statements: Sequence[Statement]) -> list[list[Testimony]]:
        """Return for each statement the facts that a sentence of it comes close to, best first."""
        parts: list[tuple[int, Wording, bool]] = []
        for k, one in enumerate(statements):
            plain = self._list_parts(one, deny=False)
            denials = [part for part in self._list_parts(one, deny=True) if part not in plain]
            parts += [(k, part, False) for part in plain]
            parts += [(k, part, True) for part in denials]
        found: list[list[Testimony]] = [[] for _ in statements]
        named = [name_people(part.named, statements[k]) for k, part, _ in parts]
        # Comparing is what takes time, and what shares no words is hardly ever alike.
        related = [k for k, text in enumerate(named) if self._is_related(text)]
        near = await self._measure([named[k] for k in related])
        for (k, part, denies), row in zip([parts[k] for k in related], near, strict=True):
            best = int(np.argmax(row))
            fact, similarity = self.facts[best], float(row[best])
            if similarity < (self.threshold or 2) or (denies and not is_denial(fact.statement)):
                continue
            if _NUMBER.search(part.quote) or not _NUMBER.search(fact.statement):
                found[k].append(Testimony(fact.id, part.quote, similarity))
        return [sorted(own, key=lambda one: -(one.similarity or 0)) for own in found]

    async def _measure(self, texts: Sequence[str]) -> Cosines:
        """Return how near each text comes to each fact's statement: shape (texts, facts)."""
        near = np.zeros((len(texts), len(self.facts)))
        if self._embedder is None or not texts:
            return near
        wanted = [fact.statement for fact in self.facts]
        for mask in (False, True):
            if mask:
                texts = [self._people.sub("someone", text) for text in texts]
                wanted = [self._people.sub("someone", text) for text in wanted]
            rows, columns = await self._embedder.embed(texts), await self._embedder.embed(wanted)
            near += compare(rows, columns) / 2
        return near

    def _is_related(self, text: str) -> bool:
        return any(len(_find_stems(text) & stems) >= _FEWEST_SHARED for stems in self._stems)


def is_denial(text: str) -> bool:
    """Return whether `text` denies something."""
    return bool(_DENIAL.search(text))


def list_statements(text: str, *, deny: bool) -> list[str]:
    """Return the sentences of `text` that state something, without what is asked or supposed.

    Args:
        text: of any length.
        deny: keep clauses that deny, too, which a fact that is a denial itself is stated by.
    """
    kept = [_keep_stated(sentence, deny=deny) for sentence in split_sentences(text)]
    return [one for one in kept if len(one.split()) >= _FEWEST]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of `text`; what stands between semicolons is one, too."""
    return _SENTENCE_END.split(text.replace("\u2019", "'"))


def _keep_stated(sentence: str, *, deny: bool) -> str:
    if _QUESTION.search(sentence) or _SUPPOSITION.search(sentence):
        return ""
    if deny:
        return sentence.strip()
    return " ".join(filter(None, map(_drop_denial, _CLAUSE_END.split(sentence)))).strip()


def name_people(text: str, said: Statement) -> str:
    """Return `text` with *I* and *you* as names, as a fact's statement has them."""
    for name, rules in ((said.speaker, _FIRST), (said.hearer, _SECOND)):
        if name is not None:
            for pattern, words in rules:
                text = pattern.sub(words.replace("NAME", name), text)
    return text


def _compile(rules: Sequence[tuple[str, str]]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b(?:{p})\b", re.IGNORECASE), words) for p, words in rules)


_FIRST = _compile(
    [
        ("i am|i'm|i was", "NAME is"),
        ("i have|i've", "NAME has"),
        ("my|our|mine", "NAME's"),
        ("i|me", "NAME"),
    ]
)
_SECOND = _compile(
    [
        ("you are|you're|you were", "NAME is"),
        ("you have|you've", "NAME has"),
        ("your|yours", "NAME's"),
        ("you", "NAME"),
    ]
)


def _find_stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower())} - _EMPTY


_EMPTY = frozenset(
    {
        "the",
        "and",
        "who",
        "which",
        "what",
        "that",
        "this",
        "with",
        "from",
        "for",
        "his",
        "her",
        "was",
        "has",
        "had",
        "are",
        "not",
        "its",
    }
)


def _drop_denial(clause: str) -> str:
    """Return a clause without what it denies: all of it, or what follows the last *and* before."""
    denial = _DENIAL.search(clause)
    if denial is None:
        return clause
    return clause[: max(0, clause.rfind(" and ", 0, denial.start()))]
