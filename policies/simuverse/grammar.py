"""The grammar of replies: which tool a text begins with, and what it says of it.

A tool is a word in brackets, `(MOVE)`, in any case and with any blanks; brackets of other scripts
and the signs of Markdown count as plain ones. Of several the first counts. What else stands in
brackets is no tool, so a stage direction before it does no harm.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

CONVERSE, MOVE, SCAN, CALL, IDLE = "CONVERSE", "MOVE", "SCAN", "CALL", "IDLE"
FOUR_TOOLS = (CONVERSE, MOVE, SCAN, CALL)
LEAVE = "LEAVE CONVERSATION"
SIGNALS = (*FOUR_TOOLS, IDLE, LEAVE)

_BRACKETS = str.maketrans({"\u2768": "(", "\u2769": ")", "\u2985": "(", "\u2986": ")"})
_BRACKETED = re.compile(r"\(([^()]*)\)")
_BETWEEN = re.compile(r"[\s_\-*`~]+")
_EDGES = " \t,;:-\u2013\u2014*`_~>#\"'\u201c\u201d\u2018\u2019()[]"
_MOST_READ = 2000  # characters


@dataclass(frozen=True, slots=True)
class ToolPrefix:
    """A tool in a text.

    Attributes:
        tool: one of `SIGNALS`.
        before: the text before it.
        context: the text behind it, up to the next tool.
        others: the tools behind it, which do not count.
    """

    tool: str
    before: str
    context: str
    others: tuple[str, ...] = ()


def find_prefix(text: str, tools: Collection[str] = SIGNALS) -> ToolPrefix | None:
    """Return the first tool of `tools` that stands in brackets in a text; None without one."""
    plain = _make_plain(text)
    found = [
        (match, word)
        for match in _BRACKETED.finditer(plain)
        if (word := _BETWEEN.sub(" ", match[1]).strip().upper()) in tools
    ]
    if not found:
        return None
    (first, tool), *rest = found
    end = rest[0][0].start() if rest else len(plain)
    before, context = plain[: first.start()], plain[first.end() : end]
    return ToolPrefix(
        tool, before.strip(" *`_~"), context.strip(_EDGES), tuple(word for _, word in rest)
    )


def _make_plain(text: str) -> str:
    """Return a text in the plain forms of its letters and brackets."""
    return unicodedata.normalize("NFKC", text[:_MOST_READ]).translate(_BRACKETS)
