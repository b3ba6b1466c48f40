"""Commands that are killed at random and gone on with as they say send no more than allowed.

Run: `python -m tests.campaigns.limits` (30 cases: runs, resumes, interviews, sweeps and judgings by
turns, each a few real processes of the command line; a quarter of an hour on two cores). A server
on the loopback interface counts the requests that reach it. A command is killed with SIGKILL once a
number of requests drawn from the seed has arrived, or at a drawn moment; then comes the command
that the terminal printed last, or, where it could print none, the one that the documentation gives,
without any limit. CI takes a few. Progress goes to stderr; exit code 1 and a list of what went
wrong on a miss.
"""

import argparse
import importlib
import os
import random
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir, suppress
from dataclasses import dataclass, field
from pathlib import Path

from genagents_env.cli import main as genagents
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import sample_schema
from genagents_env.testing.fault_server import FaultServer

HOW = ("--model", "m", "--embedder", "hashed", "-q")
RUN = ("run", "tiny", "--policy", "reactive", "--hours", "0.4", *HOW)
QUESTIONS = ("--question", "Any news?", "--question", "Who are you?", "--repeats", "20")
EXPERIMENT = """
name = "limited"
scenario = "tiny"
hours = 0.4
seeds = 3
model = "m"
embedder = "hashed"
budget = {{ run = {{ calls = {run} }}, total = {{ calls = {total} }} }}
policy = "reactive"
"""
ASKED = """
extends = "tiny"
name = "asked"
title = "Questions and a check"
interview_repeats = 20
[[questions]]
id = "tea"
text = "Is there tea?"
[[checks]]
kind = "answer"
id = "knows"
question = "tea"
ask = "Does it say so?"
"""
LATENCY = 0.01  # seconds an answer takes, one after another
MOST_SECONDS = 3.0  # of a process that is killed by the clock
_ENDS = (0, 3)  # exit codes
_FINISHED = "is finished"  # what a resume says, exiting with 2, after a kill that came too late
# Imported once, before processes.
_NEEDED = ("run", "study.judge", "study.evaluate", "study.sweep", "llm.endpoint")


def answer_late(request: CompletionRequest) -> str:
    """Answer after some time, so that requests are in flight at a kill."""
    time.sleep(LATENCY)
    return sample_schema(request)


