import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genagents_env.errors import ConfigError
from genagents_env.policies.learned import WEIGHTS
from genagents_env.record import RunReader
from genagents_env.record.rows import JSON
from genagents_env.run import PolicySpec, RunOptions, run
from genagents_env.scenario import Scenario, list_scenario_names, load_scenario
from genagents_env.scenario.digest import digest_scenario
from genagents_env.study.sweep.design.cells import Cell
from genagents_env.study.sweep.design.identity import compute_identity
from tests.study.sweep.small_sweeps import OWN, cells, trials

# Of a made-up run: where it changes, every run of every sweep is made again.
GOLDEN = "167a0a615f5396de8eccb11a1b7dfeead9b96b676a3a98f1715c8c04b0c1f6b0"


def _one(folder: Path, **changes: Any) -> Cell:
    """Return the cell of a study that idles."""
    arm = {"name": "a", "policy": "idle", **changes.pop("arm", {})}
    (cell,) = cells(folder, **{"seeds": 1, "arms": [arm], **changes})
    return cell


def _identify(folder: Path, **changes: Any) -> str:
    return _one(folder, **changes).condition.identity


def test_names_are_safe_in_files_and_all_different(tmp_path: Path) -> None:
    minds = {"A b._-c": "idle", "a b": "random", "a-b": "scripted"}
    arms = [{"name": name, "policy": policy} for name, policy in minds.items()]
    found = trials(tmp_path, arms=arms, seeds=[5, 3, 0])
    assert [trial.seed for trial in found] == [5, 5, 5, 3, 3, 3, 0, 0, 0]
    assert len({trial.name for trial in found}) == 9
    assert all(re.fullmatch(r"[a-z0-9-]+-s\d+-[0-9a-f]{8}", trial.name) for trial in found)


def test_levels_that_are_one_town_and_mind_are_refused(tmp_path: Path) -> None:
    arms = [{"name": name, "policy": "idle"} for name in ("a", "b")]
    with pytest.raises(ConfigError, match="'b' is the same town and mind as 'a'"):
        trials(tmp_path, arms=arms)


def test_a_run_of_a_cell_is_what_the_cell_says(tmp_path: Path) -> None:
    cell = _one(tmp_path, repeats=2, start="10:00", arm={"policy_for": {"Ada Brook": "scripted"}})
    outcome = run(cell.spec, tmp_path / "run.sqlite", RunOptions())
    with RunReader(outcome.path) as record:
        meta = record.meta
    assert meta.scenario == cell.spec.town.scenario
    assert meta.scenario.interview_repeats == 2
    assert meta.arguments["hours"] == cell.spec.town.hours
    assert meta.start == cell.spec.town.start


CHANGES: list[dict[str, object]] = [
    {"scenario": "medicine"},
    {"people": ["Ben Carver"]},
    {"start": "10:00"},
    {"hours": 0.03},
    {"place": "Cottage"},
    {"seconds_per_tick": 20},
    {"repeats": 2},
    {"interviews": False},
    {"model": "scripted"},
    {"embedder": "hashed"},
    {"arm": {"policy": "scripted"}},
    {"arm": {"policy": "smallville", "config": {"variant": "no_reflection"}}},
    {"arm": {"policy": "smallville"}},
    {"arm": {"policy_for": {"Ben Carver": "scripted"}}},
    {"endpoint": {"reasoning_effort": "low"}},
]


