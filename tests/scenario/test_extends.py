"""A scenario that builds on another takes from it what it does not say itself."""

from pathlib import Path

import pytest

from genagents_env.errors import ScenarioError
from genagents_env.scenario import Scenario, load_scenario, validate_folder
from genagents_env.scenario.extends import CHAIN_LIMIT
from genagents_env.scenario.loader import inspect_folder
from tests.scenario.bad_folders import DRAWN, GOOD, write

CHILD = 'name = "child"\nextends = "base"\ntitle = "Built on another"\n'
UNA, VIC = GOOD["people/una.toml"], GOOD["people/vic.toml"]


def _pair(
    root: Path, child: dict[str, str], base: dict[str, str] | None = None, head: str = CHILD
) -> Path:
    """Write a base and a child beside each other; return the child's folder."""
    write(root / "base", base or GOOD)
    more = child.get("scenario.toml", "")
    return write(root / "child", {**child, "scenario.toml": head + more})


def test_everything_but_the_names_comes_from_the_base_unless_it_is_given_anew(
    tmp_path: Path,
) -> None:
    child = load_scenario(_pair(tmp_path / "a", {}))
    base = load_scenario(tmp_path / "a" / "base")
    assert (child.name, child.title, child.description) == ("child", "Built on another", "")
    same = {"name": base.name, "title": base.title, "description": base.description}
    assert child.model_copy(update=same) == base
    assert Scenario.model_validate_json(child.model_dump_json()) == child
    own = {"scenario.toml": "hours = 3\nquestions = []\n"}
    anew = load_scenario(_pair(tmp_path / "b", own))
    assert anew == child.model_copy(update={"hours": 3, "questions": ()})


RULED = {
    **GOOD,
    "scenario.toml": GOOD["scenario.toml"]
    + """
[rules]
walk_speed = 0.3
vision_radius = 5

[rules.conversation]
max_members = 3
cooldown_seconds = 1800
""",
}


TALK = {"max_members": 3, "cooldown_seconds": 1800}


@pytest.mark.parametrize(
    ("own", "anew"),
    [
        ("", {}),
        ("[rules]\nvision_radius = 9\nphone = true\n", {"vision_radius": 9, "phone": True}),
        ("[rules.conversation]\nmax_members = 6\n", {"conversation": {**TALK, "max_members": 6}}),
        ("[rules]\nconversation = {}\n", {"conversation": None}),
        ("rules = {}\n", {"walk_speed": None, "vision_radius": None, "conversation": None}),
    ],
)
def test_a_rule_given_anew_leaves_the_others_as_the_base_has_them(
    own: str, anew: dict[str, object], tmp_path: Path
) -> None:
    child = load_scenario(_pair(tmp_path, {"scenario.toml": own}, RULED))
    rules = {"walk_speed": 0.3, "vision_radius": 5, "conversation": TALK, **anew}
    kept = {name: value for name, value in rules.items() if value is not None}
    assert child.rules.model_dump(exclude_defaults=True) == kept


def test_another_reward_has_only_its_own_keys_and_the_same_one_keeps_the_bases(
    tmp_path: Path,
) -> None:
    base = load_scenario(write(tmp_path / "alone", GOOD)).reward
    assert base.errands
    other = '[reward]\nname = "attendance"\ngathering = "feast"\n'
    found = load_scenario(_pair(tmp_path / "a", {"scenario.toml": other})).reward
    assert (found.name, found.gathering, found.errands) == ("attendance", "feast", ())
    dearer = {"scenario.toml": "[reward]\nstep_cost = 0.5\n"}
    found = load_scenario(_pair(tmp_path / "b", dearer)).reward
    assert found == base.model_copy(update={"step_cost": 0.5})


def test_people_replace_those_of_their_name_and_others_are_added(tmp_path: Path) -> None:
    people = {
        "people/a.toml": VIC.replace('name = "Vic Bay"', 'name = "Vic Bay"\nage = 7'),
        "people/b.toml": VIC.replace("Vic Bay", "Zoe Cole"),
        "scenario.toml": "",
    }
    base = {
        **GOOD,
        "scenario.toml": GOOD["scenario.toml"]
        .replace("capacity = 2", "capacity = 3")
        .replace('users = ["Una Ash", "Vic Bay"]', ""),
    }
    child = load_scenario(_pair(tmp_path, people, base))
    assert [(person.name, person.age) for person in child.people] == [
        ("Una Ash", 40),
        ("Vic Bay", 7),
        ("Zoe Cole", child.people[2].age),
    ]


def test_the_map_comes_along_unless_the_places_are_given_anew(tmp_path: Path) -> None:
    assert load_scenario(_pair(tmp_path / "a", {}, DRAWN)).map == DRAWN["map.txt"]
    text = GOOD["scenario.toml"]
    sectors = text[text.index("[[sectors]]") :].split("[[facts]]")[0]
    child = _pair(tmp_path / "b", {"scenario.toml": sectors}, DRAWN)
    assert load_scenario(child).map is None


