"""The tables of run files: each from the summaries of all runs, or from their groups."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from genagents_env.evaluate.measures.lengths import pool_lengths
from genagents_env.evaluate.measures.preferences import find_leaning
from genagents_env.evaluate.published import PublishedCost
from genagents_env.evaluate.run_summary import RunSummary
from genagents_env.llm.prices import describe_list
from genagents_env.report.groups import (
    RunGroup,
    average,
    average_flows,
    average_preferences,
    average_successes,
    list_preferences,
)
from genagents_env.report.run_results import RunResults
from genagents_env.report.table import CellValue, Table

_RUNS = ("run", "scenario", "agents", "policy", "model", "seed", "status", "game hours")


def make_run_tables(results: RunResults) -> tuple[Table, ...]:
    """Return all tables of run files that have a row, in the order of the page."""
    summaries, groups, others = results.summaries, results.groups, results.published
    asked = [one for one in summaries if one.rates.agents]  # a model, at least once
    found = (
        tabulate_runs(summaries),
        tabulate_crowding(summaries),
        tabulate_successes(groups),
        tabulate_success_by_run(summaries),
        tabulate_agreement(summaries),
        tabulate_flow(groups),
        tabulate_flow_by_agent(summaries),
        tabulate_summaries(summaries),
        tabulate_preferences(groups),
        tabulate_lengths(groups),
        tabulate_costs(asked, others),
        tabulate_cost_parts(asked),
    )
    return tuple(table for table in found if table.rows)


def tabulate_runs(summaries: Iterable[RunSummary]) -> Table:
    """Return the runs, with the status of each."""
    rows = tuple(
        (
            *(str(s.path), s.rates.scenario, s.rates.people, s.rates.policy, s.rates.model),
            *(s.seed, s.rates.status, s.hours, s.talk.conversations),
            *(s.talk.utterances, s.spent.fallbacks, s.policy_errors),
        )
        for s in summaries
    )
    columns = (*_RUNS, "conversations", "utterances", "fallbacks", "policy errors")
    note = (
        "Runs that are not finished, or in which a policy failed (degraded), stay out of the means "
        "of their group if any other is there."
    )
    return Table("runs", "What was run", columns, rows, note if len(rows) > 1 else "")


def tabulate_crowding(summaries: Iterable[RunSummary]) -> Table:
    """Return how people got past one another, for each run in which they had to."""
    rows = tuple(
        (str(s.path), one.detours, one.swaps, one.asides, one.waited)
        for s in summaries
        if (one := s.crowding) is not None
    )
    columns = ("run", "detours", "changes of place", "times others moved up", "seconds waited")
    note = "Seconds are game seconds waited before a change of place, or until others moved up."
    return Table("crowding", "People in one another's way", columns, rows, note)


def tabulate_successes(groups: Sequence[RunGroup]) -> Table:
    """Return the successes of each group by judge."""
    rows = tuple(
        (
            *(one.scenario, one.people, one.mind, one.title, one.by, one.before, one.after),
            f"{one.majorities} of {one.decided}",
        )
        for one in average_successes(groups)
    )
    columns = (
        *("scenario", "agents", "policy", "success", "judged by", "share before", "share after"),
        "runs with a majority after",
    )
    note = (
        "A share is of the interviews of a run in which it holds, then the mean over runs with "
        "its standard error; a majority is at least half of them."
    )
    return Table("successes", "Successes", columns, rows, note)


def tabulate_success_by_run(summaries: Iterable[RunSummary]) -> Table:
    """Return each success of each run by each judge, with the shares of its agents."""
    rows = tuple(
        (
            *(s.rates.run, one.title, one.when, one.by, one.share, one.majority, one.missing),
            ", ".join(f"{agent} {share:.0%}" for agent, share in one.shares.items()),
        )
        for s in summaries
        for one in s.outcomes
    )
    columns = (
        *("run", "success", "when", "judged by", "share", "majority", "missing verdicts"),
        "share by agent",
    )
    return Table("success_by_run", "Successes, run by run", columns, rows)


def tabulate_agreement(summaries: Iterable[RunSummary]) -> Table:
    """Return how far each judge agrees with the rules."""
    rows = tuple(
        (s.rates.run, one.check, one.judge, one.compared, one.agreed, one.share)
        for s in summaries
        for one in s.agreements
    )
    columns = ("run", "check", "judge", "compared", "agreed", "share")
    note = "Verdict by verdict, where both the rule and the model have one."
    return Table("agreement", "Agreement of model and rule", columns, rows, note)


def tabulate_flow(groups: Iterable[RunGroup]) -> Table:
    """Return the probabilities of flow in each group."""
    rows = tuple(
        (one.label, one.fact, one.receive, one.store, one.retrieve) for one in average_flows(groups)
    )
    columns = ("runs", "fact", "P(receive)", "P(store)", "P(retrieve)")
    note = (
        "Of those who did not know it at the start; stored of those who received it; retrieved, "
        "the mean share of interviews, of those who stored it. A sentence has to state the fact: "
        f"{_BY} A question or a denial is no testimony."
    )
    return Table("flow", "How facts flowed", columns, rows, note)


def tabulate_flow_by_agent(summaries: Iterable[RunSummary]) -> Table:
    """Return for each fact whether each agent received, stored and retrieved it."""
    rows = tuple(
        (
            *(s.rates.run, one.fact, agent.agent, agent.knew),
            None if agent.received is None else s.format_time(agent.received),
            *(agent.stored, agent.retrieved, agent.sentence, one.by),
        )
        for s in summaries
        for one in s.flows
        for agent in one.agents
    )
    columns = (
        *("run", "fact", "agent", "knew at the start", "received at", "stored", "retrieved"),
        *("in the words", "recognised by"),
    )
    return Table("flow_by_agent", "How facts flowed, agent by agent", columns, rows)


_BY = (
    "by its patterns, and by meaning where the run had the local sentence model and it is "
    "installed here; n-grams know no meaning."
)


def tabulate_summaries(summaries: Iterable[RunSummary]) -> Table:
    """Return what each agent's self-monitor wrote, and how often memories were merged."""
    rows = tuple(
        (
            *(s.rates.run, one.agent, len(one.updates)),
            fmean(words for _, words in one.updates) if one.updates else None,
            one.updates[-1][1] if one.updates else None,
            len(one.merges),
        )
        for s in summaries
        for one in s.courses
    )
    columns = ("run", "agent", "summaries", "words of one, mean", "words of the last", "merges")
    note = "By the model's calls: `monitor.update` and `memory.merge`."
    return Table("summaries", "Summaries over time", columns, rows, note)


