"""A cell of a notebook: a run that is begun while a loop runs in the main thread, and Ctrl-C.

Started as a process by its test: `python -m tests.run.notebook FILE TICK TIMES`.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from genagents_env.run import PolicySpec, Progress, RunOptions, run
from tests.run.towns import make_spec

TICKS = 1_000
SPEC = make_spec("tiny", TICKS, policy=PolicySpec("random"))


def main(path: Path, tick: int, times: int) -> None:

    def interrupt(now: Progress) -> None:
        if now.tick == tick:
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)

    async def cell() -> None:
        result = run(SPEC, path, RunOptions(watch=interrupt, interviews=False))
        print(result.status, result.exit_code, result.tick)

    asyncio.run(cell())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
