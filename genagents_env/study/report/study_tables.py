"""The tables of a report, of studies all from the tidy table and the effects; and of prompts."""

from collections.abc import Iterator, Mapping, Sequence

from genagents_env.llm.prices import describe_list
from genagents_env.study.evaluate.prompt_shares import PromptShares
from genagents_env.study.evaluate.rates import Rates
from genagents_env.study.report.sentences import collect_uses, explain_untested
from genagents_env.study.report.study import StudyResults, find_group
from genagents_env.study.report.table import CellValue, Table, format_cell
from genagents_env.study.stats.effects import PRIMARY, Effect
from genagents_env.study.stats.intervals import compute_interval
from genagents_env.study.sweep.trial_status import StudyRun

_SHORT = 12  # hexadecimal digits of a hash in a table that is read
_LEAST = 0.01  # of a prompt's tokens: smaller sections are told together
_WAYS = {  # by state, what can be done
    "stopped": "`genagents sweep DIR` goes on from its checkpoint",
    "failed": "`genagents sweep DIR` tries it again",
    "damaged": "`genagents sweep DIR` sets it aside and runs it again",
    "due": "`genagents sweep DIR` runs it",
}


def make_study_sections(study: StudyResults) -> Iterator[Table]:
    """Yield the tables of the appendix in their order, after the means those that have a row."""
    yield tabulate_means(study)
    more = (
        tabulate_effects(study),
        tabulate_times(study),
        tabulate_faculties(study),
        *study.tables,
        tabulate_runs(study),
        tabulate_measures(study),
        Table("versions", "Versions", ("package", "version"), tuple(study.versions.items())),
    )
    yield from (one for one in more if one.rows)


def tabulate_means(study: StudyResults) -> Table:
    """Return the measures by condition, the primary ones first.

    Of the others, those that are nothing or nought in every condition are named in the note alone.
    """
    rows: list[tuple[CellValue, ...]] = []
    lost: list[str] = []
    for name in study.names:
        values, within = study.values_of(name), study.range_of(name)
        own = {label: list(seeds.values()) for label, seeds in values.items()}
        means = [
            compute_interval(own[label], within) if label in own else None
            for label in study.conditions
        ]
        if name in study.primary or any(one is not None and one.mean for one in means):
            about = PRIMARY if name in study.primary else find_group(name)
            rows.append((about, study.title_of(name), study.measure_of(name).unit, *means))
        else:
            lost.append(format_cell(study.title_of(name)))
    note = (
        f"Mean over {'the runs' if study.is_of_files else 'finished runs'} with its 95 % interval "
        "by Student's t, of shares within 0 and 1, and their number; no interval where no spread "
        f"was seen, a dash where no run has a value.{study.exclusion_note}"
    )
    if lost:
        note += f" Left out, without a value or nought throughout: {', '.join(lost)}."
    columns = ("about", "measure", "unit", *study.conditions)
    strong = frozenset(range(len(study.primary)))
    return Table("means", "Measures", columns, tuple(rows), note, strong)


def tabulate_effects(study: StudyResults) -> Table:
    """Return every effect, the primary ones first."""
    columns = (
        *("measure", "factor", "effect", "mean of first", "mean of second", "difference", "low"),
        *("high", "interval by", "p", "p after Holm", "effect size", "seeds", "family", "note"),
    )
    note = (
        "Second less first, a number for each seed, averaged over the levels of the other factors; "
        "an interaction is by how much that differs between two levels of another. The interval is "
        "the inversion of the sign-flip test (Student's t below six seeds). Holm's correction is "
        "over the primary family; exploratory p values are not corrected and only point to what a "
        "study of its own might ask. The effect size is in standard deviations of these numbers."
        f"{study.exclusion_note}"
    )
    rows = tuple(_make_effect_row(study, one) for one in study.effects)
    main = frozenset(k for k, one in enumerate(study.effects) if one.family == PRIMARY)
    return Table("effects", "All differences", columns, rows, note, main)


