"""The tables of what can be learned in each task, in Markdown."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.markdown import make_rows
from genagents_env.study.stats.intervals import compute_interval, list_bounds


def tabulate_all(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each task."""
    head = ("task", "agents", "ticks", "an agent's return", "random", "solution", "optimum", "PPO")
    rows = []
    for task, figures in known.items():
        low, high = figures["bounds"]
        cells = [_format_mean(figures.get(name)) for name in ("random", "solution", "optimum")]
        rows.append(
            (
                f"`{task}`",
                str(figures["people"]),
                str(figures["horizon"]),
                f"{low:g} to {high:g}",
                *cells,
                _format_trained(figures),
            )
        )
    return make_rows(
        (*head, "above random, standard errors", "agent-steps a seed"),
        *((*row, *_format_budget(known[task])) for row, task in zip(rows, known, strict=True)),
    )


def tabulate_task(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each way to play a task earns."""
    rows = [("", "return of an agent", "of the optimum", "n")]
    best = None if figures["optimum"] is None else float(np.mean(figures["optimum"]))
    for name in ("random", "solution", "optimum"):
        if figures[name] is not None:
            means = _mean_episodes(figures[name])
            share = "" if best is None else f"{np.mean(means) / best:.3f}"
            rows.append((name, _format_mean(figures[name]), share, f"{len(means)} episodes"))
    seeds = _mean_seeds(figures)
    if seeds:
        steps, seconds = _format_cost(figures)
        share = "" if best is None else f"{np.mean(seeds) / best:.3f}"
        rows.append(
            (
                f"PPO, {steps} agent-steps, {seconds} CPU seconds a seed",
                _format_trained(figures),
                share,
                f"{len(seeds)} seeds",
            )
        )
    return make_rows(*rows)


def tabulate_transfer(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the shipped policy earns in towns that its training never showed."""
    rows: list[tuple[str, ...]] = [("task", "town", "random", "solution", "`learned`")]
    for task, figures in known.items():
        learned = figures["learned"]
        cells = (figures["random"], figures["solution"], learned["held_out"])
        rows.append((f"`{task}`", "drawn", *map(_format_mean, cells)))
        if (town := learned.get("town")) is not None:
            cells = tuple(town[name] for name in ("random", "solution", "learned"))
            rows.append((f"`{task}`", f"that of `{town['name']}`", *map(_format_mean, cells)))
    return make_rows(*rows)


def count_errors_above_random(figures: Mapping[str, Any]) -> float:
    """Return by how many standard errors of the difference PPO is above random."""
    seeds, chance = _mean_seeds(figures), _mean_episodes(figures["random"])
    error = np.hypot(_find_error(seeds), _find_error(chance))
    return float((np.mean(seeds) - np.mean(chance)) / error) if error else float("inf")


def _find_error(values: list[float]) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def _mean_episodes(played: list[list[float]]) -> list[float]:
    return [float(np.mean(episode)) for episode in played]


def _mean_seeds(figures: Mapping[str, Any]) -> list[float]:
    return [float(np.mean(found["held_out"])) for found in figures.get("ppo", {}).values()]


def format_values(values: list[float]) -> str:
    """Return the mean with its interval; of equal values none was seen, and none is told."""
    found = compute_interval(values)
    bounds = ", ".join(f"{bound:.3f}" for bound in list_bounds(found))
    return f"{found.mean:.3f} [{bounds}]" if bounds else f"{found.mean:.3f}"


def _format_mean(played: list[list[float]] | None) -> str:
    return "not known" if played is None else format_values(_mean_episodes(played))


def _format_trained(figures: Mapping[str, Any]) -> str:
    seeds = _mean_seeds(figures)
    return format_values(seeds) if seeds else "not measured"


def _format_cost(figures: Mapping[str, Any]) -> tuple[str, str]:
    found = list(figures["ppo"].values())
    seconds = [one["seconds"] for one in found]
    return f"{found[0]['steps']:,}", f"{min(seconds)} to {max(seconds)}"


def _format_budget(figures: Mapping[str, Any]) -> tuple[str, str]:
    if not figures.get("ppo"):
        return "", ""
    return f"{count_errors_above_random(figures):.1f}", _format_cost(figures)[0]
