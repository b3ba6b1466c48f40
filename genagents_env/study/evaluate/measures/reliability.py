"""How often the model or the policy failed, and how long the run took."""

from genagents_env.record.rows import CallRow
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.run_data import RunData

_APART = ("interview", "judge")
_OURS = "ours"


def _list_living_calls(data: RunData) -> list[CallRow]:
    return [call for call in data.calls if call.purpose.split(".")[0] not in _APART]


@measure("Fallbacks", "share", _OURS)
def fallbacks(data: RunData) -> float | None:
    """Of the model calls of living, the share whose declared default was taken, since no usable
    reply came. None without a call.
    """
    calls = _list_living_calls(data)
    return ratio(sum(call.outcome == "fallback" for call in calls), len(calls))


@measure("Policy errors", "per agent and game hour", _OURS)
def policy_errors(data: RunData) -> float | None:
    """Decisions in which a policy raised, hung or answered nonsense, so that its agent idled, per
    agent and game hour. None before any time has passed.
    """
    return ratio(data.reader.policy_fault_count(), data.agent_hours)


@measure("Failed actions", "per agent and game hour", _OURS)
def failed_actions(data: RunData) -> float | None:
    """Actions that the town refused, whatever the reason, per agent and game hour. None before any
    time has passed.
    """
    return ratio(len(data.of_kind("fail")), data.agent_hours)


@measure("Wall clock", "seconds per game hour", _OURS)
def wall_seconds(data: RunData) -> float | None:
    """Seconds of wall clock that the run took, interviews with them, per game hour, all agents
    together, as noted when it stopped last. It depends on the machine and on what else ran there.
    None where nothing was noted, and before any time has passed.
    """
    spending = data.reader.spending
    return None if spending is None else ratio(spending.seconds, data.hours)
