"""Answers to the page: each resource made when it is asked for, slow ones kept for a while."""

import time
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from genagents_env.show.view.open_run import OpenRun
from genagents_env.show.view.resources import RESOURCES, ResourceKey, RunView, make_resource

_MOST = 256  # slow answers kept
_SHARE = 20  # a slow answer of a run that goes on is kept so many times as long as it took
_Stamp = tuple[int, int, int, str]


@dataclass(frozen=True, slots=True)
class _Answer:
    stamp: _Stamp  # of the run as it was then
    body: bytes
    until: float  # as long as it does although the run went on


class Answers:
    """Makes resources of a run; safe to be used by several threads."""

    def __init__(self, run: OpenRun) -> None:
        self._run, self._lock = run, Lock()
        self._kept: OrderedDict[ResourceKey, _Answer] = OrderedDict()
        self._turns = {name: Lock() for name, one in RESOURCES.items() if one.slow}

    def get(self, key: ResourceKey) -> bytes:
        """Return a resource.

        Raises:
            RunNotBegun: there is no run yet.
            UnknownResource: this run has none of that name.
            RecordError: the file is damaged where it is read.
        """
        if key.resource not in self._turns:
            with self._run.look() as view:
                return make_resource(view, key)
        with self._turns[key.resource], self._run.look() as view:
            return self._get_slow(view, key)

    def _get_slow(self, view: RunView, key: ResourceKey) -> bytes:
        length = view.run.measure()
        stamp = (view.revision, length.last_tick, length.calls, view.run.status)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and self._serves(kept, stamp):
            return kept.body
        begun = time.monotonic()
        body = make_resource(view, key)
        now = time.monotonic()
        with self._lock:
            self._kept[key] = _Answer(stamp, body, now + _SHARE * (now - begun))
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return body

    @staticmethod
    def _serves(kept: _Answer, stamp: _Stamp) -> bool:
        same_run = kept.stamp[0] == stamp[0] and kept.stamp[3] == stamp[3]
        return kept.stamp == stamp or (same_run and time.monotonic() < kept.until)
