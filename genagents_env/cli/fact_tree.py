"""Who heard a fact from whom, as a tree for a terminal."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from rich.text import Text

from genagents_env.cli.wrapped_text import FACT, Names, wrap
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
    first = {one.agent for one in heard}
    for root in spread.at_start:
        knew = " (knew it from the start)"
        yield from wrap(Text.assemble("  ", names.full(root), (knew, _DIM)), width, 4)
        yield from _draw_branches(root, heard, names, time, "  ")
    for source in dict.fromkeys(one.source for one in heard):
        if source not in first and source not in spread.at_start:
            name = Text("from outside") if source is None else names.full(source)
            yield Text("  ") + name
            yield from _draw_branches(source, heard, names, time, "  ")


def _draw_branches(
    source: str | None,
    heard: Sequence[Hearing],
    names: Names,
    time: Callable[[int], datetime],
    before: str,
) -> Iterator[Text]:
    told = [one for one in heard if one.source == source]
    for at, one in enumerate(told):
        last = at == len(told) - 1
        fork, more = ("└─ ", "   ") if last else ("├─ ", "│  ")
        when = f"{time(one.tick):%a %H:%M} "
        yield Text.assemble((before + fork + when, _DIM), names.full(one.agent))
        later = [other for other in heard if other.tick >= one.tick]
        yield from _draw_branches(one.agent, later, names, time, before + more)
