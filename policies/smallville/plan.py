"""Plan: the day in outline, then its hours, then pieces of some minutes, each made before need.

What is asked when; the three steps have files of their own. What happens may replace the rest of
the day from that moment on (`plan.revise`). Source: Park et al. 2023, section 4.3.
"""

from collections.abc import Mapping
from datetime import timedelta

from genagents_env.cognition.query import Moment, Query, QueryHandler
from genagents_env.cognition.routine import is_in_bed

from . import hours, outline, pieces
from .mind import SmallvilleMind
from .outline import RISE_WITHIN
from .pieces import query_pieces


def make_queries(mind: SmallvilleMind, moment: Moment) -> list[Query]:
    """Return the next call of planning that is due: a new day, its hours, or the next pieces."""
    if not mind.config.planning or mind.is_busy("plan.") or mind.is_busy("ground.pieces"):
        return []
    day, now = mind.day, moment.now
    if _needs_day(mind, moment):
        first = not day.date
        return [Query("plan.day" if first else "plan.renew", {"date": _find_date(mind, moment)})]
    if mind.asleep or mind.dialogue is not None or not day.hours:
        return []
    _rise_early(mind, moment)
    return query_pieces(mind, now)


def _needs_day(mind: SmallvilleMind, moment: Moment) -> bool:
    """Return whether to plan a day: the first, or a new one once the last is slept off."""
    day, clock = mind.day, moment.percept.time.time()
    if day.date == _find_date(mind, moment):
        return False
    if not day.date:  # whoever begins after bedtime plans tomorrow, when it comes
        return clock < mind.profile.wake or not is_in_bed(mind.profile, clock)
    return mind.asleep or moment.now >= day.bed


def _rise_early(mind: SmallvilleMind, moment: Moment) -> None:
    """Let the day begin now where the agent is up before its hour: the town wakes people, too."""
    day = mind.day
    # Earlier it is still the night before, of someone who goes to bed past midnight.
    early = 0 < day.wake - moment.now <= RISE_WITHIN
    if early and not is_in_bed(mind.profile, moment.percept.time.time()):
        day.wake = day.hours[0].start = moment.now


def _find_date(mind: SmallvilleMind, moment: Moment) -> str:
    """Return the date of the agent's current day, which may last past midnight."""
    bed, time = mind.profile.bed, moment.percept.time
    past_midnight = bed <= mind.profile.wake and time.time() < bed
    return (time - timedelta(days=past_midnight)).date().isoformat()


HANDLERS: Mapping[str, QueryHandler[SmallvilleMind]] = {
    **outline.HANDLERS,
    **hours.HANDLERS,
    **pieces.HANDLERS,
}
