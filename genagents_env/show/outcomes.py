"""What came of a run in words, a line each: successes, agreement of judges, flow, interviews."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from genagents_env.study.evaluate.interviews import ENDS
from genagents_env.study.evaluate.measures.acquaintance import Acquaintance
from genagents_env.study.evaluate.measures.findings import FactKnowledge, Findings
from genagents_env.study.evaluate.measures.flow import AgentFlow, Flow
from genagents_env.study.evaluate.measures.gatherings import Coordination, Reason
from genagents_env.study.evaluate.measures.preferences import Preference, find_leaning
from genagents_env.study.evaluate.measures.success import Agreement, SuccessOutcome

NOT_ASKED = "not asked"
_WORDS: tuple[tuple[Reason, str], ...] = (
    ("conflict", "had a conflict"),
    ("meant well", "meant well"),
    ("silent", "gave no reason"),
)


def format_outcomes(
    outcomes: Sequence[SuccessOutcome],
    agreements: Iterable[Agreement],
    flows: Iterable[Flow],
    preferences: Iterable[Preference],
) -> Iterator[str]:
    """Yield the lines for the terminal; none where a scenario declares nothing of the kind.

    Flow is printed only where memories or answers of the end show it. Agreement is printed
    where something could be compared.
    """
    for _, group in groupby(outcomes, key=lambda one: one.success):
        yield from _format_success(list(group))
    for one in agreements:
        if one.share is not None:
            told = f"{one.agreed} of {one.compared} verdicts ({one.share:.0%})"
            yield f"Agreement on {one.check}: {one.judge} and the rule on {told}"
    shown = [one for one in flows if any(_was_examined(agent) for agent in one.agents)]
    for flow in shown:
        if flow.receivers:
            yield f"Flow of {flow.fact}: {_format_flow(flow)}"
            for sentence, agents in _group((one.sentence, one.agent) for one in flow.receivers):
                yield f'    {", ".join(agents)}, told: "{sentence}"'
    unheard = [(_format_flow(one), one.fact) for one in shown if not one.receivers]
    for words, facts in _group(unheard):
        yield f"Flow of {', '.join(facts)}: {words}"
    for preference in preferences:
        yield from _format_preference(preference)


def _format_success(outcomes: Sequence[SuccessOutcome]) -> Iterator[str]:
    yield f"Success {outcomes[0].success}: {outcomes[0].title}"
    for when in ENDS:
        told = [format_outcome(one) for one in outcomes if one.when == when]
        if told:
            yield f"    {when}: {'; '.join(told)}"


def format_outcome(one: SuccessOutcome) -> str:
    """Return by whom it was judged and with which share of interviews."""
    decided = [repeat for repeat in one.repeats if repeat is not None]
    if one.share is None:
        return f"undecided by {one.by}"
    word = "yes" if one.majority else "no"
    told = f"{word} by {one.by}, {sum(decided)} of {len(decided)} ({one.share:.0%})"
    if not one.missing:
        return told
    return f"{told}, {one.missing} verdict{'' if one.missing == 1 else 's'} missing"


def _was_examined(agent: AgentFlow) -> bool:
    return agent.stored is not None or agent.retrieved is not None


def _group(pairs: Iterable[tuple[str, str]]) -> ItemsView[str, list[str]]:
    """Return each first part of a pair once, with the second parts that stand with it."""
    found: dict[str, list[str]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return found.items()


def _format_flow(flow: Flow) -> str:
    """Return how far a fact came; the chain ends where nobody is left to take the next step."""
    strangers = sum(not one.knew for one in flow.agents)
    if not strangers:
        return "everybody knew it at the start"
    told = f"received {_format_part(len(flow.receivers), strangers)}"
    if not flow.receivers:
        return told
    if flow.p_store is None:
        return f"{told}, stored not known"
    told += f", stored {_format_part(len(flow.keepers), len(flow.receivers))}"
    if not flow.keepers:
        return told
    share = flow.p_retrieve
    told += f", retrieved {NOT_ASKED if share is None else f'{share:.0%} of interviews'}"
    return f"{told} (by {flow.by})"


def _format_part(some: int, whole: int) -> str:
    return f"{some} of {whole} ({some / whole:.0%})"


def _format_preference(preference: Preference) -> Iterator[str]:
    turned = preference.changed
    both = [agent for agent in preference.before if agent in preference.after]
    yield (
        f"Answers to {preference.check} by {preference.by}: "
        f"{len(turned)} of {len(both)} asked twice changed their mind"
    )
    for agent in dict.fromkeys((*preference.before, *preference.after)):
        old = _format_leaning(preference.before.get(agent))
        new = _format_leaning(preference.after.get(agent))
        yield f"    {agent}: before {old}, after {new}"


def _format_leaning(shares: Mapping[str, float] | None) -> str:
    if shares is None:
        return NOT_ASKED
    value = find_leaning(shares)
    return "unsettled" if value is None else f"{value} ({shares[value]:.0%})"


def format_findings(found: Findings) -> Iterator[str]:
    """Yield the findings for people; `not asked` where there were no interviews.

    Shares and densities are of what has evidence; what is only claimed stands beside
    them where it differs.
    """
    for fact, both in found.facts.items():
        before, after = map(_format_knowledge, both)
        yield f"Knows {fact}: before {before}; after {after}"
    before, after = map(_format_network, found.networks)
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
