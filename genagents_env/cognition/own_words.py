"""One's own words in what a model wrote for somebody in a talk."""

import re
from collections.abc import Sequence

_ENDS = r"[.!?\u2026\"\u201d]"  # of a sentence: a name behind one begins another's line
_MARKS = "[*_]*"  # Markdown around a name
_TO = r"(?: to [^:.!?]+)?"


def cut_reply(words: str, name: str, others: Sequence[str]) -> str:
    """Return one's own words of what a model wrote: neither whose they are nor the answer to them.

    A name and a colon in the midst of a sentence are one's own words: "With pleasure, Bea:
    tomorrow at five."

    Args:
        words: written by a model.
        name: whose words they are to be.
        others: in the talk; where a line of theirs begins, one's own words end.
    """
    if own := _list_names(name):
        words = re.sub(rf"^\W*(?:{own})\W*{_TO}{_MARKS}:{_MARKS}\s*", "", words)
    if theirs := "|".join(filter(None, map(_list_names, others))):
        line = rf"{_MARKS}(?:{theirs}){_MARKS}{_TO}{_MARKS}:{_MARKS}\s"
        words = re.split(rf"(?:(?<={_ENDS})\s+|\s*\n\s*){line}", words)[0]
    return words.strip()


def _list_names(name: str) -> str:
    """Return a pattern of the names somebody is called by: the whole one, then the first."""
    called = dict.fromkeys([name, *name.split()[:1]]) if name else {}
    return "|".join(map(re.escape, called))
