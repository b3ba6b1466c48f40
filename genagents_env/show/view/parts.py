"""The parts in which what grows with a run is given: of so many ticks each."""

PART = 512  # ticks; the page has the same number


def find_span(part: int) -> tuple[int, int]:
    """Return the first and the last tick of a part."""
    return part * PART, part * PART + PART - 1


def count_parts(last_tick: int) -> int:
    """Return how many parts there are up to a tick; none before the first."""
    return last_tick // PART + 1
