"""Replaces *he*, *her* or *they* by names in English sentences: by the person last named.

Earlier sentences count, too. *He* and *she* are neither the speaker nor the hearer, and *him* in
*Ada saw him* is not Ada. *They* are the last two named together, as in *Ada and Ben*. If nobody was
named, a pronoun stays. The gender of names is not known.
"""

import re
from collections.abc import Iterable

_PAIR = re.compile(
    r"(?:^|[,;.:] |\b(?:and|that|which|because|who|while|was) )"
    r"([A-Z][\w'-]*[a-z] [A-Z][\w-]*[a-z])(?='s\b| [a-z]|[,;.])(?! [A-Z])"
)
_PRONOUN = r"he|him|his|she|hers|her|they|them|their"
_OBJECT_HER = re.compile(
    r"\s*(?:[^\w\s]|$)|\s+(?:in|at|to|with|by|from|for|on|about|and|too|come|go|walk|leave|that)\b"
)
_CLAUSE = r"[,;:.!?\u2026\u2013\u2014]|\s-\s|\b(?:that|and|but|who|when|while|because|as)\b"


def list_named(statements: Iterable[str]) -> list[str]:
    """Return the names of people in statements: two words with capitals where a clause begins."""
    return list(dict.fromkeys(name for text in statements for name in _PAIR.findall(text)))


class PronounReader:
    """Replaces pronouns by names.

    Args:
        names: of all people who may be meant.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._full: dict[str, str] = {}
        for name in names:
            for form in (name, name.split()[0], name.split()[-1]):
                self._full.setdefault(form, name)
        forms = sorted(self._full, key=lambda form: (-len(form), form))
        people = "|".join(map(re.escape, forms)) or "(?!)"
        self.people = re.compile(rf"\b(?:{people})\b")
        self._token = re.compile(
            rf"\b(?P<name>{people})\b|\b(?P<pronoun>(?i:{_PRONOUN}))\b|(?P<clause>(?i:{_CLAUSE}))"
        )
        self._joined = re.compile(rf"\b({people}),? and ({people})\b")

    def read(
        self, sentences: Iterable[str], speaker: str | None = None, hearer: str | None = None
    ) -> list[str]:
        """Return consecutive `sentences` with pronouns replaced."""
        named: list[str] = []  # the last one last
        pair: list[str] = []
        read = []
        for sentence in sentences:
            parts, end, clause = [], 0, set[str]()
            for token in self._token.finditer(sentence):
                word = token.group()
                if token["clause"]:
                    clause = set()
                    continue
                if token["name"]:
                    who = [self._full[word]]
                else:
                    after = sentence[token.end() :]
                    who = _choose(word.lower(), after, named, pair, clause)
                    if not who:
                        continue
                    parts += [sentence[end : token.start()], _inflect(who, word.lower(), after)]
                    end = token.end()
                clause.update(who)
                if len(who) == 1 and who[0] not in (speaker, hearer):
                    named = [*(name for name in named if name != who[0]), who[0]]
            resolved = "".join([*parts, sentence[end:]])
            for first, second in self._joined.findall(resolved):
                pair = [self._full[first], self._full[second]]
            read.append(resolved)
        return read


def _choose(
    pronoun: str, after: str, named: list[str], pair: list[str], clause: set[str]
) -> list[str]:
    """Return the people whom a pronoun means; none if nobody fits."""
    if pronoun.startswith("the"):
        return pair
    other = pronoun == "him" or (pronoun == "her" and _OBJECT_HER.match(after))
    return [name for name in named if not (other and name in clause)][-1:]


def _inflect(who: list[str], pronoun: str, after: str) -> str:
    owns = pronoun in ("his", "hers", "their") or (
        pronoun == "her" and not _OBJECT_HER.match(after)
    )
    return " and ".join(who) + ("'s" if owns else "")
