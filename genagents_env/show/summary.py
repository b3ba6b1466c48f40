"""What one run came to in words, a line each, and as JSON: read from its record alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple
from decimal import Decimal
from itertools import islice

from pydantic_core import to_jsonable_python

from genagents_env.llm.budget import Spend
from genagents_env.record import Degradation, FacultyUse, RunReader
from genagents_env.record.call_sums import ThinkingTotals
from genagents_env.record.rows import JSON
from genagents_env.show.faculty_costs import (
    FacultyCost,
    compute_embedding_cost,
    compute_faculty_costs,
)
from genagents_env.show.outcomes import format_findings, format_outcomes
from genagents_env.study.evaluate.measures.acquaintance import compute_densities
from genagents_env.study.evaluate.measures.diffusion import Spread, trace_run_facts
from genagents_env.study.evaluate.measures.findings import compute_findings
from genagents_env.study.evaluate.measures.flow import compute_flows
from genagents_env.study.evaluate.measures.gatherings import GatheringVisits, find_gathering_visits
from genagents_env.study.evaluate.measures.grain import compute_crowding
from genagents_env.study.evaluate.measures.preferences import compute_preferences
from genagents_env.study.evaluate.measures.success import compute_agreements, compute_outcomes
from genagents_env.study.evaluate.measures.talk import count_talk
from genagents_env.study.evaluate.measures.tools import count_tool_use
from genagents_env.study.evaluate.rates import compute_rates
from genagents_env.study.evaluate.results import as_json
from genagents_env.study.evaluate.run_data import RunData
from genagents_env.study.evaluate.text_columns import format_columns

_HEADER = (
    *("faculty", "calls", "tokens", "dollars", "seconds", "fallbacks"),
    *("calls/h", "tokens/h", "dollars/h", "seconds/h"),
)


def describe_run(run: RunReader | RunData, width: int = 0, *, brief: bool = False) -> Iterator[str]:
    """Yield what a run came to, as far as it is recorded; a line may be wrapped, but of a table.

    Args:
        run: open; what its data hold already is not computed again.
        width: characters of a line, for tables; 0 for as many as they need.
        brief: a line each fact and gathering, without who heard it when and from whom or who came,
            and of the outcomes only which successes there are.
    """
    data = RunData.of(run)
    reader, meta = data.reader, data.meta
    start, end = reader.time(0), reader.time(data.last_tick)
    span = f"{start:%a} {start.day} {start:%b %Y, %H:%M} to {end:%H:%M}"
    yield f"{data.scenario.name}, {span} ({data.last_tick:,} ticks): {reader.status}"
    policies = ", ".join(f"{name} {count}" for name, count in sorted(_count_minds(data).items()))
    yield f"People: {len(data.names)} ({policies})"
    yield from _describe_meetings(data)
    if meta.model is not None:
        yield from _describe_model(data)
        yield from _describe_thinking(reader.sum_thinking())
        yield from _describe_faculties(data, width)
        yield from _describe_idle(reader.list_faculty_uses())
    yield from _describe_spending(reader)
    yield f"Policy errors: {reader.policy_fault_count()}"
    yield from describe_notices(reader)
    for change in reader.policy_changes:
        yield (
            f"Policy {change.policy} changed {_format_since(change.tick)} "
            f"({change.before}; since then {change.now})"
        )
    yield from _describe_takeovers(reader)
    for spread in trace_run_facts(data):
        yield from _describe_fact(data, spread, brief)
    for gathering in find_gathering_visits(data):
        yield from islice(_describe_gathering(data, gathering), 1 if brief else None)
    findings = compute_findings(data)
    if findings.asked:
        yield "By interview, checked against what was heard:"
        yield from (f"    {line}" for line in format_findings(findings))
    outcomes = compute_outcomes(data)
    if brief:
        yield from format_outcomes(outcomes, (), (), ())
    else:
        yield from format_outcomes(
            outcomes, compute_agreements(data), compute_flows(data), compute_preferences(data)
        )


def run_as_json(run: RunReader | RunData) -> dict[str, JSON]:
    """Return the same as JSON values: times in ISO 8601, dollars as decimal text.

    Keys whose value would be empty are left out where they are rare: `crowding`, `tool_use`,
    `thinking`, `spent_in_all`, `lost`, `clipped`, `limits`, `limit_changes`, `models`,
    `model_changes`, `later`, `policy_failures`, `policy_changes`, `takeovers`, `faculty_uses`,
    `prompt_cuts`, `stopped`.
    """
    data = RunData.of(run)
    reader, meta = data.reader, data.meta
    spending, cuts, found = reader.spending, reader.find_prompt_cuts(), reader.find_degradation()
    thought, models = reader.sum_thinking(), reader.sum_models()
    (before, after), use = compute_densities(data), count_tool_use(data)
    rare = {
        "crowding": compute_crowding(data),
        "tool_use": use if any(astuple(use)) else None,
        "spent_in_all": _find_whole_spending(reader),
        "lost": spending and spending.lost,
        "clipped": spending and spending.clipped,
        "limits": _list_limits(reader),
        "model_changes": tuple(reader.find_model_changes()),
        "limit_changes": meta.limit_changes,
        "later": reader.later_spending,
        "models": models if len(models) > 1 else None,
        "thinking": thought if thought.reasoning_tokens or thought.calls else None,
        "policy_failures": found.failures,
        "policy_changes": reader.policy_changes,
        "takeovers": tuple(_describe_takeovers(reader)),
        "faculty_uses": reader.list_faculty_uses(),
        "prompt_cuts": cuts if cuts.cut else None,
        "stopped": reader.stop_reason,
    }
    plain = {
        "run": data.path,
        "seed": meta.seed,
        "status": reader.status,
        "degraded": found.degraded,
        "scenario": data.scenario.name,
        "people": data.names,
        "start": reader.time(0),
        "end": reader.time(data.last_tick),
        "last_tick": data.last_tick,
        "seconds_per_tick": meta.seconds_per_tick,
        "policies": _count_minds(data),
        "model": meta.model,
        "facts": trace_run_facts(data),
        "gatherings": find_gathering_visits(data),
        "density_before": before,
        "density_after": after,
        "talk": count_talk(data),
        "spent": reader.sum_calls(),
        "faculties": compute_faculty_costs(reader),
        "embeddings": compute_embedding_cost(reader),
        "policy_errors": reader.policy_fault_count(),
        "findings": compute_findings(data).as_json(),
        "outcomes": [as_json(one) for one in compute_outcomes(data)],
        "agreements": [as_json(one) for one in compute_agreements(data)],
        "flows": [as_json(one, "receivers", "keepers") for one in compute_flows(data)],
        "preferences": [as_json(one, "leanings") for one in compute_preferences(data)],
        "rates": as_json(compute_rates(data)),
    }
    told = plain | {name: value for name, value in rare.items() if value}
    values: dict[str, JSON] = to_jsonable_python(told)
    return values


def format_time(data: RunData, tick: int) -> str:
    """Return the town time at `tick`, to the second, with the day where the run has several."""
    moment = data.reader.time(tick)
    if data.reader.time(0).date() == data.reader.time(data.last_tick).date():
        return f"{moment:%H:%M:%S}"
    return f"{moment:%a} {moment.day} {moment:%b %H:%M:%S}"


def describe_degradation(found: Degradation) -> Iterator[str]:
    """Yield why a run is degraded; nothing where it is not."""
    for reason in found.describe():
        yield f"DEGRADED: {reason}"


def describe_notices(run: RunReader) -> Iterator[str]:
    """Yield why a run stopped or is degraded, where another model answered, what was cut."""
    if why := run.stop_reason:
        yield f"STOPPED: {why}"
    yield from describe_degradation(run.find_degradation())
    yield from (f"MODEL CHANGED: {change.describe()}" for change in run.find_model_changes())
    yield from (f"CUT: {caution}" for caution in run.find_prompt_cuts().describe())


def _count_minds(data: RunData) -> dict[str, int]:
    return dict(Counter(str(spec["name"]) for spec in data.meta.policies.values()))


def _list_limits(reader: RunReader) -> dict[str, str]:
    limits = asdict(reader.meta.limits)
    return {kind: str(one) for kind, one in limits.items() if one is not None}


def _describe_takeovers(run: RunReader) -> Iterator[str]:
    """Yield who decided for an agent before and after a policy took over, a sentence for each."""
    for each in run.meta.takeovers:
        now = run.meta.find_policy(each.agent, each.tick + 1)
        until = run.time(each.tick)
        yield f"Takeover: {each.agent} by {each.name} until {until:%H:%M:%S}, then by {now}"


def _describe_meetings(data: RunData) -> Iterator[str]:
    """Yield how people talked, got past one another, used tools and came to know others."""
    talk = count_talk(data)
    yield (
        f"Talk: {_count(talk.conversations, 'conversation')}, "
        f"{_count(talk.utterances, 'utterance')} "
        f"({talk.by_phone} by telephone, {talk.alone} unheard)"
    )
    way = compute_crowding(data)
    if way is not None:
        yield (
            f"In one another's way: {_count(way.detours, 'detour')}, "
            f"{_count(way.swaps, 'change')} of place, {way.asides} times others moved up; "
            f"{way.waited:,} game seconds waited"
        )
    use = count_tool_use(data)
    if any(astuple(use)):
        yield (
            f"Tools: {_count(use.replies, 'choice')}, {use.strikes} without one, "
            f"{use.in_vain} in vain, {_count(use.resets, 'reset')}; of {use.interpreted} that a "
            f"model interpreted the grammar reads {use.disagreements} otherwise; "
            f"{use.faults} not interpreted"
        )
    before, after = compute_densities(data)
    if before is not None and after is not None:
        yield f"Acquaintance: {before:.3f} of all pairs at the start, {after:.3f} at the end"


def _describe_spending(reader: RunReader) -> Iterator[str]:
    """Yield what is uncertain of it, what came after the end, the limits, and embeddings."""
    spending = reader.spending
    if spending is not None:
        yield from _describe_uncertain(spending.lost, spending.clipped)
    if (whole := _find_whole_spending(reader)) is not None:
        yield (
            "Spent in all, as limits count it (with a first question, embeddings, what was lost): "
            f"{_count(whole.calls, 'request')}, {whole.tokens:,} tokens, "
            f"{_format_dollars(whole.dollars)}"
        )
    for name, later in reader.later_spending.items():
        spent = later.total
        yield (
            f"After its end: {name}, {_count(spent.calls, 'model call')}, {spent.tokens:,} tokens, "
            f"{_format_dollars(spent.dollars)}"
        )
    if limits := _list_limits(reader):
        yield f"Limits: {', '.join(f'{one} {kind}' for kind, one in limits.items())}"
    for change in reader.meta.limit_changes:
        before, now = change.before or "none", change.now or "none"
        since = _format_since(change.tick)
        yield f"Limit of {change.kind} changed {since}: from {before} to {now}"
    made = compute_embedding_cost(reader)
    if made is not None:
        bound = " by our own count, not the server's," if made.tokens else ","
        yield (
            f"Embeddings {made.model}: {_count(made.texts, 'text')}, {made.tokens:,} tokens{bound} "
            f"{'price unknown' if made.dollars is None else _format_dollars(made.dollars)}"
        )


def _find_whole_spending(reader: RunReader) -> Spend | None:
    """Return what the limits count, where that is more than the stored calls; else None."""
    stored, spending = reader.sum_calls(), reader.spending
    if spending is None:
        return None
    calls = stored.calls + stored.reasks + stored.retries
    tokens = stored.prompt_tokens + stored.completion_tokens
    is_more = spending.total.calls > calls or spending.total.tokens > tokens
    return spending.total if is_more else None


def _format_since(tick: int) -> str:
    return "before the first tick" if tick < 0 else f"after tick {tick:,}"


def _describe_uncertain(lost: int, clipped: int) -> Iterator[str]:
    if lost:
        yield (
            f"Lost in flight: {_count(lost, 'model call')}, under way when the run was "
            "killed or stopped; they count as spent, at the most they could cost"
        )
    if clipped:
        yield (
            f"Usage of {clipped:,} {'reply' if clipped == 1 else 'replies'} was "
            "above what could have been read and written; counted at the bound"
        )


def _describe_model(data: RunData) -> Iterator[str]:
    reader = data.reader
    spent = reader.sum_calls()
    dollars = "price unknown" if spent.dollars is None else f"${spent.dollars:.4f}"
    if sources := reader.list_price_sources():
        dollars += f" (prices of {', '.join(sources)})"
    read = reader.sum_cached_tokens()
    cached = f" ({read:,} of them cached)" if read else ""
    tokens = f"{spent.prompt_tokens:,} tokens read{cached}, {spent.completion_tokens:,} written"
    models = reader.sum_models()
    for one in models if len(models) > 1 else ():
        yield (
            f"Model {one.model}: {_count(one.calls, 'call')} in ticks {one.first:,} to "
            f"{one.last:,}, {one.prompt_tokens:,} tokens read, {one.completion_tokens:,} written, "
            f"{'price unknown' if one.dollars is None else _format_dollars(one.dollars)}"
        )
    name = models[0].model if models else data.meta.model
    who = "All models" if len(models) > 1 else f"Model {name}"
    yield f"{who}: {_count(spent.calls, 'call')}, {tokens}, {dollars}"
    found = reader.find_degradation()
    judged, beside = found.calls - spent.calls, found.fallbacks - spent.fallbacks
    verdicts = f", {_count(judged, 'verdict')} among them" if judged else ""
    what = f" ({beside:,} of them choices without a tool, or missing verdicts)" if beside else ""
    yield (
        f"Fallbacks: {found.fallbacks:,} of {found.calls:,} ({found.share:.1%}){what}, degraded "
        f"above {found.limit}{verdicts}; re-asked {spent.reasks:,}, retried {spent.retries:,}"
    )


def _describe_thinking(thought: ThinkingTotals) -> Iterator[str]:
    """Yield how much the model thought; nothing where it did not."""
    told = f"Thinking: {thought.reasoning_tokens:,} of the tokens written"
    if thought.calls:
        lost = thought.unsaid_prompt_tokens + thought.unsaid_completion_tokens
        yield (
            f"{told}; {_count(thought.calls, 'call')} made again with more room for the reply "
            f"({lost:,} tokens besides; --endpoint thinking=N allows more from the start)"
        )
    elif thought.reasoning_tokens:
        yield told


def _describe_faculties(data: RunData, width: int) -> Iterator[str]:
    """Yield a table: a line for each faculty that asked the model, and one for all."""
    faculties = compute_faculty_costs(data.reader)
    if not faculties:
        return
    *_, whole = faculties
    asked = _count(whole.agents, "agent")
    hours = f"{data.hours:.2f} hours; /h is per agent and game hour"
    yield f"By faculty ({asked} asked a model, {hours}):"
    rows = [_format_cost(cost) for cost in faculties]
    right = [k > 0 for k in range(len(_HEADER))]
    for line in format_columns(_HEADER, rows, right, max(1, width - 4) if width else 0):
        yield f"    {line}"


def _describe_idle(uses: Sequence[FacultyUse]) -> Iterator[str]:
    """Yield a line on the faculties that are on and never ran; nothing where all did."""
    idle = [one for one in uses if one.on and not one.ran]
    if idle:
        several = len({one.policy for one in uses}) > 1
        told = [
            one.switch
            + (f" of {one.policy}" if several else "")
            + (f" ({_count(one.calls, 'call')} fell back)" if one.calls else "")
            for one in idle
        ]
        yield f"On, but never ran (no model call, or none with a usable reply): {', '.join(told)}"


def _format_cost(cost: FacultyCost) -> tuple[str, ...]:
    rate = cost.rate
    return (
        cost.faculty,
        f"{cost.calls:,}",
        f"{cost.tokens:,}",
        _format_dollars(cost.dollars),
        f"{cost.seconds:,.1f}",
        f"{cost.fallbacks:,}",
        "-" if rate is None else f"{rate.calls:,.1f}",
        "-" if rate is None else f"{rate.tokens:,.0f}",
        "-" if rate is None else _format_dollars(rate.dollars),
        "-" if rate is None else f"{rate.seconds:,.1f}",
    )


def _format_dollars(amount: Decimal | float | None) -> str:
    return "?" if amount is None else f"${amount:.4f}"


def _describe_fact(data: RunData, spread: Spread, brief: bool) -> Iterator[str]:
    reached = len(spread.at_start) + len(spread.heard)
    if brief:
        yield (
            f"Fact {spread.fact}: {len(spread.at_start)} knew it at the start, {reached} of "
            f"{len(data.names)} at the end ({spread.statement})"
        )
        return
    yield f"Fact {spread.fact}: {reached} of {len(data.names)} ({spread.statement})"
    yield f"    at the start: {', '.join(spread.at_start) or 'nobody'}"
    for hearing in spread.heard:
        source = f" from {hearing.source}" if hearing.source else ""
        yield f"    {format_time(data, hearing.tick)} {hearing.agent} heard it{source}"


def _describe_gathering(data: RunData, gathering: GatheringVisits) -> Iterator[str]:
    when = f"{gathering.start:%H:%M} to {gathering.end:%H:%M}"
    who = f"{len(gathering.visits)} of {len(data.names)} came"
    yield f"Gathering {gathering.gathering} at {gathering.place}, {when}: {who}"
    for visit in gathering.visits:
        minutes = visit.ticks * data.meta.seconds_per_tick / 60
        yield f"    {format_time(data, visit.first)} {visit.agent}, {minutes:.0f} minutes"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
