"""What happens and what counts: facts, gatherings, events and the reward."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from genagents_env.scenario.checks.index import ScenarioIndex
from genagents_env.scenario.checks.patterns import check_patterns
from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.schema import Errand, Fact, Gathering, Goal, Reward, ScheduledEvent
from genagents_env.scenario.truth import list_decidable

_NEEDS = {  # kind of event: the keys it needs, the keys it may have
    "whisper": (("agent", "text"), ()),
    "news": (("text",), ("place",)),
    "object": (("object", "state"), ()),
    "move": (("agent", "place"), ()),
    "join": (("agent",), ("place",)),
    "leave": (("agent",), ()),
}
_GOAL_NEEDS = {  # kind of goal: the keys it needs, the keys it may have
    "use": (("object", "state"), ()),
    "be": (("place",), ("start", "end", "fact")),
    "meet": (("person",), ("place",)),
    "bring": (("person", "place"), ()),
    "tell": (("fact",), ("person", "place")),
    "keep": (("fact", "person"), ()),
    "accuse": (("object", "person"), ()),
    "escape": (("object",), ()),
}
_GOALS_EACH = 2  # the slots of an observation
_PRESENCE = ("company", "occupancy", "public_goods")  # rewards for goals of the kind `be` alone
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
    if fact.about is not None:
        yield from index.person(fact.about, (*loc, "about"))
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
    if reward.name == "success" and not list_decidable(index.scenario):
        text = "needs a success that places, things or facts decide, and there is none; add one"
        yield Fault(("reward", "name"), f"the reward {quote(reward.name)} {text}")
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
    yield from _goals(index, reward)


def _goals(index: ScenarioIndex, reward: Reward) -> Iterator[Fault]:
    """Yield what is wrong with the goals, one by one and together."""
    if reward.name == "goals" and not reward.goals and not reward.errands:
        yield Fault(("reward", "goals"), 'missing; the reward "goals" needs them')
    if reward.name in _PRESENCE:
        yield from _presence(reward)
    if reward.common is not None:
        yield from index.place(reward.common, ("reward", "common"))
    count = Counter(errand.agent for errand in reward.errands)
    for i, goal in enumerate(reward.goals):
        loc = ("reward", "goals", i)
        count[goal.agent] += 1
        if count[goal.agent] == _GOALS_EACH + 1:
            text = f"{quote(goal.agent)} has {_GOALS_EACH} goals already, which is the most"
            yield Fault((*loc, "agent"), text)
        yield from _goal(index, goal, loc, deal=reward.deal)


def _presence(reward: Reward) -> Iterator[Fault]:
    """Yield what rewards for being somewhere lack."""
    name = quote(reward.name)
    if not reward.goals:
        yield Fault(("reward", "goals"), f"missing; the reward {name} needs them")
    if reward.name == "public_goods" and reward.common is None:
        yield Fault(("reward", "common"), f"missing; the reward {name} needs it")
    if reward.errands:
        yield Fault(("reward", "errands"), f"the reward {name} pays for no errands; remove them")
    for i, goal in enumerate(reward.goals):
        if goal.kind != "be":
            text = f'the reward {name} pays for goals of the kind "be" alone'
            yield Fault(("reward", "goals", i, "kind"), text)
        elif reward.name == "company" and goal.start is None and goal.end is None:
            text = f"missing; the reward {name} needs it, with `end`"
            yield Fault(("reward", "goals", i, "start"), text)


def _goal(index: ScenarioIndex, goal: Goal, loc: Loc, *, deal: bool) -> Iterator[Fault]:
    needs, may = _GOAL_NEEDS[goal.kind]
    for key in ("object", "state", "place", "person", "fact", "start", "end"):
        given = getattr(goal, key) is not None
        if key in needs and not given:
            yield Fault((*loc, key), f"missing; a goal {quote(goal.kind)} needs it")
        elif given and key not in needs and key not in may:
            text = f"a goal {quote(goal.kind)} does not take it; it takes {', '.join(needs + may)}"
            yield Fault((*loc, key), text)
    yield from index.person(goal.agent, (*loc, "agent"))
    if goal.person is not None:
        yield from index.person(goal.person, (*loc, "person"))
        if goal.person == goal.agent and goal.kind != "accuse":
            yield Fault((*loc, "person"), "it is the agent; name somebody else")
        if deal and goal.kind != "accuse":
            text = "goals with a person cannot be dealt, since they may come to that person"
            yield Fault((*loc, "person"), text)
    if goal.fact is not None:
        yield from index.fact(goal.fact, (*loc, "fact"))
    if goal.place is not None:
        yield from index.place(goal.place, (*loc, "place"))
    if goal.object is not None:
        yield from index.object(goal.object, (*loc, "object"))
        if goal.state is not None:
            yield from index.state(goal.object, goal.state, (*loc, "state"))
        if goal.kind == "accuse" and goal.person is not None:
            yield from index.state(goal.object, goal.person, (*loc, "person"))
    if (goal.start is None) != (goal.end is None):
        yield Fault((*loc, "start"), "it goes with `end`; give both, or none")
    yield from _goal_time(index, goal, loc)


def _goal_time(index: ScenarioIndex, goal: Goal, loc: Loc) -> Iterator[Fault]:
    scenario = index.scenario
    if goal.start is None or goal.end is None:
        return
    if goal.end <= goal.start:
        yield Fault((*loc, "end"), f"{goal.end} is not after its start {goal.start}")
    end = scenario.start + timedelta(hours=scenario.hours)
    if not scenario.start <= goal.start < end:
        text = f"{goal.start} is not in the scenario, from {scenario.start} until before {end}"
        yield Fault((*loc, "start"), text)


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
