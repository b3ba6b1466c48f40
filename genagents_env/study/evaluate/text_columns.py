"""Rows in columns for a terminal, within its width: no cell is broken, no column is lost."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

_GAP = "  "


def format_columns(
    heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], width: int = 0
) -> Iterator[str]:
    """Yield the lines of a table, heads first.

    Where it is wider than `width`, heads take several lines; columns that still do not fit stand
    below the others, beside the first column that tells the rows apart.

    Args:
        heads: above the columns.
        rows: a cell for each head.
        right: for each column whether its cells stand at its right edge.
        width: characters of a line; 0 is as many as needed.
    """
    if not heads:
        return
    wide = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    body = [max([0, *(len(row[k]) for row in rows)]) for k in range(len(heads))]
    words = [max(map(len, head.split()), default=0) for head in heads]
    narrow = wide if not width or _sum_up(wide) <= width else list(map(max, body, words))
    for part in _split(narrow, width, _find_key(rows)):
        widths = wide if width and _sum_up([wide[k] for k in part]) <= width else narrow
        cells = [_break_head(heads[k], widths[k]) for k in part]
        high = max(map(len, cells))
        lines = [[""] * (high - len(cell)) + cell for cell in cells]
        for line in (*zip(*lines, strict=True), *([row[k] for k in part] for row in rows)):
            aligned = (
                word.rjust(widths[k]) if right[k] else word.ljust(widths[k])
                for word, k in zip(line, part, strict=True)
            )
            yield _GAP.join(aligned).rstrip()


def _find_key(rows: Sequence[Sequence[str]]) -> int:
    """Return the first column in which no two rows are equal; the first of all without one."""
    columns = enumerate(zip(*rows, strict=True))
    return next((k for k, column in columns if len(set(column)) == len(rows)), 0)


def _sum_up(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _split(widths: Sequence[int], width: int, key: int) -> Iterator[list[int]]:
    """Yield the columns that stand beside one another; all parts but the first begin with `key`."""
    part: list[int] = []
    fresh = 0  # columns of the part that no other has
    for k in range(len(widths)):
        if width and fresh and _sum_up([widths[at] for at in (*part, k)]) > width:
            yield part
            part, fresh = [key], int(k == key)  # the key itself may be what did not fit
        if k not in part:
            part.append(k)
            fresh += 1
    if fresh:
        yield part


def _break_head(head: str, width: int) -> list[str]:
    return wrap(head, max(1, width), break_long_words=False, break_on_hyphens=False) or [""]
