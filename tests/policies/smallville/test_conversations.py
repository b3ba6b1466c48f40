"""Whole conversations between minds in a town."""

import json
import re
from collections.abc import Iterator

import pytest

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.memory.stream import Memory
from genagents_env.percept import Percept
from genagents_env.policies.smallville.mind import SmallvilleMind
from genagents_env.rng import draw_index
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.world.events import Event
from tests.policies.harness import fields_of
from tests.policies.smallville.minds import Town

PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Ayesha Khan")
EAGER = {"talk_again_seconds": 0, "react_again_minutes": 1}


def talkative(seed: int, longest: int = 6) -> Rule:
    """Return a rule that goes up to people and ends a talk now and then."""

    def rule(request: CompletionRequest) -> str:
        fields = fields_of(request)
        if fields[0] == "choice" and (
            talks := re.findall(r'"(talk to [^"]+)"', json.dumps(request.schema))
        ):
            return json.dumps({"choice": talks[0], "what": "", "minutes": 0})
        if fields[0] == "say":
            draw = draw_index(request.seed, longest, seed, "end")
            words = "" if draw == 1 else f"Words {request.seed}."
            return json.dumps({"say": words, "end": draw == 0})
        if fields[0] == "spots":
            return stay(request)
        return sample_schema(request)

    return rule


def stay(request: CompletionRequest) -> str:
    """Return the reply that has everything done where one is: the first of the places offered."""
    reply = json.loads(sample_schema(request))
    offered = json.dumps(request.schema).split('"where": {"enum": ["', 1)[1].split('"', 1)[0]
    reply["spots"] = [{**spot, "where": offered, "thing": "nothing"} for spot in reply["spots"]]
    return json.dumps(reply)


def together(turn_taking: str = "one_speaker", members: int = 4) -> Scenario:
    """Return the party's town with four of its people and another rule of conversation."""
    scenario = load_scenario("valentines_party", PEOPLE, "Hobbs Cafe/cafe")
    talk = scenario.rules.conversation.model_copy(
        update={"turn_taking": turn_taking, "max_members": members}
    )
    rules = scenario.rules.model_copy(update={"conversation": talk})
    return scenario.model_copy(update={"rules": rules})


def gather(town: Town) -> None:
    """Stand everyone on neighbouring tiles of the first person's room."""
    world = town.env.world
    tile = int(world.state.tile[0])
    room = [
        t
        for t, arena in enumerate(world.town.ground.arena)
        if arena == world.town.ground.arena[tile]
    ]
    near = sorted((t for t in room if world.town.ground.free[t]), key=lambda t: abs(t - tile))
    for k in range(world.count):
        world.state.put(k, near[k])
    world.look()


def members_of(percept: Percept) -> tuple[str, ...]:
    return percept.conversation.members if percept.conversation is not None else ()


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
        if not town.env.agents:
            break
        percepts = list(minds_with_percepts(town))
        actions = town.policy.act({agent: {} for agent in town.env.agents}, town.infos)
        for mind, percept in percepts:
            check_true_to(mind, percept)
        for mind, percept in percepts:
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
    if len(members_of(percept)) != 2:
        return
    assert mind.dialogue is not None
    other: SmallvilleMind = town.policy.minds[mind.dialogue.others[0]]
    assert other.dialogue is not None
    mine, theirs = ([line.text for line in d.lines] for d in (mind.dialogue, other.dialogue))
    both = min(len(mine), len(theirs))  # one of them may have come later
    assert mine[len(mine) - both :] == theirs[len(theirs) - both :]


def openings(events: list[Event]) -> dict[int, Event]:
    """Return the first event of each conversation."""
    first: dict[int, Event] = {}
    for event in (event for event in events if event.kind == "converse"):
        first.setdefault(event.data["conversation"], event)
    return first


def chats(town: Town, name: str) -> list[Memory]:
    return [memory for memory in town.policy.minds[name].stream if memory.kind == "chat"]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("turn_taking", ["free", "one_speaker", "round_robin"])
