"""Words in common: how a scripted model finds that two texts are about the same thing."""

import re
from collections.abc import Sequence

_WORDS = re.compile(r"[a-z]+|\d+")
_SENTENCE_END = re.compile(r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<=[.!?])\s+(?=[A-Z])")
_CLOCK = re.compile(r"\b(\d\d):\d\d\b")
_EMPTY_WORDS = """
a about an and are as at be been between by can did do does for from gives has have heard how i if
in into is it know me my not of on or our s said that the their them then there they this to was we
were what when where which who why will with would you your
"""
_EMPTY = frozenset(_WORDS.findall(_EMPTY_WORDS))


def find_content_words(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, in lower case."""
    return frozenset(_WORDS.findall(text.lower())) - _EMPTY


def is_similar(one: str, other: str) -> bool:
    """Return whether two texts tell the same: they share half the words of the shorter."""
    first, second = find_content_words(one), find_content_words(other)
    return 2 * len(first & second) >= max(1, min(len(first), len(second)))


def find_closest(text: str, names: Sequence[str]) -> str:
    """Return which of `names` shares most words with `text`; empty where none shares any.

    Of several the one with fewest words besides is taken, then the first.
    """
    wanted = find_content_words(text)
    ranked = [
        (len(wanted & find_content_words(name)), -len(find_content_words(name) - wanted), -k)
        for k, name in enumerate(names)
    ]
    shared, _, k = max(ranked, default=(0, 0, 0))
    return names[-k] if shared else ""


def cut_text(text: str, limit: int) -> str:
    """Return `text` with at most `limit` characters, whole words where it can be."""
    if len(text) <= limit:
        return text
    return text[: limit + 1].rpartition(" ")[0] or text[:limit]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence]


def choose_greeting(text: str) -> str:
    """Return the greeting for the first time of day in a text, at noon where it names none."""
    found = _CLOCK.search(text)
    hour = int(found[1]) if found else 12
    if 4 <= hour < 12:
        return "Good morning"
    return "Good afternoon" if 12 <= hour < 18 else "Good evening"
