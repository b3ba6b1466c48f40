"""What a study found, in sentences that anybody could print; each follows from its tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING

from genagents_env.study.evaluate.measure import belongs_to
from genagents_env.study.report.study_runs import EXCLUDED
from genagents_env.study.report.table import format_bounds, format_count, format_number, list_some
from genagents_env.study.stats import ALPHA, Effect, compute_interval, find_smallest_p
from genagents_env.study.stats.effects import BETWEEN, PRIMARY
from genagents_env.study.sweep.trial_status import StudyRun

if TYPE_CHECKING:
    from genagents_env.study.report.study import StudyResults

_SHARE = "share"
_BOOLS = ("true", "false")
_MOST_SILENT = 4  # measures named in the sentence on what was not found


def write_headlines(study: "StudyResults") -> Iterator[str]:
    """Yield the sentences, findings first; not finding a difference is never told as none."""
    finished = [run for run in study.runs if run.measured is not None]
    if not finished:
        yield f"No run has finished yet{_describe_failures(study.runs)}, so nothing can be said."
        return
    if not any(run.counted for run in finished):
        yield (
            "Every finished run is degraded (a policy failed, or the model gave too few usable "
            "replies), so nothing can be said."
        )
        return
    if not study.plan.levels:
        yield from _describe_means(study)
        return
    yield from _describe_effects(study)
    yield from _describe_equal(study)
    yield from _describe_missing_levels(study)
    yield from _describe_gaps(study)


def describe_effect(study: "StudyResults", one: Effect) -> str:
    """Return an effect as a sentence: what was seen with either level, then how sure it is."""
    says = _find_words(study, one.measure)
    of_people = bool(says)
    factors = one.contrast.factor.split(BETWEEN)
    first, *others = map(_name_level, factors, one.contrast.first)
    second, *seconds = map(_name_level, factors, one.contrast.second)
    title = study.title_of(one.measure)
    if one.first_mean is None or one.second_mean is None:  # an interaction
        before, after = _find_changes(study, one)
        told = (
            f"{title}: from {first} to {second} it changes by {_format(before, of_people)} with "
            f"{others[0]}, by {_format(after, of_people)} with {seconds[0]}"
        )
    elif says:
        told = (
            f"With {second}, {_format(one.second_mean, of_people)} {says}; with {first}, "
            f"{_format(one.first_mean, of_people)}"
        )
    else:
        unit = study.unit_of(one.measure)
        told = (
            f"{title}: {format_number(one.second_mean)} with {second}, "
            f"{format_number(one.first_mean)} with {first}"
            f"{f' ({unit})' if unit else ''}"
        )
    rest = [name for name in study.plan.levels if name not in factors]
    average = f", on average over {' and '.join(rest)}" if rest else ""
    return f"{told}{average} ({_describe_certainty(one, of_people)})."


def _find_words(study: "StudyResults", name: str) -> str:
    """Return what so many of 100 people do, of a share of people; else nothing."""
    measure = study.find_measure(name)
    if measure is None or measure.unit != _SHARE:
        return ""
    return measure.says.format(key=name.partition(".")[2])


def _find_changes(study: "StudyResults", one: Effect) -> tuple[float, float]:
    """Return by how much the first factor changes the mean with either level of the second."""
    places = [list(study.plan.levels).index(name) for name in one.contrast.factor.split(BETWEEN)]
    corners = set(product(*zip(one.contrast.first, one.contrast.second, strict=True)))
    cells: dict[tuple[str, ...], list[Mapping[int, float]]] = {}
    for cell, own in study.values_to_compare(one.measure, one.contrast).items():
        if (corner := tuple(cell[at] for at in places)) in corners:
            cells.setdefault(corner, []).append(own)
    seeds = set.intersection(*(set(own) for several in cells.values() for own in several))
    means = {
        k: fmean(own[seed] for own in several for seed in seeds) for k, several in cells.items()
    }
    (a, c), (b, d) = one.contrast.first, one.contrast.second
    return means[b, c] - means[a, c], means[b, d] - means[a, d]


def _format(number: float, of_people: bool) -> str:
    """Return a number as a sentence has it: a share as so many of 100."""
    return f"{format_number(100 * number)} of 100" if of_people else format_number(number)


def _name_level(factor: str, label: str) -> str:
    """Return a level as a sentence names it: a number says nothing without its factor."""
    is_word = label.strip("-.0123456789") and label not in _BOOLS
    return label if is_word else f"{factor} {label}"


def _describe_certainty(one: Effect, of_people: bool) -> str:
    """Return the difference with its interval, p and seeds, in brackets of a sentence."""
    how = " by Student's t" if one.method == "t" else ""
    bounds = format_bounds(one, 100 if of_people else 1)
    parts = [f"difference {_format(one.difference, of_people)}{bounds}{how}"]
    if one.p_holm is not None:
        parts.append(f"p = {format_number(one.p_holm)} after Holm's correction")
    elif one.p is not None:
        parts.append(f"p = {format_number(one.p)}")
    parts.append(format_count(one.n, "seed"))
    return ", ".join(parts)


def _describe_effects(study: "StudyResults") -> Iterator[str]:
    if not study.plan.primary:
        yield "No primary measure was named beforehand, so all that follows is exploratory."
        return
    main = [one for one in study.effects if one.family == PRIMARY]
    found = [one for one in main if one.found]
    yield from (describe_effect(study, one) for one in found)
    void = [one for one in main if not one.found and study.why_untested(one.contrast)]
    yield from dict.fromkeys(f"{study.why_untested(one.contrast).capitalize()}." for one in void)
    silent = [
        one for one in main if not one.found and one not in void and not _is_equal(study, one)
    ]
    if silent:
        yield _describe_silence(study, silent, len(main), bool(found or void))


def _is_equal(study: "StudyResults", one: Effect) -> bool:
    """Whether an effect is of levels that led the same lives throughout, which is told instead."""
    equal = {
        (same.factor, frozenset((same.first, same.second)))
        for same in study.equal
        if same.equal == same.compared
    }
    factors = one.contrast.factor.split(BETWEEN)
    sides = zip(factors, one.contrast.first, one.contrast.second, strict=True)
    return any((factor, frozenset((a, b))) in equal for factor, a, b in sides)


def _describe_silence(
    study: "StudyResults", silent: Sequence[Effect], whole: int, others: bool
) -> str:
    few, many = min(one.n for one in silent), max(one.n for one in silent)
    seeds = format_count(few, "seed") if few == many else f"{few} to {many} seeds"
    titles = dict.fromkeys(study.title_of(one.measure) for one in silent)
    what = list_some(list(titles), _MOST_SILENT)
    if many == 1:
        if all(study.list_repeated(one.measure, one.contrast) for one in silent):
            return f"Judges read the same in all seeds: {what} is what they thought once, no more."
        return f"With one seed of each, the numbers for {what} say what happened once, and no more."
    lead = "In the other comparisons no" if others else "No"
    told = f"{lead} difference was found ({what}) with {seeds}"
    tests = sum(one.p_holm is not None for one in study.effects) or whole
    if tests * find_smallest_p(many) >= ALPHA:
        return f"{told}; so few seeds cannot show one after correction, however large it is."
    return f"{told}; that is not a finding of no difference: see how wide the intervals are."


def _describe_equal(study: "StudyResults") -> Iterator[str]:
    for one in study.equal:
        if one.equal < one.compared:
            continue
        if one.compared == 1:
            rest = (
                "that happened in it depended on which of the two it was. Other seeds may differ "
                "where chance decides; so may what models were asked, and what that cost."
            )
        else:
            rest = (
                "that happened depended on which of the two it was. Only what models were asked, "
                "and what that cost, may differ."
            )
        yield f"{one.text}: nothing {rest}"


def _describe_missing_levels(study: "StudyResults") -> Iterator[str]:
    for place, (factor, labels) in enumerate(study.plan.levels.items()):
        for label in labels:
            own = [run for run in study.runs if run.condition.levels[place] == label]
            if own and not any(run.counted for run in own):
                yield (
                    f"No run with {label} ({factor}) counts{_describe_failures(own)}, so it was "
                    "compared with nothing."
                )


def _describe_failures(runs: Sequence[StudyRun]) -> str:
    counts = Counter("degraded" if run.excluded else run.state for run in runs)
    states = [f"{n} {state}" for state, n in counts.items() if state != "finished"]
    problem = next((run.problem for run in runs if run.state == "failed" and run.problem), "")
    told = ", ".join(states) + (f": {problem}" if problem else "")
    return f" ({told})" if told else ""


def _describe_means(study: "StudyResults") -> Iterator[str]:
    """Yield the means of a study that varies nothing, as far as its runs are of one condition."""
    names = study.primary or (() if study.is_of_files else study.names[:1])
    for name in names if len(study.conditions) == 1 else ():
        values = [value for own in study.values_of(name).values() for value in own.values()]
        if values:
            mean = compute_interval(values, study.range_of(name))
            told = f"{format_number(mean.mean)}{format_bounds(mean)}"
            yield f"{study.title_of(name)}: {told}, mean of {format_count(mean.n, 'run')}."
    yield from _describe_gaps(study)


def _describe_gaps(study: "StudyResults") -> Iterator[str]:
    """Yield for each primary measure that has no value, or could not be compared, why not."""
    compared = {one.measure for one in study.effects if one.family == PRIMARY}
    for words, _ in study.plan.primary:
        own = [name for name in study.primary if belongs_to(name, words)]
        if not own:
            yield f"{words} has no value in any finished run, so nothing can be said of it."
        for name in own:
            if name not in compared and study.plan.levels:
                yield (
                    f"{study.title_of(name)} has no value of one seed in all levels"
                    f"{_describe_reasons(study, name)}, so they were not compared."
                )


def _describe_reasons(study: "StudyResults", name: str) -> str:
    why = Counter(
        row.why
        for row in study.rows
        if row.name == name and (row.value is None or row.why == EXCLUDED)
    )
    told = ", ".join(f"{count} {word}" for word, count in why.items())
    return f" ({told})" if told else ""
