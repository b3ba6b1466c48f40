"""The resource `ticks/K`: where everyone is, tick by tick."""

from genagents_env.record import RunReader
from genagents_env.show.view.parts import find_span


def make_ticks(run: RunReader, part: int) -> bytes:
    """Return x and y of everyone in the ticks of a part as little-endian int16, row by row."""
    return b"".join(at.astype("<i2").tobytes() for _, at in run.ticks(*find_span(part)))
