"""The findings of a run in words, a line each."""

from collections.abc import Iterator

from genagents_env.evaluate.acquaintance import Acquaintance
from genagents_env.evaluate.coordination import Coordination
from genagents_env.evaluate.findings import Findings
from genagents_env.evaluate.reasons import Reason
from genagents_env.evaluate.verified import Known

NOT_ASKED = "not asked"
_WORDS: tuple[tuple[Reason, str], ...] = (
    ("conflict", "had a conflict"),
    ("meant well", "meant well"),
    ("silent", "gave no reason"),
)


def lines(found: Findings) -> Iterator[str]:
    """Yield the findings for people; `not asked` where there were no interviews.

    Shares and densities are of what is borne out by evidence; what is only claimed stands beside
    them where it differs.
    """
    for one in found.facts:
        yield f"Knows {one.fact}: before {_known(one.before)}; after {_known(one.after)}"
    before, after = _network(found.acquainted_before), _network(found.acquainted_after)
    yield f"Mutual knowledge: before {before}; after {after}"
    for gathering in found.gatherings:
        yield _gathering(gathering)
    rate = found.hallucination_rate
    share = "" if rate is None else f" ({rate:.1%})"
    told = f"{found.hallucinated} of {found.claims} claims{share}"
    yield f"Hallucinated: {told if found.asked else NOT_ASKED}"


def _known(one: Known | None) -> str:
    if one is None:
        return NOT_ASKED
    told = f"{len(one.verified)} of {len(one.asked)} ({one.verified_share:.0%})"
    return f"{told} and {len(one.hallucinated)} hallucinated" if one.hallucinated else told


def _network(one: Acquaintance | None) -> str:
    if one is None or one.density is None or one.verified_density is None:
        return NOT_ASKED
    told = f"density {one.verified_density:.3f}"
    if one.mutual != one.mutual_verified:
        told += f" ({one.density:.3f} claimed)"
    made_up = f", {one.hallucinated} of {one.claims} claims hallucinated"
    return told + made_up if one.hallucinated else told


def _gathering(one: Coordination) -> str:
    told = f"Came to {one.gathering}: {len(one.came)} of {len(one.invited)} invited"
    if one.passers_by:
        told += f", {len(one.passers_by)} passing by"
    away = len(one.reasons) + len(one.unasked)
    if not away:
        return told
    why = [f"{len(one.gave(kind))} {words}" for kind, words in _WORDS if one.gave(kind)]
    why += [f"{len(one.unasked)} {NOT_ASKED} why"] if one.unasked else []
    return f"{told}; of {away} who stayed away {', '.join(why)}"
