"""Kills workers of a sweep at random, and once the sweep itself; compares with a serial sweep."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from genagents_env.record.lock import find_writer
from genagents_env.study.sweep import SweepFolder
from tests.study.sweep.small_sweeps import events, whole

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


def kill_worker(process: "subprocess.Popen[bytes]", after: float, number: int) -> None:
    """Kill a worker after so many seconds, waiting for one as long as the sweep lives."""
    time.sleep(after)
    while process.poll() is None:
        if pids := workers(process):
            os.kill(pids[number % len(pids)], signal.SIGKILL)
            return
        time.sleep(_STEP)
    raise AssertionError("the sweep was over before its worker was killed")


def has_no_orphans(folder: SweepFolder, seconds: float = 5.0) -> bool:
    """Return whether nobody writes a run any more, once workers have had time to notice."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not writers(folder):
            return True
        time.sleep(_STEP)
    return False


def kill_midway(folder: SweepFolder) -> None:
    """Kill a worker, and then the sweep, once a run is finished and another under way."""
    process = driver(folder.path, 2)
    kill_worker(process, 2.5, 0)
    while process.poll() is None and not (events(folder, "finished") and writers(folder)):
        time.sleep(_STEP)
    process.kill()
    assert process.wait() == -signal.SIGKILL, output_file(folder.path).read_text()
    assert has_no_orphans(folder)
    assert len(events(folder, "finished")) < len(folder.trials), "it was over before"


def finish(folder: SweepFolder, workers: int, *kills: float) -> dict[str, str]:
    """Return the hashes of a sweep run to its end, workers killed after so many seconds each."""
    process = driver(folder.path, workers)
    for number, after in enumerate(kills):
        kill_worker(process, after, number)
    assert process.wait() == 0, output_file(folder.path).read_text()
    return whole(folder)
