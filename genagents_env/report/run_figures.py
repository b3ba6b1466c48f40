"""The figures of run files: which are drawn, of what, and what stands below each."""

from collections.abc import Iterator, Sequence

from genagents_env.evaluate.measures.lengths import pool_lengths
from genagents_env.evaluate.measures.preferences import compute_affinity
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.report import figures
from genagents_env.report.groups import (
    RunGroup,
    average_costs,
    average_flows,
    average_preferences,
    average_successes,
    list_preferences,
)
from genagents_env.report.run_results import RunResults
from genagents_env.report.sections import FigureFile


def draw_run_figures(results: RunResults) -> Iterator[FigureFile]:
    """Yield the figures in the order of the page.

    What shows a single run (who told whom, opinions over time) is drawn for the first run of
    each group. Bars compare runs, so there are none of one run alone.
    """
    groups = results.groups
    alone = len(results.summaries) == 1
    if not alone:
        yield from _draw_successes(groups)
        yield from _draw_flow_bars(groups)
    yield from _draw_hearings(groups)
    for number, group in enumerate(groups, 1):
        yield from _draw_preferences(number, group, bars=not alone)
        yield from _draw_opinions(number, group, group.first)
        yield from _draw_summaries(number, group, group.first)
    if not alone:
        yield from _draw_lengths(groups)
        yield from _draw_costs(results)


def _draw_lengths(groups: Sequence[RunGroup]) -> Iterator[FigureFile]:
    spans = [summary.spans for group in groups for summary in group.counted]
    if any(one.conversations for one in spans):
        drawn = figures.draw_length_bars(pool_lengths(spans))
        caption = (
            "Mean over memberships that ended, with standard error, all runs together; the dark "
            "mark is the mean time of the last word. Hatched: the paper's."
        )
        yield FigureFile("lengths", "lengths", caption, figures.encode_png(drawn))


def _draw_costs(results: RunResults) -> Iterator[FigureFile]:
    rates = tuple(average_costs(results.groups))
    if any(rate.calls is not None for rate in rates):
        drawn = figures.draw_cost_bars(rates, results.published, results.summaries[0].rates.speed)
        caption = "Means over runs with standard error; hatched: published figures."
        yield FigureFile("costs", "costs", caption, figures.encode_png(drawn))


def _draw_successes(groups: Sequence[RunGroup]) -> Iterator[FigureFile]:
    rates = tuple(average_successes(groups))
    for scenario in dict.fromkeys(rate.scenario for rate in rates):
        mine = [rate for rate in rates if rate.scenario == scenario]
        drawn = figures.draw_success_bars(mine)
        caption = (
            f"{scenario}: share of interviews with success after the run, mean over n runs with "
            "standard error; the dark line is the share before."
        )
        yield FigureFile(
            "successes", _join("success", scenario), caption, figures.encode_png(drawn)
        )


def _draw_flow_bars(groups: Sequence[RunGroup]) -> Iterator[FigureFile]:
    rates = tuple(average_flows(groups))
    if rates:
        caption = "Means over runs with standard error; a dash where nobody could have."
        yield FigureFile("flow", "flow", caption, figures.encode_png(figures.draw_flow_bars(rates)))


def _draw_hearings(groups: Sequence[RunGroup]) -> Iterator[FigureFile]:
    for number, group in enumerate(groups, 1):
        summary = group.first
        spread = [fact for fact in summary.told if fact.heard]
        unheard = [fact.fact for fact in summary.told if not fact.heard]
        if spread:
            drawn = figures.draw_hearing_network(spread, summary.people, summary.format_clock)
            caption = f"Who told whom first, in {summary.rates.run} ({group.label})."
            caption += f" Recognised by {summary.flows[0].by}; a question is no testimony."
            caption += f" Nobody heard of: {', '.join(unheard)}." if unheard else ""
            yield FigureFile("flow", _join("told", number), caption, figures.encode_png(drawn))


def _draw_preferences(number: int, group: RunGroup, *, bars: bool) -> Iterator[FigureFile]:
    for judge, several in enumerate(list_preferences(group), 1):
        one = average_preferences(several)
        if bars:
            drawn = figures.draw_preference_bars(
                f"{one.check}, by {one.by}", one.values, one.before, one.after, one.otherwise
            )
            name = _join("answers", one.check, number, judge)
            caption = f"{group.label}: answers before and after, mean over {len(several)} runs."
            yield FigureFile("preferences", name, caption, figures.encode_png(drawn))
        if one.after:
            found = compute_affinity(several)
            drawn = figures.draw_affinity_map(
                f"{one.check}, by {one.by}", found.agents, found.matrix
            )
            name = _join("affinity", one.check, number, judge)
            caption = (
                f"{group.label}: probability that two give the same answer after the run; on the "
                "diagonal, that two interviews of one do."
            )
            yield FigureFile("preferences", name, caption, figures.encode_png(drawn))


def _draw_opinions(number: int, group: RunGroup, summary: RunSummary) -> Iterator[FigureFile]:
    values = {one.check: one for one in summary.preferences}
    for check in dict.fromkeys(one.check for one in summary.opinions):
        mine = [one for one in summary.opinions if one.check == check]
        known = values.get(check)
        drawn = figures.draw_opinion_timeline(
            check,
            () if known is None else known.values,
            mine,
            summary.people,
            summary.seconds_per_tick,
            None if known is None else known.otherwise,
        )
        caption = f"What was mentioned when, in {summary.rates.run} ({group.label})."
        name = _join("mentions", check, number)
        yield FigureFile("preferences", name, caption, figures.encode_png(drawn))


def _draw_summaries(number: int, group: RunGroup, summary: RunSummary) -> Iterator[FigureFile]:
    if summary.courses:
        drawn = figures.draw_summary_courses(
            summary.courses, summary.seconds_per_tick, summary.last_tick
        )
        caption = (
            f"Summaries of the self-monitor over time, in {summary.rates.run} ({group.label}); "
            "a cross is a call that made one memory of several."
        )
        yield FigureFile(
            "summaries", _join("summaries", number), caption, figures.encode_png(drawn)
        )


def _join(*words: str | int) -> str:
    """Return a file's name; scenarios and checks have ids that need no change."""
    return "_".join(map(str, words))
