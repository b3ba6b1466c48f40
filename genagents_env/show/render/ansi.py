"""One tick as text: a map in characters, and a table of who is where, doing and saying what."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genagents_env.scenario.plan import OUTSIDE, TownPlan
from genagents_env.show.render import RenderSnapshot, format_clock, shorten
from genagents_env.text import clean

WALL, DOOR, THING, GROUND, FLOOR, GREEN = "█", "▒", "▫", " ", "·", "'"
TALL = 34  # a map of more rows than this is squeezed: a character is twice as high as it is wide
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

Cells = npt.NDArray[np.str_]


def draw_ansi(
    plan: TownPlan,
    names: Sequence[str],
    snapshot: RenderSnapshot,
    *,
    title: str = "",
    width: int = 100,
) -> str:
    """Return the frame as lines of at most `width` characters.

    A town wider than `width` is drawn at a smaller scale. Each person has a letter of their own on
    the map and in the table.

    Args:
        plan: the town.
        names: of the N people, in the snapshot's order.
        snapshot: the tick to draw.
        title: put before the clock.
        width: characters in a line, at least 40; an emoji may take one column more.
    """
    letters = assign_letters(names)
    here = np.flatnonzero(snapshot.present).tolist()
    head = " · ".join(part for part in (title, format_clock(snapshot.time)) if part)
    lines = [shorten(f"{head} · tick {snapshot.tick}", width)]
    lines += _draw_map(plan, snapshot, letters, here, width)
    lines += [_format_row(plan, names[i], letters[i], snapshot, i, width) for i in here]
    lines += [
        shorten(f"{letters[i]} {names[i]}: “{clean(words, 500)}”", width)
        for i, words in snapshot.spoken
    ]
    return "\n".join(lines)


def assign_letters(names: Sequence[str]) -> list[str]:
    """Return a character for each person: a letter of their name where one is still free."""
    taken: dict[str, None] = {}
    for name in names:
        own = [c for word in name.split() for c in word[:1].upper()]
        own += [c for c in name if c in _LETTERS]
        taken[next((c for c in (*own, *_LETTERS) if c not in taken), f"?{len(taken)}")] = None
    return [letter[0] for letter in taken]


def _draw_map(
    plan: TownPlan,
    snapshot: RenderSnapshot,
    letters: Sequence[str],
    here: Sequence[int],
    width: int,
) -> list[str]:
    across = -(-plan.width // width)
    down = across if plan.height <= TALL * across else 2 * across
    cells = _shrink(_draw_tiles(plan), down, across)
    _write_names(cells, plan, down, across)
    for i in here:
        cells[snapshot.y[i] // down, snapshot.x[i] // across] = letters[i]
    return ["".join(row).rstrip() for row in cells.tolist()]


def _draw_tiles(plan: TownPlan) -> Cells:
    """Return a character for each tile, shape (height, width)."""
    cells = np.where(plan.arena == OUTSIDE, GROUND, FLOOR)
    green = np.array([a.open_air for a in plan.arenas])[plan.arena] & (plan.arena != OUTSIDE)
    cells[green] = GREEN
    cells[plan.blocked] = WALL
    for item in plan.objects:
        for x, y in item.tiles:
            cells[y, x] = THING
    for x, y in plan.doors:
        cells[y, x] = DOOR
    return cells


def _shrink(cells: Cells, down: int, across: int) -> Cells:
    """Return a smaller map; of the tiles in one character the most telling is shown."""
    if down == across == 1:
        return cells
    order = np.array([GROUND, GREEN, FLOOR, THING, WALL, DOOR])
    rank = np.zeros(cells.shape, np.int64)
    for value, mark in enumerate(order.tolist()):
        rank[cells == mark] = value
    height, width = cells.shape
    padded = np.zeros((-(-height // down) * down, -(-width // across) * across), np.int64)
    padded[:height, :width] = rank
    blocks = padded.reshape(padded.shape[0] // down, down, padded.shape[1] // across, across)
    smaller: Cells = order[blocks.max(axis=(1, 3))]
    return smaller


def _write_names(cells: Cells, plan: TownPlan, down: int, across: int) -> None:
    """Write each sector's name once, into the longest run of bare floor it has."""
    sectors = np.array([arena.sector for arena in plan.arenas])[plan.arena]
    sectors[(plan.arena == OUTSIDE) | plan.blocked] = -1
    coarse = sectors[down // 2 :: down, across // 2 :: across]
    height, width = coarse.shape
    bare = np.isin(cells[:height, :width], (FLOOR, GREEN))
    for index, sector in enumerate(plan.sectors):
        row, start, length = _longest_run((coarse == index) & bare)
        if length >= min(len(sector.name), 4):
            text = shorten(sector.name, length)
            start += (length - len(text)) // 2
            cells[row, start : start + len(text)] = list(text)


def _longest_run(mask: npt.NDArray[np.bool_]) -> tuple[int, int, int]:
    """Return row, first column and length of the longest run of true cells in one row."""
    best = (0, 0, 0)
    for row in np.flatnonzero(mask.any(axis=1)).tolist():
        edges = np.flatnonzero(np.diff(np.concatenate(([0], mask[row].astype(np.int8), [0]))))
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if end - start > best[2]:
                best = (row, start, end - start)
    return best


def _format_row(
    plan: TownPlan, name: str, letter: str, snapshot: RenderSnapshot, i: int, width: int
) -> str:
    place = plan.arena_id(int(snapshot.arena[i]))
    doing = "asleep" if snapshot.asleep[i] else clean(snapshot.doing[i], 200)
    tail = f" {clean(snapshot.emoji[i], 8)}" if snapshot.emoji[i] else ""
    first = width // 4
    body = f"{shorten(name, first - 4):<{first - 4}} {shorten(place, first):<{first}} "
    room = width - len(body) - 2 - len(tail) - 1
    return f"{letter} {body}{shorten(doing, room)}{tail}"
