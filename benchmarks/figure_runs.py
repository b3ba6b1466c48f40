"""The runs whose figures the documents show: how each is lived, and what is kept of it.

A run is the command that a user would type. With what it came to goes a fingerprint: what happens
in a short stretch of the same command with few people, which a test lives again. So figures of
a run that would come out otherwise today are found out without living it.
"""

import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from genagents_env.cli import main
from genagents_env.record import RunReader

Cost: TypeAlias = dict[str, float]  # minutes and megabytes

THREE = "Isabella Rodriguez,Maria Lopez,Klaus Mueller"
_FIVE = f"{THREE},Sam Moore,Arthur Burton"
_SHORT = f'--people "{_FIVE}" --start 2023-02-13T11:00 --hours 2 --interviews 0'
_SOON = "--people 3 --seed 0 --hours 0.1 --interviews 0"
_STORY = "--policy lyfe --embedder hashed --model scripted:neighbour"
_LONG, _PAPER = " --hours 1", " --hours 0.25"  # of game time; the paper's stories are the short one
SEEDS = (0, 1, 2)
ABLATIONS = ("no_option_action", "no_self_monitor", "no_summarize_and_forget")


@dataclass(frozen=True, slots=True)
class FigureRun:
    """A run that figures are taken from.

    Attributes:
        name: by which the tables name it.
        command: what `genagents run` gets, without the file.
        short: the command of the stretch of which its fingerprint is.
    """

    name: str
    command: str
    short: str


def _make_town_run(name: str, options: str, more: str = "") -> FigureRun:
    base = f"valentines_party --embedder hashed --seed 0 {options}"
    return FigureRun(name, f"{base}{more}", f"{base} {_SHORT}")


def _make_day_run(name: str, model: str) -> FigureRun:
    options = f"--policy smallville --model scripted{model}"
    return _make_town_run(f"day_{name}", options, f' --people "{THREE}" --hours 24')


def _make_story_run(name: str, base: str, seed: int, people: str = "9", *, hours: str) -> FigureRun:
    """Return a run of a mystery; its fingerprint is of three people and the first seed."""
    command = f"{base}{hours} --people {people} --seed {seed}"
    return FigureRun(f"{name}_{seed}", command, f"{base} {_SOON}")


def _list_story_runs() -> Iterator[FigureRun]:
    """Yield the runs of the Lyfe page: of an hour for the cost, of the story for the rest."""
    mystery = f"murder_mystery {_STORY}"
    ablated = {name: f"{mystery} --policy-config variant={name}" for name in ABLATIONS}
    plain = {"lyfe": mystery, **ablated}
    other = mystery.replace("lyfe", "smallville")
    for seed in SEEDS:
        for name, of in (*plain.items(), ("smallville", other)):
            yield _make_story_run(f"hour_{name}", of, seed, hours=_LONG)
        for people in ("3", "6", "9"):
            yield _make_story_run(f"story_{people}", mystery, seed, people, hours=_PAPER)
        for name, of in ablated.items():
            yield _make_story_run(f"story_9_{name}", of, seed, hours=_PAPER)
        yield _make_story_run("hard", f"murder_mystery_hard {_STORY}", seed, hours=_PAPER)


RUNS = (
    _make_day_run("neighbour", ":neighbour"),
    _make_day_run("sample", ""),
    _make_town_run("town_scripted", "--policy scripted"),
    _make_town_run("town_neighbour", "--policy smallville --model scripted:neighbour"),
    *_list_story_runs(),
)


def live(run: FigureRun, path: Path) -> Cost:
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
    """Return what a command comes to now.

    It is a digest of what happened and of how often what was asked; how prompts are worded is no
    part of it.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        _run_here(f"run {command} --quiet --out {path}")
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
