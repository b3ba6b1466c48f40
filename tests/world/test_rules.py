import numpy as np

from genagents_env.actions import Interact, Move, Talk
from genagents_env.world.sight import Sight
from tests.world.conftest import MakeTown, TownDriver, scenario


def test_a_full_room_refuses_the_next_person_with_a_reason(make_town: MakeTown) -> None:
    town = make_town()
    town.place("Ann", 15, 3)
    town.place("Bob", 14, 3)
    for _ in range(6):
        town.step(Ann=Move("House/closet"), Bob=Move("House/closet"))
    places = sorted(town.percept(n).me.place for n in ("Ann", "Bob"))
    assert places == ["House/closet", "House/den"]
    outside = next(n for n in ("Ann", "Bob") if town.percept(n).me.place == "House/den")
    assert "full" in town.percept(outside).result.text
    assert town.infos[town.full(outside)]["illegal"] == 0  # possible, but contested


def test_who_enters_first_is_fair_over_seeds() -> None:
    wins = 0
    for seed in range(60):
        town = TownDriver(scenario())
        town.env.reset(seed=seed)
        town.place("Ann", 16, 3)
        town.place("Bob", 16, 3)
        town.place("Ann", 15, 3)
        town.place("Bob", 15, 3)
        town.step(Ann=Move("House/closet"), Bob=Move("House/closet"))
        town.step(Ann=Move("House/closet"), Bob=Move("House/closet"))
        wins += town.percept("Ann").me.place == "House/closet"
    assert 15 <= wins <= 45


def test_closed_rooms_refuse_strangers_with_their_hours(make_town: MakeTown) -> None:
    hall, den, closet = scenario().model_dump(mode="json")["sectors"][0]["arenas"]
    den["hours"] = ["10:00-11:00"]
    town = make_town(
        sectors=[
            {"name": "House", "common": True, "arenas": [hall, closet]},
            {"name": "Shop", "common": True, "arenas": [den]},
        ],
        people=[
            {"name": "Ann Ash", "persona": "x", "home": "House", "workplace": "Shop"},
            {"name": "Bob Birch", "persona": "x", "home": "House/hall"},
            {"name": "Cem Cedar", "persona": "x", "home": "House/hall"},
            {"name": "Dee Dogwood", "persona": "x", "home": "House/hall"},
        ],
    )
    town.step(Bob=Move("Shop"))
    assert "closed; open 10:00 to 11:00" in town.percept("Bob").result.text
    town.place("Ann", 7, 3)
    town.step(Ann=Move("Shop"))
    town.step(Ann=Move("Shop"))
    assert town.percept("Ann").me.place == "Shop/den"  # she works there
    for _ in range(356):
        town.step()
    mask = town.infos["Bob Birch"]["action_mask"]["choice"]
    shop = 1 + town.world.town.places.ids.index("Shop/den")
    assert mask[shop] == 0
    town.step()
    assert town.world.time.hour == 10
    assert town.infos["Bob Birch"]["action_mask"]["choice"][shop] == 1
    town.place("Bob", 12, 3)
    for _ in range(360):
        town.step()
    assert town.percept("Bob").me.place == "Shop/den"  # closed, but never in
    for _ in range(25):
        town.step(Bob=Move("House"))
    assert town.percept("Bob").me.place == "House/hall"


def test_objects_change_by_hand_within_reach_only(make_town: MakeTown) -> None:
    town = make_town()
    town.place("Ann", 2, 1)
    town.place("Dee", 15, 1)
    town.step(Ann=Interact("stove", "on"), Dee=Interact("stove", "on"))
    assert town.percept("Ann").result.text == "The stove is now on."
    assert "out of reach" in town.percept("Dee").result.text
    seen = next(o for o in town.percept("Bob").objects if o.name == "stove")
    event = town.events("object")[0]
    assert (seen.state, seen.event_id) == ("on", event.id)
    town.step(Ann=Interact("stove", "melted"))
    assert "can become: off" in town.percept("Ann").result.text
    town.place("Ann", 6, 2)
    town.step(Ann=Interact("note", "see you at five"))  # free text
    assert "see you at five" in town.percept("Ann").text


