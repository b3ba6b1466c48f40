"""A call in a town that has telephones, from a plan to the answer."""

import json

from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import sample_schema
from genagents_env.policies.smallville.mind import SmallvilleActivity
from genagents_env.scenario import load_scenario
from tests.policies.harness import fields_of
from tests.policies.smallville.minds import Town

PEOPLE = ("Isabella Rodriguez", "Maria Lopez")


def rule(request: CompletionRequest) -> str:
    """Answer whatever is said to one, and do nothing about what one sees."""
    fields = fields_of(request)
    if fields[0] == "choice":
        return json.dumps({"choice": "go on", "what": "", "minutes": 0})
    if fields[0] == "say":
        return json.dumps({"say": f"Words {request.seed}.", "end": False})
    return sample_schema(request)


def make_town(*, phone: bool) -> Town:
    """Return the party's town with two people, one of whom means to call the other."""
    scenario = load_scenario("valentines_party", PEOPLE)
    rules = scenario.rules.model_copy(update={"phone": phone})
    town = Town(scenario.model_copy(update={"rules": rules}), rule, start="10:00")
    town.step()
    town.mind("Isabella").activity = SmallvilleActivity(
        text="calling Maria Lopez about the party", until=10_000, reaction=False, arrived=True
    )
    town.mind("Isabella").day.pieces = []
    return town


def test_a_plan_to_call_somebody_reaches_her_in_another_house() -> None:
    town = make_town(phone=True)
    events = [event for _ in range(20) for event in town.step()]
    said = [event for event in events if event.kind == "say"]
    assert {event.agent for event in said} == set(PEOPLE)
    assert said[0].agent == PEOPLE[0]
    assert all(event.data["phone"] for event in said)
    assert not [e for e in events if e.kind == "fail" and e.data["action"] == "talk"]


def test_without_telephones_nobody_is_called() -> None:
    town = make_town(phone=False)
    events = [event for _ in range(20) for event in town.step()]
    assert not [event for event in events if event.kind == "say"]
