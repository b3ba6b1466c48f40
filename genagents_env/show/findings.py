"""What the interviews of a run show, in words, a line each."""

from collections.abc import Iterator

from genagents_env.study.evaluate.measures.acquaintance import Acquaintance
from genagents_env.study.evaluate.measures.findings import Findings
from genagents_env.study.evaluate.measures.gatherings import Coordination
from genagents_env.study.evaluate.measures.knowledge import FactKnowledge
from genagents_env.study.evaluate.reasons import Reason

NOT_ASKED = "not asked"
_WORDS: tuple[tuple[Reason, str], ...] = (
    ("conflict", "had a conflict"),
    ("meant well", "meant well"),
    ("silent", "gave no reason"),
)


def format_findings(found: Findings) -> Iterator[str]:
    """Yield the findings for people; `not asked` where there were no interviews.

    Shares and densities are of what has evidence; what is only claimed stands beside
    them where it differs.
    """
    for one in found.facts:
        known = _format_knowledge(one.before), _format_knowledge(one.after)
        yield f"Knows {one.fact}: before {known[0]}; after {known[1]}"
    before, after = (
        _format_network(found.acquainted_before),
        _format_network(found.acquainted_after),
    )
    yield f"Mutual knowledge: before {before}; after {after}"
    for gathering in found.gatherings:
        yield _format_gathering(gathering)
    rate = found.hallucination_rate
    share = "" if rate is None else f" ({rate:.1%})"
    told = f"{found.hallucinated} of {found.claims} claims{share}"
    true = f"; {found.uncited} more are true by the record, uncited" if found.uncited else ""
    yield f"Hallucinated: {told + true if found.asked else NOT_ASKED}"


def _format_knowledge(one: FactKnowledge | None) -> str:
    if one is None:
        return NOT_ASKED
    told = f"{len(one.verified)} of {len(one.asked)} ({one.verified_share:.0%})"
    told += f", {len(one.uncited)} uncited" if one.uncited else ""
    return f"{told} and {len(one.hallucinated)} hallucinated" if one.hallucinated else told


def _format_network(one: Acquaintance | None) -> str:
    if one is None or one.density is None or one.verified_density is None:
        return NOT_ASKED
    told = f"density {one.verified_density:.3f}"
    if one.mutual != one.mutual_verified:
        told += f" ({one.density:.3f} claimed)"
    told += f", {one.uncited} of {one.claims} claims uncited" if one.uncited else ""
    made_up = f", {one.hallucinated} of {one.claims} claims hallucinated"
    return told + made_up if one.hallucinated else told


def _format_gathering(one: Coordination) -> str:
    told = f"Came to {one.gathering}: {len(one.came)} of {len(one.invited)} invited"
    if one.passers_by:
        told += f", {len(one.passers_by)} passing by"
    away = len(one.reasons) + len(one.unasked)
    if not away:
        return told
    why = [f"{len(one.gave(kind))} {words}" for kind, words in _WORDS if one.gave(kind)]
    why += [f"{len(one.unasked)} {NOT_ASKED} why"] if one.unasked else []
    return f"{told}; of {away} who stayed away {', '.join(why)}"
