"""Values at the paths of a scenario."""

import pytest

from genagents_env.scenario import load_scenario
from genagents_env.scenario.digest import digest_scenario
from genagents_env.study.sweep.design.factors import Path, split_path
from genagents_env.study.sweep.design.paths import PathFault, change_scenario, format_path

VILLE = load_scenario("valentines_party", people=["Isabella Rodriguez", "Klaus Mueller"])


def test_every_kind_of_path_sets_its_value() -> None:
    changed = change_scenario(
        VILLE,
        {
            ("rules", "walk_speed"): 0.3,
            ("rules", "conversation", "max_members"): 2,
            ("rules", "swap_seconds"): 7,  # hidden at its default
            ("people", "Klaus Mueller", "traits"): ["rude"],
            ("facts", "party", "known_by"): ["Klaus Mueller"],
            ("people", "*", "vision_radius"): 5,
            ("title",): "Other",
        },
    )
    klaus = next(one for one in changed.people if one.name == "Klaus Mueller")
    assert (changed.rules.conversation.max_members, changed.rules.swap_seconds) == (2, 7)
    assert klaus.traits == ("rude",)
    assert [one.vision_radius for one in changed.people] == [5, 5]
    assert next(one for one in changed.facts if one.id == "party").known_by == ("Klaus Mueller",)
    assert changed.title == "Other"


def test_nothing_set_is_the_same_scenario() -> None:
    assert change_scenario(VILLE, {}) is VILLE
    own: dict[Path, object] = {("rules", "walk_speed"): VILLE.rules.walk_speed}
    assert digest_scenario(change_scenario(VILLE, own)) == digest_scenario(VILLE)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("rules", "vision_radus"), 3, 'did you mean "vision_radius"'),
        (("rules", "vision_radius"), "far", "a whole number"),
        (("rules", "vision_radius"), -1, "rules.vision_radius"),
        (("people", "Klaus Muller", "traits"), ["x"], 'did you mean "Klaus Mueller"'),
        (("people", "Klaus Mueller"), {}, "whole entry"),
        (("people", "Klaus Mueller", "traits"), "shy", 'people."Klaus Mueller".traits: this is'),
        (("facts", "party", "known_by"), ["Nobody Here"], "Nobody Here"),
        (("rules", "vision_radius", "x"), 3, "nothing in it"),
    ],
)
def test_what_leads_nowhere_or_is_not_allowed_is_told(path: Path, value: object, told: str) -> None:
    with pytest.raises(PathFault) as caught:
        change_scenario(VILLE, {path: value})
    assert told in str(caught.value)


def test_a_value_of_somebody_s_own_hides_no_rule_unnoticed() -> None:
    tiny = load_scenario("tiny")
    assert change_scenario(tiny, {("rules", "vision_radius"): 3}).rules.vision_radius == 3
    own = change_scenario(tiny, {("people", "Ada Brook", "vision_radius"): 4})
    with pytest.raises(PathFault, match="Ada Brook has a value of their own"):
        change_scenario(own, {("rules", "vision_radius"): 9})


@pytest.mark.parametrize(
    "text", ["rules.vision_radius", 'people."Klaus Mueller".traits', 'people."*".traits']
)
def test_a_path_is_read_as_it_is_written(text: str) -> None:
    assert split_path(format_path(split_path(text))) == split_path(text)
    assert split_path("people.*.traits") == ("people", "*", "traits")
