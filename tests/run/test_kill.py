import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = [
    "0:mid-write", "1:boundary", "3:after-call", "10:checkpoint", "17:mid-write+19:mid-write",
    "20:checkpoint+20:checkpoint", "22:after-call+22:boundary", "27:mid-write+29:checkpoint",
    "29:after-call", "30:mid-write",
]  # fmt: skip
FEW = ["2:mid-write", "11:after-call+12:boundary", "20:checkpoint"]

# Days are planned over ticks 0 to 7, talk is in ticks 1 to 8, 13 to 21 and 25 to 38, with words
# under way from 19 to 20 and from 31 to 32, and plans are made anew from 22 and from 39 on.
MIND = ["16:mid-write+18:after-call"]
MIND_MORE = ["5:mid-write+6:after-call", "15:boundary", "30:checkpoint+33:boundary"]
INTERVIEWED = ["0:mid-interview", "30:interviewed"]
INTERVIEWED_MORE = ["0:interviewed+4:mid-write", "30:after-call+30:after-call+30:mid-interview"]


def check_survival(folder: Path, town: str, cases: list[str], ticks: int = 30) -> None:
    command = [sys.executable, "-m", "tests.run.kills", str(folder), f"{town}:{ticks}"]
    child = subprocess.run(
        [*command, ",".join(cases)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert child.returncode == 0, child.stderr
    printed = json.loads(child.stdout)
    good = {"killed": True, "ended": True, "repeated": 0, "hash": printed["whole"]}
    assert printed["results"] == [{"case": case, **good} for case in cases], child.stderr


def test_a_killed_run_resumes_to_the_same_record(tmp_path: Path) -> None:
    check_survival(tmp_path, "tiny", FEW)


def test_a_run_killed_during_interviews_resumes_to_the_same_record(tmp_path: Path) -> None:
    check_survival(tmp_path, "witness", INTERVIEWED)


def test_a_mind_killed_in_conversation_resumes_to_the_same_record(tmp_path: Path) -> None:
    check_survival(tmp_path, "mind", MIND, ticks=20)


@pytest.mark.slow
def test_every_kill_during_interviews_leaves_no_trace(tmp_path: Path) -> None:
    check_survival(tmp_path, "witness", INTERVIEWED_MORE)


@pytest.mark.slow
def test_every_kill_of_a_mind_leaves_no_trace(tmp_path: Path) -> None:
    check_survival(tmp_path, "mind", MIND_MORE, ticks=45)


@pytest.mark.slow
def test_kills_of_twenty_five_people_leave_no_trace(tmp_path: Path) -> None:
    check_survival(tmp_path, "valentines_party", CASES)


@pytest.mark.slow
@pytest.mark.parametrize(
    "campaign", [("kills", "--kills", "4"), ("limits", "--cases", "5", "--quick")]
)
def test_random_kills_leave_no_trace_and_let_no_call_out_beyond_a_limit(
    campaign: tuple[str, ...],
) -> None:
    command = [sys.executable, "-m", f"tests.campaigns.{campaign[0]}", *campaign[1:]]
    child = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert child.returncode == 0, child.stdout + child.stderr
