"""The runs whose figures the documents show: how each is lived, and what is kept of it.

A run is the command that a user would type. With what it came to goes a fingerprint: what happens
in an hour and a half of the same command with three people, which a test lives again. So figures of
a run that would come out otherwise today are found out without living it.
"""

import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias, get_args

from benchmarks.days import measure_days
from genagents_env.cli import main
from genagents_env.evaluate.measures.findings import Findings, compute_findings
from genagents_env.evaluate.measures.gatherings import Coordination
from genagents_env.evaluate.measures.knowledge import FactKnowledge
from genagents_env.evaluate.reasons import Reason
from genagents_env.evaluate.run_data import RunData
from genagents_env.record import RunReader

Values: TypeAlias = dict[str, object]  # JSON

THREE = "Isabella Rodriguez,Maria Lopez,Klaus Mueller"
_TOWN = "valentines_party --embedder hashed --seed 0"
_MINDS = f"{_TOWN} --policy smallville --model scripted"
_SHORT = f'--people "{THREE}" --start 2023-02-13T10:00 --hours 1.5 --no-interviews'


@dataclass(frozen=True, slots=True)
class FigureRun:
    """A run that figures are taken from.

    Attributes:
        name: by which the tables name it.
        command: what `genagents run` gets, without the file.
        steady: whether the same command comes to the same run on every machine and at any time;
            what is not has no fingerprint, and its figures stay as they were measured.
    """

    name: str
    command: str
    steady: bool = True

    @property
    def short(self) -> str:
        """The command of which a short stretch is its fingerprint."""
        return self.command.partition(" --people")[0]


RUNS = (
    *(
        FigureRun(f"day_{name}", f'{_MINDS}{of} --people "{THREE}" --hours 24')
        for name, of in (
            ("gossip", ":gossip"),
            ("neighbour", ":neighbour"),
            ("sample", ""),
        )
    ),
    FigureRun("town_scripted", f"{_TOWN} --policy scripted"),
    *(
        FigureRun(f"town_{name}", f"{_MINDS}:{name}")
        for name in ("gossip", "neighbour", "mute", "inventor")
    ),
    FigureRun(
        "embedded",
        f'valentines_party --policy smallville --people "{THREE}" --place "Hobbs Cafe/cafe" '
        "--start 08:00 --hours 2 --seed 1",
        steady=False,
    ),
)


def live(run: FigureRun, path: Path) -> Values:
    """Live a run into a file, in a process of its own; return its minutes and megabytes."""
    command = [sys.executable, "-m", "genagents_env", "run", *shlex.split(run.command)]
    began = time.monotonic()
    with subprocess.Popen(  # noqa: S603 - ourselves
        [*command, "--out", str(path), "--force", "--quiet"], stdout=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{run.command}: exit code {process.returncode}")
    minutes = (time.monotonic() - began) / 60
    return {"minutes": round(minutes, 1), "megabytes": round(used.ru_maxrss / 1024)}


@cache
def compute_fingerprint(command: str) -> str:
    """Return what an hour and a half of a command with three people comes to now.

    It is a digest of what happened and of how often what was asked; how prompts are worded is no
    part of it.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        _run_here(f"run {command} {_SHORT} --quiet --out {path}")
        with RunReader(path) as record:
            events = [[e.tick, e.kind, e.agent, dict(e.data)] for e in record.events()]
            asked = Counter(call.purpose for call in record.calls())
    text = json.dumps([events, asked], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def _run_here(arguments: str) -> None:
    """Run our command line in this process, without its words."""
    before, sys.argv = sys.argv, ["genagents", *shlex.split(arguments)]
    try:
        with redirect_stdout(StringIO()):
            main()
    except SystemExit as ended:
        if ended.code:
            raise SystemExit(f"{arguments}: exit code {ended.code}") from None
    finally:
        sys.argv = before


def read_values(path: Path) -> Values:
    """Return what documents show of a run file, as JSON values."""
    with RunReader(path) as record:
        data = RunData(record)
        lived = [call for call in data.calls if not call.purpose.startswith(("interview", "judge"))]
        return {
            "people": len(data.names),
            "hours": round(data.hours, 2),
            "days": {name: _round(value) for name, value in measure_days(data).items()},
            "calls": dict(sorted(Counter(c.purpose.partition(".")[0] for c in lived).items())),
            "answers": len(data.calls) - len(lived),
            **_read_findings(compute_findings(data)),
        }


def _read_findings(findings: Findings) -> Values:
    before, after = findings.acquainted_before, findings.acquainted_after
    return {
        "facts": {
            one.fact: [_count_knowing(one.before), _count_knowing(one.after)]
            for one in findings.facts
        },
        "density": [one and _round(one.verified_density) for one in (before, after)],
        "claimed_density": after and _round(after.density),
        "claims": findings.claims,
        "hallucinated": findings.hallucinated,
        "uncited": findings.uncited,
        "gatherings": {one.gathering: _count_coming(one) for one in findings.gatherings},
    }


def _count_knowing(end: FactKnowledge | None) -> list[int] | None:
    """Return how many know by evidence, and how many were asked."""
    return None if end is None else [len(end.verified), len(end.asked)]


def _count_coming(one: Coordination) -> Values:
    counts = {kind: len(one.gave(kind)) for kind in get_args(Reason)}
    return {
        "invited": len(one.invited),
        "came": len(one.came),
        "passers_by": len(one.passers_by),
        **counts,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
