"""Random `kill -9` leaves no trace in a run.

Run: `python -m tests.campaigns.kills` (200 kills of runs with 25 people and a mind; twenty minutes
on two cores; that limits hold over kills is what `tests.campaigns.limits` tries). CI takes a few.
The moments of the kills are drawn from the seed, but what they meet depends on the machine.
Progress goes to stderr; exit code 1 and a list of what went wrong on a miss.
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from genagents_env.errors import RecordError
from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunResult, RunSpec, interview, resume, run
from genagents_env.show.summary import describe_run
from genagents_env.testing.kill_hook import kill_at
from tests.run.kills import read_seeds
from tests.run.towns import LoggingEndpoint, make_options, make_spec
from tests.scripted import neighbour

TICKS = 6
LATENCY = 0.01  # seconds, at most
Kind: TypeAlias = Literal["run", "creation", "resume", "checkpoint", "interview", "report"]
_BEGINNINGS: tuple[Kind, ...] = ("run", "creation")
_READERS: tuple[Kind, ...] = ("interview", "report")
# Seconds after which a process is killed; for the others, the time of an undisturbed run.
_AT_MOST: dict[Kind, float] = {"creation": 0.3, "interview": 0.5, "report": 0.15}


def make_mind(name: str) -> RunSpec:
    """Return a few ticks of the whole cast with that mind, from an hour in which people talk."""
    return make_spec("valentines_party", TICKS, start="10:00", policy=PolicySpec(name), repeats=1)


class SlowEndpoint(LoggingEndpoint):
    """Takes some milliseconds, drawn from the request, so that calls are in flight at a kill."""

    async def complete(self, request: CompletionRequest) -> Completion:
        await asyncio.sleep(request.seed % 1000 / 1000 * LATENCY)
        return await super().complete(request)


def live_until(seconds: float | None, live: Callable[[], object]) -> int:
    """Run `live` in a forked process, killed after that time; return the signal or exit code."""
    pid = os.fork()
    if pid == 0:
        try:
            live()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    if seconds is not None:
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -os.WEXITSTATUS(status)


@dataclass
class Campaign:
    """What came of the kills so far."""

    folder: Path
    rng: random.Random
    kills: Counter[Kind] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    unborn: int = 0

    @property
    def killed(self) -> int:
        """How many processes were killed."""
        return sum(self.kills.values())

    def report(self, what: str) -> None:
        """Say on stderr how far it is."""
        told = f"{self.killed} kills, {len(self.faults)} faults: {what}"
        print(told, file=sys.stderr, flush=True)


class Victim:
    """One run that is killed several times and comes to its end."""

    def __init__(self, campaign: Campaign, spec: RunSpec, seconds: float, whole: str) -> None:
        self.campaign, self.spec, self.seconds, self.whole = campaign, spec, seconds, whole
        self.folder = Path(tempfile.mkdtemp(dir=campaign.folder))
        self.path, self.log = self.folder / "run.sqlite", self.folder / "calls.log"
        self.log.touch()

    def go_on(self, tick: int | None = None) -> RunResult:
        """Begin or resume the run, here; `tick`: killed as that checkpoint is written."""
        hook = None if tick is None else kill_at(tick, "checkpoint")
        how = make_options(
            SlowEndpoint(self.log, rule=neighbour),
            embedder="hashed",
            interviews=False,
            checkpoint_every=2,
            concurrency=25,
            on_phase=hook,
        )
        return resume(self.path, how) if self.path.exists() else run(self.spec, self.path, how)

    def kill(self, kind: Kind) -> None:
        """Kill a process of this run; what it may not do to the file is a fault."""
        rng, known = self.campaign.rng, self._read_stored()
        asked = len(self.log.read_text().split())
        if kind == "checkpoint":
            ended = live_until(None, lambda: self.go_on(rng.choice((2, 4))))
        else:
            most = _AT_MOST.get(kind, self.seconds)
            ended = live_until(rng.uniform(0, most), self._find_life(kind))
        if ended == signal.SIGKILL:
            self.campaign.kills[kind] += 1
        elif ended != 0:
            self._blame(f"{kind} ended with {ended}")
        self._check_repeats(kind, known, asked)
        if not self.path.exists():
            self._check_unborn()

    def end(self) -> None:
        """Bring the run to its end, and compare it with the one that nobody killed."""
        known, asked = self._read_stored(), len(self.log.read_text().split())
        if not self.is_finished() and (ended := live_until(None, self.go_on)):
            self._blame(f"the last resume ended with {ended}")
        self._check_repeats("last resume", known, asked)

    def check_hash(self) -> None:
        """Compare the hash."""
        if (found := canonical_hash(self.path)) != self.whole:
            self._blame(f"the hash is {found[:12]}, expected {self.whole[:12]}")

    def _find_life(self, kind: Kind) -> Callable[[], object]:
        return {"interview": self._interview, "report": self._report}.get(kind, self.go_on)

    def _interview(self) -> None:
        how = make_options(
            SlowEndpoint(self.folder / "apart.log", rule=neighbour), embedder="hashed"
        )
        interview(self.path, ["Isabella Rodriguez"], ["Any news?"], options=how)

    def _report(self) -> None:
        with RunReader(self.path) as record:
            list(describe_run(record))

    def is_finished(self) -> bool:
        """Return whether the run is at its end."""
        if not self.path.exists():
            return False
        with RunReader(self.path) as record:
            return record.status == "finished"

    def _read_stored(self) -> set[int]:
        return read_seeds(self.path) if self.path.exists() else set()

    def _check_repeats(self, when: str, known: set[int], asked: int) -> None:
        new = {int(seed) for seed in self.log.read_text().split()[asked:]}
        if repeated := len(known & new):
            self._blame(f"{when}: {repeated} stored calls were made again")

    def _check_unborn(self) -> None:
        """Where there is no file yet, a resume says so, and nothing is in the way of a run."""
        self.campaign.unborn += 1
        try:
            resume(self.path)
        except RecordError as error:
            if "no run file" not in str(error):
                self._blame(f"without a file, resume says: {error}")

    def _blame(self, what: str) -> None:
        self.campaign.faults.append(f"{self.folder.name}: {what}")


def kill_runs(campaign: Campaign, kills: int) -> None:
    """Kill runs until so many processes were killed, and compare each with an undisturbed one."""
    whole: dict[str, tuple[float, str]] = {}
    for mind in ("smallville", "lyfe"):
        calm = Victim(campaign, make_mind(mind), 0.0, "")
        begun = time.monotonic()
        calm.end()
        whole[mind] = time.monotonic() - begun, canonical_hash(calm.path)
        campaign.report(f"an undisturbed run of {mind} takes {whole[mind][0]:.1f} s")
    turn = 0
    while campaign.killed < kills:
        mind = ("smallville", "lyfe")[turn % 2]
        victim = Victim(campaign, make_mind(mind), *whole[mind])
        kinds: tuple[Kind, ...] = ("resume", "checkpoint", "resume")
        for kind in (_BEGINNINGS[turn // 2 % 2], *kinds):
            if not victim.is_finished():
                victim.kill(kind)
        victim.end()
        for kind in _READERS:
            victim.kill(kind)
        victim.check_hash()
        turn += 1
        campaign.report(f"run {turn} of {mind}; {dict(campaign.kills)}; {campaign.unborn} unborn")


def main(kills: int = 200, seed: int = 0) -> int:
    """Return 0 where nothing went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), random.Random(seed))  # noqa: S311 (when to kill is no secret)
        kill_runs(campaign, kills)
    print(f"{campaign.killed} kills {dict(campaign.kills)}, {campaign.unborn} without a file yet")
    print(f"{len(campaign.faults)} faults")
    print("\n".join(campaign.faults))
    return int(bool(campaign.faults))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    sys.exit(main(**vars(parser.parse_args())))
