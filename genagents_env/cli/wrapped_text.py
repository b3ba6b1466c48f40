"""Styled text for a terminal: broken into lines by cells, people in colours of their own."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from genagents_env.text import clean

FACT = "bold yellow"  # the style of a fact that is heard for the first time
_STYLES = ("cyan", "magenta", "green", "blue", "red", "bright_cyan", "bright_magenta")


class Names:
    """Names of people as a story has them: the first name where that is enough, in a colour."""

    def __init__(self, names: Sequence[str]) -> None:
        first = Counter(name.split()[0] for name in names)
        self._short = {n: n.split()[0] if first[n.split()[0]] == 1 else n for n in names}
        self._styles = {name: _STYLES[row % len(_STYLES)] for row, name in enumerate(names)}

    def short(self, agent: str) -> str:
        """Return the first name, or the whole where several have it."""
        return clean(self._short.get(agent, agent), 100)

    def full(self, agent: str) -> Text:
        """Return the whole name in its colour."""
        return Text(clean(agent, 100), self.style(agent))

    def style(self, agent: str) -> str:
        """Return the colour of a person; none for a stranger."""
        return self._styles.get(agent, "")


def wrap(text: Text, width: int, indent: int = 0) -> Iterator[Text]:
    """Yield the lines of a text, at most `width` cells each; all but the first are set in."""
    first, rest = _break(text, width)
    yield first
    while rest is not None:
        line, rest = _break(rest, max(1, width - indent))
        yield Text(" " * indent) + line


def _break(text: Text, width: int) -> tuple[Text, Text | None]:
    """Return as much of a text as fits into `width` cells, broken at a blank, and the rest."""
    plain = text.plain
    if cell_len(plain) <= width:
        return text, None
    cells, cut, before = 0, 0, 0
    for word in re.finditer(r"[^ ]+", plain):  # not \S: some blanks keep words together
        cells += word.start() - before + cell_len(word.group())
        if cells > width:
            break
        cut = before = word.end()
    if cut == 0:  # one word longer than the line
        longest = min(len(plain), 4 * width)
        cut = next(at for at in range(longest, 0, -1) if at == 1 or cell_len(plain[:at]) <= width)
    first, rest = text.divide([cut])
    return first, _strip_left(rest)


def _strip_left(text: Text) -> Text | None:
    blanks = len(text.plain) - len(text.plain.lstrip(" "))
    rest = text.divide([blanks])[-1] if blanks else text
    return rest if rest.plain else None
