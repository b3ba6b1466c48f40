"""One tick as text: a table of who is where, doing and saying what."""

from collections.abc import Sequence

import numpy as np

from genagents_env.scenario.plan import TownPlan
from genagents_env.show.render import RenderSnapshot, format_clock, shorten
from genagents_env.text import clean


def draw_ansi(
    plan: TownPlan,
    names: Sequence[str],
    snapshot: RenderSnapshot,
    *,
    title: str = "",
    width: int = 100,
) -> str:
    """Return the frame as lines of at most `width` characters; `rgb_array` has the map, too.

    Args:
        plan: the town.
        names: of the N people, in the snapshot's order.
        snapshot: the tick to tell.
        title: put before the clock.
        width: characters in a line, at least 40; an emoji may take one column more.
    """
    head = " · ".join(part for part in (title, format_clock(snapshot.time)) if part)
    lines = [f"{head} · tick {snapshot.tick}"]
    wide = width // 4
    for i in np.flatnonzero(snapshot.present).tolist():
        place = shorten(plan.arena_id(int(snapshot.arena[i])), wide)
        doing = "asleep" if snapshot.asleep[i] else clean(snapshot.doing[i], 200)
        row = f"{shorten(names[i], wide):<{wide}} {place:<{wide}} "
        sign = f" {clean(snapshot.emoji[i], 8)}" if snapshot.emoji[i] else ""
        lines.append(row + shorten(doing, width - len(row) - len(sign) - 1) + sign)
    lines += [f"{names[i]}: “{clean(words, 500)}”" for i, words in snapshot.spoken]
    return "\n".join(shorten(line, width) for line in lines)
