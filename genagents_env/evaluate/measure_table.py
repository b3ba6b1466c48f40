"""The shipped measures as a table in Markdown, for the docs."""

from genagents_env.evaluate.measures import DEFAULT, Measure, listing

_BETTER = {"more": "more", "less": "less", "": "-"}


def measure_table() -> str:
    """Return the table: a row for each shipped measure, those of the default set marked with *."""
    head = ("name", "title", "unit", "better", "definition", "source")
    rows = [_row(head), _row(["---"] * len(head)), *(_row(_cells(one)) for one in listing())]
    return "".join(f"{row}\n" for row in rows)


def _cells(one: Measure) -> tuple[str, ...]:
    star = " *" if one.name in DEFAULT else ""
    better = _BETTER[one.better]
    return f"`{one.name}`{star}", one.title, one.unit, better, one.definition, one.source


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
