"""What a day of three Smallville people costs in model calls, beside the paper's public code.

The public figures are an estimate from the day of three people that it ships, before any retries:
252 actions of 8 calls, 625 ratings, about 360 thoughts of 2 calls, about 101 utterances of 2. Ours
are counted in a run of 13 February with a scripted model, which plans by the routine and passes on
news. Run: `python -m benchmarks.calls` (about a minute).
"""

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from genagents_env.config import TownConfig
from genagents_env.record import RunReader
from genagents_env.run import PolicySpec, RunOptions, RunSpec, run

PEOPLE = ["Isabella Rodriguez", "Maria Lopez", "Klaus Mueller"]
# What the public code asks for in a day, and how ours asks for less.
PUBLIC: Mapping[str, tuple[int, tuple[str, ...], str]] = {
    "plan and ground": (
        252 * 8,
        ("plan", "ground"),
        "an hour's pieces in one call, their places in another",
    ),
    "importance": (
        625,
        ("perceive",),
        "up to 8 in a call, each text once, no model for what is trivial",
    ),
    "reflect": (
        360 * 2,
        ("reflect",),
        "importance comes with the insight, repeated insights are dropped",
    ),
    "converse": (101 * 2, ("converse",), "the relationship once a conversation"),
    "react": (0, ("react",), "counted with the conversations there"),
    "describe": (0, ("summary",), "read from a file there"),
}


def calls_of_a_day(model: str) -> Counter[str]:
    """Return the calls by faculty of one day of the three."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "day.sqlite"
        spec = RunSpec(
            TownConfig("valentines_party", hours=24, people=PEOPLE),
            policy=PolicySpec("smallville"),
        )
        run(spec, path, RunOptions(model=model, embedder="hashed", interviews=False))
        with RunReader(path) as record:
            return Counter(call.purpose.partition(".")[0] for call in record.calls())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="scripted:neighbour")
    options = parser.parse_args()
    ours = calls_of_a_day(options.model)
    print(f"{'faculty':18}{'public':>8}{'ours':>8}{'saved':>8}   how")
    for name, (public, faculties, how) in PUBLIC.items():
        count = sum(ours[faculty] for faculty in faculties)
        print(f"{name:18}{public:8,}{count:8,}{public - count:8,}   {how}")
    whole, count = sum(public for public, _, _ in PUBLIC.values()), ours.total()
    print(f"{'all':18}{whole:8,}{count:8,}{whole - count:8,}   {whole / count:.1f} times fewer")


if __name__ == "__main__":
    main()
