"""Run files in words, line by line: for the terminal, and for the page."""

from collections.abc import Iterator

from genagents_env.evaluate.published import list_published_costs
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.evaluate.run_text import describe_summary
from genagents_env.report.groups import group_runs
from genagents_env.report.results import SweepResults
from genagents_env.report.run_tables import (
    tabulate_agreement,
    tabulate_flow,
    tabulate_lengths,
    tabulate_rates,
    tabulate_runs,
    tabulate_successes,
)


def describe_run(summary: RunSummary) -> Iterator[str]:
    """Yield the summary of one run, its conversation length and its cost, line by line."""
    yield from describe_summary(summary)
    if summary.spans.conversations:
        yield from tabulate_lengths(group_runs([summary])).format_lines()
    if summary.rates.agents:
        yield from tabulate_rates(
            [summary], list_published_costs(summary.rates.speed)
        ).format_lines()


def describe_runs(results: SweepResults) -> Iterator[str]:
    """Yield the tables of several runs beside one another, line by line."""
    for table in (
        tabulate_runs(results.summaries),
        tabulate_successes(results.groups),
        tabulate_agreement(results.summaries),
        tabulate_flow(results.groups),
        tabulate_lengths(results.groups),
        tabulate_rates(results.summaries, results.published),
    ):
        if table.rows:
            yield from table.format_lines()
    yield from results.cautions
