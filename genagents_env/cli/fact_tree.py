"""Who heard a fact from whom, as a tree for a terminal."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from rich.text import Text

from genagents_env.cli.scene_text import FACT, Names, wrap
from genagents_env.evaluate.measures.diffusion import Hearing, Spread
from genagents_env.evaluate.scene_talks import join_names, name_fact
from genagents_env.text import clean

_DIM = "dim"


def draw_tree(
    spread: Spread,
    names: Names,
    time: Callable[[int], datetime],
    until: int,
    width: int,
) -> Iterator[Text]:
    """Yield the lines of a tree: who knew a fact, who heard it from them, and so on.

    None where nobody knew it or heard it.

    Args:
        spread: of the fact.
        names: of the people, as they are written.
        time: from a tick to town time.
        until: the last tick that counts.
        width: of the lines, in cells.
    """
    heard = [one for one in spread.heard if one.tick <= until]
    if not heard and not spread.at_start:
        return
    yield Text()
    title = Text.assemble(("★ " + name_fact(spread.fact), FACT), ": ", clean(spread.statement, 500))
    yield from wrap(title, width, 2)
    if not heard:
        knew = join_names(names.short(name) for name in spread.at_start)
        yield from wrap(Text(f"  known to {knew} from the start, told to nobody"), width, 4)
        return
    branches = _Branches(heard, names, time)
    for root in spread.at_start:
        knew = " (knew it from the start)"
        yield from wrap(Text.assemble("  ", names.full(root), (knew, _DIM)), width, 4)
        yield from branches.draw(root)
    heard_it = {one.agent for one in heard}
    outside = [one for one in heard if one.source not in heard_it]
    for one in (*outside, *heard):  # the latter: told by who had not heard it themselves by then
        if one.agent not in branches.drawn:
            yield Text("  ") + _name_root(one.source, names)
            yield from branches.draw(one.source)


def _name_root(source: str | None, names: Names) -> Text:
    return Text("from outside") if source is None else names.full(source)


class _Branches:
    """The hearings of a fact below those who told it; each is drawn once."""

    def __init__(
        self, heard: Sequence[Hearing], names: Names, time: Callable[[int], datetime]
    ) -> None:
        self._heard, self._names, self._time = heard, names, time
        self.drawn: set[str] = set()

    def draw(self, root: str | None) -> Iterator[Text]:
        """Yield a line for each who heard it from `root`, and below it those who heard it there."""
        waiting = self._list_below(root, "  ", 0)
        while waiting:  # a chain may be longer than calls may nest
            one, before, last = waiting.pop()
            if one.agent in self.drawn:
                continue
            self.drawn.add(one.agent)
            fork, more = ("└─ ", "   ") if last else ("├─ ", "│  ")
            when = f"{self._time(one.tick):%a %H:%M} "
            yield Text.assemble((before + fork + when, _DIM), self._names.full(one.agent))
            waiting += self._list_below(one.agent, before + more, one.tick)

    def _list_below(
        self, source: str | None, before: str, first: int
    ) -> list[tuple[Hearing, str, bool]]:
        """Return who heard it from `source` from tick `first` on, the last of them first."""
        told = [
            one
            for one in self._heard
            if one.source == source and one.tick >= first and one.agent not in self.drawn
        ]
        return [(one, before, at == 0) for at, one in enumerate(reversed(told))]
