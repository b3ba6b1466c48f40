import pytest

from genagents_env import town_v0
from genagents_env.scenario import load_scenario
from genagents_env.scenario.profiles import TownPlace, find_town_places
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Person, Scenario, SectorSpec

SAFE = ObjectSpec(name="safe", states=("shut", "open"), users=("Ben",))
TABLE = ObjectSpec(name="table", states=("bare", "laid"), free_text=True)


def town(*sectors: SectorSpec) -> Scenario:
    scenario: Scenario = load_scenario("tiny").model_copy(update={"sectors": sectors})
    return scenario


def places(
    scenario: Scenario, name: str = "Ada", workplace: str | None = None
) -> dict[str, TownPlace]:
    person = Person(name=name, persona="someone", home="House", workplace=workplace)
    return {place.id: place for place in find_town_places(person, scenario)}


def hours(sector: tuple[str, ...], arena: tuple[str, ...]) -> list[str]:
    room = ArenaSpec(name="room", hours=arena)
    found = places(town(SectorSpec(name="Shop", common=True, hours=sector, arenas=(room,))))
    return [str(span) for span in found["Shop/room"].hours]


@pytest.mark.parametrize("name", ["tiny", "valentines_party", "murder_mystery"])
def test_a_profile_has_the_places_that_one_knows_before_one_has_seen_anything(name: str) -> None:
    env = town_v0.parallel_env(name)
    env.reset(seed=1)
    ids, known = env.world.town.places.ids, env.world.town.people.known
    rooms = set(env.world.town.plan.arena_id(a) for a in range(1, len(env.world.plan.arenas)))
    for profile, bits in zip(env.profiles().values(), known, strict=True):
        expected = [p for k, p in enumerate(ids) if bits >> k & 1 and p in rooms]
        assert [place.id for place in profile.town] == expected
        assert len(expected) > 1


def test_a_private_room_of_a_common_place_is_known_by_name_but_not_what_is_in_it() -> None:
    office = ArenaSpec(name="office", users=("Ben",), objects=(SAFE, TABLE))
    cafe = SectorSpec(name="Cafe", common=True, arenas=(office,))
    hers, his = places(town(cafe))["Cafe/office"], places(town(cafe), "Ben")["Cafe/office"]
    assert (hers.public, hers.admits, hers.things) == (False, False, ())
    assert (his.public, his.admits) == (False, True)
    assert [thing.id for thing in his.things] == ["Cafe/office/safe", "Cafe/office/table"]


def test_others_homes_are_not_known_and_their_things_not_offered() -> None:
    house = SectorSpec(name="House", arenas=(ArenaSpec(name="House", objects=(SAFE, TABLE)),))
    other = SectorSpec(name="Villa", arenas=(ArenaSpec(name="hall", objects=(TABLE,)),))
    found = places(town(house, other))
    assert list(found) == ["House"]
    assert [thing.name for thing in found["House"].things] == ["table"]
    assert found["House"].things[0].free_text
    assert not found["House"].common
    assert list(places(town(house, other), workplace="Villa/hall")) == ["House", "Villa/hall"]


@pytest.mark.parametrize(
    ("sector", "arena", "open_"),
    [
        ((), (), []),
        (("08:00-18:00",), (), ["08:00 to 18:00"]),
        ((), ("17:00-02:00",), ["17:00 to 02:00"]),
        (("08:00-18:00",), ("16:00-22:00",), ["16:00 to 18:00"]),
        (("17:00-02:00",), ("00:00-06:00",), ["00:00 to 02:00"]),
        (("08:00-12:00", "14:00-18:00"), ("10:00-16:00",), ["10:00 to 12:00", "14:00 to 16:00"]),
    ],
)
def test_a_room_is_open_when_its_building_is_too(
    sector: tuple[str, ...], arena: tuple[str, ...], open_: list[str]
) -> None:
    assert hours(sector, arena) == open_
