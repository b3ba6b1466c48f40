"""Percepts in words, rebuilt by stepping the town of the record again.

That takes the scenario and the actions in the file; no mind, no model and no code of a policy. A
resource `percept/AGENT/TICK` far into a run may have to be asked for again; an exported page has
none.
"""

from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic

from genagents_env.errors import GenagentsError
from genagents_env.record import RunReader
from genagents_env.run.stepped_town import SteppedTown
from genagents_env.text import clean

_PATIENCE = 1.5  # seconds that a question waits for its answer, before it is told to ask again
_FAULT = 300  # characters
NOT_HERE = "What was perceived is not held here: `genagents view` rebuilds it from the run."


@dataclass(frozen=True, slots=True)
class PerceptText:
    """A percept in words; `note` says why there is none, and `pending` to ask again."""

    text: str = ""
    note: str = ""
    pending: bool = False


class Percepts:
    """The percepts of one run file; safe to be used by several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._town: SteppedTown | None = None
        self._revision = 0

    def find(self, run: RunReader, number: int, tick: int, revision: int) -> PerceptText:
        """Return the percept of an agent as `tick` ended.

        Args:
            run: the record, as it is now.
            number: of the agent among its names.
            tick: a recorded one.
            revision: counted up where the record came out otherwise.
        """
        with self._lock:
            if revision != self._revision:
                self._town, self._revision = None, revision
            try:
                return self._find(run, number, tick, monotonic() + _PATIENCE)
            except GenagentsError as error:
                fault = clean(_drop_path(str(error), run.path), _FAULT).rstrip(".")
                return PerceptText(note=f"What was perceived cannot be rebuilt: {fault}.")

    def _find(self, run: RunReader, number: int, tick: int, until: float) -> PerceptText:
        if self._town is None:
            self._town = SteppedTown(run)
        if not self._town.go_to(run, tick, lambda: monotonic() > until):
            at = f"{run.time(self._town.tick):%A %H:%M}"
            note = f"The town is stepped again to rebuild it, and is at {at} …"
            return PerceptText(note=note, pending=True)
        text = self._town.describe()[number]
        if text is None:
            return PerceptText(note=f"{run.meta.names[number]} was not in town then.")
        return PerceptText(text)


def _drop_path(fault: str, path: Path) -> str:
    """Return a fault without the name of a file that the reader of a page never saw."""
    return fault.replace(f"{path}: ", "").replace(f"{path}, ", "").replace(str(path), "the file")
