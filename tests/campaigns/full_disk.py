"""A disk that is full or fails at the i-th write, for every i: an explained stop, and nothing lost.

A short town is run, resumed after a kill, or put in the place of a former run, while a library
preloaded into the process lets the i-th change of the folder fail, once or from then on. Afterwards
the file resumes to the hash of the undisturbed run, or there is no file and the run can be begun.

Run: `python -m tests.campaigns.full_disk` (every i: twenty minutes); CI takes every
ninety-seventh. It needs a C compiler and Linux.
"""

import argparse
import ctypes
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from genagents_env.errors import GenagentsError
from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.run import PolicySpec, RunOptions, resume, run
from genagents_env.testing.kill_hook import VARIABLE, from_environment
from tests.run.towns import make_options, make_spec
from tests.scripted import neighbour

SOURCE = Path(__file__).with_name("failing_disk.c")
TICKS = 6
KINDS = {
    "ENOSPC": (errno.ENOSPC, 1),
    "ENOSPC once": (errno.ENOSPC, 0),
    "ENOSPC torn": (errno.ENOSPC, 2),
    "EIO": (errno.EIO, 1),
    "EIO once": (errno.EIO, 0),
    "EIO torn": (errno.EIO, 2),
}
TASKS = ("run", "resume", "replace")
_EXPLAINED = re.compile(r"disk is full|I/O error|No space left|Input/output error|unable to open")


class Fault(NamedTuple):
    """Which change of the folder fails, in which task, and how."""

    task: str
    kind: str
    number: int


@dataclass(frozen=True)
class Outcome:
    """What came of a fault: the text and exit code of the stop, and what was wrong."""

    message: str
    exit_code: int
    left: str
    wrong: str = ""


