"""The figures of a study: effects, values by condition, curves."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from genagents_env.study.report.figures import (
    KnowledgeCurve,
    Panel,
    draw_forest,
    draw_knowledge_curves,
    draw_measure_bars,
    encode_png,
)
from genagents_env.study.report.study import StudyResults
from genagents_env.study.stats import compute_interval
from genagents_env.study.stats.effects import PRIMARY

_PANELS = 6
_MOST_CONDITIONS = 12  # of curves in one figure
_MOMENTS = 48  # at which curves are averaged


@dataclass(frozen=True, slots=True)
class FigureFile:
    """A figure as a file.

    Attributes:
        name: of the file, without ending.
        caption: below it.
        png: the bytes.
    """

    name: str
    caption: str
    png: bytes


def draw_study_figures(study: StudyResults) -> Iterator[FigureFile]:
    """Yield the figures in the order of the page."""
    main = [one for one in study.effects if one.family == PRIMARY]
    if main:
        titles = [study.title_of(one.measure) for one in main]
        caption = (
            "Primary differences, second less first, with their 95 % intervals, which no "
            "correction has touched; blue where it is a finding after Holm's."
            f"{study.exclusion_note}"
        )
        yield FigureFile("differences", caption, encode_png(draw_forest(main, titles)))
    names = _choose_measures(study)
    if panels := [_make_panel(study, name) for name in names[:_PANELS]]:
        rest = len(names) - len(panels)
        more = f" {rest} more measures stand in the table below." if rest else ""
        caption = (
            "Means over seeds with their 95 % interval; a dot is a run."
            f"{more}{study.exclusion_note}"
        )
        yield FigureFile("values", caption, encode_png(draw_measure_bars(panels)))
    if curves := list(_make_curves(study)):
        caption = (
            "People who know a fact over time: the mean over seeds with its 95 % interval. A run "
            "that ended earlier counts with its last number."
        )
        yield FigureFile("diffusion", caption, encode_png(draw_knowledge_curves(curves)))


def _choose_measures(study: StudyResults) -> list[str]:
    """Return the primary measures, without panels of nought where there are others."""
    named = list(study.primary) or list(study.names)
    spread = [name for name in named if any(_list_values(study, name))]
    return spread or named


def _list_values(study: StudyResults, name: str) -> list[float]:
    return [value for own in study.values_of(name).values() for value in own.values()]


def _make_panel(study: StudyResults, name: str) -> Panel:
    values = study.values_of(name)
    bars = {
        label: [value for _, value in sorted(values.get(label, {}).items())]
        for label in study.conditions
    }
    return Panel(study.title_of(name), study.unit_of(name), bars, study.range_of(name))


def _make_curves(study: StudyResults) -> Iterator[KnowledgeCurve]:
    """Yield for each fact that spread anywhere how many know it, by condition."""
    conditions = {
        name: [run.measured.curves for run in runs if run.counted and run.measured]
        for name, runs in study.conditions.items()
    }
    if len(conditions) > _MOST_CONDITIONS:
        return
    named = [name.partition(".")[2] for name in study.primary if "." in name]
    curves = [curve for runs in conditions.values() for run in runs for curve in run.items()]
    spread = [fact for fact, steps in curves if steps[-1][1] > steps[0][1]]
    facts = [fact for fact in dict.fromkeys(spread) if fact in named] or list(dict.fromkeys(spread))
    for fact in facts[:_PANELS]:
        for label, runs in conditions.items():
            own = [run[fact] for run in runs if fact in run]
            if own:
                yield _average_curves(fact, label, own)


def _average_curves(
    fact: str, label: str, runs: Sequence[Sequence[tuple[float, int]]]
) -> KnowledgeCurve:
    end = max(steps[-1][0] for steps in runs)
    moments = np.linspace(0.0, end, _MOMENTS + 1).tolist()
    known = [compute_interval([_find_count(steps, hour) for steps in runs]) for hour in moments]
    return KnowledgeCurve(fact, label, moments, known)


def _find_count(steps: Sequence[tuple[float, int]], hour: float) -> float:
    at = bisect_right([when for when, _ in steps], hour)
    return float(steps[at - 1][1]) if at else 0.0
