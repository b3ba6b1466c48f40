"""Random `kill -9` leaves no trace in a run.

Run: `python -m tests.campaigns.kills` (200 kills of runs with 25 people and a mind; half an hour
on two cores; that limits hold over kills is what `tests.campaigns.limits` tries). CI takes a few.
The moments of the kills are drawn from the seed, but what they meet depends on the machine.
Progress goes to stderr; exit code 1 and a list of what went wrong on a miss.
"""

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from genagents_env.errors import RecordError
from genagents_env.llm.calls import Completion, CompletionRequest
from genagents_env.record import RunReader, canonical_hash
from genagents_env.run import PolicySpec, RunResult, interview, resume, run
from genagents_env.show.summary import describe_run
from genagents_env.testing.kill_hook import kill_at
from tests.run.kills import read_seeds, stretch
from tests.run.towns import LoggingEndpoint, make_options, make_spec
from tests.scripted import neighbour

LATENCY = 0.01  # seconds, at most
MINDS = ("smallville", "lyfe")
READERS = ("interview", "report")
# Seconds after which a process is killed; for the others, the time of an undisturbed run.
AT_MOST = {"creation": 0.3, "interview": 0.5, "report": 0.15}


class SlowEndpoint(LoggingEndpoint):
    """Takes some milliseconds, drawn from the request, so that calls are in flight at a kill."""

    async def complete(self, request: CompletionRequest) -> Completion:
        await asyncio.sleep(request.seed % 1000 / 1000 * LATENCY)
        return await super().complete(request)


class Victim:
    """A few ticks of the whole cast with a mind, killed several times; `faults`: what was wrong."""

    def __init__(self, folder: Path, mind: str) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.path, self.log = self.folder / "run.sqlite", self.folder / "calls.log"
        self.log.touch()
        self.kills, self.faults = 0, list[str]()
        mind_spec = PolicySpec(mind)
        self.spec = make_spec("valentines_party", 6, start="10:00", policy=mind_spec, repeats=1)

    def go_on(self, tick: int | None = None) -> RunResult:
        """Begin or resume the run, here; `tick`: killed as that checkpoint is written."""
        how = make_options(
            SlowEndpoint(self.log, rule=neighbour),
            embedder="hashed",
            interviews=False,
            checkpoint_every=2,
            concurrency=25,
            on_phase=None if tick is None else kill_at(tick, "checkpoint"),
        )
        return resume(self.path, how) if self.path.exists() else run(self.spec, self.path, how)

    def live(self, kind: str, seconds: float | None, tick: int | None = None) -> None:
        """Live in a process of its own, killed after that time or at that tick, and look."""
        known = read_seeds(self.path) if self.path.exists() else set()
        asked = len(self.log.read_text().split())
        reading = {"interview": self._interview, "report": self._report}
        ended = stretch(reading.get(kind, lambda: self.go_on(tick)), None, seconds)
        self.kills += ended == signal.SIGKILL
        if ended not in (0, signal.SIGKILL):
            self.faults.append(f"{kind} ended with {ended}")
        again = known & {int(seed) for seed in self.log.read_text().split()[asked:]}
        if again:
            self.faults.append(f"{kind}: {len(again)} stored calls were made again")
        if not self.path.exists():  # a resume says so, and nothing is in the way of a run
            with suppress(RecordError):
                resume(self.path)
                self.faults.append(f"{kind}: resumed without a file")

    def is_finished(self) -> bool:
        if not self.path.exists():
            return False
        with RunReader(self.path) as record:
            return record.status == "finished"

    def _interview(self) -> None:
        model = SlowEndpoint(self.folder / "apart.log", rule=neighbour)
        how = make_options(model, embedder="hashed")
        interview(self.path, ["Isabella Rodriguez"], ["Any news?"], options=how)

    def _report(self) -> None:
        with RunReader(self.path) as record:
            list(describe_run(record))


def kill_run(victim: Victim, kinds: tuple[str, ...], seconds: float, draw: random.Random) -> None:
    """Kill a run by these kinds, bring it to its end, and kill who reads it."""
    for kind in kinds:
        if victim.is_finished():
            break
        if kind == "checkpoint":
            victim.live(kind, None, draw.choice((2, 4)))
        else:
            victim.live(kind, draw.uniform(0, AT_MOST.get(kind, seconds)))
    if not victim.is_finished():
        victim.live("last resume", None)
    for kind in READERS:
        victim.live(kind, draw.uniform(0, AT_MOST[kind]))


def main(kills: int = 200, seed: int = 0) -> int:
    """Kill until so many processes were killed; return 0 where nothing went wrong."""
    draw, killed, faults = random.Random(seed), 0, list[str]()  # noqa: S311 (no secret)
    with tempfile.TemporaryDirectory() as name:
        whole: dict[str, tuple[float, str]] = {}
        for mind in MINDS:
            calm, begun = Victim(Path(name), mind), time.monotonic()
            calm.live("calm", None)
            whole[mind] = time.monotonic() - begun, canonical_hash(calm.path)
        turn = 0
        while killed < kills:
            mind, first = MINDS[turn % 2], ("run", "creation")[turn // 2 % 2]
            victim = Victim(Path(name), mind)
            kill_run(victim, (first, "resume", "checkpoint", "resume"), whole[mind][0], draw)
            if canonical_hash(victim.path) != whole[mind][1]:
                victim.faults.append("another hash")
            turn, killed = turn + 1, killed + victim.kills
            faults += [f"run {turn} of {mind}: {fault}" for fault in victim.faults]
            print(f"{killed} kills, {len(faults)} faults", file=sys.stderr, flush=True)
    print("\n".join([f"{killed} kills, {len(faults)} faults", *faults]))
    return int(bool(faults))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    sys.exit(main(**vars(parser.parse_args())))
