"""The town of a recorded run, stepped again by its recorded actions.

So percepts can be rebuilt without minds, models, stored calls or vectors.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from genagents_env.errors import DivergenceError, RecordError
from genagents_env.observe.decode import Attempt
from genagents_env.record import RunReader
from genagents_env.record.actions import Deed, decode
from genagents_env.record.canonical import tick_checksum
from genagents_env.record.rows import encode
from genagents_env.run.replay import make_town, restore_town

_KEPT_EVERY = 360  # ticks between saved states of the town
_AT_ONCE = 60  # ticks between two calls of `is_late`


class SteppedTown:
    """A town at any tick of a recorded run, stepped from its present or a saved state.

    The positions and events of each tick are compared with the record.

    Args:
        run: the record. Every call gets it again, since it may have been reopened.

    Attributes:
        tick: of the town, -1 at first.

    Raises:
        RecordError: its scenario is not valid.
    """

    def __init__(self, run: RunReader) -> None:
        self._env = make_town(run.meta)
        self._idle: tuple[Deed, ...] = (-1,) * len(run.meta.names)
        self._deeds: tuple[Deed, ...] = self._idle
        self._kept: dict[int, tuple[dict[str, Any], tuple[Deed, ...]]] = {}
        self.tick = -1

    def go_to(self, run: RunReader, tick: int, is_late: Callable[[], bool] | None = None) -> bool:
        """Step the town to the end of `tick`, a recorded one; return True if it is there.

        It is not if `is_late` returned True on the way; the next call continues from there.

        Raises:
            RecordError: the actions up to there are not in the file, or not of this town.
            DivergenceError: a tick differs from the record.
        """
        try:
            self._begin(run, tick)
            while self.tick < tick:
                if is_late is not None and is_late():
                    return False
                self._step_through(run, min(tick, self.tick + _AT_ONCE))
        except BaseException:
            self.tick = -1  # it may have stopped within a tick
            raise
        return True

    def describe(self) -> list[str | None]:
        """Return the text observations of everybody now; None for those who are not in town."""
        parts, snapshot = self._env.parts, self._env.world.snapshot
        parts.text.reset()
        parts.vicinity.refresh(snapshot)
        here = snapshot.present.tolist()
        return [t if p else None for t, p in zip(parts.text.observe(snapshot), here, strict=True)]

    def _begin(self, run: RunReader, tick: int) -> None:
        """Go to the latest tick up to `tick` with a saved state, unless the town is later."""
        saved = max((at for at in run.checkpoints() if at <= tick), default=-1)
        kept = max((at for at in self._kept if at <= tick), default=-1)
        if max(saved, kept, 0) <= self.tick <= tick:
            return
        state = run.checkpoint(tick) if saved > kept else None
        if state is not None:
            restore_town(run.path, self._env, state)
            self._deeds = self._idle  # the row after a checkpoint has everybody
        elif kept >= 0:
            saved_town, self._deeds = self._kept[kept]
            self._env.load_state(saved_town)
        else:
            self._env.reset(seed=run.meta.seed)
            self._deeds = self._idle
        self.tick = self._env.world.tick

    def _step_through(self, run: RunReader, last: int) -> None:
        changes = dict(run.find_actions(self.tick + 1, last))
        chain = run.find_checksum(self.tick)
        for tick in range(self.tick + 1, last + 1):
            if tick not in changes:
                raise RecordError(
                    f"{run.path}: the actions at {run.time(tick):%H:%M:%S} are not in it; a "
                    "version that did not store them has recorded it"
                )
            self._deeds = self._read(run, changes[tick])
            self._env.repeat(_attempt(self._deeds))
            chain = self._compare(run, tick, chain or b"")
            self.tick = tick
            if tick % _KEPT_EVERY == 0:
                self._kept[tick] = self._env.save_state(), self._deeds

    def _read(self, run: RunReader, changed: Mapping[int, Any]) -> tuple[Deed, ...]:
        """Return the attempts of everybody, of which some have changed."""
        deeds = list(self._deeds)
        try:
            for i, value in changed.items():
                if not 0 <= i < len(deeds):
                    raise ValueError(f"nobody has the number {i}")
                deeds[i] = decode(value, self._env.world)
        except (ValueError, TypeError, LookupError) as error:
            raise RecordError(f"{run.path}, actions after tick {self.tick}: {error}") from None
        return tuple(deeds)

    def _compare(self, run: RunReader, tick: int, chain: bytes) -> bytes:
        """Raise if the tick just stepped differs from the record; return its checksum."""
        env = self._env
        blob = env.world.positions.astype("<i2").tobytes()
        rows = [(e.id, e.tick, e.kind, e.agent, encode(e.data)) for e in env.events]
        checksum = tick_checksum(chain, tick, blob, rows)
        if checksum != run.find_checksum(tick):
            raise DivergenceError(
                f"{run.path}: tick {tick} ({run.time(tick):%H:%M:%S}) differs from the record, "
                "since the town's rules have changed"
            )
        return checksum


def _attempt(deeds: Sequence[Deed]) -> Attempt:
    acts = {i: deed for i, deed in enumerate(deeds) if not isinstance(deed, int)}
    goals = [deed if isinstance(deed, int) else -1 for deed in deeds]
    return Attempt(np.array(goals, dtype=np.int64), acts)
