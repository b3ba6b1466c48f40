"""What a study found and what to be cautious of, in sentences that follow from its tables.

Anybody could print them: findings first; not finding a difference is never told as none.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, TypeAlias

from genagents_env.record import FacultyUse
from genagents_env.study.evaluate.measure import belongs_to
from genagents_env.study.report.table import format_bounds, format_count, format_number, list_some
from genagents_env.study.stats.effects import PRIMARY, Contrast, Effect, count_needed_seeds
from genagents_env.study.stats.intervals import compute_interval
from genagents_env.study.stats.signs import ALPHA, MIN_SEEDS, find_smallest_p
from genagents_env.study.sweep.measured import MeasuredRun
from genagents_env.study.sweep.trial_status import StudyRun

if TYPE_CHECKING:
    from genagents_env.study.report.study import StudyResults

EXCLUDED = "excluded"  # of a value of a run that is in no mean: why
_SHARE = "share"
_BOOLS = ("true", "false")
_MOST_SILENT = 4  # measures named in the sentence on what was not found
_Uses: TypeAlias = Mapping[tuple[str, str], Sequence[FacultyUse]]  # by policy and switch


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
    sides = one.contrast.sides
    firsts = [_name_level(factor, first) for factor, first, _ in sides]
    seconds = [_name_level(factor, second) for factor, _, second in sides]
    numbers = one.changes or (one.first_mean or 0.0, one.second_mean or 0.0)
    before, after = (_format(number, of_people) for number in numbers)
    title, unit = study.title_of(one.measure), study.measure_of(one.measure).unit
    if one.changes:
        told = (
            f"{title}: from {firsts[0]} to {seconds[0]} it changes by {before} with {firsts[1]}, "
            f"by {after} with {seconds[1]}"
        )
    elif says:
        told = f"With {seconds[0]}, {after} {says}; with {firsts[0]}, {before}"
    else:
        told = f"{title}: {after} with {seconds[0]}, {before} with {firsts[0]}"
        told += f" ({unit})" if unit else ""
    factors = [factor for factor, *_ in sides]
    rest = [name for name in study.plan.levels if name not in factors]
    average = f", on average over {' and '.join(rest)}" if rest else ""
    return f"{told}{average} ({_describe_certainty(one, of_people)})."


def _find_words(study: "StudyResults", name: str) -> str:
    """Return what so many of 100 people do, of a share of people; else nothing."""
    one = study.measure_of(name)
    return one.says.format(key=name.partition(".")[2]) if one.unit == _SHARE else ""


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
    rest = [(one, explain_untested(study, one.contrast)) for one in main if not one.found]
    yield from dict.fromkeys(f"{why.capitalize()}." for _, why in rest if why)
    silent = [one for one, why in rest if not why and not _is_equal(study, one)]
    if silent:
        others = bool(found) or any(why for _, why in rest)
        yield _describe_silence(study, silent, len(main), others)


def _is_equal(study: "StudyResults", one: Effect) -> bool:
    """Whether an effect is of levels that led the same lives throughout, which is told instead."""
    equal = [
        (same.factor, {same.first, same.second})
        for same in study.equal
        if same.equal == same.compared
    ]
    return any((factor, {first, second}) in equal for factor, first, second in one.contrast.sides)


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
    if all(one.low is None for one in silent):
        return f"{told}; no spread was seen, so there is no interval that says how sure that is."
    return f"{told}; that is not a finding of no difference: see how wide the intervals are."


def _describe_equal(study: "StudyResults") -> Iterator[str]:
    for one in study.equal:
        if one.equal == one.compared:
            seeds = " Other seeds may differ where chance decides." if one.compared == 1 else ""
            yield (
                f"{one.text}: nothing that happened there depended on which of the two it was. "
                f"What models were asked, and what that cost, may differ.{seeds}"
            )


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


def find_cautions(study: "StudyResults") -> Iterator[str]:
    """Yield the cautions on a study, the most serious first."""
    finished = [(run, run.measured) for run in study.runs if run.measured is not None]
    yield from _warn_of_unfinished(study)
    yield from _warn_of_few_seeds(study)
    yield from _warn_of_copies(study)
    yield from _warn_of_earlier(study)
    yield from _warn_of_degraded([run for run, _ in finished if run.degraded])
    yield from _warn_of_models(finished)
    yield from _warn_of_versions([found for run, found in finished if run.counted])
    yield from _warn_of_failures([fault for _, found in finished for fault in found.faults])
    yield from _warn_of_idle(study.conditions)


def _warn_of_unfinished(study: "StudyResults") -> Iterator[str]:
    states = Counter(run.state for run in study.runs if run.measured is None)
    if states:
        counts = ", ".join(f"{number} {state}" for state, number in states.items())
        yield (
            f"{sum(states.values())} of {format_count(len(study.runs), 'run')} are not finished "
            f"({counts}). Means are over finished runs alone; where those that stop early are not "
            "like the others, such means are biased."
        )


def _warn_of_few_seeds(study: "StudyResults") -> Iterator[str]:
    tests = [one for one in study.effects if one.p_holm is not None]
    fewest = min((sum(run.counted for run in own) for own in study.conditions.values()), default=0)
    if fewest < MIN_SEEDS and study.plan.levels:
        counted = " that are not degraded" if study.excluded else ""
        yield (
            f"Few seeds: a condition has only {format_count(fewest, 'finished run')}{counted}. "
            f"Fewer than {MIN_SEEDS} show no difference as significant, however large it is."
        )
    elif tests and max(find_smallest_p(one.n) for one in tests) * len(tests) >= ALPHA:
        yield (
            f"{len(tests)} primary comparisons are many for {format_count(fewest, 'seed')}: with "
            f"{count_needed_seeds(len(tests))} seeds, or fewer comparisons named in `primary` "
            f"(`{tests[0].measure}: {tests[0].contrast.factor}` is one), each could be found."
        )


def _warn_of_copies(study: "StudyResults") -> Iterator[str]:
    alike = " Seeds in which all that is compared reads alike count once in an effect."
    for name, one in study.judged.copies.items():
        if one.copied:
            yield (
                f"{study.title_of(name)}: {one.copied:,} of {one.ratings:,} ratings were given to "
                f"the very same words elsewhere.{alike if study.plan.levels else ''} No p and no "
                "interval covers how a judge may err on words that several runs share."
            )


def _warn_of_earlier(study: "StudyResults") -> Iterator[str]:
    """Yield cautions on runs made before a change, and on levels that some runs do not tell."""
    earlier = [run.name for run in study.runs if run.earlier]
    if earlier:
        yield (
            f"{format_count(len(earlier), 'run')} were made before the scenario, a policy or this "
            f"package changed, and are counted as they are: {list_some(earlier)}. `genagents "
            "sweep DIR` would run them anew."
        )
    for one in study.equal:
        if one.equal < one.compared:
            yield f"Equal lives: {one.text}, the same positions, events and answers."


def _warn_of_degraded(runs: Sequence[StudyRun]) -> Iterator[str]:
    """Yield a caution where runs are degraded: which, why, and whether they are counted."""
    if runs:
        told = list_some([f"{run.name}: {run.degraded}" for run in runs], 3, "; ")
        use = "They are in the means, as asked."
        if any(run.excluded for run in runs):
            use = "They are in no mean, figure or test; `--degraded include` takes them in."
        yield f"Degraded: {format_count(len(runs), 'finished run')} ({told}). {use}"


def _warn_of_models(runs: Sequence[tuple[StudyRun, MeasuredRun]]) -> Iterator[str]:
    """Yield cautions where another model answered than before, or prompts had no room."""
    changed = [(run.name, found.model_changes) for run, found in runs if found.model_changes]
    if changed:
        name, changes = changed[0]
        yield (
            f"Model changed: in {format_count(len(changed), 'run')} another model answered than "
            f"before ({list_some([name for name, _ in changed])}); in {name}, "
            f"{changes[0].describe()}."
        )
    cut = [(run.name, found.prompt_cuts) for run, found in runs if found.prompt_cuts.matters]
    if cut:
        sections = sorted({one.section for _, found in cut for one in found.sections})
        lost = sum(found.cut for _, found in cut) / sum(found.prompts for _, found in cut)
        yield (
            f"Cut: in {format_count(len(cut), 'run')} more than 1 % of the prompts had no room "
            f"for all lines of a section ({list_some(sections)}), {lost:.1%} over these runs: "
            f"{list_some([name for name, _ in cut])}. `genagents prompts` says which; a "
            "larger `prompt_tokens` gives room."
        )


def _warn_of_versions(runs: Sequence[MeasuredRun]) -> Iterator[str]:
    for name in sorted({name for run in runs for name in run.versions}):
        seen = sorted({run.versions.get(name, "unknown") for run in runs})
        if len(seen) > 1:
            yield f"Runs were made by several versions of {name}: {', '.join(seen)}."


def _warn_of_failures(faults: Sequence[str]) -> Iterator[str]:
    if faults:
        told = list_some(faults, 3, "; ")
        yield f"{format_count(len(faults), 'measurement')} failed and have no value: {told}."


def _warn_of_idle(conditions: Mapping[str, Sequence[StudyRun]]) -> Iterator[str]:
    """Yield a caution on the faculties that were on and never ran; nothing where all did."""
    idle: dict[str, list[str]] = {}
    for name, runs in conditions.items():
        for (_, switch), uses in collect_uses(runs).items():
            if all(one.on and not one.ran for one in uses):
                idle.setdefault(switch, []).append(name)
    if idle:
        told = ", ".join(f"{switch} ({', '.join(names)})" for switch, names in idle.items())
        yield (
            f"On, but never ran (no model call, or none with a usable reply): {told}. A comparison "
            "with a level without such a faculty says nothing of it."
        )


def explain_untested(study: "StudyResults", one: Contrast) -> str:
    """Return why a comparison says nothing; empty where it says something.

    A main effect tests the faculties that are switched on in all runs of one level and off in
    all of the other. It says nothing where none of them ever ran in the former.
    """
    if one.is_interaction:
        return ""
    place = list(study.plan.levels).index(one.factor)
    own = {
        label: collect_uses([run for run in study.runs if run.condition.levels[place] == label])
        for label in (*one.first, *one.second)
    }
    for first, second in permutations(own, 2):
        tested = [key for key in own[first] if _differs(key, own[first], own[second])]
        idle = [key for key in tested if not any(use.ran for use in own[first][key])]
        if tested and idle == tested:
            names = " and ".join(switch for _, switch in idle)
            return f"{names} never ran in {first}: comparing it with {second} says nothing"
    return ""


def _differs(key: tuple[str, str], here: _Uses, there: _Uses) -> bool:
    others = there.get(key, ())
    return bool(others) and all(one.on for one in here[key]) and not any(one.on for one in others)


def collect_uses(runs: Sequence[StudyRun]) -> _Uses:
    """Return what came of each faculty in the runs that count."""
    found: dict[tuple[str, str], list[FacultyUse]] = {}
    for run in runs:
        for use in run.measured.uses if run.counted and run.measured else ():
            found.setdefault((use.policy, use.switch), []).append(use)
    return found