def _make_effect_row(study: StudyResults, one: Effect) -> tuple[CellValue, ...]:
    notes = (explain_untested(study, one.contrast), one.note)
    return (
        *(study.title_of(one.measure), one.contrast.factor, one.contrast.text),
        *(one.first_mean, one.second_mean, one.difference, one.low, one.high, one.method or None),
        *(one.p, one.p_holm, one.size, one.n, one.family, "; ".join(filter(None, notes))),
    )


def tabulate_times(study: StudyResults) -> Table:
    """Return what is known of times that some runs did not see, beside their means."""
    rows = tuple(
        (
            *(study.title_of(one.measure), one.contrast.factor, one.contrast.text),
            *(found.first_reached, found.second_reached),
            *(found.first_median, found.second_median, found.p),
        )
        for one in study.effects
        if (found := one.times) is not None
    )
    columns = (
        *("measure", "factor", "effect", "first reached", "second reached"),
        *("median of first", "median of second", "p (log-rank)"),
    )
    note = (
        "Runs that ended before the event count as such: medians by Kaplan and Meier, a dash where "
        "fewer than half reached it. The log-rank test compares all runs, not seed by seed."
    )
    return Table("times", "Times that some runs did not see", columns, rows, note)


def tabulate_faculties(study: StudyResults) -> Table:
    """Return for each condition the faculties that can be switched off, and whether they ran."""
    rows: list[tuple[CellValue, ...]] = []
    for name, runs in study.conditions.items():
        for (policy, switch), uses in collect_uses(runs).items():
            calls = sum(one.calls for one in uses) / len(uses)
            lost = sum(one.fallbacks for one in uses) / len(uses)
            ran = sum(one.ran for one in uses)
            on = "on" if all(one.on for one in uses) else "off"
            rows.append((name, policy, switch, on, len(uses), ran, calls, lost))
    columns = (
        *("condition", "policy", "faculty", "switched", "runs", "ran in"),
        *("calls in a run", "fallbacks in a run"),
    )
    note = (
        "Over finished runs. A faculty ran where any of its model calls had a usable reply; one "
        "that never ran where it is on is tested by no comparison. Calls of what cannot be "
        "switched off are not listed; the measure of model calls has them."
    )
    return Table("faculties", "Faculties", columns, tuple(rows), note)


def tabulate_runs(study: StudyResults) -> Table:
    """Return every run: its state, usage and primary values, and its file if not its name."""
    values = {(row.run, row.name): row.value for row in study.rows}
    columns = (
        *("run", *study.plan.levels, "seed", "state", "canonical hash", "life"),
        *("calls", "dollars", "wall seconds", "fallbacks"),
        *(study.title_of(name) for name in study.primary),
        *(() if study.is_of_files else ("file",)),
        "note",
    )
    rows = tuple(_make_run_row(study, run, values) for run in study.runs)
    note = (
        f"{'' if study.is_of_files else 'Only finished runs go into means and differences. '}"
        "`genagents view FILE` opens one, `genagents show FILE --story` tells it. Runs of one life "
        f"are equal in all that happened.{_describe_later(study)}"
    )
    return Table("runs", "Runs", columns, rows, note)


def _describe_later(study: StudyResults) -> str:
    """Return what interviews and judges by checks took after the ends of runs; else nothing."""
    used = [run.measured.usage for run in study.runs if run.measured is not None]
    calls = sum(one.later_calls or 0 for one in used)
    dollars = sum(one.later_dollars or 0.0 for one in used)
    unknown = sum(one.later_calls is None and one.calls > 0 for one in used)
    priced = f" and ${dollars:.4f}" if dollars else ""
    missing = f" (not known of {unknown:,} runs)" if unknown else ""
    told = (
        " Calls and dollars are those of runs; after their ends interviews and judges by checks "
        f"took {calls:,}{priced} more{missing}."
    )
    return told if calls or unknown else ""


