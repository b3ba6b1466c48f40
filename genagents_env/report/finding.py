"""The finding: one careful sentence on the primary contrasts."""

from collections.abc import Mapping, Sequence

from genagents_env.report.comparing import PRIMARY
from genagents_env.report.table import format_number
from genagents_env.report.untested import NOTHING_UNTESTED, PairKey, find_pair
from genagents_env.stats import Contrast, smallest_p

ALPHA = 0.05


def describe_finding(
    contrasts: Sequence[Contrast],
    titles: Mapping[str, str],
    finished: int,
    *,
    named: bool,
    untested: Mapping[PairKey, str] = NOTHING_UNTESTED,
) -> str:
    """Return the sentence.

    Not finding a difference is never stated as if there were none.

    Args:
        contrasts: all of the experiment.
        titles: of measures by name.
        finished: runs that are.
        named: whether any measure was named primary beforehand, and has values.
        untested: comparisons that say nothing, with why.
    """
    if not finished:
        return "No run has finished yet, so nothing can be said."
    if not named:
        return "No primary measure was named beforehand, so all that follows is exploratory."
    main = [one for one in contrasts if one.family == PRIMARY]
    if not main:
        return (
            "The primary measures have no values in two conditions, so nothing could be compared."
        )
    told = [one for one in main if _is_significant(one)]
    silent = [one for one in main if not _is_significant(one)]
    void = [one for one in silent if find_pair(one) in untested]
    silent = [one for one in silent if one not in void]
    several = len({one.block for one in main}) > 1
    parts = [_describe_difference(one, titles, several) for one in told]
    parts += [_describe_silence(silent, len(main), bool(told or void))] if silent else []
    parts += dict.fromkeys(untested[find_pair(one)] for one in void)
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _is_significant(one: Contrast) -> bool:
    return one.p_holm is not None and one.p_holm < ALPHA


def _describe_difference(one: Contrast, titles: Mapping[str, str], several: bool) -> str:
    way = "higher" if one.difference > 0 else "lower"
    where = f" ({one.block})" if several else ""
    near, far = sorted((abs(one.low), abs(one.high)))
    return (
        f"{titles.get(one.measure, one.measure)} was {way} with {one.second} than with {one.first}"
        f"{where}, by {format_number(abs(one.difference))} "
        f"[{format_number(near)}, {format_number(far)}]"
        f" (p = {format_number(one.p_holm or 0.0)} after Holm's correction, n = {one.n})"
    )


def _describe_silence(silent: Sequence[Contrast], whole: int, others: bool) -> str:
    """Return the clause about comparisons without a significant difference."""
    few, many = min(one.n for one in silent), max(one.n for one in silent)
    seeds = f"{few} seed{'' if few == 1 else 's'}" if few == many else f"{few} to {many} seeds"
    where = ""
    if others:
        where = f" in the other {len(silent)} of {whole} primary comparisons"
    elif whole > 1:
        where = f" in any of {whole} primary comparisons"
    told = f"with {seeds}, no difference was found{where}; that is not a finding of no difference"
    if whole * smallest_p(many) >= ALPHA:
        told += ", and so few seeds cannot show one after correction, however large it is"
    return told
