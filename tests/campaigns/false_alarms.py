"""`check_env` finds no fault in a town that has none, whatever the seed.

Run: `python -m tests.campaigns.false_alarms --seeds 200` (two minutes). CI takes the first tenth.
"""

import argparse
from functools import partial

from genagents_env import town_v0
from genagents_env.testing import check_env

FORMATS = ("words", "menu")


def main(seeds: int = 200) -> None:
    """Check seeds 0, 1, 2 and so on, in either format by turns; raise the first false alarm."""
    for seed in range(seeds):
        make = partial(town_v0.parallel_env, scenario="tiny", actions=FORMATS[seed % 2])
        check_env(make, steps=30, seed=seed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    main(**vars(parser.parse_args()))
