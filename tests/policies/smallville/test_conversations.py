"""Whole conversations between minds in a town, and what people do about news of a fire."""

from collections import Counter
from collections.abc import Iterator

import pytest

from genagents_env.percept import Percept
from genagents_env.policies.smallville.mind import SmallvilleMind
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.world.events import Event
from tests.policies.smallville.minds import Town, make_talkative_rule

PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Ayesha Khan")
EAGER = {"talk_again_seconds": 0, "react_again_minutes": 1}
SLOW = {"converse": 2, "react": 1}


def together(turn_taking: str = "one_speaker", members: int = 4) -> Scenario:
    """Return the party's town with four of its people and another rule of conversation."""
    scenario = load_scenario("valentines_party", PEOPLE, "Hobbs Cafe/cafe")
    changed = {"turn_taking": turn_taking, "max_members": members}
    talk = scenario.rules.conversation.model_copy(update=changed)
    rules = scenario.rules.model_copy(update={"conversation": talk})
    return scenario.model_copy(update={"rules": rules})


def gather(town: Town) -> None:
    """Stand everyone on neighbouring tiles of the first person's room."""
    world = town.env.world
    ground, tile = world.town.ground, int(world.state.tile[0])
    room = [
        t for t, arena in enumerate(ground.arena) if arena == ground.arena[tile] and ground.free[t]
    ]
    near = sorted(room, key=lambda t: abs(t - tile))
    for k in range(world.count):
        world.state.put(k, near[k])
    world.look()


def minds_with_percepts(town: Town) -> Iterator[tuple[SmallvilleMind, Percept]]:
    for agent, mind in town.policy.minds.items():
        if agent in town.infos:
            yield mind, town.infos[agent]["percept"]


def run_ticks(town: Town, ticks: int, *, heard: bool = True) -> list[Event]:
    """Live some ticks, checking at each what must hold of conversations; return all events.

    `heard`: nobody may speak where nobody hears it.
    """
    events: list[Event] = []
    for _ in range(ticks):
        percepts = list(minds_with_percepts(town))
        actions = town.policy.act({agent: {} for agent in town.env.agents}, town.infos)
        for mind, percept in percepts:
            check_true_to(mind, percept)
            check_alike(mind, percept, town)
        *_, town.infos = town.env.step(actions)
        events += town.env.events
    for said in (event for event in events if event.kind == "say"):
        assert said.data["heard_by"] or not heard, said
        assert said.data["to"] is None or said.data["to"] in said.data["addressed"], said
    return events


def check_true_to(mind: SmallvilleMind, percept: Percept) -> None:
    """Check that a mind's dialogue is the conversation that is perceived."""
    dialogue = mind.dialogue
    if percept.me.asleep:
        assert dialogue is None
    if percept.conversation is None:
        assert dialogue is None or dialogue.id == -1
        return
    assert dialogue is not None
    assert dialogue.id == percept.conversation.id
    assert {*dialogue.others, mind.name} == {*percept.conversation.members}


def check_alike(mind: SmallvilleMind, percept: Percept, town: Town) -> None:
    """Check that two who talk with each other alone have heard the same words, in one order."""
    if percept.conversation is None or len(percept.conversation.members) != 2:
        return
    assert mind.dialogue is not None
    other: SmallvilleMind = town.policy.minds[mind.dialogue.others[0]]
    assert other.dialogue is not None
    mine, theirs = ([line.text for line in d.lines] for d in (mind.dialogue, other.dialogue))
    both = min(len(mine), len(theirs))  # one of them may have come later
    assert mine[len(mine) - both :] == theirs[len(theirs) - both :]


def count_chats(town: Town, name: str) -> int:
    return sum(memory.kind == "chat" for memory in town.policy.minds[name].stream)


@pytest.mark.parametrize(
    ("turn_taking", "latency"),
    [("free", SLOW), ("one_speaker", {}), ("one_speaker", SLOW), ("round_robin", SLOW)],
)
def test_a_group_converses_under_every_rule_of_turns(
    turn_taking: str, latency: dict[str, int]
) -> None:
    config = {**EAGER, "latency_ticks": latency}
    rule = make_talkative_rule(len(latency))
    town = Town(together(turn_taking), rule, config=config, start="10:00")
    gather(town)
    talked = [event for event in run_ticks(town, 60) if event.kind == "say"]
    assert len({event.agent for event in talked}) >= 3
    assert all(event.data["conversation"] is not None for event in talked)


@pytest.mark.parametrize("latency", [{}, {"converse": 3, "react": 2}])
def test_each_conversation_is_remembered_once_by_all_who_were_in_it(
    latency: dict[str, int],
) -> None:
    rule, config = make_talkative_rule(1), {"latency_ticks": latency}
    town = Town(together(members=2), rule, config=config, start="10:00")
    gather(town)
    events = run_ticks(town, 180)
    for _ in range(600):
        events += run_ticks(town, 1)
        minds = town.policy.minds.values()
        if all(m.dialogue is None and not m.is_busy("converse.") for m in minds):
            break
    took_part = Counter(event.agent for event in events if event.kind == "leave")
    assert took_part.total() >= 4
    assert {name: count_chats(town, name) for name in PEOPLE} == {n: took_part[n] for n in PEOPLE}
    assert all(mind.dialogue is None for mind in town.policy.minds.values())


@pytest.mark.parametrize("when", [1, 5])
def test_a_conversation_that_one_walks_off_from_ends_cleanly_for_both(when: int) -> None:
    town = Town(together(members=2), make_talkative_rule(0, 1000), config={}, start="10:00")
    gather(town)
    talking: list[str] = []
    while not talking:
        run_ticks(town, 1)
        talks = [percept.conversation for _, percept in minds_with_percepts(town)]
        talking = next((list(talk.members) for talk in talks if talk is not None), [])
    run_ticks(town, when)
    world = town.env.world
    for name in town.env.possible_agents:
        if name != talking[0]:
            far = next(t for t, free in enumerate(world.town.ground.free) if free)
            world.state.put(world.town.people.index[name], far)
    world.look()
    events = run_ticks(town, 2, heard=False)  # the last words may be lost on one who is gone
    assert "walked_away" in {e.data["reason"] for e in events if e.kind == "leave"}
    for mind, percept in minds_with_percepts(town):
        assert mind.name not in talking or percept.conversation or mind.dialogue is None
    assert count_chats(town, talking[0]) == 1
    assert count_chats(town, talking[1]) >= 1
