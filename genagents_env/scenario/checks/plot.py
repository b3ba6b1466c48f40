"""What happens and what counts: facts, gatherings, events and the reward."""

from collections.abc import Iterator
from datetime import timedelta

from genagents_env.scenario.checks.index import ScenarioIndex
from genagents_env.scenario.checks.patterns import check_patterns
from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.schema import Errand, Fact, Gathering, Reward, ScheduledEvent

_NEEDS = {  # kind of event: the keys it needs, the keys it may have
    "whisper": (("agent", "text"), ()),
    "news": (("text",), ("place",)),
    "object": (("object", "state"), ()),
    "move": (("agent", "place"), ()),
    "join": (("agent",), ("place",)),
    "leave": (("agent",), ()),
}
_REWARD_COUNTS = {"attendance": "gatherings", "knowledge_spread": "facts"}


def check_plot(index: ScenarioIndex) -> Iterator[Fault]:
    """Yield what is wrong with facts, gatherings, events and the reward."""
    for i, fact in enumerate(index.scenario.facts):
        yield from _fact(index, fact, ("facts", i))
    for i, gathering in enumerate(index.scenario.gatherings):
        yield from _gathering(index, gathering, ("gatherings", i))
    for i, event in enumerate(index.scenario.events):
        yield from _event(index, event, ("events", i))
    yield from _reward(index, index.scenario.reward)


def _fact(index: ScenarioIndex, fact: Fact, loc: Loc) -> Iterator[Fault]:
    for i, name in enumerate(fact.known_by):
        yield from index.person(name, (*loc, "known_by", i))
    yield from check_patterns(fact.patterns, (*loc, "patterns"))


def _gathering(index: ScenarioIndex, gathering: Gathering, loc: Loc) -> Iterator[Fault]:
    yield from index.place(gathering.place, (*loc, "place"))
    if gathering.host is not None:
        yield from index.person(gathering.host, (*loc, "host"))
    if gathering.fact is not None:
        yield from index.fact(gathering.fact, (*loc, "fact"))
    if gathering.end <= gathering.start:
        text = f"{gathering.end} is not after its start {gathering.start}"
        yield Fault((*loc, "end"), text)
    yield from _within(index, gathering, loc)


def _within(index: ScenarioIndex, timed: Gathering | ScheduledEvent, loc: Loc) -> Iterator[Fault]:
    scenario = index.scenario
    key, at = ("at", timed.at) if isinstance(timed, ScheduledEvent) else ("start", timed.start)
    end = scenario.start + timedelta(hours=scenario.hours)
    if not scenario.start <= at < end:
        text = f"{at} is not in the scenario, from {scenario.start} until before {end}"
        yield Fault((*loc, key), text)


def _event(index: ScenarioIndex, event: ScheduledEvent, loc: Loc) -> Iterator[Fault]:
    yield from _within(index, event, loc)
    needs, may = _NEEDS[event.kind]
    allowed = ", ".join((*needs, *may))
    for key in ("agent", "place", "object", "state", "text"):
        given = getattr(event, key) is not None
        if key in needs and not given:
            yield Fault((*loc, key), f"missing; an event {quote(event.kind)} needs it")
        elif given and key not in needs and key not in may:
            text = f"an event {quote(event.kind)} does not take it; it takes {allowed}"
            yield Fault((*loc, key), text)
    if event.agent is not None:
        yield from index.person(event.agent, (*loc, "agent"))
    if event.place is not None:
        yield from index.place(event.place, (*loc, "place"))
    if event.object is not None:
        yield from index.object(event.object, (*loc, "object"))
        if event.state is not None:
            yield from index.state(event.object, event.state, (*loc, "state"))


def _reward(index: ScenarioIndex, reward: Reward) -> Iterator[Fault]:
    counted = _REWARD_COUNTS.get(reward.name)
    if counted is not None and not getattr(index.scenario, counted):
        text = f"the reward {quote(reward.name)} counts {counted}, and there are none; add one"
        yield Fault(("reward", "name"), text)
    if reward.name == "errand" and not reward.errands:
        yield Fault(("reward", "errands"), 'missing; the reward "errand" needs them')
    if reward.fact is not None:
        yield from index.fact(reward.fact, ("reward", "fact"))
    if reward.gathering is not None:
        yield from index.gathering(reward.gathering, ("reward", "gathering"))
    agents = [errand.agent for errand in reward.errands]
    for i, errand in enumerate(reward.errands):
        if errand.agent in agents[:i]:
            text = f"{quote(errand.agent)} has an errand already; one for each person"
            yield Fault(("reward", "errands", i, "agent"), text)
        yield from _errand(index, errand, ("reward", "errands", i))


def _errand(index: ScenarioIndex, errand: Errand, loc: Loc) -> Iterator[Fault]:
    yield from index.person(errand.agent, (*loc, "agent"))
    yield from index.object(errand.object, (*loc, "object"))
    yield from index.state(errand.object, errand.state, (*loc, "state"))
    item = index.item(errand.object)
    if item is None:
        return
    if item.state == errand.state:
        text = f"{quote(errand.state)} is how it starts; ask for another state"
        yield Fault((*loc, "state"), text)
    if item.users and errand.agent not in item.users:
        text = f"{errand.agent} is not among the users of {quote(item.name)}; add the name there"
        yield Fault((*loc, "object"), text)
