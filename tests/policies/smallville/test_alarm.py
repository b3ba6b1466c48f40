"""News that a scenario schedules: whoever is awake and hears it considers it, and acts on it."""

from datetime import timedelta

from genagents_env.llm.scripted import Rule
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.schema import ScheduledEvent
from tests.policies.harness import fields_of
from tests.policies.smallville.minds import Town
from tests.scripted import neighbour

PEOPLE = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller", "Ayesha Khan")
CAFE = "Hobbs Cafe"
ALARM = "Fire! Everybody leave the cafe at once!"
AT = 12  # the tick of the news


def make_scenario(place: str | None = CAFE) -> Scenario:
    """Return the party's town with four people in the cafe and an alarm at tick `AT`."""
    town = load_scenario("valentines_party", PEOPLE, "Hobbs Cafe/cafe")
    at = town.start.replace(hour=10) + timedelta(seconds=AT * town.seconds_per_tick)
    alarm = ScheduledEvent(at=at, kind="news", text=ALARM, place=place)
    return town.model_copy(update={"events": (*town.events, alarm)})


def live_through(rule: Rule, ticks: int, place: str | None = CAFE) -> Town:
    """Return the town so many ticks after ten o'clock."""
    town = Town(make_scenario(place), rule, start="10:00")
    for _ in range(ticks):
        town.step()
    return town


def find_place(town: Town, agent: str) -> str:
    place: str = town.infos[agent]["percept"].me.place
    return place


def list_alarmed(town: Town) -> list[str]:
    """Return who was asked what to do about the alarm."""
    asked = [r for r in town.endpoint.requests if fields_of(r)[:1] == ["choice"]]
    prompts = [
        r.messages[-1].content for r in asked if "you hear the news" in r.messages[-1].content
    ]
    return sorted(p.removeprefix("You are ").split(",")[0] for p in prompts)


def list_hearers(town: Town) -> list[str]:
    return sorted(agent for agent in town.infos if find_place(town, agent).startswith(CAFE))


def test_every_hearer_considers_the_alarm_within_two_ticks() -> None:
    town = live_through(neighbour, AT)
    hearers = list_hearers(town)
    assert len(hearers) >= 2
    for _ in range(2):
        town.step()
    assert list_alarmed(town) == hearers


def test_whoever_hears_it_leaves_the_burning_place_whatever_they_are_at() -> None:
    town = live_through(neighbour, AT + 1)
    hearers = list_hearers(town)
    assert len(hearers) >= 2
    for _ in range(40):
        town.step()
    still = [agent for agent in hearers if find_place(town, agent).startswith(CAFE)]
    assert not still


def test_what_one_does_about_it_is_in_the_plan() -> None:
    town = live_through(neighbour, AT)
    hearers = list_hearers(town)
    for _ in range(3):
        town.step()
    for mind in (town.policy.minds[agent] for agent in hearers):
        assert mind.activity.reaction
        assert mind.activity.text.startswith("leaving at once")