def test_two_hands_on_one_object_one_wins_whatever_the_order_of_the_dictionary(
    make_town: MakeTown,
) -> None:
    results = set()
    for order in (("Ann Ash", "Bob Birch"), ("Bob Birch", "Ann Ash")):
        town = make_town()
        town.place("Ann", 2, 1)
        town.place("Bob", 3, 1)
        given = {name: Interact("stove", "on") for name in order}
        *_, infos = town.env.step(given | {n: None for n in ("Cem Cedar", "Dee Dogwood")})
        results.add(tuple(infos[n]["percept"].result.text for n in ("Ann Ash", "Bob Birch")))
    assert len(results) == 1
    assert any("first" in text for text in results.pop())


def test_a_bed_lays_one_down_and_words_wake_one_up(make_town: MakeTown) -> None:
    town = make_town()
    town.place("Ann", 1, 3)
    town.place("Bob", 3, 3)
    town.step(Ann=Interact("bed", "slept in"))
    ann = town.percept("Ann")
    assert ann.me.asleep
    assert (ann.people, ann.objects) == ((), ())
    town.step(Bob=Talk(None, "What a day."))
    assert town.percept("Ann").me.asleep  # said to nobody in particular
    assert town.heard("Ann") == []
    town.step(Bob=Talk("Ann", "Wake up!"))
    assert not town.percept("Ann").me.asleep
    assert town.heard("Ann") == ["Wake up!"]
    bed = next(o for o in town.percept("Ann").objects if o.name == "bed")
    assert bed.state == "made"


def test_sight_ends_at_walls_and_at_the_radius() -> None:
    town = TownDriver(scenario(), vision_radius=3)
    town.place("Ann", 1, 1)
    town.place("Bob", 4, 4)
    town.place("Cem", 5, 4)
    town.place("Dee", 9, 3)
    town.step()
    assert [p.name for p in town.percept("Ann").people] == ["Bob Birch"]
    assert all(p.name != "Dee Dogwood" for p in town.percept("Cem").people)
    distances = [p.distance for p in town.percept("Bob").people]
    assert distances == sorted(distances)


def test_sleepers_wake_at_their_hour() -> None:
    people = scenario().model_dump(mode="json")["people"]
    for person in people:
        person["start"] = None
        person["home"] = "House/hall"
    town = TownDriver(scenario(people=people), start="2023-02-13T06:59:00")
    assert town.percept("Ann").me.asleep
    for _ in range(6):
        town.step()
    assert not town.percept("Ann").me.asleep
    assert {e.data["cause"] for e in town.events("wake")} == {"hour"}


def test_who_starts_in_a_building_fills_none_of_its_rooms_beyond_its_capacity() -> None:
    house = scenario().model_dump(mode="json")["sectors"][0]
    house["arenas"][1]["capacity"] = 2
    starts = ("House", "House", "House/closet", "10,1")
    people = [
        {"name": name, "persona": "x", "home": "House", "start": start}
        for name, start in zip(("Ann", "Bob", "Cem", "Dee"), starts, strict=True)
    ]
    world = TownDriver(scenario(sectors=[house], people=people, facts=[])).world
    for seed in range(40):
        world.reset(seed)
        rooms = [world.plan.arena_id(int(arena)) for arena in world.state.arena]
        assert rooms.count("House/closet") == 1
        assert rooms.count("House/den") in (1, 2)


def test_large_and_small_towns_see_the_same_pairs() -> None:
    random = np.random.default_rng(0)
    for count in (5, 60, 128):
        where = random.integers(0, 40, (2, count))
        sight = Sight(random.integers(1, 9, count))
        dense = np.sort(sight._list_all(where))
        assert (dense == np.sort(sight._list_near(where))).all()
