"""Kills workers of a sweep at random, and once the sweep itself; compares with a serial sweep."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from genagents_env.record.lock import find_writer
from genagents_env.rng import draw_index, draw_unit
from genagents_env.study.sweep import SweepFolder
from tests.study.sweep.small_sweeps import events, town, whole

ROOT = Path(__file__).parents[3]
_STEP = 0.05


def driver(folder: Path, workers: int) -> "subprocess.Popen[bytes]":
    """Return a sweep of `folder` in a process, and a process group, of its own."""
    command = [sys.executable, "-m", "genagents_env", "sweep", str(folder)]
    command += ["--workers", str(workers), "--anyway", "--quiet"]
    # Not a pipe: workers that outlive the sweep for a moment would hold its other end.
    with output_file(folder).open("ab") as told:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=told,
            stderr=told,
            start_new_session=True,
        )


def output_file(folder: Path) -> Path:
    """Return the file of what the sweeps of `folder` print."""
    return folder.with_name("told.txt")


def writers(folder: SweepFolder) -> list[int]:
    """Return the processes that write a run of `folder` now."""
    found = (find_writer(path) for path in sorted(folder.runs.glob("*.sqlite")))
    ids = [writer.removeprefix("process ") for writer in found if writer is not None]
    return [int(pid) for pid in ids if pid.isdigit()]


def workers(process: "subprocess.Popen[bytes]") -> list[int]:
    """Return the workers of a sweep, busy or not."""
    command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,command="]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in table.splitlines()]
    return sorted(
        int(pid)
        for pid, parent, command in (row for row in rows if len(row) == 3)
        if int(parent) == process.pid and "popen_loky" in command
    )


def kill_one(number: int, process: "subprocess.Popen[bytes]") -> bool:
    """Kill a worker, waiting for one as long as the sweep lives."""
    while process.poll() is None:
        if pids := workers(process):
            os.kill(pids[draw_index(number, len(pids), "victim")], signal.SIGKILL)
            return True
        time.sleep(_STEP)
    return False


def kill_workers(process: "subprocess.Popen[bytes]", every: float, most: int) -> int:
    """Kill a worker every so many seconds, more or less, and return how many were killed."""
    kills = 0
    while process.poll() is None and kills < most:
        time.sleep(every * (0.5 + draw_unit(kills, "pause")))
        kills += kill_one(kills, process)
    return kills


def has_no_orphans(folder: SweepFolder, seconds: float = 5.0) -> bool:
    """Return whether nobody writes a run any more, once workers have had time to notice."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not writers(folder):
            return True
        time.sleep(_STEP)
    return False


def run_with_kills(
    path: Path, runs: int, every: float, before: int, after: int = 1000
) -> tuple[int, dict[str, str]]:
    """Return how many workers were killed, and the hashes, of a sweep that was killed midway, too.

    Args:
        path: a new folder.
        runs: of the sweep.
        every: seconds between two kills.
        before: workers to be killed before the sweep itself is.
        after: workers to be killed at most once it was resumed.
    """
    folder = town(path, runs // 2)
    first = driver(folder.path, 2)
    kills = kill_workers(first, every, before)
    while first.poll() is None and not (events(folder, "finished") and writers(folder)):
        time.sleep(_STEP)
    first.kill()
    assert first.wait() == -signal.SIGKILL, output_file(folder.path).read_text()
    assert has_no_orphans(folder)
    assert len(events(folder, "finished")) < runs, "the sweep was over before it was killed"
    second = driver(folder.path, 2)
    kills += kill_workers(second, every, after)
    assert second.wait() == 0, output_file(folder.path).read_text()
    return kills, whole(folder)


def run_serially(path: Path, runs: int) -> dict[str, str]:
    """Return the hashes of the same sweep by one worker, undisturbed."""
    folder = town(path, runs // 2)
    process = driver(folder.path, 1)
    assert process.wait() == 0, output_file(folder.path).read_text()
    return whole(folder)
