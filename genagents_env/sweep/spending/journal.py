"""The journal of a shared budget: what may have been spent, on disk, and never less than was."""

import json
import math
import os
from decimal import Decimal, InvalidOperation
from pathlib import Path

from genagents_env.errors import FileError, RecordError
from genagents_env.files import read_text
from genagents_env.llm.budget import Budget, Spend

_SIZE = 512  # bytes, several times what the largest amounts take, and within any page and sector
_MOST = 64 * 1024  # bytes that are read


class Journal:
    """A small JSON file that says calls, tokens, dollars and seconds.

    It is written before every grant, so it is written in place, always `_SIZE` bytes at once: a
    process that is killed has made such a write or has not. (To replace the file takes a
    millisecond on ext4, which then waits for the disk.) Only a power failure may take the last
    writes.

    Attributes:
        written: what the file says; None where there is none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written: Spend | None = None
        self._descriptor: int | None = None

    def restore(self, budget: Budget) -> None:
        """Set `budget` to what was spent before; nothing was where there is no file.

        Raises:
            RecordError: the file cannot be read or is damaged.
        """
        if not os.path.lexists(self.path):
            return
        try:
            state = json.loads(read_text(self.path, _MOST))
            counts, dollars = (state["calls"], state["tokens"]), Decimal(state["dollars"])
            seconds = float(state["seconds"])
            if not all(0 <= part < math.inf for part in (*counts, dollars, seconds)):
                raise ValueError("an amount is negative or infinite")
            if not all(type(count) is int for count in counts):
                raise TypeError("calls and tokens must be integers")
            budget.load_spending(Spend(*counts, dollars), seconds)
        except (
            *(FileError, ValueError, KeyError, TypeError),
            *(InvalidOperation, RecursionError),
        ) as fault:
            raise RecordError(
                f"{self.path}: it does not say what was spent ({type(fault).__name__}: {fault}); "
                'write it as {"calls": 0, "tokens": 0, "dollars": "0", "seconds": 0}, with the '
                "amounts spent so far"
            ) from None
        self.written = budget.spent

    def covers(self, spend: Spend) -> bool:
        """Return whether the file says at least `spend`."""
        written = self.written or Spend()
        return min(written.calls - spend.calls, written.tokens - spend.tokens) >= 0 and (
            written.dollars >= spend.dollars
        )

    def write(self, spend: Spend, seconds: float) -> None:
        """Write that `spend` and `seconds` are spent.

        Raises:
            OSError: it cannot be written; what the file said, it says still.
        """
        state = {
            "calls": spend.calls,
            "tokens": spend.tokens,
            "dollars": str(spend.dollars),
            "seconds": round(seconds, 3),
        }
        line = json.dumps(state).ljust(_SIZE - 1).encode() + b"\n"
        if self._descriptor is None:
            self._descriptor = self._create(line)
        else:
            os.pwrite(self._descriptor, line, 0)
        self.written = spend

    def close(self) -> None:
        """Put the last write on the disk, and close the file."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def _create(self, line: bytes) -> int:
        """Replace the file, whatever its size was, and return a descriptor of the new one."""
        new = self.path.with_name(self.path.name + ".new")
        new.unlink(missing_ok=True)  # of a process that was killed
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            os.write(descriptor, line)
            os.replace(new, self.path)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
