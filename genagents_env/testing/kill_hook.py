"""Kills this process at a chosen moment of its run, so that a crash test surely hits it.

Give `from_environment()` to `RunOptions.on_phase` in a child process, and set the variable there.
"""

import os
import signal
from collections.abc import Callable

VARIABLE = "GENAGENTS_KILL_AT"  # such as `12:mid-write`
PHASES = (
    "boundary",
    "mid-write",
    "after-call",
    "checkpoint",
    "mid-interview",
    "interviewed",
    "judged",
)


def from_environment() -> Callable[[str, int], None] | None:
    """Return the hook that `GENAGENTS_KILL_AT` describes as `TICK:PHASE`; None where it is unset.

    Raises:
        ValueError: the variable has another form.
    """
    moment = os.environ.get(VARIABLE)
    if not moment:
        return None
    tick, _, phase = moment.partition(":")
    if phase not in PHASES:
        raise ValueError(f"{VARIABLE}={moment}: expected TICK:PHASE, PHASE one of {PHASES}")
    return kill_at(int(tick), phase)


def kill_at(tick: int, phase: str) -> Callable[[str, int], None]:
    """Return a hook that ends this process with SIGKILL the first time it is at `phase`, `tick`."""

    def hook(now: str, at: int) -> None:
        if now == phase and at == tick:
            os.kill(os.getpid(), signal.SIGKILL)

    return hook
