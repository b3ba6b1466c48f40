import pytest

from genagents_env import town_v0
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.profiles import bed_of
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Person, SectorSpec


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


@pytest.mark.parametrize("name", ["tiny", "valentines_party"])
def test_a_profile_names_a_bed_that_is_there(name: str) -> None:
    env = town_v0.parallel_env(name)
    things = dict(zip(env.world.state.objects.ids, env.world.state.objects.plans, strict=True))
    beds = [p.sleeps_in for p in env.profiles().values() if p.sleeps_in is not None]
    assert len(set(beds)) == len(beds) == (0 if name == "tiny" else 25)
    assert all(things[id_].sleep_state == state for id_, state in beds)
