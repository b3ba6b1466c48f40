"""Patterns: that each of them says something."""

from collections.abc import Iterator, Sequence

from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.patterns import compile_pattern, prepare

_EMPTY = prepare("")


def check_patterns(patterns: Sequence[str], loc: Loc) -> Iterator[Fault]:
    """Yield which of the patterns at `loc` are found in everything."""
    for i, pattern in enumerate(patterns):
        if compile_pattern(pattern).is_in(_EMPTY):
            text = f"{quote(pattern)} matches the empty text, so everything; make it say something"
            yield Fault((*loc, i), text)
