"""People of a scenario: some of them chosen, what they know at first, and what they are asked."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env import town_v0
from genagents_env.errors import ScenarioError
from genagents_env.scenario import Scenario, lay_out, load_scenario, validate_folder
from genagents_env.scenario.checks import check
from genagents_env.scenario.people_selection import describe_left_out, select_people
from genagents_env.scenario.profiles import TownPlace, bed_of, find_town_places
from genagents_env.scenario.questions import PosedQuestion, When, list_questions
from genagents_env.scenario.schema import ArenaSpec, ObjectSpec, Person, Question, SectorSpec
from tests.scenario.bad_folders import CHECKED, GOOD, write

PAIR = ["Maria Lopez", "Klaus Mueller"]
SMALL = ["Dmitri Ivanov", "Richard Smith", "Lizhi Chen"]


@pytest.mark.parametrize("people", ["3", ["3"], SMALL, ", ".join(SMALL)])
def test_a_cast_is_named_or_spelled_out(people: str | list[str]) -> None:
    scenario = load_scenario("murder_mystery", people)
    assert [person.name for person in scenario.people] == SMALL
    assert list(scenario.casts) == ["3"]
    assert check(scenario) == []


def test_selection_drops_checks_and_successes_of_absent_people(tmp_path: Path) -> None:
    whole = load_scenario(write(tmp_path, CHECKED))
    una, vic = select_people(whole, ["Una Ash"]), select_people(whole, ["Vic Bay"])
    # `heard` was put to Vic alone.
    assert [one.id for one in una.checks] == ["likes", "came", "felt", "lit"]
    assert [one.id for one in una.success] == ["loved"]
    assert list(una.casts) == ["1"]
    assert vic.checks == whole.checks
    assert vic.success == whole.success
    assert vic.casts == {}
    assert check(una) == check(vic) == []
    assert describe_left_out(whole, una) == (
        "events (1), questions (1), checks (1), success (2), errands (1), the reward errand"
    )
    assert describe_left_out(whole, whole) == ""


def test_secrets_stay_secret_in_a_part_of_the_cast() -> None:
    scenario = load_scenario("murder_mystery", "6")
    secret = {fact.id: fact.known_by for fact in scenario.facts if fact.secret}
    assert secret == {
        "murder": (),
        "one_night": ("Marta Rodriguez",),
        "affair": (),
        "who_called": (),
    }


def test_nothing_refers_to_anybody_who_is_absent_and_their_property_stays_locked() -> None:
    scenario, whole = load_scenario("valentines_party", PAIR), load_scenario("valentines_party")
    assert describe_left_out(whole, scenario) == (
        "the host of party, all who know party, candidacy at the start"
    )
    assert [person.name for person in scenario.people] == PAIR
    assert check(scenario) == []
    assert {tie.to for person in scenario.people for tie in person.relationships} == set(PAIR)
    assert all(fact.known_by == () for fact in scenario.facts)
    assert scenario.gatherings[0].host is None
    absent = {p.name for p in whole.people} - set(PAIR)
    users = {
        user
        for sector in scenario.sectors
        for arena in sector.arenas
        for user in (*sector.users, *arena.users, *(u for o in arena.objects for u in o.users))
    }
    assert not users & absent
    plan, town = lay_out(scenario), lay_out(whole)
    assert next(arena for arena in plan.arenas if arena.name == "cellar").users == {"nobody"}
    assert any(arena.users == {"Maria Lopez"} for arena in plan.arenas)
    assert (plan.arena == town.arena).all()
    assert [o.tile for o in plan.objects] == [o.tile for o in town.objects]


@pytest.mark.parametrize(
    ("name", "people", "message"),
    [
        ("murder_mystery", "4", 'no cast "4" in murder_mystery; casts: "3", "6", "9"'),
        ("murder_mystery", "4", 'no person "4" in murder_mystery; allowed: "Marta Rodriguez"'),
        ("murder_mystery", ["3", "6"], 'no person "3"'),  # two names are never a cast
        ("tiny", "4", 'no person "4"'),
        ("murder_mystery", " , ", "name at least one person"),
        ("murder_mystery", [], "name at least one person"),
        ("valentines_party", ["Klaus Muller"], "did you mean "),
        ("valentines_party", ["Nobody Else", "Zed"], 'no person "Zed"'),
        ("valentines_party", ["Sam Moore", "Sam Moore"], "and nobody twice"),
    ],
)
def test_people_who_cannot_be_selected_are_an_error(
    name: str, people: str | list[str], message: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(name, people)
    assert message in str(caught.value)
    assert name != "tiny" or "cast" not in str(caught.value)


def test_a_place_that_is_wrong_is_an_error() -> None:
    with pytest.raises(ScenarioError, match='no place "Hobs Cafe" in valentines_party; did you'):
        load_scenario("valentines_party", place="Hobs Cafe")
    with pytest.raises(ScenarioError, match="place: its capacity of 1 is too few; 6 people"):
        load_scenario("house_rules", place="Students' house/bathroom")


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


TINY = load_scenario("tiny")
NAMES = [person.name for person in TINY.people]


def test_the_order_is_by_person_then_question_then_whom_it_is_about() -> None:
    names = ["Mei Lin", "Sam Moore", "Eddy Lin"]
    questions = (
        Question(id="who", text="Do you know {person}?", about="everyone", when="both"),
        Question(id="party", text="A party?", to=("Mei Lin",), when="before"),
        Question(id="later", text="And now?"),
    )
    town = load_scenario("valentines_party", names).model_copy(update={"questions": questions})
    who = {
        name: [
            PosedQuestion(name, "who", f"Do you know {other}?", other)
            for other in names
            if other != name
        ]
        for name in names
    }
    party = PosedQuestion("Mei Lin", "party", "A party?", None)
    before = [*who["Mei Lin"], party, *who["Sam Moore"], *who["Eddy Lin"]]
    assert list_questions(town, names, "before") == before
    after = [*who["Eddy Lin"], PosedQuestion("Eddy Lin", "later", "And now?", None)]
    assert list_questions(town, names, "after")[-3:] == after


questions = st.builds(
    Question,
    id=st.sampled_from(["a", "b", "c", "d", "e"]),
    text=st.sampled_from(["Do you know Ada Brook?", "Do you know {person}?", "Tea?", "{person}"]),
    to=st.sampled_from([(), (NAMES[0],), (NAMES[1],), tuple(NAMES)]),
    when=st.sampled_from(["before", "after", "both"]),
    about=st.sampled_from(["nobody", "everyone"]),
)


@given(st.lists(questions, max_size=5, unique_by=lambda question: question.id))
def test_valid_questions_ask_nobody_twice(some: list[Question]) -> None:
    scenario = TINY.model_copy(update={"questions": tuple(some)})
    if check(scenario):
        return
    ends: tuple[When, ...] = ("before", "after")
    for when in ends:
        every = list_questions(scenario, NAMES, when)
        assert len({(one.agent, one.text) for one in every}) == len(every)


ABOUT = 'text = "Do you know {person}?"\nabout = "everyone"'
ASKED = 'text = "Have you heard of a feast?"'


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (ASKED + '\nfact = "fest"', 'questions[0].fact: no fact "fest"; did you mean "feast"?'),
        (ASKED + '\ngathering = "x"', 'questions[0].gathering: no gathering "x"; allowed: "feast"'),
        (ASKED + '\nabout = "Vic Bay"', 'questions[0].about: "Vic Bay" is unknown; allowed'),
        ('text = "Do you know {person}?"', 'text: "{person}" is filled in only with about = "ev'),
        (
            ASKED + '\nabout = "everyone"',
            "questions[0].text: asked about everyone, so it has to name",
        ),
        ('text = "Do you know {persn}?"', 'text: nothing takes the place of "{persn}"; only "{per'),
        (ABOUT + '\nfact = "feast"', "questions[0].fact: a question about everyone tells whom one"),
        (ABOUT + '\ngathering = "feast"', "questions[0].gathering: a question about everyone te"),
        (
            ASKED + '\n[[questions]]\nid = "more"\n' + ASKED,
            "questions[1].text: somebody hears this from questions[0] too; word one of them anew",
        ),
        (
            ABOUT + '\n[[questions]]\nid = "more"\ntext = "Do you know Una Ash?"',
            "questions[1].text: somebody hears this from questions[0] too",
        ),
        (
            ASKED
            + "".join(
                f'\n[[questions]]\nid = "q{i}"\ntext = "{i} {{person}}"\nabout = "everyone"'
                for i in range(11)
            ),
            "questions[11].about: at most 10 questions are asked about everyone; leave this one",
        ),
    ],
)
def test_a_wrong_question_is_named_with_what_is_allowed(
    new: str, message: str, tmp_path: Path
) -> None:
    head = GOOD["scenario.toml"].replace('to = ["Vic Bay"]\n', "").replace(ASKED, new)
    (fault,) = validate_folder(write(tmp_path, {**GOOD, "scenario.toml": head}))
    assert message in fault
