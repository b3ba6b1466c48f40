"""Whom *he*, *her* or *they* mean in what somebody says: by rule, whoever was named last.

The sentences before are read, too. *He* and *she* are neither who speaks nor who is spoken to, and
*him* in *Ada saw him* is not Ada. *They* are the last two that were named together, as in *Ada and
Ben*. Where nobody was named, a pronoun stays. Whether a name is a man's or a woman's is not known.
The rules read English.
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
    """Puts names for pronouns.

    Args:
        names: of all who may be meant.
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
        """Return `sentences`, said one after the other, with names for pronouns."""
        named: list[str] = []  # the last one last
        pair: list[str] = []
        found = []
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
                    named = [*(one for one in named if one != who[0]), who[0]]
            resolved = "".join([*parts, sentence[end:]])
            for first, second in self._joined.findall(resolved):
                pair = [self._full[first], self._full[second]]
            found.append(resolved)
        return found


def _choose(
    pronoun: str, after: str, named: list[str], pair: list[str], clause: set[str]
) -> list[str]:
    """Return who is meant; nobody where nobody fits."""
    if pronoun.startswith("the"):
        return pair
    other = pronoun == "him" or (pronoun == "her" and _OBJECT_HER.match(after))
    return [one for one in named if not (other and one in clause)][-1:]


def _inflect(who: list[str], pronoun: str, after: str) -> str:
    owns = pronoun in ("his", "hers", "their") or (
        pronoun == "her" and not _OBJECT_HER.match(after)
    )
    return " and ".join(who) + ("'s" if owns else "")
