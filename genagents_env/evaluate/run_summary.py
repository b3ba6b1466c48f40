"""All that one run amounts to, from its record alone: one type for CLI, report and sweep."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime, timedelta
from pathlib import Path

from genagents_env.evaluate.evidence import RestedAnswer, find_rested_answers
from genagents_env.evaluate.faculty_costs import (
    EmbeddingCost,
    FacultyCost,
    compute_embedding_cost,
    compute_faculty_costs,
)
from genagents_env.evaluate.hearings import find_statements
from genagents_env.evaluate.measures.acquaintance import (
    compute_density_after,
    compute_density_before,
)
from genagents_env.evaluate.measures.crowding import Crowding, compute_crowding
from genagents_env.evaluate.measures.diffusion import Spread, trace_run_facts
from genagents_env.evaluate.measures.findings import Findings, compute_findings
from genagents_env.evaluate.measures.flow import Flow, compute_flows
from genagents_env.evaluate.measures.gatherings import GatheringVisits, find_gathering_visits
from genagents_env.evaluate.measures.judge_agreement import Agreement, compute_agreements
from genagents_env.evaluate.measures.lengths import Spans, compute_spans
from genagents_env.evaluate.measures.preferences import Preference, compute_preferences
from genagents_env.evaluate.measures.success import SuccessOutcome, compute_outcomes
from genagents_env.evaluate.measures.talk import TalkCounts, count_talk
from genagents_env.evaluate.measures.tools import ToolUse, count_tool_use
from genagents_env.evaluate.moments import ShownMoment, choose_moments
from genagents_env.evaluate.narratives import SummaryCourse, find_summary_courses
from genagents_env.evaluate.opinions import Opinion, find_opinions
from genagents_env.evaluate.rates import GAME_SPEED, Rates, Tariff, compute_rates
from genagents_env.evaluate.run_data import RunData
from genagents_env.evaluate.tellings import Telling, ToldFact, trace_tellings
from genagents_env.record import Degradation, FacultyUse, RunReader
from genagents_env.record.call_sums import CallTotals, ModelChange, ThinkingTotals
from genagents_env.record.meta import LimitChange, PolicyChange
from genagents_env.record.notes import PromptCuts
from genagents_env.record.rows import JSON
from genagents_env.record.spending import Spending


@dataclass(frozen=True, slots=True)
class RunSummary:
    """All that one run amounts to.

    Attributes:
        path: of the run file, as it was given.
        seed: of the episode.
        status: see `RunReader.status`.
        scenario: its name.
        title: of the scenario.
        people: who took part.
        start: town time of tick 0.
        end: town time of the last tick.
        last_tick: of the run.
        seconds_per_tick: simulated.
        policies: for each policy how many agents it decides for.
        model: its name, or None.
        facts: how each fact of the scenario spread.
        gatherings: visits to those that fall into the time simulated.
        density_before: of mutual knowledge at the start.
        density_after: with those added who spoke with one another.
        talk: conversations and utterances.
        crowding: how people got past one another; None where they are not in the way.
        tool_use: what came of replies that choose a tool; None where no mind acts by tools.
        spent: calls, tokens and dollars.
        cached_tokens: of the prompts, read from the endpoints' caches.
        price_sources: where the list prices among its prices are from.
        model_changes: where another model answered than before, by its own word.
        thinking: what the model thought; None where it did not.
        lost: requests to models that were under way when a process of the run ended.
        clipped: answers whose usage was above what they could have read and written.
        limits: of what it may spend, those that there are, as text by kind.
        limit_changes: of these, since it was begun.
        later: what was spent on it after its end, by what: `interviews`, `judging`.
        faculties: what each faculty of the minds cost, and last all of them; see `faculty_costs`.
        embeddings: what they cost; None where none are stored.
        findings: what the interviews show; see `measures.findings`.
        policy_errors: of all policies; their agents idled.
        degradation: what took the place of decisions; see `Degradation.degraded`.
        policy_changes: changed policies with which it was resumed.
        takeovers: a sentence for each policy that took over where the run was forked.
        prompt_cuts: what prompts had no room for.
        faculty_uses: what came of the faculties that can be switched off.
        outcomes: whether the scenario's successes were reached, by judge; see `measures.success`.
        agreements: how far the models that judged agree with the rule.
        told: how each fact spread by sentences that state it; see `evaluate.hearings`. `facts` is
            what the world recognised, in questions too.
        flows: who received, stored and retrieved each fact; see `measures.flow`.
        preferences: the answers to each value check at both ends, by each judge.
        spans: conversation length.
        rates: what it cost per agent and game hour.
        opinions: mentions of the values of its checks over time.
        courses: the summaries of self-monitors over time, and merges of memories.
        tellings: who told whom of each fact, with the words; see `evaluate.tellings`.
        answers: every interview answer, with what it rests on and what models judged of it.
        moments: worth a picture; see `evaluate.moments`.
    """

    path: Path
    seed: int
    status: str
    scenario: str
    title: str
    people: tuple[str, ...]
    start: datetime
    end: datetime
    last_tick: int
    seconds_per_tick: int
    policies: dict[str, int]
    model: str | None
    facts: tuple[Spread, ...]
    gatherings: tuple[GatheringVisits, ...]
    density_before: float
    density_after: float
    talk: TalkCounts
    crowding: Crowding | None
    tool_use: ToolUse | None
    spent: CallTotals
    cached_tokens: int
    price_sources: Sequence[str]
    model_changes: tuple[ModelChange, ...]
    thinking: ThinkingTotals | None
    lost: int
    clipped: int
    limits: dict[str, str]
    limit_changes: tuple[LimitChange, ...]
    later: dict[str, Spending]
    faculties: tuple[FacultyCost, ...]
    embeddings: EmbeddingCost | None
    findings: Findings
    policy_errors: int
    degradation: Degradation
    policy_changes: tuple[PolicyChange, ...]
    takeovers: tuple[str, ...]
    prompt_cuts: PromptCuts
    faculty_uses: tuple[FacultyUse, ...]
    outcomes: tuple[SuccessOutcome, ...]
    agreements: tuple[Agreement, ...]
    told: tuple[Spread, ...]
    flows: tuple[Flow, ...]
    preferences: tuple[Preference, ...]
    spans: Spans
    rates: Rates
    opinions: tuple[Opinion, ...]
    courses: tuple[SummaryCourse, ...]
    tellings: tuple[ToldFact, ...]
    answers: tuple[RestedAnswer, ...]
    moments: tuple[ShownMoment, ...]

    @property
    def degraded(self) -> bool:
        """Whether a policy failed, or defaults stood in for the model too often."""
        return self.degradation.degraded

    @property
    def hours(self) -> float:
        """Game hours simulated."""
        return self.last_tick * self.seconds_per_tick / 3600

    def format_time(self, tick: int) -> str:
        """Return the town time at `tick`, to the second, with the day where the run has several."""
        moment = self.find_time(tick)
        if self.start.date() == self.end.date():
            return f"{moment:%H:%M:%S}"
        return f"{moment:%a} {moment.day} {moment:%b %H:%M:%S}"

    def format_clock(self, tick: int) -> str:
        """Return the same shorter, for figures; the day is a day of the week."""
        several = self.start.date() != self.end.date()
        return f"{self.find_time(tick):{'%a %H:%M' if several else '%H:%M:%S'}}"

    def as_json(self) -> dict[str, JSON]:
        """Return it as JSON values: times in ISO 8601, dollars as decimal text.

        What was said and answered is not in it: see `words_as_json`. `thinking` is a key
        of those whose model thought, `crowding` of those whose people are in one another's way,
        `tool_use` of those in which a mind acts by tools; `lost`, `clipped`, `limits`,
        `limit_changes`, `model_changes`, `later`, `policy_failures`, `policy_changes`, `takeovers`,
        `faculty_uses` and `prompt_cuts` are there only where there are any.
        """
        rare = {
            "crowding": None if self.crowding is None else _as_json(self.crowding),
            "tool_use": None if self.tool_use is None else _as_json(self.tool_use),
            "lost": self.lost,
            "clipped": self.clipped,
            "limits": self.limits,
            "model_changes": [_as_json(one) for one in self.model_changes],
            "limit_changes": [_as_json(one) for one in self.limit_changes],
            "later": _as_json(self.later),
            "thinking": None if self.thinking is None else _as_json(self.thinking),
            "policy_failures": [_as_json(one) for one in self.degradation.failures],
            "policy_changes": [_as_json(one) for one in self.policy_changes],
            "takeovers": list(self.takeovers),
            "faculty_uses": [_as_json(one) for one in self.faculty_uses],
            "prompt_cuts": _as_json(self.prompt_cuts) if self.prompt_cuts.cut else None,
        }
        return (
            {name: told for name, told in rare.items() if told}
            | {name: _as_json(getattr(self, name)) for name in _PLAIN}
            | {
                "findings": self.findings.as_json(),
                "policy_errors": self.policy_errors,
                "outcomes": [one.as_json() for one in self.outcomes],
                "agreements": [one.as_json() for one in self.agreements],
                "flows": [one.as_json() for one in self.flows],
                "preferences": [one.as_json() for one in self.preferences],
                "degraded": self.degraded,
                "run": str(self.path),
                "seed": self.seed,
                "conversation_length": self.spans.as_json(),
                "rates": self.rates.as_json(),
                "opinions": [one.as_json() for one in self.opinions],
            }
        )

    def words_as_json(self) -> dict[str, JSON]:
        """Return as JSON values who told whom, what was answered on which evidence, the moments.

        Each telling, answer and moment has its town time in ISO 8601 under `time`.
        """
        return {
            "tellings": [
                _as_json(fact) | {"tellings": [self._with_time(one) for one in fact.tellings]}
                for fact in self.tellings
            ],
            "answers": [self._with_time(one) for one in self.answers],
            "moments": [self._with_time(one) for one in self.moments],
        }

    def _with_time(self, one: Telling | RestedAnswer | ShownMoment) -> JSON:
        return _as_json(one) | {"time": self.find_time(one.tick).isoformat()}

    def find_time(self, tick: int) -> datetime:
        """Return the town time at `tick`."""
        return self.start + timedelta(seconds=tick * self.seconds_per_tick)


_PLAIN = (
    *("status", "scenario", "people", "start", "end", "last_tick", "seconds_per_tick"),
    *("policies", "model", "facts", "gatherings", "density_before", "density_after", "talk"),
    *("spent", "faculties", "embeddings"),
)


def summarize(
    run: RunReader | RunData, priced_as: Tariff | None = None, speed: float = GAME_SPEED
) -> RunSummary:
    """Return the summary of `run` as far as it is recorded.

    Args:
        run: open; what its data hold already is not computed again.
        priced_as: see `rates.compute_rates`.
        speed: see `rates.compute_rates`.
    """
    data = RunData.of(run)
    reader, meta, scenario = data.reader, data.meta, data.scenario
    spending = reader.spending
    policies: dict[str, int] = {}
    for spec in meta.policies.values():
        policies[spec["name"]] = policies.get(spec["name"], 0) + 1
    return RunSummary(
        path=data.path,
        seed=meta.seed,
        status=reader.status,
        scenario=scenario.name,
        title=scenario.title,
        people=data.names,
        start=reader.time(0),
        end=reader.time(data.last_tick),
        last_tick=data.last_tick,
        seconds_per_tick=meta.seconds_per_tick,
        policies=policies,
        model=meta.model,
        facts=trace_run_facts(data),
        gatherings=find_gathering_visits(data),
        density_before=compute_density_before(data),
        density_after=compute_density_after(data),
        talk=count_talk(data.events),
        crowding=compute_crowding(data),
        tool_use=count_tool_use(data),
        spent=reader.sum_calls(),
        cached_tokens=reader.sum_cached_tokens(),
        price_sources=reader.list_price_sources(),
        model_changes=tuple(reader.find_model_changes()),
        thinking=_find_thinking(reader),
        lost=0 if spending is None else spending.lost,
        clipped=0 if spending is None else spending.clipped,
        limits={kind: str(one) for kind, one in asdict(meta.limits).items() if one is not None},
        limit_changes=meta.limit_changes,
        later=reader.later_spending,
        faculties=compute_faculty_costs(reader),
        embeddings=compute_embedding_cost(reader),
        findings=compute_findings(data),
        policy_errors=reader.policy_fault_count(),
        degradation=reader.find_degradation(),
        policy_changes=reader.policy_changes,
        takeovers=tuple(describe_takeovers(reader)),
        prompt_cuts=reader.find_prompt_cuts(),
        faculty_uses=reader.list_faculty_uses(),
        outcomes=compute_outcomes(data),
        agreements=compute_agreements(data),
        told=find_statements(data).heard,
        flows=compute_flows(data),
        preferences=compute_preferences(data),
        spans=compute_spans(data),
        rates=compute_rates(data, priced_as, speed),
        opinions=find_opinions(data),
        courses=find_summary_courses(data),
        tellings=trace_tellings(data),
        answers=find_rested_answers(data),
        moments=choose_moments(data),
    )


def _find_thinking(reader: RunReader) -> ThinkingTotals | None:
    thought = reader.sum_thinking()
    return thought if thought.reasoning_tokens or thought.calls else None


def _as_json(value: object) -> JSON:
    if is_dataclass(value) and not isinstance(value, type):
        return _as_json(asdict(value))
    if isinstance(value, dict):
        return {str(key): _as_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if isinstance(value, datetime) else str(value)


def describe_takeovers(run: RunReader) -> Iterator[str]:
    """Yield who decided for an agent before and after a policy took over, a sentence for each."""
    for each in run.meta.takeovers:
        now = run.meta.find_policy(each.agent, each.tick + 1)
        until = run.time(each.tick)
        yield f"Takeover: {each.agent} by {each.name} until {until:%H:%M:%S}, then by {now}"
