"""Calls that got no answer: which of them an outage took, so that a resumed run asks them again."""

from dataclasses import dataclass

from genagents_env.llm.cassette import UNAVAILABLE
from genagents_env.record.connection import RunConnection

# So the client marks calls that got no answer at all, as against one that was no use.
_SILENT = f"(outcome = 'fallback' AND fault LIKE '{UNAVAILABLE}%')"
_LOST = f"({_SILENT} OR (outcome = 'fallback' AND fault LIKE 'refused:%'))"
# By when they ended: of calls made together, those that were answered ended before the outage.
_ENDED = "(started_at + latency_seconds)"
_LATEST = (
    f"FROM calls WHERE {_LOST} AND {_ENDED} > "  # noqa: S608 (constant text)
    f"(SELECT coalesce(max({_ENDED}), 0) FROM calls WHERE NOT {_LOST})"
)


@dataclass(frozen=True, slots=True)
class Outage:
    """The calls without an answer since the last one that was answered.

    Attributes:
        tick: the first of theirs.
        calls: how many.
        fault: of the one that ended last.
        silent: how many of them were not answered, rather than refused for their prompt.
        total: whether no call of the run was ever answered.
    """

    tick: int
    calls: int
    fault: str
    silent: int
    total: bool

    def describe(self) -> str:
        """Return in a sentence what happened, and what to do."""
        which = "of all its model calls" if self.total else "of the last model calls of the run"
        return (
            f"{self.calls} {which} got no answer, the last with: {self.fault}. "
            "Resume the run when the endpoint answers; for a slow one, with a longer --timeout "
            "and --deadline"
        )


def find_outage(connection: RunConnection) -> Outage | None:
    """Return the outage in which a run file ends, None where its last call was answered."""
    tick, calls, silent = connection.execute(
        f"SELECT min(tick), count(*), coalesce(sum({_SILENT}), 0) {_LATEST}"
    ).fetchone()
    if not calls:
        return None
    (fault,) = connection.execute(
        f"SELECT fault {_LATEST} ORDER BY {_ENDED} DESC LIMIT 1"
    ).fetchone()
    (answered,) = connection.execute(
        f"SELECT count(*) FROM calls WHERE NOT {_LOST}"  # noqa: S608
    ).fetchone()
    return Outage(int(tick), int(calls), str(fault), int(silent), not answered)