class FailingDisk:
    """The library in this process; see `failing_disk.c`."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._arm, self._count = library.disk_arm, library.disk_count
        self._arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int]
        self._count.restype = ctypes.c_long

    def arm(self, folder: Path, fault: Fault) -> None:
        """Let it fail in `folder`; number 0 only counts."""
        code, how = KINDS[fault.kind]
        self._arm(os.fsencode(folder), fault.number, code, how)

    @property
    def count(self) -> int:
        return int(self._count())


def find_compiler() -> str | None:
    """Return a compiler for the library; None where there is none, or another system."""
    return shutil.which("cc") or shutil.which("gcc") if sys.platform.startswith("linux") else None


def compile_disk(folder: Path) -> Path:
    """Return the library, compiled; raises FileNotFoundError where there is no compiler."""
    target = folder / "failing_disk.so"
    compiler = find_compiler()
    if compiler is None:
        raise FileNotFoundError("a C compiler and Linux are needed")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(target), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return target


def make_how() -> RunOptions:
    """Return options with a checkpoint every third tick."""
    model = ScriptedEndpoint(neighbour)
    return make_options(model, checkpoint_every=3, embedder="hashed", on_phase=from_environment())


def start(path: Path, *, force: bool = False) -> None:
    run(make_spec("tiny", TICKS, policy=PolicySpec("reactive")), path, make_how(), force=force)


def go_on(path: Path) -> None:
    """Resume the town; where it has ended, take in what is left beside its file."""
    with RunReader(path) as record:
        status = record.status
    with RunWriter.open(path):
        pass
    if status != "finished":
        resume(path, make_how())


def repair(path: Path, message: str) -> None:
    """Do what the message of a stop says, now that the disk is sound."""
    if "begin it again" in message:
        start(path, force=path.exists())
    else:
        go_on(path)


ACTIONS: dict[str, Callable[[Path], None]] = {
    "run": start,
    "resume": go_on,
    "replace": lambda path: start(path, force=True),
}


def call_in_child(work: Callable[[], object]) -> dict[str, str | int]:
    """Do `work` in a forked process, and return its message and how it ended."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        told: dict[str, str | int] = {"message": "", "code": 0}
        try:
            told["count"] = str(work())
        except GenagentsError as error:
            told = {"message": str(error), "code": error.exit_code}
        except BaseException:
            told = {"message": traceback.format_exc(), "code": 70}
        os.write(writing, json.dumps(told).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return {"message": signal.Signals(os.WTERMSIG(status)).name, "code": -1}
    found: dict[str, str | int] = json.loads(content)
    return found


class Campaign:
    """The faults of one process, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.disk = folder, FailingDisk()
        self.whole, self.killed = folder / "whole.sqlite", folder / "killed"
        self.killed.mkdir()
        call_in_child(lambda: start(self.whole))
        self.hash = canonical_hash(self.whole)
        call_in_child(self._make_killed)

    def _make_killed(self) -> None:
        os.environ[VARIABLE] = "5:mid-write"
        start(self.killed / "run.sqlite")

    def prepare(self, task: str) -> Path:
        own = Path(tempfile.mkdtemp(dir=self.folder)).resolve()
        if task == "resume":
            shutil.copytree(self.killed, own, dirs_exist_ok=True)
        elif task == "replace":
            shutil.copy(self.whole, own / "run.sqlite")
        return own

    def count(self, task: str) -> int:
        own = self.prepare(task)
        told = call_in_child(lambda: self.attempt(own, Fault(task, "EIO", 0)))
        return int(told["count"])

    def attempt(self, own: Path, fault: Fault) -> int:
        self.disk.arm(own, fault)
        ACTIONS[fault.task](own / "run.sqlite")
        return self.disk.count

    def check(self, fault: Fault) -> Outcome:
        """Let a fault happen, and see what is left."""
        own = self.prepare(fault.task)
        told = call_in_child(lambda: self.attempt(own, fault))
        message, code = str(told["message"]), int(told["code"])
        path = own / "run.sqlite"
        left = sorted(file.name for file in own.iterdir())
        wrong = find_unexplained(message, code, path) or find_litter(left, fault)
        if not wrong:
            after = call_in_child(lambda: repair(path, message))
            if after["code"]:
                wrong = f"afterwards: {after['message']}"
            elif canonical_hash(path) != self.hash:
                wrong = "afterwards: another hash"
            elif [file.name for file in own.iterdir()] != ["run.sqlite"]:
                wrong = f"afterwards there are {sorted(file.name for file in own.iterdir())}"
        shutil.rmtree(own)
        return Outcome(message, code, "a file" if "run.sqlite" in left else "no file", wrong)


def find_unexplained(message: str, code: int, path: Path) -> str:
    """Return what is wrong with how it stopped; empty where nothing is."""
    if code not in (0, 2):
        return f"exit code {code}: {message}"
    if code == 0:
        return ""
    advice = "genagents resume" if path.exists() else "begin it again"
    if path.exists() and "begin it again with --force" in message:
        advice = ""  # of a former run, or a disk that lets nothing be removed
    if str(path) not in message or advice not in message or not _EXPLAINED.search(message):
        return f"not explained: {message}"
    return ""


def find_litter(left: list[str], fault: Fault) -> str:
    """Return what lies there without a run file; a disk that fails for good lets nothing go."""
    if "run.sqlite" in left or not left or fault.kind.startswith("EIO"):
        return ""
    return f"left behind: {left}"


def list_faults(counts: dict[str, int], every: int) -> Iterator[Fault]:
    """Yield the faults: every `every`-th write of each task, each kind from another one on."""
    for task, count in counts.items():
        for offset, kind in enumerate(KINDS):
            for number in range(1 + offset % every, count + 1, every):
                yield Fault(task, kind, number)


def work(every: int) -> int:
    """Check the faults; print what came of them, return how many missed."""
    missed, totals = 0, Counter[str]()
    with tempfile.TemporaryDirectory(prefix="full-disk-") as folder:
        campaign = Campaign(Path(folder).resolve())
        counts = {task: campaign.count(task) for task in TASKS}
        for number, fault in enumerate(list_faults(counts, every)):
            found = campaign.check(fault)
            stop = "unharmed" if not found.exit_code else "stopped"
            totals[f"{fault.task}, {fault.kind}: {stop}, {found.left}"] += 1
            if found.wrong:
                missed += 1
                print(f"MISSED {fault}: {found.wrong}", flush=True)
            if number % 50 == 0:
                print(f"{number} faults, {missed} missed", file=sys.stderr, flush=True)
    print(f"writes of each task: {counts}")
    for what, times in sorted(totals.items()):
        print(f"{times:6,} {what}")
    print(f"{totals.total():,} faults, {missed:,} missed")
    return missed


def main(every: int = 1) -> int:
    """Check the faults in a process into which the library is preloaded; return its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LD_PRELOAD": str(compile_disk(Path(folder)))}
        command = [sys.executable, "-m", "tests.campaigns.full_disk", f"--every={every}"]
        return subprocess.run([*command, "--preloaded"], env=environment, check=False).returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--preloaded", action="store_true", help="the library is in this process")
    given = parser.parse_args()
    sys.exit(work(given.every) > 0 if given.preloaded else main(given.every))
