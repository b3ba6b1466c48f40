"""A sweep in a process of its own, to be killed: driver.py FOLDER WORKERS.

Prints its process id at once and, in the end, its message; exits with its code.
"""

import os
import sys
from pathlib import Path

from genagents_env.study.sweep import SweepFolder, SweepOptions, sweep


def main(folder: str, workers: str) -> int:
    """Carry the sweep out."""
    print(os.getpid(), flush=True)
    swept = sweep(SweepFolder(Path(folder)), SweepOptions(workers=int(workers)))
    print(swept.message, *swept.problems, sep="\n", flush=True)
    return swept.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
