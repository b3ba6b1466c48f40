"""Measures in the order of the page, by what they are about."""

from collections.abc import Mapping, Sequence

OTHER = "other"

# Only the order of reading: a measure that is not here stands under "other".
GROUPS: Mapping[str, tuple[str, ...]] = {
    "diffusion": (
        *("verified", "heard", "density", "acquainted", "came", "hallucinated", "success"),
        *("received", "stored", "retrieved", "changed"),
    ),
    "conversation": (
        *("conversation_seconds", "conversations", "utterances", "words", "turns"),
        *("turn_balance", "partners", "reciprocity", "clustering", "distinct_2"),
        *("lexical_diversity", "self_repetition", "echo"),
    ),
    "time and places": ("adherence", "place_entropy", "together"),
    "failures": (
        *("unusual_places", "declined", "formality", "broken_norms", "fallbacks"),
        "policy_errors",
    ),
    "cost": (
        *("calls_per_hour", "tokens_per_hour", "dollars_per_hour", "dollars_per_human_hour"),
        "wall_seconds",
    ),
}


def find_group(measure: str) -> str:
    """Return what a measure is about, by its name with or without a key."""
    stem = measure.partition(".")[0]
    return next((group for group, names in GROUPS.items() if stem in names), OTHER)


def order_measures(measures: Sequence[str], primary: Sequence[str]) -> tuple[str, ...]:
    """Return the primary measures first, then the others group by group."""
    groups = [*GROUPS, OTHER]
    rest = [name for name in dict.fromkeys(measures) if name not in primary]
    return (*primary, *sorted(rest, key=lambda name: groups.index(find_group(name))))
