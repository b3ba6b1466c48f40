"""What came of a run in words, a line each: successes, agreement of judges, flow, answers."""

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from genagents_env.study.evaluate.interviews import ENDS
from genagents_env.study.evaluate.measures.flow import AgentFlow, Flow
from genagents_env.study.evaluate.measures.preferences import Preference, find_leaning
from genagents_env.study.evaluate.measures.success import Agreement, SuccessOutcome


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
    told += f", retrieved {'not asked' if share is None else f'{share:.0%} of interviews'}"
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
        return "not asked"
    value = find_leaning(shares)
    return "unsettled" if value is None else f"{value} ({shares[value]:.0%})"
