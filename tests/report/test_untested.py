"""A faculty that never ran: the comparison with a condition without it says nothing."""

from pathlib import Path

from genagents_env.record import FacultyUse
from genagents_env.report.results import SweepResults
from genagents_env.report.sweep_tables import tabulate_differences, tabulate_faculties
from tests.report.planted_sweep import run, sweep


def use(switch: str, on: bool, calls: int = 0, fallbacks: int = 0) -> FacultyUse:
    return FacultyUse("smallville", switch, switch[:7], on, calls, fallbacks)


def ablate(
    folder: Path, reflection: tuple[int, int], gap: float = 0.0, **more: int
) -> SweepResults:
    """Return `full`, with so many calls and fallbacks of reflection, beside two ablations of it.

    One leaves reflection out, the other planning too, which made `planning` calls.
    """
    calls, planning = reflection, more.get("planning", 5)
    runs = []
    for seed in range(8):
        noise = 0.1 * (seed % 3)
        full = (use("reflection", True, *calls), use("planning", True, planning))
        bare = (use("reflection", False), use("planning", True, planning))
        barest = (use("reflection", False), use("planning", False))
        for k, (arm, uses) in enumerate(
            (("full", full), ("no reflection", bare), ("neither", barest))
        ):
            values = {"heard.crumbs": gap * (not k) + noise + 0.01 * ((seed + k) % 2)}
            runs.append(run(folder, arm, seed, values, uses=uses))
    return sweep(folder, runs, baseline="full")


VOID = "reflection never ran in full: comparing it with no reflection says nothing"
IDLE = "On, but never ran, with no usable reply to a model call: reflection (full)."


def test_no_difference_is_not_told_of_a_faculty_that_never_ran(tmp_path: Path) -> None:
    told = ablate(tmp_path, (0, 0))
    assert told.finding == (
        "With 8 seeds, no difference was found in the other 1 of 2 primary comparisons; that is "
        f"not a finding of no difference; {VOID}."
    )
    assert any(IDLE in caution for caution in told.cautions)
    notes = {one.second: one.note for one in told.contrasts}
    assert VOID in notes["no reflection"]
    assert "says nothing" not in notes["neither"]  # planning ran, and is tested by it
    assert any(VOID in str(cell) for row in tabulate_differences(told).rows for cell in row)


def test_where_nothing_that_was_left_out_ran_no_comparison_says_anything(tmp_path: Path) -> None:
    told = ablate(tmp_path, (0, 0), planning=0)
    assert "no difference" not in told.finding
    assert VOID.capitalize() in told.finding
    assert (
        "reflection and planning never ran in full: comparing it with neither says nothing"
        in told.finding
    )


def test_calls_that_all_fell_back_are_no_effect(tmp_path: Path) -> None:
    assert VOID in ablate(tmp_path, (4, 4)).finding
    told = ablate(tmp_path, (4, 3))
    assert "says nothing" not in told.finding
    assert not any("never ran" in caution for caution in told.cautions)
    assert all("says nothing" not in one.note for one in told.contrasts)


def test_a_difference_is_told_all_the_same_and_cautioned(tmp_path: Path) -> None:
    told = ablate(tmp_path, (0, 0), gap=0.9)
    assert "was lower with no reflection than with full" in told.finding
    assert any(IDLE in caution for caution in told.cautions)


def test_the_faculties_are_told_by_condition(tmp_path: Path) -> None:
    table = tabulate_faculties(ablate(tmp_path, (4, 3)))
    assert table.rows[0] == ("full", "smallville", "reflection", "on", 8, 8, 4.0, 3.0)
    assert table.rows[2] == ("no reflection", "smallville", "reflection", "off", 8, 0, 0.0, 0.0)
    assert len(table.rows) == 6


def test_runs_that_are_not_counted_do_not_count(tmp_path: Path) -> None:
    known = ablate(tmp_path, (0, 0))
    lived = run(tmp_path, "full", 9, {}, uses=(use("reflection", True, 7),), state="stopped")
    assert VOID in sweep(tmp_path, [*known.runs, lived], baseline="full").finding
