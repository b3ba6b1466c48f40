"""Whether people keep to the routine that the scenario gives them."""

from statistics import fmean

from genagents_env.evaluate.adherence import Appointment, appointments, kept
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData

_WHERE = "the place that the scenario's routine has one be at by the clock"


@measure(
    "adherence",
    "Adherence to the routine",
    "share",
    f"""Of the time in which agents with a routine were awake, the share at {_WHERE}. After a change
    of place up to 20 game minutes on the way are left out. None without such time.""",
    "ours; minds follow plans of their own, which the record does not hold",
)
def adherence(data: RunData) -> float | None:
    """Return the share."""
    return over(*kept(data))


def _due(data: RunData) -> list[Appointment]:
    return [one for one in appointments(data) if one.moved and one.awake]


@measure(
    "lateness",
    "Lateness",
    "game minutes",
    """The mean time from the hour at which the routine changes the place until its agent is there,
    over the changes after which it came while the entry was in force; 0 for one who was there
    before. None without one.""",
    "ours",
    "less",
)
def lateness(data: RunData) -> float | None:
    """Return the mean."""
    minute = 60 / data.meta.seconds_per_tick
    late = [(one.came - one.first) / minute for one in _due(data) if one.came is not None]
    return fmean(late) if late else None


@measure(
    "missed",
    "Missed appointments",
    "share",
    f"""Of the entries of the routine that change the place, lie wholly in the time lived and found
    their agent awake, the share in which it never was at {_WHERE}. None without one.""",
    "ours",
    "less",
)
def missed(data: RunData) -> float | None:
    """Return the share."""
    whole = [one for one in _due(data) if one.whole]
    return over(sum(one.came is None for one in whole), len(whole))
