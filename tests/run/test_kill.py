"""A run that is killed, at whatever moment, resumes to the same record and makes no call twice."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaigns.full_disk import find_compiler

ROOT = Path(__file__).parents[2]
# Days of the mind are planned over ticks 0 to 7, talk is in ticks 1 to 8, 13 to 21 and 25 to 38,
# with words under way from 19 to 20 and from 31 to 32; plans are made anew from 22 and from 39 on.
KILLS = [
    ("tiny:30", "2:mid-write,11:after-call+12:boundary,20:checkpoint"),
    ("witness:30", "0:mid-interview,30:interviewed"),
    ("mind:20", "16:mid-write+18:after-call"),
]
MORE = [
    ("witness:30", "0:interviewed+4:mid-write,30:after-call+30:after-call+30:mid-interview"),
    ("mind:45", "5:mid-write+6:after-call,15:boundary+30:checkpoint+33:boundary"),
    ("valentines_party:30", "0:mid-write+1:boundary+3:after-call+10:checkpoint"),
    ("valentines_party:30", "17:mid-write+19:mid-write+20:checkpoint+20:checkpoint"),
    ("valentines_party:30", "22:after-call+22:boundary+27:mid-write+29:checkpoint+30:mid-write"),
]


def run_module(*words: str) -> str:
    """Return what a module of the tests prints that is run as a program."""
    command = [sys.executable, "-m", *words]
    child = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert child.returncode == 0, child.stdout + child.stderr
    return child.stdout


@pytest.mark.parametrize(
    ("town", "kills"), [*KILLS, *(pytest.param(*case, marks=pytest.mark.slow) for case in MORE)]
)
def test_a_killed_run_resumes_to_the_same_record(tmp_path: Path, town: str, kills: str) -> None:
    printed = json.loads(run_module("tests.run.kills", str(tmp_path), town, kills))
    good = {"killed": True, "ended": True, "repeated": 0, "hash": printed["whole"]}
    assert printed["results"] == [{"case": case, **good} for case in kills.split(",")]


needs_compiler = pytest.mark.skipif(
    find_compiler() is None, reason="the failing disk is C, for Linux: it needs a compiler there"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("campaign", "options"),
    [
        pytest.param("kills", "--kills=4", id="random kills leave no trace"),
        pytest.param("limits", "--cases=5 --quick", id="no call goes out beyond a limit"),
        pytest.param(
            *("full_disk", "--every=97"), id="a failing disk loses nothing", marks=needs_compiler
        ),
    ],
)
def test_a_part_of_each_campaign_against_runs_finds_nothing(campaign: str, options: str) -> None:
    run_module(f"tests.campaigns.{campaign}", *options.split())
