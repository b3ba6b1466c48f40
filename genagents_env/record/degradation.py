"""Whether a run is degraded, and why: the one rule for terminal, summary, exit code and report.

A degraded run is finished or not like any other, but not all that happened in it was decided by its
policies: one failed and its agents idled, or a model's decisions fell back to their defaults.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

DEGRADED_ABOVE = 0.01  # of the decisions asked of a model
DEGRADED_EXIT = 4
_MOST = 3  # people in a sentence


@dataclass(frozen=True, slots=True)
class PolicyFailure:
    """How often a policy failed, so that its agents idled.

    Attributes:
        policy: its name.
        count: decisions, each of one agent at one tick.
        agents: for whom it failed.
        tick: of the first error.
        agent: for whom that was.
        text: of it.
    """

    policy: str
    count: int
    agents: tuple[str, ...]
    tick: int
    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class Degradation:
    """What took the place of decisions in a run.

    Attributes:
        failures: of each policy that failed, in the order in which they began to.
        decisions: of all people at all ticks.
        fallbacks: decisions asked of a model that fell back to a default.
        calls: all that were asked of it.
    """

    failures: tuple[PolicyFailure, ...] = ()
    decisions: int = 0
    fallbacks: int = 0
    calls: int = 0

    @property
    def degraded(self) -> bool:
        """Whether any policy failed at all, or more than 1 % of a model's decisions fell back."""
        return self.policies_failed or self.fell_back

    @property
    def policies_failed(self) -> bool:
        """Whether any decision was lost to an error of a policy: such a run is in no mean."""
        return bool(self.failures)

    @property
    def fell_back(self) -> bool:
        """Whether more than 1 % of the decisions asked of a model fell back to a default."""
        return self.fallbacks > DEGRADED_ABOVE * self.calls

    @property
    def exit_code(self) -> int:
        """Of the command line, for a run that finished: 4 where a policy failed, else 0."""
        return DEGRADED_EXIT if self.policies_failed else 0

    def describe(self) -> Iterator[str]:
        """Yield each reason in words."""
        for one in self.failures:
            yield (
                f"policy {one.policy} failed in {one.count:,} of {self.decisions:,} decisions "
                f"({_list_some(one.agents)} idled); first at tick {one.tick}, "
                f"{one.agent}: {one.text}"
            )
        if self.fell_back:
            yield (
                f"{self.fallbacks:,} of {self.calls:,} decisions asked of the model fell back to "
                "a default"
            )


def _list_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
