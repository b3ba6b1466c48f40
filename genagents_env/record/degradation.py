"""Whether a run is degraded, and why: the one rule for terminal, summary, exit code and report.

A degraded run is finished or not like any other, but what happened in it was not decided by its
policies alone: one failed and its agents idled, or too many model calls, of whatever purpose, had
no usable reply, also when asked again, and a default stood in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_FALLBACKS = 0.2  # share of a run's model calls, where nothing else is asked for
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
        fallbacks: model calls in whose place a default stood, with replies in which a mind that
            acts by tools found none, and verdicts that the run's own model did not give on its
            answers.
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
        """Whether a policy failed at all, or too many calls fell back: the run is in no mean."""
        return bool(self.failures) or self.fell_back

    @property
    def fell_back(self) -> bool:
        """Whether more than the allowed share of the model calls had no usable reply."""
        return self.fallbacks > self.max_fallbacks * self.calls

    @property
    def exit_code(self) -> int:
        """Of the command line, for a run that finished: 4 where it is degraded, else 0."""
        return DEGRADED_EXIT if self.degraded else 0

    @property
    def share(self) -> float:
        """Of the model calls, those without a usable reply; 0 where there are none."""
        return self.fallbacks / self.calls if self.calls else 0.0

    @property
    def limit(self) -> str:
        """The share of fallbacks that is allowed, in percent."""
        return f"{100 * self.max_fallbacks:.4g}%"

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
                f"{self.fallbacks:,} of {self.calls:,} model calls ({self.share:.1%}) had no "
                f"usable reply, more than {self.limit} (--max-fallbacks)"
            )


def _list_some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
