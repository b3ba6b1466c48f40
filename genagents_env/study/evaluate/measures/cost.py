"""What the model calls of a run cost; those of interviews and judges stand apart."""

from genagents_env.study.evaluate.measure import measure
from genagents_env.study.evaluate.rates import CallCosts, compute_rates
from genagents_env.study.evaluate.run_data import RunData

_OURS = "`study.evaluate.rates`"


def _get_rate(data: RunData, of: str) -> float | None:
    """Return a rate of all calls but those of interviews and judges; 0 where there is none."""
    whole: CallCosts = compute_rates(data).whole
    if not data.ticks:
        return None
    if not whole.calls:
        return 0.0
    found: float | None = getattr(whole, of)
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
    rate = _get_rate(data, "dollars_per_hour")
    return None if rate is None else rate * compute_rates(data).speed
