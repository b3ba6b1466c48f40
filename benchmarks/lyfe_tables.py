"""The tables of the Lyfe page: costs, successes and lengths, over the seeds."""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import Any

from benchmarks.figure_runs import ABLATIONS, SEEDS
from benchmarks.markdown import Figures, make_rows
from benchmarks.published_costs import list_published_costs

_MINDS = {
    "hour_lyfe": "`lyfe`",
    **{f"hour_{name}": f"`{name}`" for name in (*ABLATIONS, "smallville")},
}
_COSTS = (
    ("hour", "calls an hour", "{:,.1f}"),
    ("outside", "outside conversation", "{:,.1f}"),
    ("utterance", "calls an utterance", "{:,.1f}"),
    ("tokens", "tokens an utterance", "{:,.0f}"),
    ("dollars_hour", "$ an agent and game hour", "{:.3g}"),
    ("dollars_utterance", "$ an utterance", "{:.3g}"),
    ("dollars_human_hour", "$ an agent and human hour", "{:.3g}"),
)

_HUMAN_HOUR = "dollars_human_hour"
_FLOW = ("received", "stored", "retrieved")


def tabulate_costs(figures: Figures) -> Iterator[str]:
    """Yield what an hour of nine people costs with each mind, beside published figures."""
    rows = [("", *(title for _, title, _ in _COSTS))]
    for name, title in _MINDS.items():
        runs = [run["rates"] for run in _list_runs(figures, name)]
        rows.append((title, *(_average(runs, key, form) for key, _, form in _COSTS)))
    for one in list_published_costs():
        known = {
            "hour": one.calls_per_waking_hour,
            "outside": one.calls_outside_per_hour,
            "dollars_hour": one.dollars_per_hour,
            "dollars_human_hour": one.dollars_per_human_hour,
        }
        cells = (
            "" if known.get(key) is None else form.format(known[key]) for key, _, form in _COSTS
        )
        rows.append((one.name, *cells))
    return make_rows(*rows)


_SOLVED = (
    ("easy murder, 9 people: the officer names Francesco", "over 60 % of runs", "story_9"),
    ("the same with 6 people", "in a figure", "story_6"),
    ("the same with 3 people", "in a figure", "story_3"),
    ("without option-action, 9 people", "no better", "story_9_no_option_action"),
    ("without self-monitor", "much lower", "story_9_no_self_monitor"),
    ("without Summarize-and-Forget", "much lower", "story_9_no_summarize_and_forget"),
)


def tabulate_results(figures: Figures) -> Iterator[str]:
    """Yield the paper's results beside those of the scripted models."""
    names = ("hour_lyfe", "story_9", "hour_smallville")
    hour, story, other = (
        _average([run["rates"] for run in _list_runs(figures, name)], _HUMAN_HOUR, "{:.3f}")
        for name in names
    )
    mystery = [run["measures"] for run in _list_runs(figures, "story_9")]
    flow = (_average(mystery, f"{of}.testimony", "{:.2f}") for of in _FLOW)
    lengths = _pool(figures, "story_9")
    free = _pool(figures, "story_9_no_option_action")
    hard = _count(figures, "hard")
    cost = f"{hour} in an hour, {story} in its first quarter"
    return make_rows(
        ("result", "paper", "neighbour"),
        ("$ an agent and human hour", "0.5", cost),
        ("the same of Park et al.", "25, as the paper reckons", f"{other} of our `smallville`"),
        ("a conversation, seconds", "70.3 ± 13.2 (n = 9)", lengths),
        ("the same without option-action", "23.8 ± 1.5 (n = 4)", free),
        *((title, paper, _count(figures, name)) for title, paper, name in _SOLVED),
        ("flow of the testimony: received, stored, retrieved", "in a figure", ", ".join(flow)),
        ("hard murder, 9 people: the officer names the murderer", "in a table", hard),
    )


def _list_runs(figures: Figures, name: str) -> list[Mapping[str, Any]]:
    return [figures[f"{name}_{seed}"] for seed in SEEDS]


def _average(runs: Sequence[Mapping[str, Any]], key: str, form: str) -> str:
    """Return the mean over the runs that have a number, in words."""
    known = [run[key] for run in runs if run.get(key) is not None]
    return form.format(fmean(known)) if known else "none"


def _pool(figures: Figures, name: str) -> str:
    """Return mean, standard error and number of the talks of all runs."""
    parts = [run["lengths"] for run in _list_runs(figures, name)]
    count, total, squares = (sum(part[k] for part in parts) for k in range(3))
    if count < 2:
        return f"none (n = {count})"
    mean = total / count
    error = sqrt(max(0.0, (squares / count - mean**2) * count / (count - 1)) / count)
    return f"{mean:.0f} ± {error:.0f} (n = {count})"


def _count(figures: Figures, name: str) -> str:
    """Return in how many runs a success came about in most interviews."""
    found = [
        value
        for run in _list_runs(figures, name)
        for key, value in run["measures"].items()
        if key == "success_majority.solved"
    ]
    return f"{sum(found):.0f} of {len(found)}" if found else "none decided"