S = "scenario.toml"
FAULTS: dict[str, tuple[dict[str, str], dict[str, str], list[str]]] = {
    "rules of both": (
        {S: "[rules]\nvision_radius = 900\n[rules.conversation]\nmax_members = 1"},
        {**RULED, S: RULED[S].replace("max_members = 3", "mx = 3")},
        [
            "base/scenario.toml:rules.conversation.mx",
            "scenario.toml:rules.conversation.max_members",
            "scenario.toml:rules.vision_radius",
        ],
    ),
    "names in both": (
        {
            "people/vic.toml": VIC.replace("Inn/attic", "Inn/attik"),
            S: 'reward = { name = "knowledge_spread", fact = "fest" }',
        },
        {
            "people/una.toml": UNA.replace("Inn/attic", "Inn/atic"),
            S: GOOD[S].replace('fact = "feast"', 'fact = "fest"'),
        },
        [
            "base/people/una.toml:home",
            "base/scenario.toml:gatherings[0].fact",
            "people/vic.toml:home",
            "scenario.toml:reward.fact",
        ],
    ),
    "a map of the base": (
        {},
        {**DRAWN, "map.txt": DRAWN["map.txt"].replace("#bb", "#b?")},
        ["base/map.txt:line 8, column 3"],
    ),
    "a base that cannot be read": ({}, {S: "x = ["}, ["base/scenario.toml:file"]),
    "people that are no list": ({S: "people = 3\n"}, {}, ["scenario.toml:people"]),
}


@pytest.mark.parametrize(("own", "base", "places"), FAULTS.values(), ids=FAULTS)
def test_faults_name_the_file_they_stand_in(
    own: dict[str, str], base: dict[str, str], places: list[str], tmp_path: Path
) -> None:
    alone = base if base == {S: "x = ["} else {**GOOD, **base}
    faults = validate_folder(_pair(tmp_path, own, alone))
    assert sorted(fault.split(": ")[0] for fault in faults) == places


EXTENDS = {  # what stands there in place of "base", and what is said of it
    '"bass"': 'scenario.toml:extends: no scenario "bass", shipped o',
    '"tinny"': 'beside this folder; did you mean "tiny"?',
    '"../base"': '"../base" is no scenario\'s name; a name and no',
    '["base"]': "is no scenario's name",
    '"child"': '"child" -> "child" goes round; extend a scenario',
    "{ people = [] }": "scenario.toml:extends.scenario: missing; it is required",
    '{ scenario = "base", peple = [] }': "scenario.toml:extends.peple: unknown key; did you",
    '{ scenario = "base", people = 3 }': "extends.people: this is a whole number; a list in [ ]",
    '{ scenario = "base", people = [3] }': "scenario.toml:extends.people[0]: this is a wh",
    '{ scenario = "bass" }': 'scenario.toml:extends: no scenario "bass", shipped or beside',
    "{ scenario = 3 }": 'scenario.toml:extends: "3" is no scenario\'s name',
    '{ scenario = "base", people = ["Una Asch"] }': '"Una Asch" there; did you mean "Una Ash"?',
}


@pytest.mark.parametrize("extends", EXTENDS)
def test_extends_rejects_unusable_bases_and_people(extends: str, tmp_path: Path) -> None:
    folder = _pair(tmp_path, {}, head=CHILD.replace('"base"', extends))
    faults = validate_folder(folder)
    assert any(EXTENDS[extends] in fault for fault in faults), faults
    with pytest.raises(ScenarioError) as caught:
        load_scenario(folder)
    assert caught.value.faults == faults


def test_a_chain_has_an_end(tmp_path: Path) -> None:
    for i in range(CHAIN_LIMIT + 1):
        head = f'name = "s{i}"\ntitle = "t"\nextends = "s{i + 1}"\n'
        write(tmp_path / f"s{i}", {"scenario.toml": head})
    write(tmp_path / f"s{CHAIN_LIMIT + 1}", GOOD)
    faults = validate_folder(tmp_path / "s0")
    assert any("scenarios in a row" in fault for fault in faults), faults
    assert validate_folder(tmp_path / "s2") == []


@pytest.mark.parametrize(
    ("people", "names", "casts"),
    [
        (', people = ["una  ash"]', ["Una Ash"], {"one", "more"}),
        (", people = []", ["Zoe Cole"], set()),
        ("", ["Una Ash", "Vic Bay"], {"both", "one", "more"}),
    ],
)
def test_only_some_of_the_people_may_come_along_and_casts_of_them(
    people: str, names: list[str], casts: set[str], tmp_path: Path
) -> None:
    base = {**GOOD, "people/una.toml": UNA.split("relationships")[0]}
    text = base["scenario.toml"].replace('users = ["Una Ash", "Vic Bay"]', "")
    base["scenario.toml"] = text + '[casts]\nboth = ["Una Ash", "Vic Bay"]\none = ["Una Ash"]\n'
    own = {
        "scenario.toml": "facts = []\nquestions = []\ngatherings = []\nevents = []\nreward = {}\n"
    }
    if casts:
        own["scenario.toml"] += '[casts]\nmore = ["Una Ash"]\n'
    else:
        own["people/z.toml"] = VIC.replace("Vic Bay", "Zoe Cole")
    head = CHILD.replace('"base"', f'{{ scenario = "base"{people} }}')
    child = load_scenario(_pair(tmp_path, own, base, head))
    assert [person.name for person in child.people] == names
    assert set(child.casts) == casts


def test_a_fact_that_its_own_statement_does_not_tell_is_warned_of(tmp_path: Path) -> None:
    fact = 'id = "tea"\nstatement = "The moon is green."\nknown_by = ["Ada Brook"]\n'
    head = 'extends = "tiny"\nname = "moon"\ntitle = "A moon"\nquestions = []\n[[facts]]\n'
    (tmp_path / "scenario.toml").write_text(f'{head}{fact}patterns = ["sun"]\n')
    checked = inspect_folder(tmp_path)
    assert checked.faults == []
    assert checked.warnings == [
        "facts: tea: none of its patterns is in its own statement, so whoever says just that does "
        "not pass it on"
    ]
