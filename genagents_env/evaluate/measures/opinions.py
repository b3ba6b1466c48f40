"""Changes of mind between the interviews at both ends."""

from genagents_env.evaluate.checks import RULE
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.preferences import Preference, affinity, leaning, preferences
from genagents_env.evaluate.run_data import RunData
from genagents_env.scenario.schema import ValueCheck

_LYFE = "Lyfe Agents (Kaiya et al. 2023), sections 5.1.1 and 5.2"


def _by_rule(data: RunData) -> dict[str, Preference | None]:
    found = {one.check: one for one in preferences(data) if one.by == RULE}
    checks = [check.id for check in data.scenario.checks if isinstance(check, ValueCheck)]
    return {id_: found.get(id_) for id_ in checks}


@measure(
    "changed",
    "Change of opinion",
    "share",
    """Of the agents who lean to one value of the check both before and after the run, the share
    who lean to another one after. One for each value check, by its rules; none where nobody leans
    at both ends.""",
    _LYFE,
)
def changed(data: RunData) -> dict[str, float | None]:
    """Return the share by check."""
    return {id_: None if one is None else _changed(one) for id_, one in _by_rule(data).items()}


@measure(
    "of_one_mind",
    "Of one mind",
    "share",
    """The probability that two agents name the same value after the run, `otherwise` not counted,
    averaged over all pairs. One for each value check, by its rules; none where fewer than two
    answered.""",
    f"{_LYFE}, appendix D.3",
)
def of_one_mind(data: RunData) -> dict[str, float | None]:
    """Return the mean affinity by check."""
    return {id_: None if one is None else _affinity(one) for id_, one in _by_rule(data).items()}


def _changed(one: Preference) -> float | None:
    both = [
        agent
        for agent in one.before
        if leaning(one.before[agent]) is not None and leaning(one.after.get(agent, {})) is not None
    ]
    return over(len(one.changed), len(both))


def _affinity(one: Preference) -> float | None:
    matrix = affinity(one).matrix
    pairs = [
        value
        for row, values in enumerate(matrix)
        for value in values[row + 1 :]
        if value is not None
    ]
    return over(sum(pairs), len(pairs))
