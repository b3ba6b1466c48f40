"""The network of mutual knowledge, by the record and by interviews, and its hallucinations."""

from genagents_env.evaluate.measures.measure import measure
from genagents_env.evaluate.record import Record

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
def density(record: Record) -> float | None:
    """Return the share."""
    return record.report.density_after if len(record.names) > 1 and record.ticks else None


@measure(
    "density_gained",
    "Network density gained",
    "share",
    """`density` less the same share at the start. None for fewer than two agents, and before any
    time has passed.""",
    _PARK,
    "more",
)
def density_gained(record: Record) -> float | None:
    """Return the difference."""
    if len(record.names) < 2 or not record.ticks:
        return None
    return record.report.density_after - record.report.density_before


@measure(
    "acquainted",
    "Network density by interview",
    "share",
    """The share of the pairs asked about each other after the run in which both claim to know of
    the other. None where no pair was asked.""",
    _PARK,
    "more",
)
def acquainted(record: Record) -> float | None:
    """Return the share."""
    after = record.report.findings.acquainted_after
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
def acquainted_verified(record: Record) -> float | None:
    """Return the share."""
    after = record.report.findings.acquainted_after
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
def hallucinated(record: Record) -> float | None:
    """Return the share."""
    return record.report.findings.hallucination_rate
