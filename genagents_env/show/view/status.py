"""The resource `status`: how far the run is."""

from genagents_env.record import RunReader
from genagents_env.record.rows import JSON


def make_status(run: RunReader, revision: int = 0) -> dict[str, JSON]:
    """Return how far the run is.

    Args:
        run: the run.
        revision: of what was given of it before; see `OpenRun`.
    """
    length = run.measure()
    return {
        "state": run.status,
        "lastTick": length.last_tick,
        "events": length.events,
        "calls": length.calls,
        "revision": revision,
    }
