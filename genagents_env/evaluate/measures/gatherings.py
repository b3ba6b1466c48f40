"""Who came to the gatherings."""

from genagents_env.evaluate.coordination import Coordination
from genagents_env.evaluate.findings import findings
from genagents_env.evaluate.gathering_visits import gathering_visits
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData

_PARK = "Park et al. 2023, section 7.1"
_ALL = "One for each gathering that had begun; the others have none."


def _by_id(data: RunData) -> dict[str, Coordination | None]:
    found = {one.gathering: one for one in findings(data).gatherings}
    told = [g.id for g in data.scenario.gatherings if g.fact is not None]
    return {id_: found.get(id_) for id_ in told}


@measure(
    "came",
    "Coordination",
    "share",
    f"""Of the invited, who are all but the host that knew of the gathering before it began, the
    share who were in its place while it went on. {_ALL} None where nobody was invited.""",
    _PARK,
    "more",
)
def came(data: RunData) -> dict[str, float | None]:
    """Return the share by gathering."""
    return {
        id_: None if one is None else over(len(one.came), len(one.invited))
        for id_, one in _by_id(data).items()
    }


@measure(
    "invited",
    "Invited",
    "agents",
    f"""How many but the host knew of the gathering before it began, from the start or by hearing
    of it. {_ALL}""",
    _PARK,
    "more",
)
def invited(data: RunData) -> dict[str, float | None]:
    """Return the number by gathering."""
    return {id_: None if one is None else len(one.invited) for id_, one in _by_id(data).items()}


@measure(
    "attendance",
    "Attendance",
    "agents",
    f"""How many were in the gathering's place at any time while it went on, the host and
    passers-by with them. {_ALL}""",
    _PARK,
    "more",
)
def attendance(data: RunData) -> dict[str, float | None]:
    """Return the number by gathering."""
    found = {one.gathering: len(one.visits) for one in gathering_visits(data)}
    return {gathering.id: found.get(gathering.id) for gathering in data.scenario.gatherings}


@measure(
    "attended_hours",
    "Time at the gathering",
    "agent hours",
    f"""Game hours spent in the gathering's place while it went on, of all agents together: the
    sum of the reward `attendance`. {_ALL}""",
    "reward `attendance` of this package",
    "more",
)
def attended_hours(data: RunData) -> dict[str, float | None]:
    """Return the hours by gathering."""
    found = {
        one.gathering: sum(visit.ticks for visit in one.visits) / data.hour
        for one in gathering_visits(data)
    }
    return {gathering.id: found.get(gathering.id) for gathering in data.scenario.gatherings}