def tabulate_preferences(groups: Iterable[RunGroup]) -> Table:
    """Return the mean share of every value before and after, by agent."""
    rows: list[tuple[CellValue, ...]] = []
    for group in groups:
        for several in list_preferences(group):
            one = average_preferences(several)
            for agent in dict.fromkeys([*one.before, *one.after]):
                before, after = one.before.get(agent), one.after.get(agent)
                lean = [None if end is None else find_leaning(end) for end in (before, after)]
                for value in one.values:
                    known = [
                        None if end is None else end.get(value, 0.0) for end in (before, after)
                    ]
                    if any(known):
                        rows.append((group.label, one.check, one.by, agent, value, *known, *lean))
    columns = (
        *("runs", "check", "judged by", "agent", "value", "share before", "share after"),
        *("leaning before", "leaning after"),
    )
    note = "Means over runs of the share of interviews; values that nobody named are left out."
    return Table("preferences", "What they answered, before and after", columns, tuple(rows), note)


def tabulate_lengths(groups: Iterable[RunGroup]) -> Table:
    """Return conversation length by group and policy."""
    rows: list[tuple[CellValue, ...]] = []
    for group in groups:
        spans = [summary.spans for summary in group.counted]
        said = average(one.utterances_per_conversation for one in spans)
        for one in pool_lengths(spans):
            ends = one.mean_spoken, one.sem_spoken, one.silences, one.censored
            rows.append((group.label, one.policy, one.count, one.mean, one.sem, *ends, said))
    rows = rows and [*rows, *_PAPER_LENGTHS]
    columns = (
        *(
            "runs",
            "policy",
            "n",
            "mean seconds",
            "s.e.m.",
            "seconds to the last word",
            "s.e.m. of that",
        ),
        *("ended by silence", "open at the end", "utterances per conversation"),
    )
    note = (
        "From joining a conversation to leaving it, each member by itself, in seconds of game "
        "time; those still open at the end are counted apart and are in no mean. The paper's: "
        "Lyfe Agents (2023), appendix A.1, in seconds of its simulation."
    )
    return Table("lengths", "Conversation length", columns, tuple(rows), note)


_PAPER_LENGTHS: tuple[tuple[CellValue, ...], ...] = (
    ("paper", "Lyfe Agents", 9, 70.348, 13.189, *[None] * 5),
    ("paper", "without option-action", 4, 23.802, 1.463, *[None] * 5),
)


