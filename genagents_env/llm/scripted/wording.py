"""The neighbour's English (`words.toml`), and how it compares and cuts texts."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_WORD_FILE = Path(__file__).with_name("words.toml")
_WORDS = re.compile(r"[a-z]+|\d+")
_SENTENCE_END = re.compile(r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<=[.!?])\s+(?=[A-Z])")
_CLOCK = re.compile(r"\b(\d\d):\d\d\b")


@cache
def load_words(path: Path = _WORD_FILE) -> Mapping[str, Any]:
    """Return a word file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def list_phrases(section: str, key: str) -> tuple[str, ...]:
    """Return a list of the neighbour's words."""
    return tuple(load_words()[section][key])


def phrase(section: str, key: str, **parts: object) -> str:
    """Return a phrase of the neighbour's words with `parts` in it."""
    return str(load_words()[section][key]).format(**parts)


@cache
def compile_words(section: str, key: str) -> re.Pattern[str]:
    """Return a pattern of the neighbour's words, whatever the case."""
    return re.compile(load_words()[section][key], re.IGNORECASE)


@cache
def _list_empty_words() -> frozenset[str]:
    return frozenset(load_words()["grammar"]["empty"].split())


def find_content_words(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, in lower case."""
    return frozenset(_WORDS.findall(text.lower())) - _list_empty_words()


def is_similar(one: str, other: str) -> bool:
    """Return True if two texts share half the words of the shorter."""
    first, second = find_content_words(one), find_content_words(other)
    return 2 * len(first & second) >= max(1, min(len(first), len(second)))


def find_closest(text: str, names: Sequence[str]) -> str:
    """Return the name that shares most words with `text`; empty where none shares any.

    Of several the one with fewest other words is taken, then the first.
    """
    wanted = find_content_words(text)
    ranked = [
        (len(wanted & find_content_words(name)), -len(find_content_words(name) - wanted), -k)
        for k, name in enumerate(names)
    ]
    shared, _, k = max(ranked, default=(0, 0, 0))
    return names[-k] if shared else ""


def cut_text(text: str, limit: int) -> str:
    """Return `text` with at most `limit` characters, whole words where possible."""
    if len(text) <= limit:
        return text
    return text[: limit + 1].rpartition(" ")[0] or text[:limit]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence]


def end_sentence(text: str) -> str:
    """Return `text` with a full stop, unless it has an end."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def join_sentences(texts: Sequence[str], limit: int) -> str:
    """Return as many of these texts as sentences as `limit` characters hold; else the first cut."""
    kept = ""
    for text in map(end_sentence, texts):
        longer = f"{kept} {text}".strip()
        kept = longer if len(longer) <= limit else kept
    return kept or cut_text(" ".join(texts), limit)


def choose_greeting(text: str) -> str:
    """Return the greeting for the first clock in a text, at noon where there is none."""
    clock = _CLOCK.search(text)
    hour = int(clock[1]) if clock else 12
    part = 0 if 4 <= hour < 12 else 1 if 12 <= hour < 18 else 2
    return list_phrases("talk", "greetings")[part]
