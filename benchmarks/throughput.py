"""Agent-steps per CPU second of the town beside mpe2's simple_spread, measured in one run.

Random errands: everyone walks to a random place of the town, then to the next. Every agent gets its
text and numbers at every step. Run: `python -m benchmarks.throughput` (about five minutes).

With `--against FOLDER`, another checkout of this repository, each environment is measured there and
here in turns.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.courses import (
    Course,
    again,
    beginning,
    crowd,
    deeds,
    recorded,
    simple_spread,
    town,
)
from benchmarks.pairs import compare, serve

_CROWD = 24  # as many as fill a hall


def list_courses(agents: list[int], folder: Path) -> dict[str, Callable[[], Course]]:
    """Return all there is to measure, by name; run files go into `folder`."""
    courses: dict[str, Callable[[], Course]] = {"mpe2 simple_spread": partial(simple_spread, 25)}
    for count in agents:
        menu, words = partial(town, count, actions="menu"), partial(town, count, actions="words")
        courses |= {
            f"town, menu, {count}": menu,
            f"town, words, {count}": words,
            f"town, words, percepts read, {count}": partial(words, read=True),
            f"town, words, recorded, {count}": partial(recorded, count, folder),
            f"town, Move, Talk, Interact, Idle, {count}": partial(deeds, count),
            f"construction and reset, {count}": partial(beginning, count),
            f"reset again, {count}": partial(again, count),
        }
    return courses | {f"a crowd talks, read, recorded, {_CROWD}": partial(crowd, _CROWD, folder)}


def main() -> None:
    """Run all in turn, round after round, so that a busy machine is busy for all; print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds a spell")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--agents", type=int, nargs="+", default=[25, 100, 1000])
    parser.add_argument("--only", default="", help="environments whose name has this in it")
    parser.add_argument("--against", type=Path, help="a checkout to measure in turns with this one")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        courses = list_courses(args.agents, Path(folder))
        peer = next(iter(courses))  # beside which all others are told
        chosen = [name for name in courses if args.only in name or name == peer]
        if args.serve:
            serve(courses, args.seconds)
        elif args.against is not None:
            agents = ["--agents", *map(str, args.agents)]
            compare(args.against, chosen, args.rounds, [*agents, "--seconds", str(args.seconds)])
        else:
            measure([courses[name]() for name in chosen], args.rounds, args.seconds)


def measure(courses: list[Course], rounds: int, seconds: float) -> None:
    """Print a table of the speeds of `courses`."""
    for _ in range(rounds + 1):
        for course in courses:
            course.spell(seconds)
    print("| environment | agents | in sight | agent-steps / CPU s | times mpe2 |")
    print("|---|---|---|---|---|")
    for course in courses:
        sight = "" if course.in_sight is None else f"{course.in_sight():.1f}"
        ratio = course.speed / courses[0].speed
        print(f"| {course.name} | {course.agents} | {sight} | {course.speed:,.0f} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