def tabulate_costs(summaries: Sequence[RunSummary], others: Sequence[PublishedCost]) -> Table:
    """Return what every run cost per hour and utterance, published figures last."""
    rows: list[tuple[CellValue, ...]] = [
        (
            *(r.run, r.policy, r.model, r.people, r.status, r.whole.calls, r.whole.tokens),
            *(r.whole.calls_per_hour, r.waking.calls_per_hour, r.outside.calls_per_hour),
            *(r.inside.calls_per_hour, r.whole.tokens_per_hour, r.whole.dollars_per_hour),
            *(r.calls_per_utterance, r.tokens_per_utterance, r.dollars_per_utterance),
            r.dollars_per_human_hour,
        )
        for r in (summary.rates for summary in summaries)
    ]
    rows += [
        (
            *(one.name, None, None, None, "published", None, None),
            *(None, one.calls_per_waking_hour, one.calls_outside_per_hour),
            *(None, None, one.dollars_per_hour, None, None, None, one.dollars_per_human_hour),
        )
        for one in others
        if summaries
    ]
    columns = (
        *("run", "policy", "model", "agents", "status", "calls", "tokens", "calls/game hour"),
        *("calls/hour awake", "calls/hour outside conversation", "calls/hour in conversation"),
        *("tokens/game hour", "$/game hour", "calls/utterance", "tokens/utterance"),
        *("$/utterance", "$/human hour"),
    )
    return Table(
        "costs", "What an agent costs", columns, tuple(rows), _describe_costs(summaries, others)
    )


def tabulate_rates(summaries: Sequence[RunSummary], others: Sequence[PublishedCost]) -> Table:
    """Return the most important columns of `tabulate_costs`, for a terminal."""
    whole = tabulate_costs(summaries, others)
    kept = [whole.columns.index(column) for column in _NARROW]
    rows = tuple(tuple(row[k] for k in kept) for row in whole.rows)
    return Table("rates", whole.title, _NARROW, rows, _describe_prices(summaries))


_NARROW = (
    *("run", "policy", "calls/hour awake", "calls/hour outside conversation"),
    *("tokens/game hour", "$/game hour", "calls/utterance", "tokens/utterance", "$/utterance"),
    "$/human hour",
)


def tabulate_cost_parts(summaries: Iterable[RunSummary]) -> Table:
    """Return the calls of every run in parts: in conversation, outside, interviews, judging."""
    rows = tuple(
        (
            *(r.run, name, part.calls, part.prompt_tokens, part.completion_tokens),
            None if part.dollars is None else float(part.dollars),
            part.agent_hours,
        )
        for r in (summary.rates for summary in summaries)
        for name, part in (
            ("in conversation", r.inside),
            ("outside conversation", r.outside),
            ("all living", r.whole),
            ("interviews", r.interviews),
            ("judging", r.judging),
        )
        if part.calls or name == "all living"
    )
    columns = ("run", "part", "calls", "tokens read", "tokens written", "$", "agent hours")
    note = "Hours of game time: in conversation, awake outside it, and all that were lived."
    return Table("cost_parts", "What was spent on what", columns, rows, note)


def _describe_costs(summaries: Sequence[RunSummary], others: Sequence[PublishedCost]) -> str:
    return " ".join(
        (_describe_prices(summaries), *(f"{one.name}: {one.source}." for one in others))
    ).strip()


def _describe_prices(summaries: Sequence[RunSummary]) -> str:
    if not summaries:
        return ""
    rates = summaries[0].rates
    if rates.priced_as is None:
        priced = "at each run's own price"
        sources = dict.fromkeys(source for one in summaries for source in one.price_sources)
        priced += f" ({', '.join(sources)})" if sources else ""
    else:
        priced = f"as {rates.priced_as} by {describe_list()}"
    return (
        f"Per agent that asked a model. Dollars {priced}, embeddings not counted; a human "
        f"hour is {rates.speed:g} game hours. Interviews and judging are left out."
    )


def tabulate_run_answers(summaries: Iterable[RunSummary]) -> Table:
    """Return every interview answer, with the verdicts of the models that judged it."""
    rows = tuple(row for summary in summaries for row in _list_answers(summary))
    columns = ("run", "when", "agent", "repeat", "question", "answer", "judged")
    return Table("answers", "Interviews", columns, rows)


def _list_answers(summary: RunSummary) -> Iterator[tuple[CellValue, ...]]:
    for one in summary.answers:
        if not one.condition:
            when = "before" if one.tick == 0 else "after"
            judged = "; ".join(one.verdicts)
            yield summary.rates.run, when, one.agent, one.repeat, one.question, one.text, judged
