"""Entry rights: the table of a day's minutes, and what worlds of one town share."""

import pytest

from genagents_env.env import TownEnv
from genagents_env.scenario.plan import DAY
from genagents_env.world.places import Places


@pytest.mark.parametrize("name", ["valentines_party", "simuverse_park", "murder_mystery"])
def test_the_rights_of_every_minute_are_what_users_hours_and_staff_say(name: str) -> None:
    world = TownEnv(name).world
    plan, access = world.plan, world.state.access
    for minute in range(0, DAY, 20):
        access.set_minute(minute)
        for i, person in enumerate(world.scenario.people):
            own = {ref.split("/")[0] for ref in (person.home, person.workplace) if ref}
            for a, arena in enumerate(plan.arenas):
                sector = plan.sectors[arena.sector]
                admitted = all(not u or person.name in u for u in (arena.users, sector.users))
                hours = [spans for spans in (sector.hours, arena.hours) if spans]
                opened = all(any(s.contains(minute) for s in spans) for spans in hours)
                may = admitted and (opened or sector.name in own)
                assert access.enter[i, a] == may
            for p, place in enumerate(world.town.places.all):
                assert access.places[i, p] == access.enter[i, list(place.arenas)].any()


@pytest.fixture(scope="module", params=["valentines_party", "tiny"])
def places(request: pytest.FixtureRequest) -> Places:
    return TownEnv(str(request.param)).world.town.places


def test_a_thing_a_room_and_a_building_cover_their_arenas(places: Places) -> None:
    plan = places.plan
    for o, item in enumerate(plan.objects):
        assert places.find_arenas(plan.object_id(o)) == {item.arena}
    for a, arena in enumerate(plan.arenas):
        name = plan.sectors[arena.sector].name
        inside = {b for b, other in enumerate(plan.arenas) if other.sector == arena.sector}
        if plan.arena_id(a) != name:
            assert places.find_arenas(plan.arena_id(a)) == {a}
            assert places.find_arenas(name) == inside
    assert places.find_arenas("nowhere") == frozenset()


def test_bits_become_rows_and_cover_arenas(places: Places) -> None:
    count = len(places.all)
    known = (0, 1, (1 << count) - 1, 1 << (count - 1), places.bits_of_arena[1])
    rows = places.to_rows(known)
    assert rows.shape == (5, count)
    assert rows.tolist() == [[bits >> p & 1 for p in range(count)] for bits in known]
    assert rows[4].tolist() == [int(1 in place.arenas) for place in places.all]
