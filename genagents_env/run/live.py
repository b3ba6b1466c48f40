"""A town that goes on while somebody looks: its pace, and what is done to it from outside.

What is done becomes an event of the scenario in the run's own file before it happens. So a resumed,
replayed or forked run has it, too.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from pydantic import ValidationError

from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError
from genagents_env.record import RunWriter
from genagents_env.record.rows import JSON
from genagents_env.scenario.loader import check_scenario
from genagents_env.scenario.schema import ScheduledEvent

IDLE_AFTER = 300.0  # seconds without a look, after which the town stands still, as in AI Town
MOST_WAITING = 20  # events that wait
FASTEST = 1000.0  # ticks a second
KINDS = ("whisper", "news", "object", "move", "join", "leave")  # events that can be asked for
_POLL = 0.02  # seconds between two looks whether the town goes on


@dataclass(frozen=True, slots=True)
class TownPace:
    """How a town goes on.

    Attributes:
        paused: it stands still.
        speed: ticks a second; None is as fast as it can.
        unwatched: it stands still since nobody has looked for long.
    """

    paused: bool = False
    speed: float | None = None
    unwatched: bool = False


class LiveControl:
    """Commands to a running town; all but `steer` and the coroutines are for any thread.

    Args:
        idle_after: seconds without a `look` after which the town stands still until the next one;
            it does not before the first.

    Attributes:
        on_steer: called as the town begins to go on, before anybody is waited for.
    """

    def __init__(self, idle_after: float = IDLE_AFTER) -> None:
        self.on_steer: Callable[[], None] = lambda: None
        self.idle_after, self.pace = idle_after, TownPace()
        self._steps, self._looked, self._passed = 0, 0.0, 0.0
        self._stepping = False  # the tick under way is one of `step`
        self._add: Callable[[Mapping[str, JSON]], str] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting = 0

    def pause(self) -> None:
        """Stand still."""
        self.pace = replace(self.pace, paused=True)

    def go(self) -> None:
        """Go on."""
        self._steps, self.pace = 0, replace(self.pace, paused=False)

    def step(self) -> None:
        """Go on for one tick, and stand still then."""
        self.pause()
        self._steps += 1

    def set_speed(self, speed: float | None) -> None:
        """Set the ticks a second; None is as fast as the town can.

        Raises:
            ConfigError: it is out of range.
        """
        if speed is not None and not 0 < speed <= FASTEST:
            raise ConfigError(f"speed: {speed:g} is not allowed; more than 0 to {FASTEST:g} is")
        self.pace = replace(self.pace, speed=speed)

    def look(self) -> None:
        """Somebody looks."""
        self._looked = monotonic()

    def add_event(self, event: Mapping[str, JSON]) -> "Future[str]":
        """Let something happen in the next tick; the result is the town time of it.

        Args:
            event: an event of a scenario as JSON values, of one of KINDS, without `at`.

        Raises:
            ConfigError: too many wait already; of the result also where it does not fit.
        """
        if self._loop is None or self._loop.is_closed():
            raise ConfigError("the town does not go on now")
        if self._waiting >= MOST_WAITING:
            raise ConfigError(f"{MOST_WAITING} events wait already; try again in a moment")
        done: Future[str] = Future()
        self._waiting += 1
        self._loop.call_soon_threadsafe(self._take_event, event, done)
        return done

    @contextmanager
    def steer(self, writer: RunWriter, env: TownEnv) -> Iterator[None]:
        """Obey while a run goes on inside.

        Args:
            writer: of the run.
            env: its town.
        """
        self._loop, self._add = asyncio.get_running_loop(), partial(add_event, writer, env)
        self.on_steer()
        try:
            yield
        finally:
            self._loop = self._add = None

    async def pass_tick(self, stop: Callable[[], bool]) -> None:
        """Wait at a tick boundary until the town goes on; `stop` ends the wait."""
        while not stop():
            if self._goes_on():
                self._passed = monotonic()
                return
            await asyncio.sleep(_POLL)

    async def hold(self, stop: Callable[[], bool]) -> None:
        """Wait with a tick that is decided already while the town is paused; `stop` ends the wait.

        People may take so long to decide that the town is paused meanwhile.
        """
        while self.pace.paused and not self._stepping and not stop():
            if self._steps > 0:
                self._steps -= 1
                return
            await asyncio.sleep(_POLL)

    def _goes_on(self) -> bool:
        now, pace = monotonic(), self.pace
        unwatched = bool(self._looked) and now - self._looked > self.idle_after
        if unwatched != pace.unwatched:
            self.pace = pace = replace(pace, unwatched=unwatched)
        self._stepping = self._steps > 0
        if self._stepping:
            self._steps -= 1
            return True
        due = pace.speed is None or now - self._passed >= 1 / pace.speed
        return due and not pace.paused and not pace.unwatched

    def _take_event(self, event: Mapping[str, JSON], done: "Future[str]") -> None:
        self._waiting -= 1
        try:
            if self._add is None:
                raise ConfigError("the town does not go on now")
            done.set_result(self._add(event))
        except BaseException as error:
            done.set_exception(error)
            if not isinstance(error, ConfigError):
                raise


def add_event(writer: RunWriter, env: TownEnv, event: Mapping[str, JSON]) -> str:
    """Let an event happen in the next tick of a run, and return the town time of it.

    Raises:
        ConfigError: it does not fit the town; says what is wrong.
    """
    kind = event.get("kind")
    if kind not in KINDS:
        raise ConfigError(f"kind: {str(kind)[:40]!r} is not allowed; one of {', '.join(KINDS)}")
    at = env.world.town.clock.time(env.world.tick + 1)
    try:
        scheduled = ScheduledEvent.model_validate({**event, "at": at})
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    scenario = writer.meta.scenario
    scenario = scenario.model_copy(update={"events": (*scenario.events, scheduled)})
    faults = check_scenario(scenario)
    if faults:
        text = str(faults[0])
        raise ConfigError(text.partition("].")[2] or text)  # of the file it is not in yet
    writer.replace_meta(replace(writer.meta, scenario=scenario))
    env.world.schedule(scheduled)
    return at.isoformat()
