"""How far facts spread: as interviews show it, and as the record has people hear of them."""

from genagents_env.evaluate.findings import findings
from genagents_env.evaluate.knowledge import Spread, fact_spreads
from genagents_env.evaluate.measures.measure import measure, over
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.spreading import first_heard

_PARK = "Park et al. 2023, section 7.1"


@measure(
    "verified",
    "Verified diffusion",
    "share",
    """Of those asked about the fact after the run, the share who claim to know it and whose
    claim an event they name bears out, or who knew it from the start. One for each fact with a
    question; none where nobody was asked.""",
    _PARK,
    "more",
)
def verified(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    found = findings(data).facts
    return {one.fact: None if one.after is None else one.after.verified_share for one in found}


@measure(
    "claimed",
    "Claimed diffusion",
    "share",
    """Of those asked about the fact after the run, the share who claim to know it, borne out or
    not. One for each fact with a question; none where nobody was asked.""",
    _PARK,
)
def claimed(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    found = findings(data).facts
    return {one.fact: None if one.after is None else one.after.claimed_share for one in found}


@measure(
    "heard",
    "Diffusion by hearing",
    "share",
    """The share of all agents who knew the fact from the start or heard it by the end, by the
    record's `learn` events. One for each fact; none before any time has passed.""",
    "what an observer sees of the diffusion of Park et al. 2023, section 7.1",
    "more",
)
def heard(data: RunData) -> dict[str, float | None]:
    """Return the share by fact."""
    return {
        one.fact: over(_knowing(one, data), len(data.names)) if data.ticks else None
        for one in fact_spreads(data)
    }


def _knowing(spread: Spread, data: RunData) -> int:
    return len(spread.at_start) + len(first_heard(spread, data.names))


@measure(
    "half_time",
    "Time until half know",
    "hours",
    """Game hours from the start until at least half of all agents knew the fact. One for each
    fact; none where that did not happen, or was so from the start.""",
    "half-time of a diffusion; ours",
    "less",
)
def half_time(data: RunData) -> dict[str, float | None]:
    """Return the hours by fact."""
    return {
        one.fact: _half(len(one.at_start), [t for t, _ in first_heard(one, data.names)], data)
        for one in fact_spreads(data)
    }


def _half(knowing: int, ticks: list[int], data: RunData) -> float | None:
    missing = -(-len(data.names) // 2) - knowing
    if missing <= 0 or missing > len(ticks):
        return None
    return over(ticks[missing - 1], data.hour)


@measure(
    "telling",
    "Utterances that tell a fact",
    "share",
    """Of all utterances, the share in which a fact of the scenario is recognised. None where
    nothing was said or the scenario has no facts.""",
    "ours",
)
def telling(data: RunData) -> float | None:
    """Return the share."""
    if not data.scenario.facts:
        return None
    said = data.utterances
    return over(sum(bool(event.data["facts"]) for event in said), len(said))
