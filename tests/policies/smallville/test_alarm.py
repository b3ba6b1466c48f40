"""News that a scenario schedules: whoever is awake and hears it considers it, and acts on it."""

from datetime import timedelta

from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import ScheduledEvent
from tests.policies.harness import fields_of
from tests.policies.smallville.minds import Town
from tests.scripted import neighbour

PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Ayesha Khan")
CAFE = "Hobbs Cafe"
AT = 12  # the tick of the news


def make_scenario() -> Scenario:
    """Return the party's town with four people in the cafe and an alarm at tick `AT`."""
    town = load_scenario("valentines_party", PEOPLE, "Hobbs Cafe/cafe")
    at = town.start.replace(hour=10) + timedelta(seconds=AT * town.seconds_per_tick)
    alarm = ScheduledEvent(at=at, kind="news", text="Fire! Leave the cafe at once!", place=CAFE)
    return town.model_copy(update={"events": (*town.events, alarm)})


def list_alarmed(town: Town) -> list[str]:
    """Return who was asked what to do about the alarm."""
    asked = [r for r in town.endpoint.requests if fields_of(r)[:1] == ["choice"]]
    prompts = [r.messages[-1].content for r in asked]
    told = [prompt for prompt in prompts if "you hear the news" in prompt]
    return sorted(p.removeprefix("You are ").split(",")[0] for p in told)


def list_people_in_cafe(town: Town) -> list[str]:
    places = {agent: info["percept"].me.place for agent, info in town.infos.items()}
    return sorted(agent for agent, place in places.items() if place.startswith(CAFE))


def test_every_hearer_of_the_alarm_considers_it_and_leaves_the_burning_place() -> None:
    town = Town(make_scenario(), neighbour, start="10:00")
    for _ in range(AT):
        town.step()
    hearers = list_people_in_cafe(town)
    assert len(hearers) >= 2
    for _ in range(2):
        town.step()
    assert list_alarmed(town) == hearers
    town.step()
    for activity in (town.policy.minds[agent].activity for agent in hearers):
        assert activity.reaction
        assert activity.text.startswith("leaving at once")
    for _ in range(40):
        town.step()
    assert not set(hearers) & set(list_people_in_cafe(town))
