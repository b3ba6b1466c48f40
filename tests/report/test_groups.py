from pathlib import Path

import pytest

from genagents_env.evaluate.measures.preferences import Preference
from genagents_env.report.groups import (
    average,
    average_costs,
    average_flows,
    average_preferences,
    average_successes,
    group_runs,
    list_preferences,
)
from tests.report.planted import ADA, BEN, cake, plant, scenario, study


def test_runs_of_one_kind_are_one_group(tmp_path: Path) -> None:
    alike = [study(cake(tmp_path / f"{k}.sqlite", seed=k)) for k in (1, 2)]
    idle = {who: {"name": "idle", "config": {}} for who in (ADA, BEN)}
    other = study(cake(tmp_path / "3.sqlite", policies=idle))
    found = group_runs([alike[0], other, alike[1]])
    assert [group.policy for group in found] == ["lyfe option_action=false", "idle"]
    assert found[0].summaries == tuple(alike)
    assert found[0].label == "cake, 2 agents: lyfe option_action=false, toy"


def test_other_people_are_another_cast(tmp_path: Path) -> None:
    turned = cake(tmp_path / "b.sqlite", names=(BEN, ADA))
    found = group_runs([study(cake(tmp_path / "a.sqlite")), study(turned)])
    assert [group.cast for group in found] == [1, 2]
    assert [group.mind.endswith("cast 2") for group in found] == [False, True]


def test_means_are_over_finished_runs_with_their_standard_error(tmp_path: Path) -> None:
    lost = {ADA: ("Ada.", "Ada."), BEN: ("Ben.", "Ben.")}
    runs = [
        study(cake(tmp_path / "a.sqlite")),
        study(cake(tmp_path / "b.sqlite", after=lost, judged=())),
        study(cake(tmp_path / "c.sqlite", status="paused")),
    ]
    groups = group_runs(runs)
    found = {(one.success, one.by): one for one in average_successes(groups)}
    solved = found["solved", "rule"]
    assert solved.before is not None
    assert solved.after is not None
    assert (solved.before.value, solved.before.n) == (0.5, 2)
    assert (solved.after.value, solved.after.n) == (0.5, 2)
    assert solved.after.sem == pytest.approx(0.5)
    assert (solved.majorities, solved.decided) == (1, 2)
    judged = found["solved", "model:arbiter"]
    assert judged.after is not None
    assert (judged.before, judged.after.value, judged.after.n) == (None, 0.5, 1)
    (flow,) = average_flows(groups)
    assert flow.receive is not None
    assert (flow.receive.value, flow.receive.n) == (1, 2)
    (cost,) = average_costs(groups)
    assert cost.calls is not None
    assert cost.calls.value == pytest.approx(12)
    assert cost.calls.n == 2


def test_where_none_has_finished_all_count(tmp_path: Path) -> None:
    (group,) = group_runs([study(cake(tmp_path / "a.sqlite", status="paused"))])
    assert len(group.counted) == 1


def test_preferences_are_averaged_run_by_run() -> None:
    values = ("Ada", "nobody")
    one = Preference("s", values, {"A": {"Ada": 1.0, "nobody": 0.0}}, {}, otherwise="nobody")
    two = Preference("s", values, {"A": {"Ada": 0.0, "nobody": 1.0}}, {"B": {"Ada": 1.0}})
    found = average_preferences([one, two])
    assert found.before == {"A": {"Ada": 0.5, "nobody": 0.5}}
    assert found.after == {"B": {"Ada": 1.0, "nobody": 0.0}}


def test_without_questions_facts_and_checks_there_is_nothing(tmp_path: Path) -> None:
    bare = scenario(questions=(), facts=(), checks=(), success=())
    groups = group_runs([study(plant(tmp_path / "a.sqlite", 3, scenario=bare))])
    assert list(average_successes(groups)) == []
    assert list(average_flows(groups)) == []
    assert list(list_preferences(groups[0])) == []
    (cost,) = average_costs(groups)
    assert (cost.calls, cost.dollars) == (None, None)
    assert average([None]) is None
