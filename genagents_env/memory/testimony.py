r"""Finds the facts that sentences state, by the facts' patterns or by meaning; for measures.

Questions, suppositions and denials do not state a fact. Pronouns are replaced by names
(`memory.pronouns`). Another sentence states a fact if it matches one of the fact's patterns, or if
it is similar enough to the fact's statement, and more similar than to any other's. Similarity is
the mean of two cosines of embeddings: one with *I* and *you* replaced by names, one with all names
replaced by *someone*, so that talk about the same people is not enough. A sentence must have a
number if the fact has one.

The rules are for English. Threshold: `python -m benchmarks.testimony`.
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
_FEWEST = 3  # words of a statement
_FEWEST_SHARED = 2  # stems that a sentence shares with the fact
_STEM = 5  # letters of a stem

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
    """Words with their speaker, and the hearer if it was one person."""

    text: str
    speaker: str | None = None
    hearer: str | None = None


@dataclass(frozen=True, slots=True)
class Testimony:
    """A sentence that states a fact; `similarity` is None if a pattern matched."""

    fact: str
    sentence: str
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Wording:
    """A statement, as it was said, and with names for pronouns."""

    quote: str
    named: str


class FactFinder:
    """Finds the facts of a scenario in statements.

    Args:
        facts: of the scenario.
        names: of its people.
        embedder: one of `THRESHOLDS` finds facts in other words, too; others, such as n-grams, and
            None do not.
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
        """Return the facts that each of `statements` states, each once, in the facts' order."""
        matches = [self._match(statement) for statement in statements]
        if self.threshold is not None and self.facts:
            for own, similar in zip(matches, await self._compare(statements), strict=True):
                for testimony in similar:
                    own.setdefault(testimony.fact, testimony)
        return [tuple(own[f.id] for f in self.facts if f.id in own) for own in matches]

    def _match(self, said: Statement) -> dict[str, Testimony]:
        """Return the facts whose patterns match a sentence, or all sentences together."""
        matches: dict[str, Testimony] = {}
        stated = {deny: self._list_parts(said, deny=deny) for deny in (False, True)}
        for fact in self.facts:
            parts = stated[is_denial(fact.statement)]
            together = Wording(" ".join(part.quote for part in parts), "")
            for part in (*parts, together):
                if finds_any(fact.patterns, part.quote) or finds_any(fact.patterns, part.named):
                    matches[fact.id] = Testimony(fact.id, part.quote, None)
                    break
        return matches

    def _list_parts(self, said: Statement, *, deny: bool) -> list[Wording]:
        """Return the statements, as they were said and with names for pronouns."""
        sentences = split_sentences(said.text)
        named = self._reader.read(sentences, said.speaker, said.hearer)
        parts = []
        for sentence, other in zip(sentences, named, strict=True):
            part = Wording(_keep_stated(sentence, deny=deny), _keep_stated(other, deny=deny))
            if len(part.named.split()) >= _FEWEST:
                parts.append(part)
        return parts

    async def _compare(self, statements: Sequence[Statement]) -> list[list[Testimony]]:
        """Return the facts similar to a sentence of each statement, best first."""
        parts: list[tuple[int, Wording, bool]] = []
        for k, statement in enumerate(statements):
            plain = self._list_parts(statement, deny=False)
            denials = [part for part in self._list_parts(statement, deny=True) if part not in plain]
            parts += [(k, part, False) for part in plain]
            parts += [(k, part, True) for part in denials]
        matches: list[list[Testimony]] = [[] for _ in statements]
        named = [name_people(part.named, statements[k]) for k, part, _ in parts]
        # Embedding is slow, and sentences without shared words are hardly ever similar.
        related = [k for k, text in enumerate(named) if self._is_related(text)]
        near = await self._measure([named[k] for k in related])
        for (k, part, denies), row in zip([parts[k] for k in related], near, strict=True):
            best = int(np.argmax(row))
            fact, similarity = self.facts[best], float(row[best])
            if similarity < (self.threshold or 2) or (denies and not is_denial(fact.statement)):
                continue
            if _NUMBER.search(part.quote) or not _NUMBER.search(fact.statement):
                matches[k].append(Testimony(fact.id, part.quote, similarity))
        return [sorted(own, key=lambda match: -(match.similarity or 0)) for own in matches]

    async def _measure(self, texts: Sequence[str]) -> Cosines:
        """Return the similarity of each text to each fact's statement: shape (texts, facts)."""
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
    """Return True if `text` denies something."""
    return bool(_DENIAL.search(text))


def split_sentences(text: str) -> list[str]:
    """Split `text` into sentences, also at semicolons."""
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
    """Cut a clause that denies: all of it, or from the last *and* before the denial."""
    denial = _DENIAL.search(clause)
    if denial is None:
        return clause
    return clause[: max(0, clause.rfind(" and ", 0, denial.start()))]
