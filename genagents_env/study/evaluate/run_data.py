"""One run as data for measures: its file decoded once, and what was computed from it kept."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

import numpy as np
import numpy.typing as npt

from genagents_env.record import InterviewRow, JudgementRow, RunReader
from genagents_env.record.rows import CallRow
from genagents_env.scenario import Person
from genagents_env.world.events import Event

T = TypeVar("T")
P = ParamSpec("P")
Bools = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int16]
ArenaRows = npt.NDArray[np.int32]  # a row of the list of arenas for each agent and tick
_ELSEWHERE = ("start", "put", "join", "part")  # events by which one is, or is not, somewhere


@dataclass(frozen=True, slots=True)
class Stay:
    """An agent was in the arena `place` from tick `first` until before tick `end`."""

    agent: str
    place: str
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Membership:
    """One agent's time in one conversation, which the record knows by its id.

    `first` is the tick of joining, `end` that of leaving; None where the record ends before.
    """

    agent: str
    conversation: int
    first: int
    end: int | None


class RunData:
    """What a run file holds, each part decoded once, when it is first needed.

    It is a view: the caller closes the reader, which has to stay open until then. What was
    decoded once stays, so a run that continues needs new run data.

    Attributes:
        reader: of the file, for what is read once anyway: status, price, spending.
        meta: what the run is.
        scenario: as loaded, with only the people who take part.
        names: the agents, in the order of all rows.
        row: the row of each agent.
    """

    def __init__(self, reader: RunReader) -> None:
        self.reader, self.meta = reader, reader.meta
        self.scenario, self.names = self.meta.scenario, self.meta.names
        self.row = {name: row for row, name in enumerate(self.names)}
        self._results: dict[object, object] = {}

    @classmethod
    def of(cls, run: "RunReader | RunData") -> "RunData":
        """Return `run` itself if it is run data already, else new data of it."""
        return run if isinstance(run, RunData) else cls(run)

    @property
    def path(self) -> Path:
        """The run file."""
        return self.reader.path

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """The scenario's people, in the order of the names; names it does not have are left out."""
        people = {person.name: person for person in self.scenario.people}
        return tuple(people[name] for name in self.names if name in people)

    @cached_property
    def last_tick(self) -> int:
        """The last tick, 0 where none is recorded."""
        return max(0, self.reader.last_tick)

    @property
    def ticks(self) -> int:
        """How many ticks were simulated; the state at the start is none."""
        return self.last_tick

    @property
    def hour(self) -> float:
        """The ticks of a game hour."""
        return 3600 / self.meta.seconds_per_tick

    @property
    def hours(self) -> float:
        """Game hours simulated."""
        return self.ticks / self.hour

    @property
    def agent_hours(self) -> float:
        """Game hours in which agents were in town, all together; 0 before the first tick."""
        return self.hours * (float((self.where >= 0).sum()) / max(1, self.ticks))

    @property
    def waking_hours(self) -> float:
        """Game hours in which agents were in town and awake, all together."""
        return float(self.waking.sum()) / self.hour

    @property
    def clock(self) -> npt.NDArray[np.int64]:
        """The second of the day at each tick simulated: shape (ticks,)."""
        start = self.reader.time(0)
        begun = start.hour * 3600 + start.minute * 60 + start.second
        found: npt.NDArray[np.int64] = begun + np.arange(self.ticks) * self.meta.seconds_per_tick
        return found % 86400

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All events in order, up to the last tick; what is written meanwhile is left out."""
        return tuple(self.reader.events(0, self.last_tick))

    @cached_property
    def by_id(self) -> dict[int, Event]:
        """The events by their ids."""
        return {event.id: event for event in self.events}

    @cached_property
    def _kinds(self) -> dict[str, list[Event]]:
        by_kind: dict[str, list[Event]] = {}
        for event in self.events:
            by_kind.setdefault(event.kind, []).append(event)
        return by_kind

    def of_kind(self, kind: str) -> tuple[Event, ...]:
        """Return the events of one kind in order; see `world.events`."""
        return tuple(self._kinds.get(kind, ()))

    @cached_property
    def utterances(self) -> tuple[Event, ...]:
        """Everything said by agents of the run, whoever heard it, in order."""
        return tuple(event for event in self.of_kind("say") if event.agent in self.row)

    @cached_property
    def calls(self) -> tuple[CallRow, ...]:
        """The stored model calls, ordered by agent, tick, purpose and number."""
        return tuple(self.reader.calls())

    @cached_property
    def interviews(self) -> tuple[InterviewRow, ...]:
        """Every answer, ordered by tick, then as they were asked, repeat by repeat."""
        return tuple(self.reader.interviews())

    @cached_property
    def judgements(self) -> tuple[JudgementRow, ...]:
        """What models judged of the answers, ordered by judge, check and tick."""
        return tuple(self.reader.judgements())

    @cached_property
    def memberships(self) -> tuple[Membership, ...]:
        """Everyone's time in every conversation, in the order of joining."""
        found: list[Membership] = []
        inside: dict[tuple[str, int], int] = {}  # who is in which: the place in `found`
        for event in self.events:
            if event.agent is None or event.kind not in ("converse", "leave"):
                continue
            key = event.agent, event.data["conversation"]
            if event.kind == "converse":
                inside[key] = len(found)
                found.append(Membership(*key, event.tick, None))
            elif key in inside:
                at = inside.pop(key)
                found[at] = replace(found[at], end=event.tick)
        return tuple(found)

    @cached_property
    def stays(self) -> tuple[Stay, ...]:
        """Where everyone was and when, in the order in which the stays ended."""
        told = self._follow((*_ELSEWHERE, "arrive"), "place", self.last_tick + 1)
        return tuple(Stay(*one) for one in told)

    @cached_property
    def doings(self) -> tuple[tuple[str, str, int, int], ...]:
        """Who showed doing what, from which tick until before which, in the order of ending."""
        return tuple(self._follow((*_ELSEWHERE, "doing"), "doing", self.ticks))

    def _follow(
        self, kinds: Collection[str], key: str, over: int
    ) -> Iterator[tuple[str, str, int, int]]:
        """Yield whose `key` was what by these events, from which tick until before which."""
        now: dict[str, tuple[str, int]] = {}
        for event in self.events:
            if event.agent is None or event.kind not in kinds:
                continue
            what, first = now.pop(event.agent, ("", event.tick))
            if first < event.tick:
                yield event.agent, what, first, event.tick
            if event.kind != "part":
                now[event.agent] = str(event.data[key]), event.tick
        for agent, (what, first) in now.items():
            if first < over:
                yield agent, what, first, over

    @cached_property
    def awake(self) -> Bools:
        """Who was in town and awake as each tick ended: shape (N, last_tick + 1)."""
        found: Bools = np.zeros((len(self.names), self.last_tick + 1), dtype=np.bool_)
        for event in self.events:
            if event.agent not in self.row:
                continue
            if event.kind in ("start", "put", "join"):
                found[self.row[event.agent], event.tick :] = not event.data["asleep"]
            elif event.kind in ("sleep", "wake", "part"):
                found[self.row[event.agent], event.tick :] = event.kind == "wake"
        return found

    @property
    def waking(self) -> Bools:
        """`awake` at the ticks simulated: shape (N, ticks)."""
        return self.awake[:, : self.ticks]

    @cached_property
    def talking(self) -> Bools:
        """Who was in a conversation as each tick ended: shape (N, last_tick + 1).

        One is in it from the tick of joining until before the tick of leaving.
        """
        found: Bools = np.zeros((len(self.names), self.last_tick + 1), dtype=np.bool_)
        for one in self.memberships:
            if one.agent in self.row:
                found[self.row[one.agent], one.first : one.end] = True
        return found

    @cached_property
    def positions(self) -> Positions:
        """Where everyone stood as each tick ended, x and y: shape (last_tick + 1, N, 2)."""
        found: Positions = np.zeros((self.last_tick + 1, len(self.names), 2), dtype=np.int16)
        for tick, at in self.reader.ticks():
            if tick > self.last_tick:
                break  # written meanwhile
            found[tick] = at
        return found

    @cached_property
    def arenas(self) -> tuple[str, ...]:
        """The arenas that anybody was in, sorted."""
        return tuple(sorted({stay.place for stay in self.stays}))

    @cached_property
    def whereabouts(self) -> ArenaRows:
        """The index in `arenas` of where each was as each tick ended: shape (N, last_tick + 1).

        -1 for one who is not in town.
        """
        index = {place: at for at, place in enumerate(self.arenas)}
        rows: ArenaRows = np.full((len(self.names), self.last_tick + 1), -1, dtype=np.int32)
        for stay in self.stays:
            if stay.agent in self.row:
                rows[self.row[stay.agent], stay.first : stay.end] = index[stay.place]
        return rows

    @property
    def where(self) -> ArenaRows:
        """`whereabouts` at the ticks simulated: shape (N, ticks)."""
        return self.whereabouts[:, : self.ticks]

    def find_arena(self, agent: str, tick: int) -> str:
        """Return the arena in which somebody was as a tick ended; empty where nobody knows."""
        if agent not in self.row or not 0 <= tick <= self.last_tick:
            return ""
        at = int(self.whereabouts[self.row[agent], tick])
        return self.arenas[at] if at >= 0 else ""

    def find_inside(self, arena: str) -> Bools:
        """Return who was in an arena at the ticks simulated, asleep or awake: shape (N, ticks)."""
        if arena not in self.arenas:
            return np.zeros_like(self.waking)
        inside: Bools = self.where == self.arenas.index(arena)
        return inside


def once_per_run(
    compute: Callable[Concatenate[RunData, P], T],
) -> Callable[Concatenate[RunReader | RunData, P], T]:
    """Return `compute` so that it computes once for the same run data and arguments.

    It takes a reader, too.
    """

    @wraps(compute)
    def get(run: RunReader | RunData, /, *args: P.args, **options: P.kwargs) -> T:
        data, key = RunData.of(run), (compute, args, tuple(options.items()))
        if key not in data._results:
            data._results[key] = compute(data, *args, **options)
        return cast("T", data._results[key])

    return get
