"""The network of mutual knowledge, by the record and by interviews, and its hallucinations."""

from genagents_env.evaluate.findings import findings
from genagents_env.evaluate.measures.measure import measure
from genagents_env.evaluate.network import density_after, density_before
from genagents_env.evaluate.run_data import RunData

_PARK = "Park et al. 2023, section 7.1"


@measure(
    "density",
    "Network density",
    "share",
    """The share of all pairs of agents who know each other at the end: by ties on both sides from
    the start, or since one spoke and the other, addressed, heard it. None for fewer than two
    agents, and before any time has passed.""",
    f"{_PARK}, as seen from outside instead of asked",
    "more",
)
def density(data: RunData) -> float | None:
    """Return the share."""
    return density_after(data) if len(data.names) > 1 and data.ticks else None


@measure(
    "density_gained",
    "Network density gained",
    "share",
    """`density` less the same share at the start. None for fewer than two agents, and before any
    time has passed.""",
    _PARK,
    "more",
)
def density_gained(data: RunData) -> float | None:
    """Return the difference."""
    if len(data.names) < 2 or not data.ticks:
        return None
    return density_after(data) - density_before(data)


@measure(
    "acquainted",
    "Network density by interview",
    "share",
    """The share of the pairs asked about each other after the run in which both claim to know of
    the other. None where no pair was asked.""",
    _PARK,
    "more",
)
def acquainted(data: RunData) -> float | None:
    """Return the share."""
    after = findings(data).acquainted_after
    return None if after is None else after.density


@measure(
    "acquainted_verified",
    "Verified density by interview",
    "share",
    """The share of the pairs asked about each other after the run in which both claims are borne
    out by ties, memories of the start, or an event that is named. None where no pair was
    asked.""",
    _PARK,
    "more",
)
def acquainted_verified(data: RunData) -> float | None:
    """Return the share."""
    after = findings(data).acquainted_after
    return None if after is None else after.verified_density


@measure(
    "hallucinated",
    "Hallucination",
    "share",
    """Of all claims to know a fact or a person, in the interviews at both ends, the share that
    nothing bears out. None where nothing was claimed.""",
    _PARK,
    "less",
)
def hallucinated(data: RunData) -> float | None:
    """Return the share."""
    return findings(data).hallucination_rate
