"""Entry rights: the table of a day's minutes, and what worlds of one town share."""

import pytest

from genagents_env.env import TownEnv
from genagents_env.scenario.plan import DAY


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
