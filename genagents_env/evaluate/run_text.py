"""A run summary in words, for the terminal and for the page of a report."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

from genagents_env.evaluate.faculty_costs import FacultyCost
from genagents_env.evaluate.measures.diffusion import Spread
from genagents_env.evaluate.measures.gatherings import GatheringVisits
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.evaluate.summary_lines import format_findings, format_outcomes
from genagents_env.record.reader import CallTotals

_HEADER = (
    *("faculty", "calls", "tokens", "dollars", "seconds", "fallbacks"),
    *("calls/h", "tokens/h", "dollars/h", "seconds/h"),
)


def describe_summary(summary: RunSummary) -> Iterator[str]:
    """Yield the lines of the summary; each fits a terminal or may be wrapped."""
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
    yield (
        f"Acquaintance: {summary.density_before:.3f} of all pairs at the start, "
        f"{summary.density_after:.3f} at the end"
    )
    if summary.model is not None:
        yield from _describe_model(summary.model, summary.spent)
        yield from _describe_faculties(summary)
    if summary.embeddings is not None:
        made = summary.embeddings
        yield (
            f"Embeddings {made.model}: {_count(made.texts, 'text')}, {made.tokens:,} tokens, "
            f"{'price unknown' if made.dollars is None else _format_dollars(made.dollars)}"
        )
    yield f"Policy errors: {summary.policy_errors}"
    for spread in summary.facts:
        yield from _describe_fact(summary, spread)
    for gathering in summary.gatherings:
        yield from _describe_gathering(summary, gathering)
    if summary.findings.asked:
        yield "By interview, checked against what was heard:"
        yield from (f"    {line}" for line in format_findings(summary.findings))
    yield from format_outcomes(
        summary.outcomes, summary.agreements, summary.flows, summary.preferences
    )


def _describe_model(name: str, spent: CallTotals) -> Iterator[str]:
    dollars = "price unknown" if spent.dollars is None else f"${spent.dollars:.4f}"
    tokens = f"{spent.prompt_tokens:,} tokens read, {spent.completion_tokens:,} written"
    yield f"Model {name}: {_count(spent.calls, 'call')}, {tokens}, {dollars}"
    share = spent.fallbacks / spent.calls if spent.calls else 0.0
    mark = "; DEGRADED: judge this run with care" if spent.degraded else ""
    yield (
        f"Fallbacks: {spent.fallbacks:,} of {spent.calls:,} ({share:.1%}), "
        f"re-asked {spent.reasks:,}, retried {spent.retries:,}{mark}"
    )


def _describe_faculties(summary: RunSummary) -> Iterator[str]:
    """Yield a table: a line for each faculty that asked the model, and one for all."""
    if not summary.faculties:
        return
    *_, whole = summary.faculties
    hours = summary.last_tick * summary.seconds_per_tick / 3600
    asked = _count(whole.agents, "agent")
    yield f"By faculty ({asked} asked a model, {hours:.2f} hours; /h is per agent and game hour):"
    table = [_HEADER, *(_format_cost(cost) for cost in summary.faculties)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *cells in table:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield f"    {name.ljust(widths[0])}  {'  '.join(numbers)}"


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
        yield f"    {_format_clock(summary, hearing.tick)} {hearing.agent} heard it{source}"


def _describe_gathering(summary: RunSummary, gathering: GatheringVisits) -> Iterator[str]:
    when = f"{gathering.start:%H:%M} to {gathering.end:%H:%M}"
    who = f"{len(gathering.visits)} of {len(summary.people)} came"
    yield f"Gathering {gathering.gathering} at {gathering.place}, {when}: {who}"
    for visit in gathering.visits:
        minutes = visit.ticks * summary.seconds_per_tick / 60
        yield f"    {_format_clock(summary, visit.first)} {visit.agent}, {minutes:.0f} minutes"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _format_clock(summary: RunSummary, tick: int) -> str:
    return f"{summary.start + timedelta(seconds=tick * summary.seconds_per_tick):%H:%M:%S}"
