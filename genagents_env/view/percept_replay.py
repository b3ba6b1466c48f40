"""One replay of a run in a thread, which goes as far as somebody waits for and hands out percepts.

It works with the stored calls and vectors and nothing else: no model is opened, nothing is fetched,
and no code of policies is run that did not come with the package.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from genagents_env.errors import DivergenceError, GenagentsError
from genagents_env.event_loop import run_sync
from genagents_env.memory.open import open_source
from genagents_env.policy import Observations
from genagents_env.record import RunMeta, RunReader
from genagents_env.run.models import Models
from genagents_env.run.policy_groups import PolicyGroups
from genagents_env.run.policy_trust import ChosenPolicies
from genagents_env.run.recorded import load_policies
from genagents_env.run.replay import ReplayOnlyEndpoint, ReplayOnlySource, RunReplay
from genagents_env.run.spec import RunOptions
from genagents_env.run.trajectory import StepResult
from genagents_env.text import clean
from genagents_env.view.causes import ACTS

_IDLE = 300.0  # seconds without a question after which a replay is given up
_WAITING = 15.0  # seconds after a question for which somebody is taken to wait for the answer
_FAULT = 300  # characters
_log = logging.getLogger(__name__)
Moment = tuple[str, int]  # an agent, and the tick at whose end it perceived
Take = Callable[[Moment, str], None]


class _Stop(Exception):
    """The replay is not wanted any more."""


class PerceptReplay:
    """Replays a run from a tick on; all its attributes are read and set under `changed`.

    Args:
        file: of the run, not compressed; it may be being written.
        begin: the replay goes on from the last checkpoint there or before, else from the start.
        changed: told whenever something below changes.
        take: called under `changed` with each percept of a moment at which something was done or
            asked, or that is among `wanted`.

    Attributes:
        begin: see above.
        target: as far as it goes before it waits.
        wanted: moments that somebody asked for.
        asked: when somebody did last, by the monotonic clock.
        first: the tick with which it began, -1 before.
        reached: the tick it has come to, -1 before the first.
        last: the last tick it can come to.
        fault: why it ended early.
        ended: it will go no further.
    """

    def __init__(self, file: Path, begin: int, changed: Condition, take: Take) -> None:
        self._file, self.begin, self._changed, self._take = file, begin, changed, take
        self.target, self.wanted, self.asked = begin, set[Moment](), monotonic()
        self.first = self.reached = -1
        self.last = begin
        self.fault, self.ended, self._stopped = "", False, False
        self._moments: frozenset[Moment] = frozenset()
        Thread(target=self._run, name="percepts", daemon=True).start()

    def stop(self) -> None:
        """End it soon."""
        self._stopped = True
        self._changed.notify_all()

    def comes_to(self, tick: int) -> bool:
        """Return whether it is still to come to `tick`, was there already, or cannot get there."""
        return self.begin <= tick and (tick <= self.reached or not self.ended or bool(self.fault))

    def is_done(self, tick: int) -> bool:
        """Return whether nothing more is to be expected of `tick`."""
        return self.ended or tick <= self.reached

    def _run(self) -> None:
        fault = ""
        try:
            with RunReader(self._file) as run:
                self._moments = _list_moments(run, self.begin)
                self._replay(run)
        except _Stop:
            pass
        except GenagentsError as error:
            fault = _shorten(str(error), self._file)
        except Exception:
            _log.exception("%s could not be replayed", self._file)
            fault = "a fault of the program"
        with self._changed:
            self.fault, self.ended = fault, True
            self._changed.notify_all()

    def _replay(self, run: RunReader) -> None:
        """Replay with prompts for a model of the likelier size, else of the other."""
        likelier = run.meta.asked_model is None or run.meta.asked_model.endswith(".gguf")
        try:
            self._replay_as(run, small=likelier)
        except DivergenceError:
            if self.reached > self.first or run.meta.model is None:
                raise
            self._replay_as(run, small=not likelier)

    def _replay_as(self, run: RunReader, *, small: bool) -> None:
        options = RunOptions()
        groups = load_policies(run.meta, options, ChosenPolicies())
        try:
            models = _stand_in(run.meta, groups, small=small)
            run_sync(self._play(RunReplay(run, groups, options, models)))
        finally:
            groups.close()

    async def _play(self, replay: RunReplay) -> None:
        def follow(_: Mapping[str, object], step: StepResult) -> None:
            if self.first < 0:  # what was perceived before the first step
                self._hand_out(replay.env.world.tick - 1, replay.given)
            self._hand_out(replay.env.world.tick, step[0])

        self.last = replay.run.last_tick
        async with replay.open_at(self.last, follow, since=self.begin):
            if self.first < 0:
                self._hand_out(replay.env.world.tick, replay.given)

    def _hand_out(self, tick: int, observations: Observations) -> None:
        """Hand out the percepts of a tick, and wait until a later one is wanted."""
        with self._changed:
            for agent, given in observations.items():
                if (agent, tick) in self.wanted or (agent, tick) in self._moments:
                    self._take((agent, tick), str(given["text"]))
            self.first = tick if self.first < 0 else self.first
            self.reached = tick
            self._changed.notify_all()
            goes_on = self._changed.wait_for(lambda: self._stopped or self._is_awaited(tick), _IDLE)
            if self._stopped or not goes_on:
                raise _Stop

    def _is_awaited(self, tick: int) -> bool:
        """Return whether somebody still waits for a later tick; a page asks again and again."""
        return tick < self.target and monotonic() - self.asked < _WAITING


def _shorten(fault: str, file: Path) -> str:
    """Return why a run cannot be replayed, without the name of a file that the reader never saw."""
    told = fault.replace(f"{file}: ", "").replace(f"{file}, ", "")
    for advice in (". Where the policy", ", so nobody in it can be asked"):
        told = told.partition(advice)[0]
    return clean(told.replace(str(file), "the file"), _FAULT)


def _list_moments(run: RunReader, first: int) -> frozenset[Moment]:
    """Return who perceived when before they did something or asked a model."""
    acts = run.events(max(0, first))
    return frozenset(
        {
            *((e.agent, e.tick - 1) for e in acts if e.agent is not None and e.kind in ACTS),
            *((call.agent, call.tick) for call in run.calls() if call.tick >= first),
        }
    )


def _stand_in(meta: RunMeta, groups: PolicyGroups, *, small: bool) -> Models:
    """Return what stands in for the models of a run, all of whose words are recorded."""
    if not groups.needs_model:
        return Models(None, None)
    names = dict(meta.contexts)
    endpoint = ReplayOnlyEndpoint(
        meta.model or "", small=small, context_tokens=names.get(meta.model or "")
    )
    source = None
    if groups.needs_embedder:
        name = meta.embedder or ""
        source = open_source(name) if name.startswith("hashed") else ReplayOnlySource(name)
    return Models(endpoint, source)
