"""What documents show of a run: numbers read from its file, as JSON values."""

from collections import Counter
from pathlib import Path
from typing import TypeAlias, get_args

from benchmarks.days import measure_days
from genagents_env.record import RunReader
from genagents_env.study.evaluate.measures import load_measure
from genagents_env.study.evaluate.measures.findings import (
    FactKnowledge,
    Findings,
    compute_findings,
)
from genagents_env.study.evaluate.measures.gatherings import Coordination, Reason
from genagents_env.study.evaluate.measures.talk import list_lengths
from genagents_env.study.evaluate.rates import compute_rates, find_tariff
from genagents_env.study.evaluate.run_data import RunData

Values: TypeAlias = dict[str, object]  # JSON

PRICED_AS = "gpt-3.5-turbo"


def read_values(path: Path) -> Values:
    """Return what documents show of a run file, as JSON values."""
    with RunReader(path) as record:
        data = RunData(record)
        lived = [call for call in data.calls if not call.purpose.startswith(("interview", "judge"))]
        return {
            "people": len(data.names),
            "hours": round(data.hours, 2),
            "days": {name: _round(value) for name, value in measure_days(data).items()},
            "calls": dict(sorted(Counter(c.purpose.partition(".")[0] for c in lived).items())),
            "answers": len(data.calls) - len(lived),
            "rates": _read_rates(data),
            "lengths": _read_lengths(data),
            "measures": _read_measures(data),
            **_read_findings(compute_findings(data)),
        }


def _read_rates(data: RunData) -> Values:
    """Return what the minds cost at the list price of the papers' model."""
    rates = compute_rates(data, find_tariff(PRICED_AS))
    dollars = rates.dollars_per_utterance
    return {
        "hour": _round(rates.calls_per_hour),
        "outside": _round(rates.calls_per_outside_hour),
        "utterance": _round(rates.calls_per_utterance),
        "tokens": _round(rates.tokens_per_utterance),
        "dollars_hour": _round(rates.dollars_per_hour),
        "dollars_utterance": _round(dollars),
        "dollars_human_hour": _round(rates.dollars_per_human_hour),
    }


def _read_lengths(data: RunData) -> list[float]:
    """Return of the ended memberships in talks the number, the seconds, and their squares."""
    seconds = list_lengths(data)
    return [len(seconds), sum(seconds), sum(second**2 for second in seconds)]


def _read_measures(data: RunData) -> Values:
    names = ("success", "success_majority", "received", "stored", "retrieved")
    taken = [load_measure(name).take(data) for name in names]
    return {key: _round(n) for each in taken for key, n in each.items() if n is not None}


def _read_findings(findings: Findings) -> Values:
    before, after = findings.networks
    return {
        "facts": {
            fact: [_count_knowing(end) for end in both] for fact, both in findings.facts.items()
        },
        "density": [one and _round(one.verified_density) for one in (before, after)],
        "claimed_density": after and _round(after.density),
        "claims": findings.claims,
        "hallucinated": findings.hallucinated,
        "uncited": findings.uncited,
        "gatherings": {one.gathering: _count_coming(one) for one in findings.gatherings},
    }


def _count_knowing(end: FactKnowledge | None) -> list[int] | None:
    """Return how many know by evidence, and how many were asked."""
    return None if end is None else [len(end.verified), len(end.asked)]


def _count_coming(one: Coordination) -> Values:
    counts = {kind: len(one.gave(kind)) for kind in get_args(Reason)}
    return {
        "invited": len(one.invited),
        "came": len(one.came),
        "passers_by": len(one.passers_by),
        **counts,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
