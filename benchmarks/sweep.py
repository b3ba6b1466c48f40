"""How long a sweep of 200 runs of `tiny` takes with one worker and with two.

Usage: python -m benchmarks.sweep [RUNS]. The policy is `scripted`; starting workers is counted.
"""

import argparse
import tempfile
import time
from pathlib import Path

from genagents_env.study.sweep import SweepFolder, SweepOptions, sweep

EXPERIMENT = """
name = "benchmark"
seeds = {runs}
scenario = "tiny"
model = "scripted"
embedder = "hashed"
policy = "scripted"
"""


def time_sweep(path: Path, runs: int, workers: int) -> float:
    """Return the seconds that a sweep of so many runs takes."""
    file = path / "experiment.toml"
    file.write_text(EXPERIMENT.format(runs=runs))
    folder = SweepFolder.create(path / f"by {workers}", file)
    began = time.perf_counter()
    result = sweep(folder, SweepOptions(workers=workers))
    assert result.exit_code == 0, result.message
    return time.perf_counter() - began


def main(runs: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        one, two = (time_sweep(Path(folder), runs, workers) for workers in (1, 2))
    for workers, took in ((1, one), (2, two)):
        print(f"workers: {workers}  {took:6.1f} s  {took / runs * 1000:5.0f} ms a run")
    print(f"two are {one / two:.2f} times as fast as one")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=200)
    main(parser.parse_args().runs)
