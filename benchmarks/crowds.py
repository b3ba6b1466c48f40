"""What towns of many people cost: the constants of `genagents_env.scenario.cost`.

Each row is ten recorded ticks of a minute with the policy `scripted`, in a process of its own:
everybody in one room, or eight to a house. Times are of the processor, memory is the largest that
was resident, both less those of a town of two. Run: `python -m benchmarks.crowds` (two minutes).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from genagents_env.config import TownConfig
from genagents_env.run import RunSpec, run
from genagents_env.scenario.schema import ArenaSpec, Person, Scenario, SectorSpec

TICKS = 10
CROWDS = ((2, 1), (150, 1), (300, 1), (600, 1), (400, 50), (1000, 125), (2000, 250))


def make_town(people: int, houses: int) -> Scenario:
    """Return a town of so many people, spread evenly over so many houses."""
    room = ArenaSpec(name="room", size=(4, 4))
    return Scenario(
        name="crowd",
        title="A crowd",
        town="Crowd",
        start=datetime(2023, 2, 13, 8),  # noqa: DTZ001 - town time has no zone
        hours=TICKS / 60,
        seconds_per_tick=60,
        sectors=tuple(SectorSpec(name=f"House {i}", arenas=(room,)) for i in range(houses)),
        people=tuple(
            Person(name=f"Person {i}", persona="Lives here", home=f"House {i % houses}")
            for i in range(people)
        ),
    )


def measure(people: int, houses: int) -> tuple[float, float]:
    """Return seconds of the processor and megabytes of ten ticks in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.crowds", "--row", str(people), str(houses)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - ourselves
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    base_seconds, base_megabytes = measure(*CROWDS[0])
    print(f"a process alone: {base_seconds:.1f} s, {base_megabytes:.0f} MB")
    print("people  houses     pairs  s a tick  us a person  us a pair  kB a person  B a pair")
    for people, houses in CROWDS[1:]:
        seconds, megabytes = measure(people, houses)
        tick, more = (seconds - base_seconds) / TICKS, (megabytes - base_megabytes) * 1e6
        pairs = people * people // houses
        print(
            f"{people:6}  {houses:6}  {pairs:8}  {tick:8.2f}  {tick / people * 1e6:11.0f}"
            f"  {tick / pairs * 1e6:9.1f}  {more / people / 1e3:11.0f}  {more / pairs:8.0f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", type=int, nargs=2, help="only this many people and houses")
    row = parser.parse_args().row
    if row is None:
        main()
    else:
        with tempfile.TemporaryDirectory() as folder:
            run(RunSpec(TownConfig(make_town(*row))), Path(folder) / "run.sqlite")
