"""Tables in Markdown, and the figures that they are made from."""

import json
import re
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


def write_numbers(figures: Mapping[str, Any]) -> str:
    """Return figures as JSON, the numbers of one list on one line."""
    text = json.dumps(figures, indent=1)
    pattern = r"\[\s+([^\[\]{}]*?)\s+\]"
    return re.sub(pattern, lambda m: f"[{' '.join(m[1].split())}]", text) + "\n"