def start(command: Sequence[str], log: Path) -> int:
    """Begin a command of the command line in a process of its own, and return its id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        with log.open("wb") as file:
            for descriptor in (1, 2):
                os.dup2(file.fileno(), descriptor)
        sys.argv = ["genagents", *command]
        genagents()
    except SystemExit as end:
        os._exit(int(end.code or 0))
    except BaseException:
        traceback.print_exc()
    os._exit(70)


@dataclass
class Campaign:
    """What came of the cases so far."""

    folder: Path
    server: FaultServer
    rng: random.Random
    kills: int = 0
    whole: int = 0  # requests of a run without a limit
    cases: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def end(self, command: Sequence[str], allowed: Sequence[int] = _ENDS) -> tuple[int, str]:
        """Run a command to its end; return its exit code and what it printed."""
        log = self.folder / "log"
        _, status = os.waitpid(start(command, log), 0)
        code, text = os.waitstatus_to_exitcode(status), log.read_text()
        if code not in allowed:
            self.faults.append(f"{shlex.join(command)} ended with {code}: {text[-500:]}")
        return code, text

    def kill(self, command: Sequence[str], most: int) -> bool:
        """Kill a command, mostly once some request has arrived; return whether it was alive."""
        until = self.server.calls + self.rng.randrange(1, max(2, most))
        by_clock = self.rng.random() < 0.25
        deadline = time.monotonic() + (self.rng.uniform(0, MOST_SECONDS) if by_clock else 120)
        after = self.rng.uniform(0, 3 * LATENCY)
        pid = start(command, self.folder / "log")
        while time.monotonic() < deadline and (by_clock or self.server.calls < until):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                code, text = os.waitstatus_to_exitcode(status), (self.folder / "log").read_text()
                if code not in _ENDS and not (command[0] == "resume" and _FINISHED in text):
                    self.faults.append(f"{shlex.join(command)} ended with {code}: {text[-500:]}")
                return False
            time.sleep(0.002)
        time.sleep(after)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        killed = os.WIFSIGNALED(status)
        self.kills += killed
        return killed

    def settle(self) -> int:
        """Return how many requests have arrived, once none do any more."""
        before = -1
        while before != self.server.calls:
            before = self.server.calls
            time.sleep(0.3)
        return before

    def check(self, kind: str, sent: int, most: int, told: str) -> None:
        self.cases[kind] += 1
        line = f"{kind}: {sent} of {most} sent{told}"
        if sent > most:
            self.faults.append(line)
        number = sum(self.cases.values())
        print(f"{number}: {line}; {self.kills} kills", file=sys.stderr, flush=True)


def find_printed(text: str) -> list[str]:
    """Return the command that a text says to go on with; none where it says none."""
    found = re.findall(r"go on with `genagents ([^`]+)`", text)
    return shlex.split(found[-1]) if found else []


def follow(campaign: Campaign, text: str) -> None:
    """Do what a text says, as often as somebody would who does not read it."""
    for _ in range(2):
        if command := find_printed(text):
            _, text = campaign.end(command)


def limit_run(campaign: Campaign, folder: Path, kills: int) -> tuple[int, int]:
    """Kill a run once and its resumes after it; return the requests sent and allowed."""
    path, most = folder / "run.sqlite", campaign.rng.randrange(5, campaign.whole + 3)
    first = (*RUN, "--limit", f"calls={most}", "--out", str(path))
    sent = campaign.server.calls
    command: Sequence[str] = first
    for _ in range(kills):
        campaign.kill(command, most)
        if not path.exists():  # the first question came before the file: nothing had begun
            sent = campaign.settle()
            continue
        command = ("resume", str(path))
    # One that came to its end in spite of all refuses to be resumed.
    _, text = campaign.end(command, (*_ENDS, 2) if command != first else _ENDS)
    follow(campaign, text)
    return campaign.settle() - sent, most


def limit_later(campaign: Campaign, command: Sequence[str], most: int | None, left: int) -> int:
    """Kill interviews or judgings of a run that is finished; return the requests sent."""
    sent = campaign.server.calls
    first = command if most is None else (*command, "--limit", f"calls={most}")
    for _ in range(campaign.rng.randrange(2, 4)):
        campaign.kill(first, left)
    campaign.end(first, (3,))
    campaign.end(command, (3,))
    return campaign.settle() - sent


def limit_sweep(campaign: Campaign, folder: Path) -> tuple[int, int]:
    """Kill a sweep and go on with it; return the requests sent and allowed."""
    run, total = campaign.rng.randrange(5, 18), campaign.rng.randrange(12, 40)
    file, out = folder / "limited.toml", folder / "out"
    file.write_text(EXPERIMENT.format(run=run, total=total))
    sent = campaign.server.calls
    command: Sequence[str] = ("sweep", str(file), "--out", str(out), "--workers", "2", "-q")
    again = ("sweep", str(out), "-q")
    for _ in range(campaign.rng.randrange(1, 3)):
        campaign.kill(command, total)
        campaign.settle()  # its workers end after it
        if any(out.glob("runs/*")):
            command = again
    for last in (command, again):
        campaign.end(last, (*_ENDS, 1, 4))
    # The sweep asks the server one first question, which is of no run.
    return campaign.settle() - sent, min(total, 3 * run + 1)


def play(campaign: Campaign, cases: int) -> None:
    """Play so many cases, by turns."""
    campaign.end((*RUN, "--out", "whole.sqlite"), (0,))
    campaign.whole, left = campaign.server.calls, 12
    scenario = campaign.folder / "asked"
    scenario.mkdir()
    (scenario / "scenario.toml").write_text(ASKED)
    free, tight = campaign.folder / "free.sqlite", campaign.folder / "tight.sqlite"
    asked = ("run", str(scenario), *RUN[2:])
    begun = campaign.server.calls
    campaign.end((*asked, "--out", str(free)), (0,))
    most = campaign.server.calls - begun + left
    campaign.end((*asked, "--limit", f"calls={most}", "--out", str(tight)), (0,))
    if campaign.faults:
        return
    for number in range(cases):
        folder = Path(tempfile.mkdtemp(dir=campaign.folder))
        kind = ("run", "resume", "interview", "sweep", "judge")[number % 5]
        if kind in ("run", "resume"):
            kills = 1 if kind == "run" else campaign.rng.randrange(2, 5)
            campaign.check(kind, *limit_run(campaign, folder, kills), "")
        elif kind == "sweep":
            campaign.check(kind, *limit_sweep(campaign, folder), "")
        else:
            own = number // 5 % 2 == 0
            copied = str(shutil.copy(free if own else tight, folder))
            asking = ("interview", copied, *QUESTIONS, "-q")
            command = asking if kind == "interview" else ("judge", copied, "--by", "another", "-q")
            most = campaign.rng.randrange(4, 20) if own else left
            sent = limit_later(campaign, command, most if own else None, most)
            told = " by a limit of its own" if own else " by what the run left"
            campaign.check(kind, sent, most, told)


def main(cases: int = 30, seed: int = 0, *, quick: bool = False) -> int:
    """Return 0 where nothing went wrong; `quick`: an answer takes no time, moments are soon."""
    global LATENCY, MOST_SECONDS
    LATENCY, MOST_SECONDS = (0.002, 1.0) if quick else (LATENCY, MOST_SECONDS)
    for name in _NEEDED:
        importlib.import_module(f"genagents_env.{name}")
    server = FaultServer(rule=answer_late)
    with tempfile.TemporaryDirectory() as name, chdir(name), server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "local"}
        campaign = Campaign(Path(name), server, random.Random(seed))  # noqa: S311 (no secret)
        play(campaign, cases)
    told = f"{cases} cases {dict(campaign.cases)}, {campaign.kills} kills"
    print("\n".join([f"{told}, {len(campaign.faults)} faults", *campaign.faults]))
    return int(bool(campaign.faults))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    sys.exit(main(**vars(parser.parse_args())))
