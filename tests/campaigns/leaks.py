"""No task tells an agent what it cannot perceive: in observation, text, mask or info.

Of each episode six moments are taken, and of each two copies, in which what is out of the agent's
sight is changed, or what others want and know: see `genagents_env.testing.leaks`.

Run: `python -m tests.campaigns.leaks --seeds 200`. CI takes the first tenth.
"""

import argparse
from collections.abc import Iterable
from functools import partial

from genagents_env import town_v0
from genagents_env.testing.leaks import check_leaks
from genagents_env.train.tasks import HELD_OUT, TASKS

FORMATS = ("words", "menu")


def main(seeds: int = 200, tasks: Iterable[str] = TASKS) -> None:
    """Check so many seeds, every other one held out, in either format by turns."""
    for task in tasks:
        for number in range(seeds):
            seed = number if number % 4 < 2 else HELD_OUT.start + number
            actions = FORMATS[number % 2]
            make = partial(town_v0.rl_env, task, actions=actions, text=True, percepts=True)
            check_leaks(make, seed)
        print(f"{task}: nothing is told over {seeds} seeds", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    main(**vars(parser.parse_args()))
