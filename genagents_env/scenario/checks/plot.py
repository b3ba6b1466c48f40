"""Check facts, gatherings, events and the reward with its goals."""

from collections import Counter
from collections.abc import Iterator, Sequence

from genagents_env.scenario.checks.references import ScenarioIndex
from genagents_env.scenario.faults import Fault, Loc, quote
from genagents_env.scenario.patterns import compile_any, compile_pattern, prepare
from genagents_env.scenario.schema import (
    GOAL_REWARDS,
    PRESENCE_REWARDS,
    Errand,
    Goal,
    Reward,
    Scenario,
    ScheduledEvent,
)
from genagents_env.scenario.truth import list_decidable

_NEEDS = {  # kind of event: the keys it needs, the keys it may have
    "whisper": (("agent", "text"), ()),
    "news": (("text",), ("place",)),
    "object": (("object", "state"), ()),
    "move": (("agent", "place"), ()),
    "join": (("agent",), ("place",)),
    "leave": (("agent",), ()),
    "silence": (("agent",), ("until",)),
    "say": (("agent", "text"), ()),
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
_REWARD_COUNTS = {"attendance": "gatherings", "knowledge_spread": "facts"}
_USED_BY = {  # keys of a reward that only some use
    **dict.fromkeys(("shaping", "discount", "shared", "ends"), GOAL_REWARDS),
    "step_cost": ("errand", "goals", "occupancy"),
    **dict.fromkeys(("need", "surplus"), ("occupancy",)),
    "common": ("public_goods",),
    "fact": ("knowledge_spread",),
    "gathering": ("attendance",),
}
_EMPTY = prepare("")


def check_patterns(patterns: Sequence[str], loc: Loc) -> Iterator[Fault]:
    """Reject patterns that match everything."""
    for i, pattern in enumerate(patterns):
        if compile_pattern(pattern).is_in(_EMPTY):
            text = f"{quote(pattern)} matches the empty text, so everything; make it say something"
            yield Fault((*loc, i), text)


def list_oddities(scenario: Scenario) -> Iterator[str]:
    """Yield a warning of what is allowed and has no effect: facts, events, keys of the reward."""
    for fact in scenario.facts:
        if fact.patterns and not compile_any(fact.patterns).is_in(prepare(fact.statement)):
            yield (
                f"facts: {fact.id}: none of its patterns is in its own statement, so whoever says "
                "just that does not pass it on"
            )

    here = {person.name: person.present for person in scenario.people}
    joining = [event for event in scenario.events if event.kind in ("join", "leave")]
    for event in sorted(joining, key=lambda event: event.at):
        name, comes = event.agent or "", event.kind == "join"
        if here.get(name) is comes:
            where = "in town" if comes else "not in town"
            yield f"events: {event.kind} at {event.at}: {name} is {where} by then; nothing happens"
        here[name] = comes
    for person in scenario.people:
        if not person.present and person.name not in {event.agent for event in joining}:
            yield f"people: {person.name}: not present, and no event `join` brings them"
    reward = scenario.reward
    for key in sorted(_USED_BY):
        given = getattr(reward, key) != Reward.model_fields[key].default
        if given and reward.name not in _USED_BY[key]:
            yield f"reward: {key}: the reward {quote(reward.name)} does not use it"


def check_plot(index: ScenarioIndex) -> Iterator[Fault]:
    """Check facts, gatherings, events and the reward."""
    scenario = index.scenario
    for i, fact in enumerate(scenario.facts):
        yield from check_patterns(fact.patterns, ("facts", i, "patterns"))
    for i, gathering in enumerate(scenario.gatherings):
        if gathering.end <= gathering.start:
            text = f"{gathering.end} is not after its start {gathering.start}"
            yield Fault(("gatherings", i, "end"), text)
        yield from index.find_wrong_time(gathering.start, ("gatherings", i, "start"))
    for i, event in enumerate(scenario.events):
        yield from index.find_wrong_time(event.at, ("events", i, "at"))
        yield from _check_keys(event, "an event", ("events", i))
        if event.until is not None and event.until <= event.at:
            yield Fault(("events", i, "until"), f"{event.until} is not after {event.at}")
    yield from _check_reward(index, scenario.reward)
    yield from _check_errands(index, scenario.reward.errands)
    yield from _check_goals(index, scenario.reward)


def _check_keys(part: ScheduledEvent | Goal, what: str, loc: Loc) -> Iterator[Fault]:
    """Reject keys that the kind of an event or a goal lacks, or does not take."""
    table = _GOAL_NEEDS if isinstance(part, Goal) else _NEEDS
    needs, may = table[part.kind]
    for key in dict.fromkeys(key for keys in table.values() for key in (*keys[0], *keys[1])):
        given = getattr(part, key) is not None
        if key in needs and not given:
            yield Fault((*loc, key), f"missing; {what} {quote(part.kind)} needs it")
        elif given and key not in (*needs, *may):
            takes = ", ".join((*needs, *may))
            text = f"{what} {quote(part.kind)} does not take it; it takes {takes}"
            yield Fault((*loc, key), text)


def _check_reward(index: ScenarioIndex, reward: Reward) -> Iterator[Fault]:
    """Report keys that the reward of this name lacks."""
    name, counted = quote(reward.name), _REWARD_COUNTS.get(reward.name)
    needs = {
        "errand": ("errands", reward.errands),
        "goals": ("goals", reward.goals or reward.errands),
        **dict.fromkeys(PRESENCE_REWARDS, ("goals", reward.goals)),
    }
    if reward.name in needs and not needs[reward.name][1]:
        yield Fault(("reward", needs[reward.name][0]), f"missing; the reward {name} needs them")
    if reward.name == "public_goods" and reward.common is None:
        yield Fault(("reward", "common"), f"missing; the reward {name} needs it")
    if reward.name in PRESENCE_REWARDS and reward.errands:
        yield Fault(("reward", "errands"), f"the reward {name} pays for no errands; remove them")
    if counted is not None and not getattr(index.scenario, counted):
        text = f"the reward {name} counts {counted}, and there are none; add one"
        yield Fault(("reward", "name"), text)
    if reward.name == "success" and not list_decidable(index.scenario):
        text = "needs a success that places, things or facts decide, and there is none; add one"
        yield Fault(("reward", "name"), f"the reward {name} {text}")


def _check_errands(index: ScenarioIndex, errands: Sequence[Errand]) -> Iterator[Fault]:
    agents = [errand.agent for errand in errands]
    for i, errand in enumerate(errands):
        loc: Loc = ("reward", "errands", i)
        if errand.agent in agents[:i]:
            text = f"{quote(errand.agent)} has an errand already; one for each person"
            yield Fault((*loc, "agent"), text)
        item = index.objects.get(errand.object)
        if item is not None and item.state == errand.state:
            text = f"{quote(errand.state)} is how it starts; ask for another state"
            yield Fault((*loc, "state"), text)
        yield from index.find_closed_object(errand.object, errand.agent, (*loc, "object"))


def _check_goals(index: ScenarioIndex, reward: Reward) -> Iterator[Fault]:
    """Check the goals, singly and together."""
    count = Counter(errand.agent for errand in reward.errands)
    for i, goal in enumerate(reward.goals):
        loc: Loc = ("reward", "goals", i)
        count[goal.agent] += 1
        if count[goal.agent] == _GOALS_EACH + 1:
            text = f"{quote(goal.agent)} has {_GOALS_EACH} goals already, which is the most"
            yield Fault((*loc, "agent"), text)
        yield from _check_keys(goal, "a goal", loc)
        if reward.name in PRESENCE_REWARDS:
            yield from _check_presence(goal, reward.name, loc)
        if goal.person is not None:
            yield from _check_person(index, goal, loc, deal=reward.deal)
        yield from _check_span(index, goal, loc)


def _check_presence(goal: Goal, reward: str, loc: Loc) -> Iterator[Fault]:
    if goal.kind != "be":
        text = f'the reward {quote(reward)} pays for goals of the kind "be" alone'
        yield Fault((*loc, "kind"), text)
    elif reward == "company" and goal.start is None and goal.end is None:
        text = f"missing; the reward {quote(reward)} needs it, with `end`"
        yield Fault((*loc, "start"), text)


def _check_person(index: ScenarioIndex, goal: Goal, loc: Loc, *, deal: bool) -> Iterator[Fault]:
    if goal.kind == "accuse":
        yield from index.find_wrong_state(goal.object or "", goal.person or "", (*loc, "person"))
        return
    if goal.person == goal.agent:
        yield Fault((*loc, "person"), "it is the agent; name somebody else")
    if deal:
        text = "goals with a person cannot be dealt, since they may come to that person"
        yield Fault((*loc, "person"), text)


def _check_span(index: ScenarioIndex, goal: Goal, loc: Loc) -> Iterator[Fault]:
    if (goal.start is None) != (goal.end is None):
        yield Fault((*loc, "start"), "it goes with `end`; give both, or none")
    elif goal.start is not None and goal.end is not None:
        if goal.end <= goal.start:
            yield Fault((*loc, "end"), f"{goal.end} is not after its start {goal.start}")
        yield from index.find_wrong_time(goal.start, (*loc, "start"))
