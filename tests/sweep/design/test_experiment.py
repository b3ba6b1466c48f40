from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from genagents_env.errors import ConfigError
from genagents_env.record.rows import JSON
from genagents_env.run import Limits
from genagents_env.sweep.design.changes import apply_changes
from genagents_env.sweep.design.consistency import find_contradictions
from genagents_env.sweep.design.experiment import BudgetLimits, Experiment, load_experiment
from genagents_env.sweep.design.toml import format_faults
from tests.sweep.small_sweeps import load, write_experiment

FULL = """
name = "minds"
question = "Does the mind change how far the news spreads?"
seeds = 8
baseline = "scripted"
primary = ["verified.party"]
measures = []
scenario = "valentines_party"
people = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]
start = "10:00"
hours = 0.5
model = "scripted:neighbour"
embedder = "hashed"
judge = true
concurrency = 8
[budget]
run = { calls = 500, tokens = 200000, dollars = "0.50", seconds = 3600 }
total = { tokens = 2000000 }
[rate]
requests_per_minute = 500
tokens_per_minute = 200000
[[arms]]
name = "scripted"
policy = "scripted"
[[arms]]
name = "no reflection"
policy = "smallville"
config = { variant = "no_reflection" }
policy_for = { "Klaus Mueller" = "idle" }
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
    assert experiment.seed_list == tuple(range(8))
    assert experiment.budget.run.limits() == Limits(500, 200_000, Decimal("0.50"), 3600.0)
    assert experiment.budget.total.limits() == Limits(tokens=2_000_000)
    assert experiment.rate.requests_per_minute == 500
    assert [arm.name for arm in experiment.arms] == ["scripted", "no reflection"]
    assert experiment.arms[1].config == {"variant": "no_reflection"}
    assert experiment.judges[0].kind == "rubric"
    assert experiment.paired


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    experiment = load(tmp_path, seeds=None, hours=None)
    assert experiment.seed_list == (0,)
    assert (experiment.hours, experiment.model, experiment.baseline) == (None, None, None)
    assert (experiment.interviews, experiment.judge, experiment.concurrency) == (True, True, None)
    assert experiment.budget.run.limits() == Limits()


def test_every_fault_is_told_at_once_with_its_key_and_what_is_allowed(tmp_path: Path) -> None:
    arms = [{"name": "a", "policy": "scripted"}, {"name": "b"}, {"name": "c", "polcy": "idle"}]
    lines = _faults(tmp_path, seeds=[1, 1], hours=-1, judge=1, sead=3, arms=arms, baseline="d")
    assert all(line.startswith("small.toml: ") for line in lines)
    found = {line.split(": ")[1]: line for line in lines}
    assert set(found) == {
        *("seeds", "hours", "judge", "sead", "baseline"),
        *("arms.1.policy", "arms.2.policy", "arms.2.polcy"),
    }
    assert "comes twice" in found["seeds"]
    assert "more than 0" in found["hours"]
    assert 'did you mean "seeds"' in found["sead"]
    assert 'did you mean "policy"? allowed: name, policy, config' in found["arms.2.polcy"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "Minds"}, "lower-case"),
        ({"seeds": 0}, "1 to"),
        ({"seeds": []}, "1 to"),
        ({"seeds": [0, -1]}, "-1 is no seed"),
        ({"seeds": [0, True]}, "True is no seed"),
        ({"seeds": True}, "a number of seeds"),
        ({"seeds": "8"}, "a number of seeds"),
        ({"people": []}, "at least one"),
        ({"people": ["A", "A"]}, "nobody twice"),
        ({"people": 3}, "a list of names"),
        ({"people": "3", "casts": ["3"]}, "one of the two"),
        ({"scenarios": ["tiny"]}, "one of the two"),
        ({"model": "a", "models": ["a", "b"]}, "one of the two"),
        ({"models": ["a", "a"]}, "comes twice"),
        ({"scenario": None}, "missing"),
        ({"arms": None}, "neither"),
        ({"runs": [{"name": "a", "policy": "idle"}]}, "both are given"),
        ({"embedder": "hash"}, "hashed:WIDTH"),
        ({"repeats": 21}, "at most 20"),
        ({"concurrency": 0}, "at least 1"),
        ({"budget": {"run": {"dollars": "a lot"}}}, "no sum of dollars"),
        ({"budget": {"run": {"dollars": -1}}}, "no sum of dollars"),
        ({"budget": {"run": {"token": 1}}}, 'did you mean "tokens"'),
        ({"judges": [{"name": "x", "kind": "rubrik"}]}, 'did you mean "rubric"'),
        ({"arms": [{"name": "a/b", "policy": "idle"}]}, "letters, digits"),
        ({"arms": [{"name": "a", "policy": "x"}] * 2}, "comes twice"),
        ({"arms": [{"name": n, "policy": "x"} for n in ("a b", "a-b")]}, "too like"),
        ({"arms": [{"name": "a", "policy": "x", "policy_for": {"A": 1}}]}, "policies by person"),
        ({"arms": [{"name": "a", "policy": "x", "config": []}]}, "a table"),
        ({"baseline": "scriptd"}, 'did you mean "scripted"'),
        ({"arms": None, "casts": ["3"], "runs": [{"name": "a", "policy": "x"}]}, "only with [["),
        ({"arms": None, "runs": [{"name": "a", "policy": "x"}] * 2}, "comes twice with the same"),
    ],
)
def test_one_fault_is_told_alone(tmp_path: Path, changes: dict[str, object], told: str) -> None:
    (line,) = _faults(tmp_path, **changes)
    assert told in line


def test_a_file_that_is_no_toml_tells_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('name = "x"\nseeds = = 3\n')
    with pytest.raises(ConfigError, match=r"bad\.toml: not TOML: .*line 2"):
        load_experiment(path)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a" * (2 << 20), b"x = " + b"[" * 5000])
def test_a_hostile_file_is_refused_in_words(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"bad\.toml"):
        load_experiment(path)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_experiment(tmp_path / "none.toml")


def test_unknown_measures_are_no_fault_of_the_file(tmp_path: Path) -> None:
    assert load(tmp_path, measures=["no_such"], primary=["nor.this"]).measures == ("no_such",)


def test_a_start_may_be_a_time_of_toml(tmp_path: Path) -> None:
    path = write_experiment(tmp_path)
    path.write_text(path.read_text() + "start = 10:30:00\n")
    assert load_experiment(path).start == "10:30:00"


def test_a_grid_is_every_combination_arm_by_arm(tmp_path: Path) -> None:
    experiment = load(tmp_path, scenario=None, scenarios=["tiny", "medicine"], models=["a", "b"])
    cells = [(run.scenario, run.model, run.name) for run in experiment.cells]
    assert cells[:3] == [
        ("tiny", "a", "scripted"),
        ("tiny", "a", "nobody moves"),
        ("tiny", "b", "scripted"),
    ]
    assert len(cells) == len(set(cells)) == 8
    assert experiment.paired


def test_a_list_of_runs_takes_from_the_experiment_what_it_leaves_out(tmp_path: Path) -> None:
    runs = [
        {"name": "a", "policy": "idle"},
        {"name": "b", "policy": "idle", "scenario": "medicine", "seeds": [7], "hours": 1},
    ]
    first, second = load(tmp_path, arms=None, runs=runs).cells
    assert (first.scenario, first.seed_list, first.hours) == ("tiny", (0, 1), 0.02)
    assert (second.scenario, second.seed_list, second.hours) == ("medicine", (7,), 1.0)


@pytest.mark.parametrize(
    ("own", "paired"),
    [
        ({}, True),
        ({"seeds": [0, 1]}, True),
        ({"seeds": [1, 0]}, True),
        ({"seeds": [0, 2]}, False),
        ({"start": "11:00"}, False),
        ({"hours": 3}, False),
        ({"scenario": "medicine", "seeds": [9]}, True),  # in another block
        ({"people": ["Maria Lopez"], "seeds": [9]}, True),  # in another block
    ],
)
def test_runs_of_a_block_are_paired_where_they_share_seeds_and_town(
    tmp_path: Path, own: dict[str, object], paired: bool
) -> None:
    runs = [{"name": "a", "policy": "idle"}, {"name": "b", "policy": "idle", **own}]
    assert load(tmp_path, arms=None, runs=runs).paired is paired


def test_caps_are_limits_with_exact_dollars() -> None:
    assert BudgetLimits.model_validate({"dollars": 0.1}).limits().dollars == Decimal("0.1")
    assert BudgetLimits.model_validate({"dollars": 2}).limits().dollars == Decimal(2)


@given(st.one_of(st.integers(1, 200), st.lists(st.integers(0, 2**40), min_size=1, unique=True)))
def test_seeds_are_listed_each_once(seeds: int | list[int]) -> None:
    arm = {"name": "a", "policy": "idle"}
    told = Experiment.model_validate({"name": "x", "seeds": seeds, "arms": [arm]}).seed_list
    assert told == tuple(range(seeds) if isinstance(seeds, int) else seeds)


KEYS = ["name", "seeds", "arms", "runs", "people", "casts", "model", "baseline", "budget", "x"]
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
    found = find_contradictions(raw)
    try:
        Experiment.model_validate(raw)
    except ValidationError as error:
        found += format_faults(error, Experiment)
    assert all(line.partition(": ")[2] and line.isprintable() for line in found)


def test_changes_stand_in_place_of_what_the_file_says(tmp_path: Path) -> None:
    experiment = load(tmp_path, models=["a", "b"], budget={"total": {"calls": 3, "tokens": 9}})
    told = {"model": "c", "seeds": 5, "hours": 2, "max_tokens": 7, "max_dollars": "0.5"}
    other = apply_changes(experiment, told)
    assert {run.model for run in other.cells} == {"c"}
    assert other.seed_list == tuple(range(5))
    assert other.budget.total.limits() == Limits(3, 7, Decimal("0.5"))
    assert (experiment.models, experiment.budget.total.tokens) == (("a", "b"), 9)
    assert apply_changes(experiment, {}) == apply_changes(experiment, {"seeds": None}) == experiment


def test_changes_stand_in_place_of_what_single_runs_say(tmp_path: Path) -> None:
    runs = [{"name": "a", "policy": "idle", "model": "m", "seeds": [9], "hours": 9, "place": "p"}]
    (run,) = apply_changes(load(tmp_path, arms=None, runs=runs), {"model": "c", "seeds": 1}).cells
    assert (run.model, run.seed_list, run.hours, run.place) == ("c", (0,), 9.0, "p")


@pytest.mark.parametrize("told", [{"seeds": 0}, {"hours": -1}, {"max_dollars": "x"}, {"modl": "a"}])
def test_a_change_that_is_not_allowed_is_told(tmp_path: Path, told: dict[str, JSON]) -> None:
    with pytest.raises(ConfigError):
        apply_changes(load(tmp_path), told)
