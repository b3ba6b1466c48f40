"""A run summary in words, for the terminal and for the page of a report."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

from genagents_env.evaluate.faculty_costs import Cost
from genagents_env.evaluate.measures.diffusion import Spread
from genagents_env.evaluate.measures.gatherings import GatheringVisits
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.evaluate.summary_lines import lines, outcome_lines
from genagents_env.record.reader import Spent

_HEADER = (
    *("faculty", "calls", "tokens", "dollars", "seconds", "fallbacks"),
    *("calls/h", "tokens/h", "dollars/h", "seconds/h"),
)


def describe_summary(report: RunSummary) -> Iterator[str]:
    """Yield the lines of the report; each fits a terminal or may be wrapped."""
    span = f"{report.start:%a} {report.start.day} {report.start:%b %Y, %H:%M} to {report.end:%H:%M}"
    yield f"{report.scenario}, {span} ({report.last_tick:,} ticks): {report.status}"
    policies = ", ".join(f"{name} {count}" for name, count in sorted(report.policies.items()))
    yield f"People: {len(report.people)} ({policies})"
    talk = report.talk
    yield (
        f"Talk: {_count(talk.conversations, 'conversation')}, "
        f"{_count(talk.utterances, 'utterance')} "
        f"({talk.by_phone} by telephone, {talk.alone} unheard)"
    )
    yield (
        f"Acquaintance: {report.density_before:.3f} of all pairs at the start, "
        f"{report.density_after:.3f} at the end"
    )
    if report.model is not None:
        yield from _describe_model(report.model, report.spent)
        yield from _describe_faculties(report)
    if report.embeddings is not None:
        made = report.embeddings
        yield (
            f"Embeddings {made.model}: {_count(made.texts, 'text')}, {made.tokens:,} tokens, "
            f"{'price unknown' if made.dollars is None else _format_dollars(made.dollars)}"
        )
    yield f"Policy errors: {report.policy_errors}"
    for spread in report.facts:
        yield from _describe_fact(report, spread)
    for gathering in report.gatherings:
        yield from _describe_gathering(report, gathering)
    if report.findings.asked:
        yield "By interview, checked against what was heard:"
        yield from (f"    {line}" for line in lines(report.findings))
    yield from outcome_lines(report.outcomes, report.agreements, report.flows, report.preferences)


def _describe_model(name: str, spent: Spent) -> Iterator[str]:
    dollars = "price unknown" if spent.dollars is None else f"${spent.dollars:.4f}"
    tokens = f"{spent.prompt_tokens:,} tokens read, {spent.completion_tokens:,} written"
    yield f"Model {name}: {_count(spent.calls, 'call')}, {tokens}, {dollars}"
    share = spent.fallbacks / spent.calls if spent.calls else 0.0
    mark = "; DEGRADED: judge this run with care" if spent.degraded else ""
    yield (
        f"Fallbacks: {spent.fallbacks:,} of {spent.calls:,} ({share:.1%}), "
        f"re-asked {spent.reasks:,}, retried {spent.retries:,}{mark}"
    )


def _describe_faculties(report: RunSummary) -> Iterator[str]:
    """Yield a table: a line for each faculty that asked the model, and one for all."""
    if not report.faculties:
        return
    *_, whole = report.faculties
    hours = report.last_tick * report.seconds_per_tick / 3600
    asked = _count(whole.agents, "agent")
    yield f"By faculty ({asked} asked a model, {hours:.2f} hours; /h is per agent and game hour):"
    table = [_HEADER, *(_format_cost(cost) for cost in report.faculties)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *cells in table:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield f"    {name.ljust(widths[0])}  {'  '.join(numbers)}"


def _format_cost(cost: Cost) -> tuple[str, ...]:
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


def _describe_fact(report: RunSummary, spread: Spread) -> Iterator[str]:
    reached = len(spread.at_start) + len(spread.heard)
    yield f"Fact {spread.fact}: {reached} of {len(report.people)} ({spread.statement})"
    yield f"    at the start: {', '.join(spread.at_start) or 'nobody'}"
    for hearing in spread.heard:
        source = f" from {hearing.source}" if hearing.source else ""
        yield f"    {_clock(report, hearing.tick)} {hearing.agent} heard it{source}"


def _describe_gathering(report: RunSummary, gathering: GatheringVisits) -> Iterator[str]:
    when = f"{gathering.start:%H:%M} to {gathering.end:%H:%M}"
    who = f"{len(gathering.visits)} of {len(report.people)} came"
    yield f"Gathering {gathering.gathering} at {gathering.place}, {when}: {who}"
    for visit in gathering.visits:
        minutes = visit.ticks * report.seconds_per_tick / 60
        yield f"    {_clock(report, visit.first)} {visit.agent}, {minutes:.0f} minutes"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _clock(report: RunSummary, tick: int) -> str:
    return f"{report.start + timedelta(seconds=tick * report.seconds_per_tick):%H:%M:%S}"
