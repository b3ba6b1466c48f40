"""What a run cost, interviews and judges apart: calls, dollars, time, and what failed."""

from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.rates import compute_rates, list_own_calls
from genagents_env.study.evaluate.run_data import RunData

_OURS = "`study.evaluate.rates`"


def _get_rate(data: RunData, of: str) -> float | None:
    """Return a rate of all calls but those of interviews and judges; 0 where there is none."""
    rates = compute_rates(data)
    if not data.ticks:
        return None
    found: float | None = getattr(rates, of) if rates.calls else 0.0
    return found


@measure("Model calls", "per agent and game hour", _OURS)
def calls_per_hour(data: RunData) -> float | None:
    """Model calls per agent and game hour. Calls of interviews and of judges are left out. Hours
    are those lived, asleep or awake, of the agents who made any call; where nobody made one it is
    0. None before any time has passed.
    """
    return _get_rate(data, "calls_per_hour")


@measure("Tokens", "per agent and game hour", _OURS)
def tokens_per_hour(data: RunData) -> float | None:
    """Tokens read and written per agent and game hour. Calls of interviews and of judges are left
    out. Hours are those lived, asleep or awake, of the agents who made any call; where nobody made
    one it is 0. None before any time has passed.
    """
    return _get_rate(data, "tokens_per_hour")


@measure("Dollars", "per agent and game hour", _OURS)
def dollars_per_hour(data: RunData) -> float | None:
    """Dollars per agent and game hour at the run's own price. Calls of interviews and of judges are
    left out. Hours are those lived, asleep or awake, of the agents who made any call; where nobody
    made one it is 0. None without a price.
    """
    return _get_rate(data, "dollars_per_hour")


@measure(
    "Dollars per human hour",
    "per agent and human hour",
    "Lyfe Agents (Kaiya et al. 2023), figure 6 and appendix F",
)
def dollars_per_human_hour(data: RunData) -> float | None:
    """`dollars_per_hour` times 10, the game hours in a human hour at ten times real time. Calls of
    interviews and of judges are left out. Hours are those lived, asleep or awake, of the agents who
    made any call; where nobody made one it is 0. None without a price.
    """
    return _get_rate(data, "dollars_per_human_hour")


@measure("Fallbacks", "share", "ours")
def fallbacks(data: RunData) -> float | None:
    """Of the model calls of living, the share whose declared default was taken, since no usable
    reply came. None without a call.
    """
    calls = list_own_calls(data)
    return ratio(sum(call.outcome == "fallback" for call in calls), len(calls))


@measure("Policy errors", "per agent and game hour", "ours")
def policy_errors(data: RunData) -> float | None:
    """Decisions in which a policy raised, hung or answered nonsense, so that its agent idled, per
    agent and game hour. None before any time has passed.
    """
    return ratio(data.reader.policy_fault_count(), data.agent_hours)


@measure("Failed actions", "per agent and game hour", "ours")
def failed_actions(data: RunData) -> float | None:
    """Actions that the town refused, whatever the reason, per agent and game hour. None before any
    time has passed.
    """
    return ratio(len(data.of_kind("fail")), data.agent_hours)


@measure("Wall clock", "seconds per game hour", "ours")
def wall_seconds(data: RunData) -> float | None:
    """Seconds of wall clock that the run took, interviews with them, per game hour, all agents
    together, as noted when it stopped last. It depends on the machine and on what else ran there.
    None where nothing was noted, and before any time has passed.
    """
    spending = data.reader.spending
    return None if spending is None else ratio(spending.seconds, data.hours)
