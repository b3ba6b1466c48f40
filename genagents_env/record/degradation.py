"""Whether a run is degraded, and why: the one rule for terminal, summary, exit code and report.

In a degraded run not all decisions were those of its policies: a policy failed and its agents
idled, or too many model calls, of any purpose, had no usable reply even when asked again, and a
default took its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genagents_env.record.connection import RunConnection

MAX_FALLBACKS = 0.2  # share of a run's model calls, by default
DEGRADED_EXIT = 4
_MOST = 3  # people in a sentence
# A decision is that of an agent at a tick, however often its policy failed in it.
_FAILURES = """SELECT policy, sum(NOT asked), sum(asked), min(first) FROM (SELECT policy,
    kind = 'interview' AS asked, min(rowid) AS first FROM policy_errors
    GROUP BY policy, tick, agent, kind = 'interview') GROUP BY policy ORDER BY 4"""

_FIRST_FAILURE = "SELECT tick, agent, text FROM policy_errors WHERE rowid = ?"
_FAILING_AGENTS = """SELECT agent FROM policy_errors WHERE policy = ? AND kind != 'interview'
    GROUP BY agent ORDER BY min(rowid)"""
_OWN_VERDICTS = """SELECT count(*), coalesce(sum(verdict IS NULL), 0) FROM judgements
    WHERE judge = ?"""

_DECISIONS = """SELECT coalesce(sum((CASE kind WHEN 'part' THEN -1 ELSE 1 END) * (?1 - tick)), 0)
    FROM events WHERE kind IN ('start', 'join', 'part') AND tick <= ?1"""

_STRIKES = """SELECT count(*) FROM notes
    WHERE kind = 'turn' AND json_extract(text, '$.kind') = 'strike'"""


@dataclass(frozen=True, slots=True)
class PolicyFailure:
    """The failures of a policy, in which its agents idled or gave no answers.

    Attributes:
        policy: its name.
        count: failed decisions, each of one agent at one tick.
        agents: whose decisions failed.
        tick: of the first error.
        agent: of the first error.
        text: of the first error.
        interviews: in which it failed, each of one agent at one tick.
    """

    policy: str
    count: int
    agents: tuple[str, ...]
    tick: int
    agent: str
    text: str
    interviews: int = 0


@dataclass(frozen=True, slots=True)
class Degradation:
    """Failed decisions and fallbacks of a run.

    Attributes:
        failures: of each policy that failed, in the order of first failures.
        decisions: of all people at all ticks at which they were in town.
        fallbacks: model calls that a default replaced, replies in which a mind that acts by tools
            found no tool, and missing verdicts of the run's own model on its answers.
        calls: all model calls, and verdicts asked of that model.
        max_fallbacks: the share of `calls` up to which the run is not degraded.
    """

    failures: tuple[PolicyFailure, ...] = ()
    decisions: int = 0
    fallbacks: int = 0
    calls: int = 0
    max_fallbacks: float = MAX_FALLBACKS

    @property
    def degraded(self) -> bool:
        """Whether a policy failed or too many calls fell back: no mean includes the run."""
        return bool(self.failures) or self.fell_back

    @property
    def fell_back(self) -> bool:
        """Whether more than the allowed share of the model calls had no usable reply."""
        return self.fallbacks > self.max_fallbacks * self.calls

    @property
    def exit_code(self) -> int:
        """The exit code of a finished run: 4 if it is degraded, else 0."""
        return DEGRADED_EXIT if self.degraded else 0

    @property
    def share(self) -> float:
        """The share of model calls without a usable reply; 0 without calls."""
        return self.fallbacks / self.calls if self.calls else 0.0

    @property
    def limit(self) -> str:
        """The allowed share of fallbacks, in percent."""
        return f"{100 * self.max_fallbacks:.4g}%"

    def describe(self) -> Iterator[str]:
        """Yield each reason as a sentence."""
        for failure in self.failures:
            failed = self.describe_failure(failure)
            yield (
                f"policy {failure.policy} failed in {failed}; first at tick {failure.tick}, "
                f"{failure.agent}: {failure.text}"
            )
        if self.fell_back:
            yield (
                f"{self.fallbacks:,} of {self.calls:,} model calls ({self.share:.1%}) had no "
                f"usable reply, more than {self.limit} (--limit fallbacks)"
            )

    def describe_failure(self, failure: PolicyFailure) -> str:
        """Return in how many decisions and interviews a policy failed."""
        parts = []
        if failure.count:
            idle = _list_some(failure.agents)
            parts.append(f"{failure.count:,} of {self.decisions:,} decisions ({idle} idled)")
        if failure.interviews:
            several = "" if failure.interviews == 1 else "s"
            parts.append(f"{failure.interviews:,} interview{several}")
        return " and ".join(parts)


def read_failures(run: RunConnection) -> Iterator[PolicyFailure]:
    """Yield what failed of each policy in an open run file, in the order of first failures."""
    for policy, count, asked, first in run.execute(_FAILURES).fetchall():
        tick, agent, text = run.execute(_FIRST_FAILURE, (first,)).fetchone()
        agents = tuple(name for (name,) in run.execute(_FAILING_AGENTS, (policy,)))
        yield PolicyFailure(policy, count, agents, tick, agent, text, asked)


def count_decisions(run: RunConnection, last_tick: int) -> int:
    """Count the ticks up to `last_tick` at whose beginning people were in town, all together."""
    (count,) = run.execute(_DECISIONS, (last_tick,)).fetchone()
    return int(count)


def count_unusable(run: RunConnection, judge: str | None) -> tuple[int, int]:
    """Count strikes and missing verdicts of `judge`, and its verdicts asked: no calls show them."""
    (strikes,) = run.execute(_STRIKES).fetchone()
    asked, lost = run.execute(_OWN_VERDICTS, (judge,)).fetchone()
    return strikes + lost, asked


def _list_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
