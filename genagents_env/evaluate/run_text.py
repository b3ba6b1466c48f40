"""A run in words, a line each: its summary, what interviews show, what came of it."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice

from genagents_env.evaluate.faculty_costs import FacultyCost
from genagents_env.evaluate.measures.acquaintance import Acquaintance
from genagents_env.evaluate.measures.diffusion import Spread
from genagents_env.evaluate.measures.findings import Findings
from genagents_env.evaluate.measures.gatherings import Coordination, GatheringVisits
from genagents_env.evaluate.measures.knowledge import FactKnowledge
from genagents_env.evaluate.outcome_text import format_outcomes
from genagents_env.evaluate.reasons import Reason
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.evaluate.text_columns import format_columns
from genagents_env.record import Degradation, FacultyUse, PromptCuts
from genagents_env.record.call_sums import ModelChange, ThinkingTotals

NOT_ASKED = "not asked"
_WORDS: tuple[tuple[Reason, str], ...] = (
    ("conflict", "had a conflict"),
    ("meant well", "meant well"),
    ("silent", "gave no reason"),
)
_HEADER = (
    *("faculty", "calls", "tokens", "dollars", "seconds", "fallbacks"),
    *("calls/h", "tokens/h", "dollars/h", "seconds/h"),
)


def describe_summary(summary: RunSummary, width: int = 0, *, brief: bool = False) -> Iterator[str]:
    """Yield the lines of the summary; each may be wrapped, but those of a table.

    Args:
        summary: of the run.
        width: characters of a line, for tables; 0 for as many as they need.
        brief: a line each fact and gathering, without who heard it when and from whom or who came,
            and of the outcomes only which successes there are.
    """
    start, end = summary.start, summary.end
    span = f"{start:%a} {start.day} {start:%b %Y, %H:%M} to {end:%H:%M}"
    yield f"{summary.scenario}, {span} ({summary.last_tick:,} ticks): {summary.status}"
    policies = ", ".join(f"{name} {count}" for name, count in sorted(summary.policies.items()))
    yield f"People: {len(summary.people)} ({policies})"
    talk = summary.talk
    yield (
        f"Talk: {_count(talk.conversations, 'conversation')}, "
        f"{_count(talk.utterances, 'utterance')} "
        f"({talk.by_phone} by telephone, {talk.alone} unheard)"
    )
    if summary.crowding is not None:
        way = summary.crowding
        yield (
            f"In one another's way: {_count(way.detours, 'detour')}, "
            f"{_count(way.swaps, 'change')} of place, {way.asides} times others moved up; "
            f"{way.waited:,} game seconds waited"
        )
    if summary.tool_use is not None:
        use = summary.tool_use
        yield (
            f"Tools: {_count(use.replies, 'choice')}, {use.strikes} without one, "
            f"{use.in_vain} in vain, {_count(use.resets, 'reset')}; of {use.interpreted} that a "
            f"model interpreted the grammar reads {use.disagreements} otherwise; "
            f"{use.faults} not interpreted"
        )
    yield (
        f"Acquaintance: {summary.density_before:.3f} of all pairs at the start, "
        f"{summary.density_after:.3f} at the end"
    )
    if summary.model is not None:
        yield from _describe_model(summary)
        yield from describe_model_changes(summary.model_changes)
        if summary.thinking is not None:
            yield _describe_thinking(summary.thinking)
        yield from _describe_faculties(summary, width)
        yield from _describe_idle(summary.faculty_uses)
    yield from _describe_uncertain_spending(summary)
    yield from _describe_limits(summary)
    if summary.embeddings is not None:
        made = summary.embeddings
        yield (
            f"Embeddings {made.model}: {_count(made.texts, 'text')}, {made.tokens:,} tokens, "
            f"{'price unknown' if made.dollars is None else _format_dollars(made.dollars)}"
        )
    yield f"Policy errors: {summary.policy_errors}"
    yield from describe_degradation(summary.degradation)
    yield from describe_cuts(summary.prompt_cuts)
    for change in summary.policy_changes:
        yield (
            f"Policy {change.policy} changed {_format_since(change.tick)} "
            f"({change.before}; since then {change.now})"
        )
    yield from summary.takeovers
    for spread in summary.facts:
        told = _describe_spread(summary, spread) if brief else _describe_fact(summary, spread)
        yield from told
    for gathering in summary.gatherings:
        yield from islice(_describe_gathering(summary, gathering), 1 if brief else None)
    if summary.findings.asked:
        yield "By interview, checked against what was heard:"
        yield from (f"    {line}" for line in format_findings(summary.findings))
    if brief:
        yield from format_outcomes(summary.outcomes, (), (), ())
    else:
        yield from format_outcomes(
            summary.outcomes, summary.agreements, summary.flows, summary.preferences
        )


def describe_degradation(found: Degradation) -> Iterator[str]:
    """Yield why a run is degraded; nothing where it is not."""
    for reason in found.describe():
        yield f"DEGRADED: {reason}"


def describe_model_changes(changes: Iterable[ModelChange]) -> Iterator[str]:
    """Yield where another model answered than before, a sentence for each that was asked for."""
    for change in changes:
        yield f"MODEL CHANGED: {change.describe()}"


def describe_cuts(found: PromptCuts) -> Iterator[str]:
    """Yield a caution where prompts had no room for what matters; nothing where they had."""
    for caution in found.describe():
        yield f"CUT: {caution}"


def format_findings(found: Findings) -> Iterator[str]:
    """Yield the findings for people; `not asked` where there were no interviews.

    Shares and densities are of what has evidence; what is only claimed stands beside
    them where it differs.
    """
    for one in found.facts:
        known = _format_knowledge(one.before), _format_knowledge(one.after)
        yield f"Knows {one.fact}: before {known[0]}; after {known[1]}"
    before, after = (
        _format_network(found.acquainted_before),
        _format_network(found.acquainted_after),
    )
    yield f"Mutual knowledge: before {before}; after {after}"
    for gathering in found.gatherings:
        yield _format_gathering(gathering)
    rate = found.hallucination_rate
    share = "" if rate is None else f" ({rate:.1%})"
    told = f"{found.hallucinated} of {found.claims} claims{share}"
    true = f"; {found.uncited} more are true by the record, uncited" if found.uncited else ""
    yield f"Hallucinated: {told + true if found.asked else NOT_ASKED}"


def _describe_limits(summary: RunSummary) -> Iterator[str]:
    for name, later in summary.later.items():
        spent = later.total
        yield (
            f"After its end: {name}, {_count(spent.calls, 'model call')}, {spent.tokens:,} tokens, "
            f"{_format_dollars(spent.dollars)}"
        )
    if summary.limits:
        yield f"Limits: {', '.join(f'{one} {kind}' for kind, one in summary.limits.items())}"
    for change in summary.limit_changes:
        before, now = change.before or "none", change.now or "none"
        since = _format_since(change.tick)
        yield f"Limit of {change.kind} changed {since}: from {before} to {now}"


def _format_since(tick: int) -> str:
    return "before the first tick" if tick < 0 else f"after tick {tick:,}"


def _describe_uncertain_spending(summary: RunSummary) -> Iterator[str]:
    if summary.lost:
        yield (
            f"Lost in flight: {_count(summary.lost, 'model call')}, under way when the run was "
            "killed or stopped; they count as spent, at the most they could cost"
        )
    if summary.clipped:
        yield (
            f"Usage of {summary.clipped:,} {'reply' if summary.clipped == 1 else 'replies'} was "
            "above what could have been read and written; counted at the bound"
        )


def _describe_model(summary: RunSummary) -> Iterator[str]:
    spent = summary.spent
    dollars = "price unknown" if spent.dollars is None else f"${spent.dollars:.4f}"
    if summary.price_sources:
        dollars += f" (prices of {', '.join(summary.price_sources)})"
    cached = f" ({summary.cached_tokens:,} of them cached)" if summary.cached_tokens else ""
    tokens = f"{spent.prompt_tokens:,} tokens read{cached}, {spent.completion_tokens:,} written"
    yield f"Model {summary.model}: {_count(spent.calls, 'call')}, {tokens}, {dollars}"
    found = summary.degradation
    judged = found.calls - spent.calls
    verdicts = f", {_count(judged, 'verdict')} among them" if judged else ""
    yield (
        f"Fallbacks: {found.fallbacks:,} of {found.calls:,} ({found.share:.1%}), degraded above "
        f"{found.limit}{verdicts}; re-asked {spent.reasks:,}, retried {spent.retries:,}"
    )


def _describe_thinking(thought: ThinkingTotals) -> str:
    told = f"Thinking: {thought.reasoning_tokens:,} of the tokens written"
    if not thought.calls:
        return told
    lost = thought.unsaid_prompt_tokens + thought.unsaid_completion_tokens
    return (
        f"{told}; {_count(thought.calls, 'call')} made again with more room for the reply "
        f"({lost:,} tokens besides; --endpoint thinking=N allows more from the start)"
    )


def _describe_faculties(summary: RunSummary, width: int) -> Iterator[str]:
    """Yield a table: a line for each faculty that asked the model, and one for all."""
    if not summary.faculties:
        return
    *_, whole = summary.faculties
    hours = summary.last_tick * summary.seconds_per_tick / 3600
    asked = _count(whole.agents, "agent")
    yield f"By faculty ({asked} asked a model, {hours:.2f} hours; /h is per agent and game hour):"
    rows = [_format_cost(cost) for cost in summary.faculties]
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
        yield f"On, but never ran, with no usable reply to a model call: {', '.join(told)}"


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


def _describe_fact(summary: RunSummary, spread: Spread) -> Iterator[str]:
    reached = len(spread.at_start) + len(spread.heard)
    yield f"Fact {spread.fact}: {reached} of {len(summary.people)} ({spread.statement})"
    yield f"    at the start: {', '.join(spread.at_start) or 'nobody'}"
    for hearing in spread.heard:
        source = f" from {hearing.source}" if hearing.source else ""
        yield f"    {summary.format_time(hearing.tick)} {hearing.agent} heard it{source}"


def _describe_spread(summary: RunSummary, spread: Spread) -> Iterator[str]:
    reached = len(spread.at_start) + len(spread.heard)
    yield (
        f"Fact {spread.fact}: {len(spread.at_start)} knew it at the start, {reached} of "
        f"{len(summary.people)} at the end ({spread.statement})"
    )


def _describe_gathering(summary: RunSummary, gathering: GatheringVisits) -> Iterator[str]:
    when = f"{gathering.start:%H:%M} to {gathering.end:%H:%M}"
    who = f"{len(gathering.visits)} of {len(summary.people)} came"
    yield f"Gathering {gathering.gathering} at {gathering.place}, {when}: {who}"
    for visit in gathering.visits:
        minutes = visit.ticks * summary.seconds_per_tick / 60
        yield f"    {summary.format_time(visit.first)} {visit.agent}, {minutes:.0f} minutes"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _format_knowledge(one: FactKnowledge | None) -> str:
    if one is None:
        return NOT_ASKED
    told = f"{len(one.verified)} of {len(one.asked)} ({one.verified_share:.0%})"
    told += f", {len(one.uncited)} uncited" if one.uncited else ""
    return f"{told} and {len(one.hallucinated)} hallucinated" if one.hallucinated else told


def _format_network(one: Acquaintance | None) -> str:
    if one is None or one.density is None or one.verified_density is None:
        return NOT_ASKED
    told = f"density {one.verified_density:.3f}"
    if one.mutual != one.mutual_verified:
        told += f" ({one.density:.3f} claimed)"
    told += f", {one.uncited} of {one.claims} claims uncited" if one.uncited else ""
    made_up = f", {one.hallucinated} of {one.claims} claims hallucinated"
    return told + made_up if one.hallucinated else told


def _format_gathering(one: Coordination) -> str:
    told = f"Came to {one.gathering}: {len(one.came)} of {len(one.invited)} invited"
    if one.passers_by:
        told += f", {len(one.passers_by)} passing by"
    away = len(one.reasons) + len(one.unasked)
    if not away:
        return told
    why = [f"{len(one.gave(kind))} {words}" for kind, words in _WORDS if one.gave(kind)]
    why += [f"{len(one.unasked)} {NOT_ASKED} why"] if one.unasked else []
    return f"{told}; of {away} who stayed away {', '.join(why)}"
