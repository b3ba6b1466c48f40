"""What people perceived, in words: rebuilt by replaying a run, since the record does not hold it.

So the resource `percept/AGENT/TICK` may have to be asked for again; an exported page has none.
"""

import zlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from time import monotonic

from genagents_env.policy_loader import is_shipped
from genagents_env.record import RunReader
from genagents_env.view.percept_replay import Moment, PerceptReplay

_PATIENCE = 1.5  # seconds that a question waits for its answer, before it is told to ask again
_MOST = 64_000_000  # bytes of percepts kept, compressed: of some 100,000 moments
_NO_MOMENT = "It is rebuilt of the moments before something was done or asked."
NOT_HERE = "What was perceived is not held here: `genagents view` rebuilds it from the run."


@dataclass(frozen=True, slots=True)
class PerceptText:
    """A percept in words; `note` says why there is none, and `pending` to ask again."""

    text: str = ""
    note: str = ""
    pending: bool = False


class Percepts:
    """The percepts of one run file, as far as somebody asked; safe to be used by several threads.

    Args:
        file: of the run, not compressed; it may be being written.
    """

    def __init__(self, file: Path) -> None:
        self._file, self._changed = file, Condition()
        self._kept: OrderedDict[Moment, bytes] = OrderedDict()
        self._size = self._revision = 0
        self._replay: PerceptReplay | None = None

    def find(self, run: RunReader, number: int, tick: int, revision: int) -> PerceptText:
        """Return what an agent perceived as `tick` ended.

        Args:
            run: the record, as it is now.
            number: of the agent among its names.
            tick: a recorded one.
            revision: counted up where the record came out otherwise.
        """
        policies = sorted({str(spec["name"]) for spec in run.meta.policies.values()})
        foreign = next((name for name in policies if not is_shipped(name)), None)
        if foreign is not None:
            return PerceptText(
                note="What was perceived is rebuilt by living the run again; but the policy "
                f"{foreign} did not come with this package, and its code is not run here."
            )
        moment = run.meta.names[number], tick
        with self._changed:
            if revision != self._revision:
                self._forget(revision)
            if moment in self._kept:
                return self._read(moment)
            replay = self._find_replay(run, moment)
            self._changed.wait_for(lambda: moment in self._kept or replay.is_done(tick), _PATIENCE)
            return self._read(moment) if moment in self._kept else _explain(run, replay, tick)

    def close(self) -> None:
        """End the replay; safe to call twice."""
        with self._changed:
            self._forget(self._revision)

    def _forget(self, revision: int) -> None:
        self._kept.clear()
        self._size, self._revision = 0, revision
        if self._replay is not None:
            self._replay.stop()
            self._replay = None

    def _read(self, moment: Moment) -> PerceptText:
        self._kept.move_to_end(moment)
        return PerceptText(zlib.decompress(self._kept[moment]).decode())

    def _find_replay(self, run: RunReader, moment: Moment) -> PerceptReplay:
        """Return a replay that comes to a moment; begun anew where that is nearer."""
        _, tick = moment
        replay = self._replay
        nearest = max((saved for saved in run.checkpoints() if saved <= tick), default=0)
        far = replay is not None and nearest > max(replay.begin, replay.reached)
        if replay is None or far or not replay.comes_to(tick):
            if replay is not None:
                replay.stop()
            replay = self._replay = PerceptReplay(self._file, nearest, self._changed, self._keep)
        replay.wanted.add(moment)
        replay.asked = monotonic()
        replay.target = max(replay.target, tick)
        self._changed.notify_all()
        return replay

    def _keep(self, moment: Moment, text: str) -> None:
        packed = zlib.compress(text.encode())
        self._size += len(packed) - len(self._kept.pop(moment, b""))
        self._kept[moment] = packed
        while self._size > _MOST:
            self._size -= len(self._kept.popitem(last=False)[1])


def _explain(run: RunReader, replay: PerceptReplay, tick: int) -> PerceptText:
    if replay.fault:
        why = f"What was perceived cannot be rebuilt: {replay.fault.rstrip('.')}."
        return PerceptText(note=f"{why} What was made of it stands in the prompts below.")
    if replay.is_done(tick):
        return PerceptText(note=_NO_MOMENT)
    reached = max(0, replay.reached)
    return PerceptText(
        note=f"The run is lived again to rebuild it, and is at {run.time(reached):%A %H:%M} …",
        pending=True,
    )
