"""Courses measured on two versions of the package in turns, in a process for each version.

A machine that others use changes its speed by half within minutes; what stays is the ratio of two
spells that follow one another.
"""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.courses import Course


class Version:
    """A process that runs courses on the package in `folder`; spells are asked for one by one."""

    def __init__(self, folder: Path, home: Path, arguments: Sequence[str]) -> None:
        """`home`: an empty folder, from which the process imports."""
        (home / "genagents_env").symlink_to(folder.resolve() / "genagents_env")
        # The benchmarks are ours in both: an earlier version has not all of them.
        (home / "benchmarks").symlink_to(Path(__file__).resolve().parent)
        command = [sys.executable, "-m", "benchmarks.throughput", "--serve", *arguments]
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            command, cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def spell(self, course: str) -> float:
        """Return the agent-steps per CPU second of a spell."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(course, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(courses: dict[str, Callable[[], Course]], seconds: float) -> None:
    """Run a spell of the course that each line of the standard input names; print its rate."""
    ready: dict[str, Course] = {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in ready:
            ready.clear()  # one town at a time is in memory
            ready[name] = courses[name]()
        print(ready[name].spell(seconds), flush=True)


def compare(before: Path, courses: Sequence[str], rounds: int, arguments: Sequence[str]) -> None:
    """Print the rates of `courses` in the version in `before` and in this one, and the ratio.

    The ratio is the median of those of `rounds` pairs, each of which is a spell of the one and a
    spell of the other; the first pair warms up.
    """
    here = Path(__file__).resolve().parent.parent
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        versions = [
            Version(folder, Path(home), arguments)
            for folder, home in ((before, first), (here, second))
        ]
        print("| environment | before | after | times | least | most |")
        print("|---|---|---|---|---|---|")
        for course in courses:
            pairs = [[v.spell(course) for v in versions] for _ in range(rounds + 1)][1:]
            ratios = [new / old for old, new in pairs]
            old, new = (median(rates) for rates in zip(*pairs, strict=True))
            spread = f"{min(ratios):.2f} | {max(ratios):.2f}"
            print(f"| {course} | {old:,.0f} | {new:,.0f} | {median(ratios):.2f} | {spread} |")
        for version in versions:
            version.close()
