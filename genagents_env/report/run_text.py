"""Run files in words, line by line: for the terminal, and for the page."""

from collections.abc import Iterator

from genagents_env.evaluate.published import list_published_costs
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.evaluate.run_text import describe_summary
from genagents_env.report.groups import group_runs
from genagents_env.report.narrative import tell_run
from genagents_env.report.run_results import RunResults
from genagents_env.report.run_sections import list_names, show_table
from genagents_env.report.run_tables import (
    tabulate_agreement,
    tabulate_flow,
    tabulate_lengths,
    tabulate_rates,
    tabulate_runs,
    tabulate_successes,
)


def describe_run(summary: RunSummary, width: int = 0) -> Iterator[str]:
    """Yield the summary of one run, its conversation length and its cost, line by line.

    Args:
        summary: of the run.
        width: characters of a line, for tables; 0 for as many as they need.
    """
    yield from describe_summary(summary, width)
    groups = group_runs([summary])
    own = list_names(groups)
    if summary.spans.conversations:
        yield from show_table(tabulate_lengths(groups), own).format_lines(width)
    if summary.rates.agents:
        rates = tabulate_rates([summary], list_published_costs(summary.rates.speed))
        yield from show_table(rates, own).format_lines(width)


def describe_runs(results: RunResults, width: int = 0) -> Iterator[str]:
    """Yield the tables of several runs beside one another, line by line; `width` as above."""
    asked = [one for one in results.summaries if one.rates.agents]
    for table in (
        tabulate_runs(results.summaries),
        tabulate_successes(results.groups),
        tabulate_agreement(results.summaries),
        tabulate_flow(results.groups),
        tabulate_lengths(results.groups),
        tabulate_rates(asked, results.published),
    ):
        if table.rows:
            yield from show_table(table).format_lines(width)
    yield from results.cautions


def describe_words(summary: RunSummary) -> Iterator[str]:
    """Yield who told whom in which words, and every answer with the events it rests on."""
    told = tell_run(summary)
    yield f"{told.title} ({told.file}), in words:"
    for fact in told.facts:
        yield f"{fact.fact}: {fact.statement}"
        yield f"    Knew it from the start: {fact.at_start}"
        if fact.common:
            yield f'    Always in these words: "{fact.common}"'
        for line in fact.lines:
            left = "    " * (line.depth + 1)
            where = f", {line.where}" if line.where else ""
            remark = f" ({line.remark})" if line.remark else ""
            yield f"{left}{line.time}{where}: {line.teller} -> {line.hearers}{remark}"
            if line.words:
                yield f'{left}    "{line.words}"'
        if fact.never:
            yield f"    Never heard it: {fact.never}"
    if told.untold:
        yield told.untold
    for interview in told.interviews:
        yield f"{interview.agent} was asked:"
        for asked in interview.questions:
            yield f"    {asked.question}"
            for answer in asked.answers:
                times = f" ({answer.times} times)" if answer.times > 1 else ""
                yield f"        {answer.when}: {answer.text}{times}"
                yield from (f"            {one.line}" for one in answer.evidence)
