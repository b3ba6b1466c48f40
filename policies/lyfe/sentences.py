"""The sentences of a text, in the scripts of the world."""

import re

_SENTENCES = 12  # of a summary at most
_END = re.compile(
    r"(?:(?<=[.!?\u2026\u0964\u1362])|(?<=[.!?\u2026][\"'\u201d\u2019)\]]))\s+"
    r"|(?<=[\u3002\uff01\uff1f])(?![\u3002\uff01\uff1f\u300d\u300f\u201d])"
    r"|(?<=[\u3002\uff01\uff1f][\u300d\u300f\u201d])"
)
# A full stop that ends no sentence: of a title, an initial, an hour.
_GOES_ON = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|[ap]\.m|[A-Z])\.$")
_WORD = re.compile(r"\w")


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`, at most 12: the last holds whatever there is more."""
    parts: list[str] = []
    for part in filter(_WORD.search, map(str.strip, _END.split(text))):
        if parts and _GOES_ON.search(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    if len(parts) > _SENTENCES:
        parts[_SENTENCES - 1 :] = [" ".join(parts[_SENTENCES - 1 :])]
    return parts
