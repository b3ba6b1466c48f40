"""Which texts say again what another says: in the same words, or in fewer of them.

Words are compared without what the speaker changes: "I run the cafe" and "Isabella Rodriguez runs
the cafe" are one thought of Isabella's. Embeddings alone cannot tell: measured with the local
sentence model, "reading at the library" beside "writing at the library" is 0.96 and a party from 5
to 7 beside one from 6 to 8 is 1.00, while "I run the cafe" beside its twin is 0.76. So a text
repeats another if its words are the same, or if they stand in the other's and both mean nearly the
same: "reading a book" beside "reading a book at the library" is 0.93; a step of a plan beside the
plan that holds it is below 0.7.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from genagents_env.memory.columns import Floats
from genagents_env.text import fold

ALIKE = 0.9  # cosine; see above

_WORD = re.compile(r"\w+(?:['\u2019]\w+)?|[^\W_]")
_CONTRACTED = re.compile(r"['\u2019](?:s|m|ve|re)$")
# Words that differ with the one who speaks, or say nothing.
_PRONOUNS = ("i", "me", "my", "mine", "myself", "our", "her", "his", "their")
_FORMS = ("am", "is", "are", "was", "were", "be", "been", "has", "have", "had")
_EMPTY = frozenset((*_PRONOUNS, *_FORMS, "the", "a", "an"))
_SHORTEST = 4  # letters of a word that may lose an s


def reduce_words(text: str, own_name: str = "") -> str:
    """Return the words of `text` by which it is compared, blanks between and around them.

    Without articles, forms of *be* and *have*, the first person, the name of the one whose memory
    it is, and an s at the end: what is left is the same in the first and in the third person.
    """
    return _reduce(text, own_name)


@lru_cache(maxsize=20_000)
def _reduce(text: str, own_name: str) -> str:
    own = frozenset(fold(own_name).split())
    words = (_CONTRACTED.sub("", word) for word in _WORD.findall(fold(text)))
    kept = [_drop_s(word) for word in words if word not in _EMPTY and word not in own]
    return f" {' '.join(kept)} "


def _drop_s(word: str) -> str:
    return word[:-1] if len(word) >= _SHORTEST and word[-1] == "s" and word[-2] != "s" else word


class ShownTexts:
    """Texts that stand in a prompt, against which a memory is held before it joins them.

    Args:
        own_name: of the one who remembers.
        texts: what the prompt shows beside memories.
    """

    def __init__(self, own_name: str, texts: Sequence[str] = ()) -> None:
        self._own = own_name
        self._words: list[str] = []
        self._vectors: list[Floats | None] = []
        self._equal: set[str] = set()
        for text in texts:
            self.add(text, None)

    def add(self, text: str, vector: Floats | None) -> None:
        """Show `text`; `vector` is its embedding of length one, if there is one."""
        words = reduce_words(text, self._own)
        self._words.append(words)
        self._vectors.append(vector)
        self._equal.add(words)

    def repeats(self, text: str, vector: Floats | None) -> bool:
        """Return whether what is shown says `text` already."""
        words = reduce_words(text, self._own)
        if words in self._equal:
            return True
        if vector is None:
            return False
        return any(
            other is not None and words in shown and float(np.dot(other, vector)) >= ALIKE
            for shown, other in zip(self._words, self._vectors, strict=True)
        )