def test_whatever_defines_a_run_changes_its_identity(tmp_path: Path) -> None:
    found = [_identify(tmp_path), *(_identify(tmp_path, **one) for one in CHANGES)]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "changes",
    [
        {"arm": {"name": "another name"}},
        {"name": "other", "question": "Why?"},
        {"measures": ["density"], "primary": ["density"]},
        {"budget": {"run": {"calls": 3}, "total": {"calls": 9}}},
        {"judge": False, "judges": [{"name": "x", "kind": "rubric"}], "concurrency": 2},
        {"seeds": [0, 9]},
        {"start": "09:00"},  # when the scenario begins anyway
        {"repeats": 1},
        {"endpoint": {"timeout": 200, "thinking": 500, "price_in": "0.10", "price_out": 1}},
    ],
)
def test_what_does_not_define_a_run_leaves_its_identity(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    assert _identify(tmp_path, **changes) == _identify(tmp_path)


TOWN = 'extends = "tiny"\nname = "own"\ntitle = "Own"\n'


@pytest.mark.parametrize(
    ("changes", "file", "text", "more"),
    [
        ({"arm": {"policy": "mine.py:Mine"}}, "beside_it_here.py", "K = 1\n", "K = 2\n"),
        ({"arm": {"policy_for": {"Ada Brook": "mine.py:Mine"}}}, "mine.py", OWN, "K = 3\n"),
        ({"scenario": "own"}, "own/scenario.toml", TOWN, 'description = "New."\n'),
    ],
    ids=["a module beside a policy", "a policy of one person", "a scenario beside the experiment"],
)
def test_a_file_beside_the_experiment_counts_by_what_it_does(
    tmp_path: Path, changes: dict[str, object], file: str, text: str, more: str
) -> None:
    (tmp_path / "mine.py").write_text(f"import beside_it_here\n{OWN}")
    (tmp_path / "beside_it_here.py").write_text("")
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    before = _identify(tmp_path, **changes)
    harmless = '"""What it is."""\n# one\n' if path.suffix == ".py" else "# one\n"
    path.write_text(harmless + text)
    assert _identify(tmp_path, **changes) == before
    shutil.copytree(tmp_path, tmp_path / "elsewhere")
    assert _identify(tmp_path / "elsewhere", **changes) == before
    path.write_text(text + more)
    assert _identify(tmp_path, **changes) != before


def _identity(config: dict[str, JSON], order: int = 1, behaviour: int = 1) -> str:
    facts: dict[str, JSON] = {
        "scenario": "0" * 64,
        "arguments": {"start": "x", "hours": 1.0},
        "model": None,
        "embedder": None,
        "interviews": True,
        "reasoning_effort": None,
        "model_for": {},
    }
    policies = {agent: PolicySpec("idle", config) for agent in ["A", "B"][::order]}
    return compute_identity(facts, policies, behaviour)


@given(*[st.dictionaries(st.text(max_size=2), st.integers(0, 3), max_size=3)] * 2)
def test_identities_are_alike_exactly_where_the_configs_are(
    first: dict[str, int], second: dict[str, int]
) -> None:
    assert (_identity(first) == _identity(second)) == (first == second)
    assert _identity(first) == _identity(dict(reversed(first.items())), order=-1)


def test_an_identity_is_the_same_on_every_machine() -> None:
    assert _identity({"k": [1, 0.5, "ü"]}, behaviour=0) == GOLDEN


@pytest.mark.parametrize("name", list_scenario_names())
def test_the_digest_of_a_scenario_survives_its_record(name: str) -> None:
    scenario = load_scenario(name)
    again = Scenario.model_validate_json(scenario.model_dump_json())
    assert again == scenario
    assert digest_scenario(again) == digest_scenario(scenario)


def test_all_faults_of_policies_and_scenarios_are_told(tmp_path: Path) -> None:
    minds = {
        "a": {"policy": "smalville"},
        "b": {"policy": "smallville", "config": {"varian": "x"}},
        "c": {"policy": "smallville", "config": {"variant": "no_head"}},
        "d": {"policy": "none.py:Mine"},
        "e": {"policy": "idle", "policy_for": {"Ada Brook": "idel"}},
    }
    factors = {"mind": minds, "scenario": ["tini", "medicin"]}
    with pytest.raises(ConfigError) as caught:
        trials(tmp_path, arms=None, scenario=None, factors=factors)
    *policies, tiny, medicine = str(caught.value).splitlines()
    keys = [line.split(": ")[1] for line in policies]
    assert keys == ["policy"] * 4 + ["policy_for.Ada Brook"]
    assert "did you mean 'smallville'" in policies[0]
    assert 'did you mean "tiny"' in tiny
    assert 'did you mean "medicine"' in medicine


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"arms": [{"name": "a", "policy": "idle", "policy_for": {"Zoe": "idle"}}]}, "Zoe"),
        ({"model": "scripted:clerk"}, "no rule 'clerk'; there are sample_schema"),
        ({"model_for": {"reflect": "scripted:clerk"}}, "no rule 'clerk'"),
        ({"start": "25:99"}, "start"),
        ({"people": ["Zoe"]}, "Zoe"),
        ({"place": "Mars"}, "Mars"),
    ],
)
def test_what_the_town_does_not_have_is_told(
    tmp_path: Path, changes: dict[str, object], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        trials(tmp_path, **changes)


def test_a_shipped_policy_whose_extra_is_missing_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lack(name: str, /, **config: object) -> None:
        raise ConfigError('pip install "genagents-env[x]"')

    monkeypatch.setattr("genagents_env.study.sweep.design.cells.load_policy", lack)
    assert len(trials(tmp_path, seeds=1)) == 2


@pytest.mark.parametrize("broken", ["def", "raise ValueError('no')", "import no_such_package"])
def test_a_policy_s_file_that_is_broken_is_told(tmp_path: Path, broken: str) -> None:
    (tmp_path / "mine.py").write_text(f"{OWN}\n{broken}\n")
    arms = [{"name": "a", "policy": "mine.py:Mine"}, {"name": "b", "policy": "idle"}]
    with pytest.raises(ConfigError, match=r"policy: .*mine\.py"):
        trials(tmp_path, arms=arms)


def test_weights_count_by_name_and_content(tmp_path: Path) -> None:
    shipped = WEIGHTS.read_bytes()
    first, second = tmp_path / "one" / "w.npz", tmp_path / "two" / "w.npz"
    for path in (first, second):
        path.parent.mkdir()
        path.write_bytes(shipped)

    def identify(path: Path) -> str:
        return compute_identity({}, {"A": PolicySpec("learned", {"weights": str(path)})})

    assert identify(first) == identify(second)  # a moved folder keeps its runs
    assert identify(first) != compute_identity({}, {"A": PolicySpec("learned")})
    kept = identify(first)
    first.write_bytes(shipped + b" ")
    assert identify(first) != kept


def test_a_condition_is_named_after_its_levels_and_people_are_names_or_a_cast(
    tmp_path: Path,
) -> None:
    casts = {"people": {"alone": ["Ravi Patel"], "3": "3"}}
    found = cells(tmp_path, scenario="medicine", factors=casts)
    names = ["scripted / alone", "scripted / 3", "nobody moves / alone", "nobody moves / 3"]
    assert [cell.condition.name for cell in found] == names
    people = [[one.name for one in cell.spec.town.load_scenario().people] for cell in found]
    assert [len(one) for one in people] == [1, 3, 1, 3]
    by_cast, by_name = (
        _identify(tmp_path, scenario="medicine", people=one) for one in ("3", people[1])
    )
    assert by_cast == by_name
