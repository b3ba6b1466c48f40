"""The shipped ablation studies: what an arm goes without runs in `full`, and not in the arm."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from genagents_env.record import RunReader
from genagents_env.run import RunOptions, run
from genagents_env.study.sweep import load_experiment
from genagents_env.study.sweep.design.cells import build_cells

FOLDER = Path(__file__).parents[3] / "examples" / "studies"
SMALLVILLE = {"perceive", "plan", "reflect", "converse", "react", "ground", "summary"}


class Lived(NamedTuple):
    """What came of an arm: calls by faculty, and the minds at the last checkpoint."""

    calls: Counter[str]
    minds: Mapping[str, Any]


def live(study: str, folder: Path) -> dict[str, Lived]:
    """Live each arm of a study with the first of its seeds."""
    path, lived = FOLDER / f"{study}.toml", {}
    for number, cell in enumerate(build_cells(load_experiment(path), path.parent)):
        model, embedder = "scripted:neighbour", cell.options.embedder
        options = RunOptions(model=model, embedder=embedder, interviews=False)
        file = folder / f"{study}-{number}.sqlite"
        assert run(cell.spec, file, options).status == "finished"
        with RunReader(file) as record:
            calls = Counter(call.purpose.split(".")[0] for call in record.calls())
            state = record.checkpoint(2**40)
        assert state is not None
        lived[cell.condition.name] = Lived(calls, state.policies[0])
    return lived


@pytest.mark.slow
def test_every_faculty_of_smallville_runs_in_full_and_none_where_it_is_left_out(
    tmp_path: Path,
) -> None:
    lived = live("smallville_ablations", tmp_path)
    gone: dict[str, set[str]] = {
        "full": set(),
        "no reflection": {"reflect"},
        "no reflection or planning": {"reflect", "plan", "ground"},
        "no observation reflection or planning": {"reflect", "plan", "ground", "perceive"},
    }
    assert {*lived} == {*gone}
    for arm, without in gone.items():
        assert {name for name in SMALLVILLE if not lived[arm].calls[name]} == without, arm


def count_recent(arm: Lived) -> int:
    return sum(len(mind["recent"]["text"]) for mind in arm.minds.values())


LYFE: Mapping[str, Callable[[Lived, Lived], Any]] = {
    # Without options the controller is asked at every tick.
    "no option-action": lambda full, arm: arm.calls["controller"] > 10 * full.calls["controller"],
    "no self-monitor": lambda full, arm: full.calls["monitor"] > 0 == arm.calls["monitor"],
    # Without it everything goes to long memory at once, and nothing is merged. (In full, the
    # neighbour repeats itself too much for a merge.)
    "no summarize-and-forget": lambda full, arm: (
        count_recent(full) > 0 == count_recent(arm) and not arm.calls["memory"]
    ),
}


@pytest.mark.slow
def test_every_part_of_lyfe_works_in_full_and_not_where_it_is_left_out(tmp_path: Path) -> None:
    lived = live("lyfe_ablations", tmp_path)
    assert {*lived} == {"full", *LYFE}
    for arm, differs in LYFE.items():
        assert differs(lived["full"], lived[arm]), (arm, lived["full"].calls, lived[arm].calls)


@pytest.mark.slow
@pytest.mark.parametrize("study", ["minds", "cost_success"])
def test_every_mind_of_a_comparison_is_asked_something(study: str, tmp_path: Path) -> None:
    lived = live(study, tmp_path)
    assert not lived.pop("scripted").calls
    for arm, one in lived.items():
        assert sum(one.calls.values()) > 0, arm
