from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from genagents_env.errors import ConfigError
from genagents_env.llm.open import ModelOptions
from genagents_env.llm.prices import Price, find_price
from genagents_env.record.rows import JSON
from genagents_env.run import Limits
from genagents_env.scenario import load_scenario
from genagents_env.scenario.digest import digest_scenario
from genagents_env.study.sweep.design.experiment import (
    Experiment,
    format_faults,
    load_experiment,
)
from genagents_env.study.sweep.design.factors import (
    PathFault,
    change_scenario,
    format_path,
    split_path,
)
from genagents_env.study.sweep.session import SweepOptions, SweepSession
from tests.study.sweep.small_sweeps import create_sweep, load, write_experiment

FULL = """
name = "minds"
question = "Does the mind change how far the news spreads?"
seeds = 8
baseline = "scripted"
primary = ["verified.party: mind x vision_radius", "judge.believability"]
measures = []
scenario = "valentines_party"
people = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]
start = 10:30:00
hours = 0.5
model = "scripted:neighbour"
embedder = "hashed"
judge = true
concurrency = 8
[budget]
run = { calls = 500, tokens = 200000, dollars = 0.1, seconds = 3600 }
total = { tokens = 2000000 }
[factors]
"rules.vision_radius" = [4, 8]
'people."Klaus Mueller".traits' = { kind = ["kind"], rude = ["rude"] }
[factors.mind]
scripted = { policy = "scripted" }
"no reflection" = { policy = "smallville", "config.variant" = "no_reflection" }
[[judges]]
name = "believability"
kind = "rubric"
"""


def _faults(folder: Path, **changes: object) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(folder, **changes)
    return str(caught.value).splitlines()


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "minds.toml"
    path.write_text(FULL)
    experiment = load_experiment(path)
    assert (experiment.seeds, experiment.start) == (tuple(range(8)), "10:30:00")
    assert experiment.budget.run.limits() == Limits(500, 200_000, Decimal("0.1"), 3600.0)
    assert experiment.budget.total.limits() == Limits(tokens=2_000_000)
    assert experiment.levels == {
        "vision_radius": ("4", "8"),
        "traits": ("kind", "rude"),
        "mind": ("scripted", "no reflection"),
    }
    assert experiment.baselines == {"mind": "scripted"}
    last = experiment.list_cells()[-1]
    assert last.levels == ("8", "rude", "no reflection")
    assert (last.run.policy, last.run.config) == ("smallville", {"variant": "no_reflection"})
    assert last.edits == {
        ("rules", "vision_radius"): 8,
        ("people", "Klaus Mueller", "traits"): ["rude"],
    }
    assert experiment.judges[0].kind == "rubric"


def test_every_fault_is_told_at_once_with_its_key_and_what_is_allowed(tmp_path: Path) -> None:
    lines = _faults(tmp_path, seeds=[1, 1], hours=-1, judge=1, sead=3, factors={"model": 3})
    assert all(line.startswith("small.toml: ") for line in lines)
    found = {line.split(": ")[1]: line for line in lines}
    assert set(found) == {"seeds", "hours", "judge", "sead", "factors.model"}
    assert "comes twice" in found["seeds"]
    assert "more than 0" in found["hours"]
    assert 'did you mean "seeds"' in found["sead"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "Minds"}, "lower-case"),
        ({"seeds": 0}, "1 to"),
        ({"seeds": [0, -1]}, "-1 is no seed"),
        ({"seeds": "8"}, "a number of seeds"),
        ({"people": ["A", "A"]}, "nobody twice"),
        ({"scenario": None}, "missing"),
        ({"embedder": "hash"}, "hashed:WIDTH"),
        ({"repeats": 21}, "at most 20"),
        ({"budget": {"run": {"dollars": "a lot"}}}, "valid decimal"),
        ({"judges": [{"name": "x", "kind": "rubrik"}]}, 'did you mean "rubric"'),
        ({"people": 3}, "a list of names"),
        ({"baseline": "scriptd"}, 'did you mean "scripted"'),
        ({"factors": {"rules..x": [1, 2]}}, "no path"),
        ({"factors": {"model": ["a", "a"]}}, "comes twice"),
        ({"factors": {"model": ["a"]}}, "1 levels; 2 to"),
        ({"factors": {"model": [["a"], ["b"]]}}, "no label"),
        ({"factors": {"mind": ["a", "b"]}}, "each of its levels is a table"),
        ({"factors": {"mind": {"a": {"polcy": 1}, "b": {"policy": "x"}}}}, "is no path"),
        ({"factors": {"rules": ["a", "b"]}}, "write a path in quotes"),
        ({"factors": {"rule.x": [1, 2]}}, 'did you mean "rules"'),
        ({"factors": {"policy": ["idle", "random"]}}, "policy sets policy, too"),
        ({"baseline": {"arms": "scripted"}}, "no level"),
        ({"primary": ["heard: armm"]}, 'did you mean "arm"'),
        ({"primary": ["judge.kindness"]}, "add [[judges]]"),
        ({"endpoint": {"timeout": 60, "deadline": 30}}, "endpoint: "),
        ({"endpoint": {"timeout": 60, "deadline": 30}}, "does not fit"),
        ({"endpoint": {"price_in": "1"}}, "price_out is missing"),
        ({"endpoint": {"reasoning_effort": "lots"}}, "endpoint.reasoning_effort: "),
        ({"endpoint": {"timeot": 1}}, "endpoint.timeot: unknown key; did you mean"),
        ({"rate": {"requests_per_minute": 5}}, "rate: unknown key"),
        ({"only": [{"arm": "scripted", "x": "y"}]}, "a level of each factor"),
        ({"only": [{"arm": "scripted"}], "primary": ["heard: arm"]}, "whole cells are compared"),
    ],
)
def test_one_fault_is_told_alone(tmp_path: Path, changes: dict[str, object], told: str) -> None:
    (line,) = _faults(tmp_path, **changes)
    assert told in line


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'name = "x"\nseeds = = 3\n', r"bad\.toml: not TOML: .*line 2"),
        (b"\xff\xfe", r"bad\.toml cannot be read"),
        (b"a" * (2 << 20), r"bad\.toml cannot be read"),
        (b"x = " + b"[" * 5000, r"bad\.toml: nested too deeply"),
        (None, r"bad\.toml cannot be read"),
    ],
    ids=["no TOML", "no text", "too large", "too deep", "missing"],
)
def test_a_file_that_cannot_be_used_is_refused_in_words(
    tmp_path: Path, data: bytes | None, told: str
) -> None:
    path = tmp_path / "bad.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ConfigError, match=told):
        load_experiment(path)


