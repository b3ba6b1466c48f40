"""The tables of the documents: each a function from the figures of the runs to Markdown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from benchmarks.calls import PUBLIC
from benchmarks.days import FIGURES
from benchmarks.lyfe_tables import tabulate_costs, tabulate_results
from benchmarks.markdown import Figures, make_rows

Table: TypeAlias = Callable[[Figures], Iterator[str]]


def tabulate_calls(figures: Figures) -> Iterator[str]:
    """Yield what a day of three people costs in model calls, beside the public code."""
    runs = {name: figures[f"day_{name}"]["calls"] for name in ("neighbour", "sample")}
    rows = [("faculty", "public code", *(f"here, *{name}*" for name in runs), "how")]
    for name, (public, faculties, how) in PUBLIC.items():
        counts = [sum(calls.get(of, 0) for of in faculties) for calls in runs.values()]
        told = f"{public:,}" if public else "see how"
        rows.append((name, told, *(f"{count:,}" for count in counts), how))
    whole = sum(public for public, _, _ in PUBLIC.values())
    sums = [sum(calls.values()) for calls in runs.values()]
    times = (f"{count:,} ({whole / count:.1f} times fewer)" for count in sums)
    rows.append(("all", f"about {round(whole, -1):,}", *times, ""))
    return make_rows(*rows)


def tabulate_grain(figures: Figures) -> Iterator[str]:
    """Yield how fine the days are, beside the original's recorded day of three people."""
    names = ("day_neighbour", "town_neighbour")
    runs = [figures[name] for name in names]
    titles = (
        f"{name.partition('_')[2]}, {run['people']} people, {run['hours']:.0f} hours"
        for name, run in zip(names, runs, strict=True)
    )
    rows = [("", "original, 3 people, a day", *titles, "asked of the last")]
    for figure in FIGURES:
        cells = (figure.format(run["days"][figure.name]) for run in runs)
        rows.append((figure.title, figure.original or "not known", *cells, figure.bounds))
    return make_rows(*rows)


_PAPER = (
    ("know of the candidacy", "4 % to 32 %"),
    ("know of the party", "4 % to 52 %"),
    ("density of mutual knowledge", "0.167 to 0.74"),
    ("hallucinated, of claims to know somebody or a fact", "6 of 453, 1.3 % (somebody)"),
    ("true by the record, but no event named", "not counted"),
    ("invited to the party", "12"),
    ("came, of the invited", "5"),
    ("stayed away for a conflict", "3"),
    ("stayed away, meant well", "4"),
    ("stayed away, gave no reason", "none"),
)
_COLUMNS = {
    "town_scripted": "policy `scripted`",
    "town_neighbour": "neighbour",
}


def tabulate_paper(figures: Figures) -> Iterator[str]:
    """Yield the figures of the paper's two days beside those of ours."""
    columns = [_tell_findings(figures[name]) for name in _COLUMNS]
    rows = [("", "paper", *_COLUMNS.values())]
    for k, (title, paper) in enumerate(_PAPER):
        rows.append((title, paper, *(column[k] for column in columns)))
    return make_rows(*rows)


def _tell_findings(run: Mapping[str, Any]) -> list[str]:
    party = run["gatherings"]["party"]
    claims, invented = run["claims"], run["hallucinated"]
    share = f", {100 * invented / claims:.1f} %" if claims and invented else ""
    cells = [
        _tell_knowing(run["facts"]["candidacy"]),
        _tell_knowing(run["facts"]["party"]),
        _tell_density(run),
        f"{invented:,} of {claims:,}{share}",
        f"{run['uncited']:,} of {claims:,}",
    ]
    beside = f" ({party['passers_by']} passing by)" if party["passers_by"] else ""
    away = (str(party[kind]) for kind in ("conflict", "meant well", "silent"))
    return [*cells, str(party["invited"]), f"{party['came']}{beside}", *away]


def _tell_knowing(ends: Sequence[Sequence[int]]) -> str:
    (first, asked), (last, _) = ends
    return f"{100 * first / asked:.0f} % to {100 * last / asked:.0f} %"


def _tell_density(run: Mapping[str, Any]) -> str:
    first, last = run["density"]
    claimed = run["claimed_density"]
    beside = f" (claimed: {claimed:.3g})" if claimed > 1.5 * last else ""
    return f"{first:.3g} to {last:.3g}{beside}"


def tabulate_pace(figures: Figures) -> Iterator[str]:
    """Yield how long whole runs of two days took, and how much memory."""
    rows = [("model", "model calls", "of interviews", "minutes", "MB")]
    for name in ("town_neighbour",):
        run = figures[name]
        calls = sum(run["calls"].values()) + run["answers"]
        cells = (f"{calls:,}", f"{run['answers']:,}", f"{run['minutes']}", f"{run['megabytes']:,}")
        rows.append((f"*{name.partition('_')[2]}*", *cells))
    return make_rows(*rows)


def list_commands(figures: Figures) -> Iterator[str]:
    """Yield the commands of the runs, what they asked, and their hashes."""
    rows = [("run", "`genagents run …`", "model calls", "of interviews", "hash")]
    for name, run in figures.items():
        if not name.startswith(_OF_SMALLVILLE):
            continue
        calls = sum(run["calls"].values())
        counts = f"{calls:,}", f"{run['answers']:,}"
        rows.append((name, f"`{run['command']}`", *counts, f"`{str(run['hash'])[:12]}`"))
    return make_rows(*rows)


_OF_SMALLVILLE = ("day_", "town_")

TABLES: Mapping[str, Table] = {
    "calls": tabulate_calls,
    "grain": tabulate_grain,
    "paper": tabulate_paper,
    "pace": tabulate_pace,
    "runs": list_commands,
    "lyfe_costs": tabulate_costs,
    "lyfe_results": tabulate_results,
}
