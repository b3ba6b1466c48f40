import pytest

from genagents_env.errors import ConfigError
from genagents_env.world.interventions import (
    Intervention,
    Join,
    News,
    Part,
    Put,
    SetObject,
    Whisper,
)
from tests.world.conftest import MakeTown

NAMES = ("Ann Ash", "Bob Birch", "Cem Cedar", "Dee Dogwood")


def test_interventions_take_effect_at_the_next_tick_and_are_events(make_town: MakeTown) -> None:
    town = make_town()
    town.env.intervene(Whisper("Ann Ash", "Remember the milk."))
    town.env.intervene(Whisper("Bob Birch", "There will be a party."))
    town.env.intervene(SetObject("House/hall/stove", "burning"))
    town.env.intervene(News("There will be a party.", "House/den"))
    town.env.intervene(Put("Bob Birch", "House/closet"))
    town.step()
    assert town.percept("Ann").heard[0].kind == "thought"
    assert town.heard("Cem") == []
    assert next(o for o in town.percept("Ann").objects if o.name == "stove").state == "burning"
    assert town.percept("Dee").heard[0].facts == ("party",)
    assert town.percept("Bob").heard[0].facts == ("party",)
    assert {e.agent for e in town.events("learn")} == {"Bob Birch", "Dee Dogwood"}
    assert town.percept("Bob").me.place == "House/closet"
    kinds = [e.kind for e in town.env.events]
    assert {"whisper", "object", "news", "put", "learn"} <= set(kinds)


def test_people_can_leave_the_town_and_come_back(make_town: MakeTown) -> None:
    town = make_town()
    town.env.intervene(Part("Bob Birch"))
    town.step()
    assert "Bob Birch" not in town.env.agents
    assert all(p.name != "Bob Birch" for p in town.percept("Ann").people)
    town.env.intervene(Join("Bob Birch", "House/den"))
    town.step()
    assert "Bob Birch" in town.env.agents
    assert town.percept("Dee").people[0].name == "Bob Birch"


def test_a_town_without_people_goes_on_where_somebody_will_come(make_town: MakeTown) -> None:
    at = "2023-02-13T09:00:{:02}".format
    events = [{"at": at(10), "kind": "leave", "agent": n} for n in NAMES]
    town = make_town(events=[*events, {"at": at(40), "kind": "join", "agent": "Ann Ash"}])
    here: list[int] = []
    while not town.env.is_over and len(here) < 6:
        town.step()
        here.append(len(town.env.agents))
    assert here == [0, 0, 0, 1, 1, 1]
    town = make_town(events=events)
    town.step()
    assert town.env.is_over
    assert town.env.step({}) == ({}, {}, {}, {}, {})


def test_scheduled_events_happen_at_their_time(make_town: MakeTown) -> None:
    town = make_town(
        events=[{"at": "2023-02-13T09:00:30", "kind": "news", "text": "It is raining."}],
    )
    heard = []
    for _ in range(4):
        town.step()
        heard.append(town.heard("Ann"))
    assert heard == [[], [], ["It is raining."], []]


def test_of_what_was_before_the_beginning_only_that_happens_which_lasts(
    make_town: MakeTown,
) -> None:
    before = {"at": "2023-02-13T08:30:00"}
    town = make_town(
        events=[
            before | {"kind": "news", "text": "It is raining."},
            before | {"kind": "object", "object": "House/hall/stove", "state": "burning"},
            before | {"kind": "leave", "agent": "Bob Birch"},
        ]
    )
    town.step()
    assert town.heard("Ann") == []
    assert next(o for o in town.percept("Ann").objects if o.name == "stove").state == "burning"
    assert "Bob Birch" not in town.env.agents


@pytest.mark.parametrize(
    "change",
    [Whisper("Zoe", "x"), SetObject("stove", "x"), Put("Ann Ash", "Nowhere"), News("")],
)
def test_interventions_with_wrong_names_are_refused_before_anything_happens(
    make_town: MakeTown, change: Intervention
) -> None:
    town = make_town()
    with pytest.raises(ConfigError):
        town.env.intervene(change)
    assert town.world.state.pending == []