def test_a_grid_is_every_combination_and_a_list_of_cells_these_alone(tmp_path: Path) -> None:
    factors = {"scenario": ["tiny", "medicine"], "model": ["a", "b"]}
    found = [one.levels for one in load(tmp_path, scenario=None, factors=factors).list_cells()]
    assert found[:3] == [
        ("tiny", "a", "scripted"),
        ("tiny", "a", "nobody moves"),
        ("tiny", "b", "scripted"),
    ]
    assert len(found) == len(set(found)) == 8
    only = [{"arm": "scripted", "model": "b"}, {"arm": "nobody moves", "model": "a"}]
    experiment = load(tmp_path, factors={"model": ["a", "b"]}, only=only)
    found = [one.levels for one in experiment.list_cells()]
    assert found == [("b", "scripted"), ("a", "nobody moves")]


KEYS = ["name", "seeds", "arms", "runs", "factors", "only", "casts", "model", "baseline", "x"]
VALUES = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=5) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "policy", "run", "calls", "y"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_whatever_a_file_says_the_answer_is_words(raw: dict[str, object]) -> None:
    found: list[str] = []
    try:
        Experiment.model_validate(raw)
    except ValidationError as error:
        found = format_faults(error, Experiment)
    assert all(line.partition(": ")[2] and line.isprintable() for line in found)


def test_changes_stand_in_place_of_what_the_file_says(tmp_path: Path) -> None:
    budget = {"total": {"calls": 3, "tokens": 9}}
    path = write_experiment(tmp_path, factors={"model": ["a", "b"]}, budget=budget)
    told: dict[str, JSON] = {"model": "c", "seeds": 5, "hours": 2, "max_tokens": 7}
    other = load_experiment(path, told | {"max_dollars": "0.5"})
    assert {cell.run.model for cell in other.list_cells()} == {"c"}
    assert list(other.levels) == ["arm"]
    assert other.seeds == tuple(range(5))
    assert other.budget.total.limits() == Limits(3, 7, Decimal("0.5"))
    only = [{"arm": "scripted", "model": "b"}, {"arm": "nobody moves", "model": "a"}]
    path = write_experiment(tmp_path, factors={"model": ["a", "b"]}, only=only)
    assert len(load_experiment(path, {"model": "c"}).list_cells()) == 2
    for wrong in ({"seeds": 0}, {"hours": -1}, {"max_dollars": "x"}, {"modl": "a"}):
        with pytest.raises(ConfigError):
            load_experiment(path, wrong)


ENDPOINT = {"timeout": 200, "thinking": 500, "price_in": "0.10", "price_out": 1}
OPTIONS = ModelOptions(200, None, 500, None, Price(Decimal("0.10"), Decimal(1)))


def test_an_experiment_file_says_how_models_are_asked(tmp_path: Path) -> None:
    folder = create_sweep(tmp_path, endpoint=ENDPOINT)
    session = SweepSession(folder, SweepOptions(workers=1))
    assert {session.make_job(one).options.model_options for one in folder.trials} == {OPTIONS}
    changed = load_experiment(folder.experiment_file, {"deadline": 300.0, "thinking": 0})
    assert changed.endpoint.make_options() == ModelOptions(200, 300, 0, None, OPTIONS.price)


def test_a_declared_price_is_that_of_the_model_and_of_what_no_list_has(tmp_path: Path) -> None:
    priced = load(tmp_path, model="gpt-4o", endpoint=ENDPOINT)
    listed = find_price("gpt-4o-mini")
    assert listed is not None
    for model, price in (
        ("gpt-4o", OPTIONS.price),
        (None, OPTIONS.price),
        ("mine", OPTIONS.price),
        ("gpt-4o-mini", listed),
    ):
        assert priced.options_for(model).price == price


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
    own = change_scenario(VILLE, {("rules", "walk_speed"): VILLE.rules.walk_speed})
    assert digest_scenario(own) == digest_scenario(VILLE)


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
def test_what_leads_nowhere_or_is_not_allowed_is_told(
    path: tuple[str, ...], value: object, told: str
) -> None:
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
