"""The summary of a run, from its record alone."""

from dataclasses import asdict, dataclass
from datetime import datetime

from genagents_env.evaluate.attendance import Visit, stays, visits
from genagents_env.evaluate.checks import verdicts
from genagents_env.evaluate.cost import Cost, Embedded, costs, embedded
from genagents_env.evaluate.findings import Findings, findings
from genagents_env.evaluate.flow import Flow, flows
from genagents_env.evaluate.knowledge import Spread, spreads
from genagents_env.evaluate.network import density, known_at_start, met
from genagents_env.evaluate.outcomes import Agreement, Outcome, compared, weighed
from genagents_env.evaluate.preferences import Preference, preferred
from genagents_env.evaluate.talk import Talk, talk
from genagents_env.record import RunReader
from genagents_env.record.reader import Spent
from genagents_env.record.rows import JSON


@dataclass(frozen=True, slots=True)
class Attendance:
    """A gathering of the scenario and who came, in the order of coming."""

    gathering: str
    place: str
    start: datetime
    end: datetime
    visits: tuple[Visit, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a run came to.

    Attributes:
        status: see `RunReader.status`.
        scenario: its name.
        people: who took part.
        start: town time of tick 0.
        end: town time of the last tick.
        last_tick: of the run.
        seconds_per_tick: simulated.
        policies: for each policy how many agents it decides for.
        model: its name, or None.
        facts: how each fact of the scenario spread.
        gatherings: attendance of those that fall into the time lived.
        density_before: of mutual knowledge at the start.
        density_after: with those added who spoke with one another.
        talk: conversations and utterances.
        spent: calls, tokens and dollars.
        faculties: what each faculty of the minds cost, and last all of them; see `cost`.
        embeddings: what they cost; None where none are stored.
        findings: what the interviews show; see `findings`.
        policy_errors: decisions in which a policy failed; its agent idled.
        outcomes: whether the scenario's successes came about, by each judge; see `outcomes`.
        agreements: how far the models that judged agree with the rule.
        flows: who received, stored and retrieved each fact; see `flow`.
        preferences: the answers to each value check at both ends, by each judge.
    """

    status: str
    scenario: str
    people: tuple[str, ...]
    start: datetime
    end: datetime
    last_tick: int
    seconds_per_tick: int
    policies: dict[str, int]
    model: str | None
    facts: tuple[Spread, ...]
    gatherings: tuple[Attendance, ...]
    density_before: float
    density_after: float
    talk: Talk
    spent: Spent
    faculties: tuple[Cost, ...]
    embeddings: Embedded | None
    findings: Findings
    policy_errors: int
    outcomes: tuple[Outcome, ...]
    agreements: tuple[Agreement, ...]
    flows: tuple[Flow, ...]
    preferences: tuple[Preference, ...]

    @property
    def degraded(self) -> bool:
        """Whether defaults stood in for the model in more than 1 % of its decisions."""
        return self.spent.degraded

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values: times in ISO 8601, dollars as decimal text."""
        values: dict[str, JSON] = _plain(asdict(self))
        return values | {
            "findings": self.findings.as_json(),
            "degraded": self.degraded,
            "outcomes": [one.as_json() for one in self.outcomes],
            "agreements": [one.as_json() for one in self.agreements],
            "flows": [one.as_json() for one in self.flows],
            "preferences": [one.as_json() for one in self.preferences],
        }


def report(run: RunReader) -> Report:
    """Return the summary of `run` as far as it is recorded."""
    meta, events, last = run.meta, list(run.events()), max(0, run.last_tick)
    where = stays(events, last)
    before = known_at_start(meta.scenario.people)
    policies: dict[str, int] = {}
    judged = verdicts(run)
    for spec in meta.policies.values():
        policies[spec["name"]] = policies.get(spec["name"], 0) + 1
    gatherings = tuple(
        Attendance(
            gathering.id,
            gathering.place,
            gathering.start,
            gathering.end,
            tuple(
                visits(
                    where,
                    gathering.place,
                    run.tick_at(gathering.start),
                    run.tick_at(gathering.end),
                )
            ),
        )
        for gathering in meta.scenario.gatherings
        if gathering.start <= run.time(last) and gathering.end > run.time(0)
    )
    return Report(
        status=run.status,
        scenario=meta.scenario.name,
        people=meta.names,
        start=run.time(0),
        end=run.time(last),
        last_tick=last,
        seconds_per_tick=meta.seconds_per_tick,
        policies=policies,
        model=meta.model,
        facts=tuple(spreads(meta.scenario.facts, meta.names, events)),
        gatherings=gatherings,
        density_before=density(before, len(meta.names)),
        density_after=density(before | met(events), len(meta.names)),
        talk=talk(events),
        spent=run.spent(),
        faculties=costs(run),
        embeddings=embedded(run),
        findings=findings(run),
        policy_errors=run.policy_fault_count(),
        outcomes=weighed(meta.scenario, judged),
        agreements=compared(judged),
        flows=flows(run),
        preferences=preferred(meta.scenario, judged),
    )


def _plain(value: object) -> JSON:
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if isinstance(value, datetime) else str(value)
