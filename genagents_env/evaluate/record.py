"""A view of one run from which many measures are taken, each part read and worked out once."""

from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from genagents_env.evaluate.attendance import Stay, stays
from genagents_env.evaluate.kept import Kept
from genagents_env.evaluate.presence import Bools, awake, talking
from genagents_env.evaluate.rates import Rates, rates
from genagents_env.evaluate.report import Report, report
from genagents_env.evaluate.spans import Membership, Spans, memberships, spans
from genagents_env.record import InterviewRow, RunMeta, RunReader
from genagents_env.record.rows import CallRow
from genagents_env.scenario import Person, Scenario
from genagents_env.world.events import Event

Rows = npt.NDArray[np.int32]  # a row of the list of arenas for each agent and tick


class Record:
    """What a run file holds and the summaries of it, each made when it is first wanted.

    It is a view: the reader stays the caller's to close, and has to stay open. What was worked
    out once stays, so a record of a run that goes on is to be made anew.

    Args:
        run: open.
    """

    def __init__(self, run: RunReader) -> None:
        self.run = Kept(run)

    @property
    def path(self) -> Path:
        """The run file."""
        return self.run.path

    @property
    def meta(self) -> RunMeta:
        """What the run is."""
        return self.run.meta

    @property
    def scenario(self) -> Scenario:
        """As loaded, with only the people who take part."""
        return self.meta.scenario

    @property
    def names(self) -> tuple[str, ...]:
        """The agents, in the order of all rows."""
        return self.meta.names

    @cached_property
    def row(self) -> dict[str, int]:
        """The row of each agent."""
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def people(self) -> tuple[Person, ...]:
        """The scenario's people, in the order of the names; names it does not have are left out."""
        known = {person.name: person for person in self.scenario.people}
        return tuple(known[name] for name in self.names if name in known)

    @cached_property
    def last_tick(self) -> int:
        """The last tick, 0 where none was lived."""
        return max(0, self.run.last_tick)

    @property
    def ticks(self) -> int:
        """How many ticks were lived; the state at the start is none."""
        return self.last_tick

    @property
    def hour(self) -> float:
        """The ticks of a game hour."""
        return 3600 / self.meta.seconds_per_tick

    @property
    def hours(self) -> float:
        """Game hours lived."""
        return self.ticks / self.hour

    @property
    def agent_hours(self) -> float:
        """Game hours lived, all agents together; 0 where none was lived."""
        return self.hours * len(self.names)

    @property
    def waking_hours(self) -> float:
        """Game hours in which agents were in town and awake, all together."""
        return float(self.awake[:, : self.ticks].sum()) / self.hour

    @property
    def events(self) -> tuple[Event, ...]:
        """All events in order."""
        return self.run.all_events

    @cached_property
    def kinds(self) -> dict[str, tuple[Event, ...]]:
        """The events by kind, each in order; see `world.events`."""
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.kind, []).append(event)
        return {kind: tuple(events) for kind, events in found.items()}

    def of_kind(self, kind: str) -> tuple[Event, ...]:
        """Return the events of one kind in order."""
        return self.kinds.get(kind, ())

    @cached_property
    def utterances(self) -> tuple[Event, ...]:
        """Everything said by agents of the run, whoever heard it, in order."""
        return tuple(event for event in self.of_kind("say") if event.agent in self.row)

    @property
    def interviews(self) -> list[InterviewRow]:
        """Every answer."""
        return self.run.interviews()

    @property
    def calls(self) -> list[CallRow]:
        """Every stored model call."""
        return list(self.run.calls())

    @cached_property
    def report(self) -> Report:
        """The summary: spread, findings, outcomes, flows, preferences, cost by faculty."""
        return report(self.run)

    @cached_property
    def rates(self) -> Rates:
        """What it cost per agent and hour."""
        return rates(self.run)

    @cached_property
    def spans(self) -> Spans:
        """Conversation lengths."""
        return spans(self.run)

    @cached_property
    def memberships(self) -> tuple[Membership, ...]:
        """Everyone's time in every conversation."""
        return memberships(self.events)

    @cached_property
    def stays(self) -> tuple[Stay, ...]:
        """Where everyone was and when."""
        return tuple(stays(self.events, self.last_tick))

    @cached_property
    def awake(self) -> Bools:
        """Who was in town and awake: shape (N, last_tick + 1)."""
        return awake(self.events, self.names, self.last_tick)

    @cached_property
    def talking(self) -> Bools:
        """Who was in a conversation: shape (N, last_tick + 1)."""
        return talking(self.memberships, self.names, self.last_tick)

    @cached_property
    def arenas(self) -> tuple[str, ...]:
        """The arenas that anybody was in, sorted."""
        return tuple(sorted({stay.place for stay in self.stays}))

    @cached_property
    def whereabouts(self) -> Rows:
        """The index in `arenas` of where each was as each tick ended: shape (N, last_tick + 1).

        -1 for one who is not in town.
        """
        index = {place: at for at, place in enumerate(self.arenas)}
        found: Rows = np.full((len(self.names), self.last_tick + 1), -1, dtype=np.int32)
        for stay in self.stays:
            if stay.agent in self.row:
                found[self.row[stay.agent], stay.first : stay.end] = index[stay.place]
        return found
