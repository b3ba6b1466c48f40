"""What the interviews of a run show: knowledge, acquaintance, coordination, hallucination.

From the record alone. Where nobody was asked, or a gathering did not take place in the time
simulated, there is no finding, which differs from a finding of zero.
"""

from dataclasses import dataclass

from genagents_env.record.rows import JSON
from genagents_env.study.evaluate.measure import measure, ratio
from genagents_env.study.evaluate.measures.acquaintance import Acquaintance, compute_acquaintances
from genagents_env.study.evaluate.measures.gatherings import Coordination, compute_coordinations
from genagents_env.study.evaluate.measures.knowledge import FactFinding, compute_fact_findings
from genagents_env.study.evaluate.results import as_json
from genagents_env.study.evaluate.run_data import RunData, once_per_run


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a run.

    Attributes:
        facts: those that a question of the scenario asks for, in its order.
        acquainted_before: the network of mutual knowledge at the start; None if nobody was asked.
        acquainted_after: at the end; None if nobody was asked.
        gatherings: those with a fact that had begun.
        claims: all claims to know a fact or a person, in all interviews.
        hallucinated: those of them that nothing bears out.
        uncited: those that the record bears out, though they name none of its events.
    """

    facts: tuple[FactFinding, ...]
    acquainted_before: Acquaintance | None
    acquainted_after: Acquaintance | None
    gatherings: tuple[Coordination, ...]
    claims: int
    hallucinated: int
    uncited: int = 0

    @property
    def asked(self) -> bool:
        """Whether anything that these measures read was answered."""
        ends = [end for fact in self.facts for end in (fact.before, fact.after)]
        return any(
            end is not None for end in (*ends, self.acquainted_before, self.acquainted_after)
        )

    @property
    def hallucination_rate(self) -> float | None:
        """The share of all claims that nothing bears out; None without claims."""
        return ratio(self.hallucinated, self.claims)

    @property
    def uncited_rate(self) -> float | None:
        """The share of all claims that are true by the record alone; None without claims."""
        return ratio(self.uncited, self.claims)

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values; null where nobody was asked."""
        return {
            "facts": {
                one.fact: {
                    "before": one.before and one.before.as_json(),
                    "after": one.after and one.after.as_json(),
                }
                for one in self.facts
            },
            "acquaintance": {
                "before": self.acquainted_before and as_json(self.acquainted_before),
                "after": self.acquainted_after and as_json(self.acquainted_after),
            },
            "gatherings": {one.gathering: one.as_json() for one in self.gatherings},
            "claims": self.claims if self.asked else None,
            "hallucinated": self.hallucinated if self.asked else None,
            "hallucination_rate": self.hallucination_rate,
            "uncited": self.uncited if self.asked else None,
        }


@once_per_run
def compute_findings(data: RunData) -> Findings:
    """Return what the interviews of a run show, as far as it is recorded."""
    facts, networks = compute_fact_findings(data), compute_acquaintances(data)
    knowing = [end for one in facts for end in (one.before, one.after) if end is not None]
    drawn = [network for network in networks if network is not None]
    return Findings(
        facts,
        *networks,
        compute_coordinations(data),
        claims=sum(len(k.claimed) for k in knowing) + sum(n.claims for n in drawn),
        hallucinated=sum(len(k.hallucinated) for k in knowing) + sum(n.hallucinated for n in drawn),
        uncited=sum(len(k.uncited) for k in knowing) + sum(n.uncited for n in drawn),
    )


@measure("Hallucination", "share", "Park et al. 2023, section 7.1")
def hallucinated(data: RunData) -> float | None:
    """Of all claims to know a fact or a person, in the interviews at both ends, the share that
    nothing bears out, neither an event that is named nor any other of the record. None where
    nothing was claimed.
    """
    return compute_findings(data).hallucination_rate


@measure(
    "True without a source",
    "share",
    "ours; in Park et al. 2023, section 7.1, the authors look for the memory",
)
def uncited(data: RunData) -> float | None:
    """Of all claims to know a fact or a person, in the interviews at both ends, the share that
    names no event which bears it out, though the record has one: the fact was said in the agent's
    hearing, or the two spoke, one heard of the other, or both were in one room. None where nothing
    was claimed.
    """
    return compute_findings(data).uncited_rate