def _make_run_row(
    study: StudyResults, run: StudyRun, values: Mapping[tuple[str, str], float | None]
) -> tuple[CellValue, ...]:
    is_inside = run.file.is_relative_to(study.folder)
    file = run.file.relative_to(study.folder).as_posix() if is_inside else str(run.file)
    usage: tuple[CellValue, ...] = (None,) * 6
    if (found := run.measured) is not None:
        took = found.usage
        heads = found.hash[:_SHORT], found.life[:_SHORT]
        usage = (*heads, took.calls, took.dollars, took.seconds, took.fallbacks)
    return (
        *(run.name, *run.condition.levels, run.seed, run.state, *usage),
        *(values.get((run.name, name)) for name in study.primary),
        *(() if study.is_of_files else (file,)),
        _describe_problem(run),
    )


def _describe_problem(run: StudyRun) -> str:
    """Return why a run is not finished or degraded, and what can be done; else nothing."""
    if run.measured is None:
        why = ": ".join(filter(None, (run.status, run.problem)))
        return "; ".join(filter(None, (why, _WAYS[run.state])))
    use = "in no mean" if run.excluded else "counted, as asked"
    earlier = "made before something changed" if run.earlier else ""
    degraded = f"degraded, {use}: {run.degraded}" if run.degraded else ""
    return "; ".join(filter(None, (earlier, degraded)))


def tabulate_values(study: StudyResults) -> Table:
    """Return the tidy table: a row for each value of each run."""
    return Table("values", "Values", study.value_columns, tuple(row.cells for row in study.rows))


def tabulate_measures(study: StudyResults) -> Table:
    """Return each measure with its definition and source."""
    rows = tuple(tuple(one.as_json().values()) for one in study.measures)
    columns = ("name", "measure", "unit", "definition", "source")
    return Table("measures", "What was measured", columns, rows)


def tabulate_costs(rates: Sequence[Rates]) -> Table:
    """Return what the agents of each run cost who asked a model; of runs without calls no row."""
    asked = [one for one in rates if one.agents]
    rows = tuple(
        (
            *(r.run, r.policy, r.model, r.calls_per_waking_hour, r.calls_per_outside_hour),
            *(r.tokens_per_hour, r.dollars_per_hour, r.calls_per_utterance),
            *(r.tokens_per_utterance, r.dollars_per_utterance, r.dollars_per_human_hour),
        )
        for r in asked
    )
    columns = (
        *("run", "policy", "model", "calls/hour awake", "calls/hour outside conversation"),
        *("tokens/game hour", "$/game hour", "calls/utterance", "tokens/utterance"),
        *("$/utterance", "$/human hour"),
    )
    note = ""
    if asked:
        by = asked[0].priced_as
        priced = "at each run's own price" if by is None else f"as {by} by {describe_list()}"
        note = (
            f"Per agent that asked a model. Dollars {priced}, embeddings not counted; a human "
            f"hour is {asked[0].speed:g} game hours. Interviews and judging are left out."
        )
    return Table("costs", "What an agent costs", columns, rows, note)


def tabulate_prompts(found: Sequence[PromptShares]) -> Table:
    """Return the prompts by purpose: their sizes, their sections, and what found no room."""
    rows = tuple(
        (
            *(one.purpose, one.prompts, one.mean_tokens, one.most_tokens or None),
            *(one.mean_bound, one.most_bound, one.memories, one.cuts.cut, _format_shares(one)),
            ", ".join(f"{n.section} {n.lines:,} in {n.prompts:,}" for n in one.cuts.sections),
        )
        for one in found
    )
    columns = (
        *("purpose", "prompts", "mean tokens", "most tokens", "mean bound", "most bound"),
        *("memories in one", "cut", "sections, of the tokens by the bound"),
        "lines left out of sections, in how many prompts",
    )
    return Table("prompts", "Prompts by purpose", columns, rows)


def _format_shares(one: PromptShares) -> str:
    told = [f"{name} {share:.0%}" for name, share in one.shares if share >= _LEAST]
    rest = sum(share for _, share in one.shares if share < _LEAST)
    return ", ".join([*told, *([f"others {rest:.1%}"] if rest else [])])