def test_a_group_converses_under_every_rule_of_turns(turn_taking: str, seed: int) -> None:
    latency = {"converse": 2, "react": 1} if seed % 2 else {}
    config = {**EAGER, "latency_ticks": latency}
    town = Town(together(turn_taking), talkative(seed), config=config, start="10:00")
    gather(town)
    events = run_ticks(town, 60)
    # Who comes later may open another or join.
    assert openings(events)
    talked = [e for e in events if e.kind == "say"]
    assert len({e.agent for e in talked}) >= 3
    assert all(e.data["conversation"] is not None for e in talked)


@pytest.mark.parametrize("latency", [{}, {"converse": 1}, {"converse": 3, "react": 2}])
def test_each_conversation_is_remembered_once_by_all_who_were_in_it(
    latency: dict[str, int],
) -> None:
    town = Town(together(members=2), talkative(1), config={"latency_ticks": latency}, start="10:00")
    gather(town)
    events = run_ticks(town, 180)
    for _ in range(600):
        events += run_ticks(town, 1)
        minds = town.policy.minds.values()
        if all(m.dialogue is None and not m.is_busy("converse.") for m in minds):
            break
    took_part = {name: 0 for name in PEOPLE}
    for event in events:
        if event.kind == "leave" and event.agent is not None:
            took_part[event.agent] += 1
    assert sum(took_part.values()) >= 4
    assert {name: len(chats(town, name)) for name in PEOPLE} == took_part
    assert all(mind.dialogue is None for mind in town.policy.minds.values())


@pytest.mark.parametrize("when", [1, 2, 5, 6])
def test_a_conversation_that_one_walks_off_from_ends_cleanly_for_both(when: int) -> None:
    town = Town(together(members=2), talkative(0, 1000), config={}, start="10:00")
    gather(town)
    talking: list[str] = []
    for _ in range(20):
        run_ticks(town, 1)
        talking = next((list(members_of(p)) for _, p in minds_with_percepts(town)), [])
        if talking:
            break
    run_ticks(town, when)
    world = town.env.world
    for name in town.env.possible_agents:
        if name != talking[0]:
            far = next(t for t, free in enumerate(world.town.ground.free) if free)
            world.state.put(world.town.people.index[name], far)
    world.look()
    events = run_ticks(town, 2, heard=False)  # the last words may be lost on one who is gone
    assert "walked_away" in {e.data["reason"] for e in events if e.kind == "leave"}
    for name in talking:
        others = [p for m, p in minds_with_percepts(town) if m.name == name]
        if others[0].conversation is None:
            assert town.policy.minds[name].dialogue is None
    assert len(chats(town, talking[0])) == 1
    assert len(chats(town, talking[1])) >= 1


def test_nobody_opens_a_conversation_when_it_is_late() -> None:
    config = EAGER | {"late_hour": 11}
    town = Town(together(), talkative(2), config=config, start="10:45")
    gather(town)
    ticks = [event.tick for event in openings(run_ticks(town, 240)).values()]
    assert len(ticks) >= 2
    assert max(ticks) <= 90


@pytest.mark.slow
@pytest.mark.parametrize("latency", [{}, {"converse": 2, "react": 1, "plan": 4, "ground": 3}])
def test_any_reply_at_all_is_lived_with(latency: dict[str, int]) -> None:
    config = EAGER | {"latency_ticks": latency}
    tiny = Town("tiny", config=config, max_cycles=500)
    run_ticks(tiny, 500)
    party = Town(together(), config=config, start="10:00")
    gather(party)
    assert openings(run_ticks(party, 500))


def test_a_resumed_conversation_goes_on_as_the_other_would_have() -> None:
    config = EAGER | {"latency_ticks": {"converse": 2}}
    towns = [Town(together(), talkative(3), config=config, start="10:00") for _ in range(2)]
    for town in towns:
        gather(town)
        run_ticks(town, 17)
    one, two = towns
    assert any(mind.dialogue is not None for mind in one.policy.minds.values())
    saved = json.loads(json.dumps(one.policy.state()))
    fresh = Town(together(), talkative(3), config=config, start="10:00").policy
    two.begin(fresh)
    fresh.load_state(saved)
    two.policy = fresh
    says = [[(e.agent, e.data) for e in run_ticks(t, 60) if e.kind == "say"] for t in towns]
    assert says[0] == says[1]
    assert says[0]
