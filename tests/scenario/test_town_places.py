import pytest

from genagents_env import town_v0
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.profiles import TownPlace, bed_of, find_town_places
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Person, SectorSpec

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


@pytest.mark.parametrize(
    ("name", "beds"), [("tiny", 0), ("valentines_party", 25), ("murder_mystery", 9)]
)
def test_a_profile_has_the_places_that_one_knows_at_first_and_a_bed_that_is_there(
    name: str, beds: int
) -> None:
    env = town_v0.parallel_env(name)
    env.reset(seed=1)
    ids, known = env.world.town.places.ids, env.world.town.people.known
    rooms = set(env.world.town.plan.arena_id(a) for a in range(1, len(env.world.plan.arenas)))
    things = dict(zip(env.world.state.objects.ids, env.world.state.objects.plans, strict=True))
    profiles = env.profiles().values()
    for profile, bits in zip(profiles, known, strict=True):
        expected = [p for k, p in enumerate(ids) if bits >> k & 1 and p in rooms]
        assert [place.id for place in profile.town] == expected
        assert len(expected) > 1
    found = [p.sleeps_in for p in profiles if p.sleeps_in is not None]
    assert len(set(found)) == len(found) == beds
    assert all(things[id_].sleep_state == state for id_, state in found)


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
    room = ArenaSpec(name="room", hours=arena)
    found = places(town(SectorSpec(name="Shop", common=True, hours=sector, arenas=(room,))))
    assert [str(span) for span in found["Shop/room"].hours] == open_


def bed(name: str = "bed", *users: str, sleep: str | None = "slept in") -> ObjectSpec:
    return ObjectSpec(name=name, states=("made", "slept in"), sleep_state=sleep, users=users)


def arena(name: str, *objects: ObjectSpec, users: tuple[str, ...] = ()) -> ArenaSpec:
    return ArenaSpec(name=name, objects=objects, users=users)


def sleeps(home: str, *arenas: ArenaSpec) -> tuple[str, str] | None:
    """Return where Ada sleeps in a house of these rooms, next to one that is not hers."""
    sectors = (
        SectorSpec(name="Inn", arenas=(arena("room", bed("inn bed", "Ada")),)),
        SectorSpec(name="House", arenas=arenas),
    )
    scenario: Scenario = load_scenario("tiny").model_copy(update={"sectors": sectors})
    return bed_of(Person(name="Ada", persona="someone", home=home), scenario)


MINE, ANY, BENS = bed("mine", "Ada"), bed("any"), bed("ben's", "Ben")


@pytest.mark.parametrize(
    ("home", "arenas", "found"),
    [
        ("House/loft", (arena("hall", ANY), arena("loft", MINE)), "House/loft/mine"),
        ("House/loft", (arena("hall", MINE), arena("loft", ANY)), "House/hall/mine"),
        ("House/loft", (arena("hall", ANY), arena("loft", bed("own"))), "House/loft/own"),
        ("House", (arena("hall", BENS), arena("loft", ANY)), "House/loft/any"),
        ("House/loft", (arena("hall", ANY, users=("Ben",)), arena("loft", BENS)), None),
        ("House/loft", (arena("loft", bed("sofa", sleep=None)),), None),
        ("House", (arena("House", ANY),), "House/any"),
    ],
)
def test_the_bed_is_the_agents_own_or_any_at_home(
    home: str, arenas: tuple[ArenaSpec, ...], found: str | None
) -> None:
    assert sleeps(home, *arenas) == (None if found is None else (found, "slept in"))
