import pytest

from genagents_env import town_v0
from genagents_env.errors import ScenarioError
from genagents_env.scenario import Scenario, lay_out, load_scenario
from genagents_env.scenario.checks import check

PAIR = ["Maria Lopez", "Klaus Mueller"]


def test_the_people_come_in_the_order_asked_for() -> None:
    scenario = load_scenario("valentines_party", PAIR)
    assert [person.name for person in scenario.people] == PAIR


def test_nothing_refers_to_anybody_who_is_absent() -> None:
    scenario = load_scenario("valentines_party", PAIR)
    absent = {p.name for p in load_scenario("valentines_party").people} - set(PAIR)
    assert check(scenario) == []
    assert {tie.to for person in scenario.people for tie in person.relationships} == set(PAIR)
    assert all(fact.known_by == () for fact in scenario.facts)
    assert scenario.gatherings[0].host is None
    users = {
        user
        for sector in scenario.sectors
        for arena in sector.arenas
        for user in (*sector.users, *arena.users, *(u for o in arena.objects for u in o.users))
    }
    assert not users & absent


def test_what_belongs_to_the_absent_stays_locked() -> None:
    plan = lay_out(load_scenario("valentines_party", PAIR))
    cellar = next(arena for arena in plan.arenas if arena.name == "cellar")
    kitchen = next(arena for arena in plan.arenas if "Maria Lopez" in arena.users)
    assert cellar.users == {"nobody"}
    assert kitchen.users == {"Maria Lopez"}


def test_the_town_is_that_of_the_whole_cast() -> None:
    whole = lay_out(load_scenario("valentines_party"))
    part = lay_out(load_scenario("valentines_party", PAIR))
    assert (whole.arena == part.arena).all()
    assert [o.tile for o in whole.objects] == [o.tile for o in part.objects]


def test_errands_and_questions_of_the_absent_are_dropped() -> None:
    scenario = load_scenario("tiny", ["Ada Brook"])
    assert [errand.agent for errand in scenario.reward.errands] == ["Ada Brook"]
    assert scenario.questions == ()
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario


def test_the_whole_cast_by_name_is_the_scenario_itself() -> None:
    scenario = load_scenario("tiny")
    assert load_scenario("tiny", [person.name for person in scenario.people]) == scenario


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (["Klaus Muller"], 'no person "Klaus Muller" in valentines_party; did you mean "Klaus Mue'),
        (["Nobody Else", "Zed"], 'no person "Zed"'),
        ([], "name at least one person, and nobody twice"),
        (["Sam Moore", "Sam Moore"], "name at least one person, and nobody twice"),
    ],
)
def test_a_name_that_is_wrong_is_an_error(people: list[str], message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario("valentines_party", people)
    assert message in str(caught.value)


def test_everyone_may_start_in_one_place_awake() -> None:
    env = town_v0.parallel_env(
        load_scenario("valentines_party", PAIR, "Hobbs Cafe"), start="03:00", percepts=True
    )
    _, infos = env.reset(seed=0)
    bodies = [infos[name]["percept"].me for name in PAIR]
    assert all(body.place.startswith("Hobbs Cafe/") and not body.asleep for body in bodies)
    assert not check(load_scenario("valentines_party", place="Hobbs Cafe/cafe"))


def test_a_place_that_is_wrong_is_an_error() -> None:
    with pytest.raises(ScenarioError, match='no place "Hobs Cafe" in valentines_party; did you'):
        load_scenario("valentines_party", place="Hobs Cafe")
