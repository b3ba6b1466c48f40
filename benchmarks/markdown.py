"""Tables in Markdown, and the figures that they are made from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Figures: TypeAlias = Mapping[str, Any]  # by run, what `figure_values.read_values` returns


def make_rows(*rows: Sequence[str]) -> Iterator[str]:
    """Yield rows as Markdown, the first as the head."""
    head, *body = rows
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in body:
        yield f"| {' | '.join(row)} |"
