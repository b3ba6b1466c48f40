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
from tests.world.conftest import Play


def test_interventions_take_effect_at_the_next_tick_and_are_events(play: Play) -> None:
    stage = play()
    stage.env.intervene(Whisper("Ann Ash", "Remember the milk."))
    stage.env.intervene(SetObject("House/hall/stove", "burning"))
    stage.env.intervene(News("There will be a party.", "House/den"))
    stage.env.intervene(Put("Bob Birch", "House/closet"))
    stage.step()
    assert stage.percept("Ann").heard[0].kind == "thought"
    assert stage.heard("Cem") == []
    assert next(o for o in stage.percept("Ann").objects if o.name == "stove").state == "burning"
    assert stage.percept("Dee").heard[0].facts == ("party",)
    assert stage.percept("Bob").me.place == "House/closet"
    kinds = [e.kind for e in stage.env.events]
    assert {"whisper", "object", "news", "put", "learn"} <= set(kinds)


def test_people_can_leave_the_town_and_come_back(play: Play) -> None:
    stage = play()
    stage.env.intervene(Part("Bob Birch"))
    stage.step()
    assert "Bob Birch" not in stage.env.agents
    assert all(p.name != "Bob Birch" for p in stage.percept("Ann").people)
    stage.env.intervene(Join("Bob Birch", "House/den"))
    stage.step()
    assert "Bob Birch" in stage.env.agents
    assert stage.percept("Dee").people[0].name == "Bob Birch"


def test_scheduled_events_happen_at_their_time(play: Play) -> None:
    stage = play(
        events=[{"at": "2023-02-13T09:00:30", "kind": "news", "text": "It is raining."}],
    )
    heard = []
    for _ in range(4):
        stage.step()
        heard.append(stage.heard("Ann"))
    assert heard == [[], [], ["It is raining."], []]


@pytest.mark.parametrize(
    "change",
    [Whisper("Zoe", "x"), SetObject("stove", "x"), Put("Ann Ash", "Nowhere"), News("")],
)
def test_interventions_with_wrong_names_are_refused_before_anything_happens(
    play: Play, change: Intervention
) -> None:
    stage = play()
    with pytest.raises(ConfigError):
        stage.env.intervene(change)
    assert stage.world.state.pending == []
