"""A policy and its agents; failures of the policy affect no others."""

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from genagents_env.errors import GenagentsError, PolicyError
from genagents_env.policy import (
    AgentID,
    Answer,
    Context,
    Infos,
    MindNote,
    Observations,
    Policy,
    Profile,
    RecalledMemory,
)
from genagents_env.record.notes import check_note
from genagents_env.record.rows import JSON, FaultKind, FaultRow, NoteRow
from genagents_env.run.concurrency import Worker, raise_first
from genagents_env.run.policies import describe_error
from genagents_env.scenario.schema import Past
from genagents_env.text import clean

T = TypeVar("T")
Decisions = tuple[dict[AgentID, object], list[FaultRow]]

Reads = Callable[[object], bool]  # whether something is an action
_SHORT = 1 << 63  # numbers below it are told
_NOTE_LIMIT = 2000  # characters, as of an answer


def describe_fault(fault: FaultRow) -> str:
    """Describe a failure of a policy in a sentence."""
    return f"policy {fault.policy} failed for {fault.agent} at tick {fault.tick}: {fault.text}"


@dataclass
class PolicyGroup:
    """A policy and the agents it decides for; `deadline` in seconds of wall clock, or None.

    `former`: agents for whom it decided once, whom its state still has.
    `isolate`: turn an error of the policy into faults of its agents, rather than raise it.
    """

    policy: Policy
    agents: tuple[AgentID, ...]
    isolate: bool = True
    deadline: float | None = None
    former: tuple[AgentID, ...] = ()
    worker: Worker | None = None

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin an episode.

        Raises:
            PolicyError: the policy failed, and this group isolates.
        """
        if not self.isolate:
            self.policy.reset(profiles, seed, context)
            return
        with self._blame("begin an episode", "; correct its reset", passing=GenagentsError):
            self.policy.reset(profiles, seed, context)

    def state(self, *, check: bool = False) -> JSON:
        """Return the state of the policy.

        Raises:
            PolicyError: the policy fails to; or its state is not JSON, where one is to `check`.
        """
        with self._blame("return its state as JSON values", "; correct its state"):
            state = self.policy.state()
            if check:
                json.dumps(state, allow_nan=False)
            return state

    def load_state(self, state: JSON) -> None:
        """Load the saved state of the policy.

        Raises:
            PolicyError: the policy fails to.
        """
        advice = "; correct its load_state, or run it again where the state is at fault"
        with self._blame("load its saved state", advice):
            self.policy.load_state(state)

    def collect_past(self, agent: AgentID, source: str) -> Past:
        """Return the past that `agent` takes into another run.

        Raises:
            PolicyError: the policy has none, or fails.
        """
        with self._blame(f"hand on the past of {agent}", passing=GenagentsError):
            return self.policy.collect_past(agent, source)

    def take_notes(self, tick: int) -> list[NoteRow]:
        """Return the notes of the policy as rows of `tick`.

        Raises:
            PolicyError: the policy fails.
        """
        with self._blame("return its notes", "; correct its take_notes"):
            return [_make_note(note, tick) for note in self.policy.take_notes()]

    async def act(
        self, observations: Observations, infos: Infos, tick: int, reads: Reads
    ) -> Decisions:
        """Return the actions of these agents, and the faults of those that have none.

        `reads`: tells whether something is an action.

        Raises:
            PolicyError: there are faults, and this group does not isolate.
        """
        agents = tuple(observations)
        deciding = self._decide(observations, {agent: infos[agent] for agent in agents})
        answer, faults = await self.guard(deciding, agents, tick)
        if faults:
            return {}, faults
        actions, faults = self._check_actions(agents, tick, answer, reads)
        if faults and not self.isolate:
            raise PolicyError(describe_fault(faults[0]))
        return actions, faults

    async def interview(
        self, agent: AgentID, questions: Sequence[str], tick: int, repeat: int
    ) -> tuple[list[Answer], list[FaultRow]]:
        """Return an answer to each question, or none and the fault of the policy."""
        answering = self._answer(agent, questions, repeat)
        return await self._ask_one(agent, answering, tick, Answer, len(questions))

    async def memories(
        self, agent: AgentID, tick: int
    ) -> tuple[list[RecalledMemory], list[FaultRow]]:
        """Return the memories of `agent`, or none and the fault of the policy."""
        if type(self.policy).memories is Policy.memories:
            return [], []
        return await self._ask_one(agent, self._recall(agent), tick, RecalledMemory)

    async def guard(
        self, asking: Awaitable[T], agents: Sequence[AgentID], tick: int, *, patience: int = 1
    ) -> tuple[T | None, list[FaultRow]]:
        """Await `asking`; return its result, or the faults of `agents` if the policy fails.

        `patience`: deadlines to wait.

        Raises:
            GenagentsError: the run ends, by an outage or by its budget.
        """
        if not self.isolate:
            return await asking, []
        seconds = None if self.deadline is None else self.deadline * patience
        try:
            async with asyncio.timeout(seconds) as limit:
                return await asking, []
        except GenagentsError:
            raise
        except BaseExceptionGroup as several:
            if several.subgroup(GenagentsError) is not None:
                raise_first(several)
            return None, self._make_faults(agents, tick, "raised", describe_error(several))
        # A policy is a user's code: whatever it raises, SystemExit included, is its own fault.
        except (Exception, SystemExit) as error:
            if isinstance(error, TimeoutError) and limit.expired():
                why = f"no answer within {seconds:g} s"
                return None, self._make_faults(agents, tick, "hung", why)
            return None, self._make_faults(agents, tick, "raised", describe_error(error))

    def close(self) -> None:
        """Close the policy and its thread; safe to call twice."""
        if self.worker is not None:
            self.worker.close()
        self.policy.close()

    @contextmanager
    def _blame(
        self, task: str, advice: str = "", passing: type[Exception] | tuple[()] = ()
    ) -> Iterator[None]:
        """Turn errors of the policy inside into a PolicyError, except those of `passing`."""
        try:
            yield
        except passing:
            raise
        except (Exception, SystemExit) as error:  # a user's code, as above
            raise PolicyError(
                f"policy {self.policy.name} cannot {task} ({describe_error(error)}){advice}"
            ) from error

    async def _decide(self, observations: Observations, infos: Infos) -> object:
        if type(self.policy).act_async is Policy.act_async:
            return await self._call_plain(self.policy.act, observations, infos)
        return await self.policy.act_async(observations, infos)

    async def _answer(self, agent: AgentID, questions: Sequence[str], repeat: int) -> object:
        if type(self.policy).interview_async is Policy.interview_async:
            return await self._call_plain(self.policy.interview, agent, questions, repeat)
        return await self.policy.interview_async(agent, questions, repeat)

    async def _recall(self, agent: AgentID) -> object:
        if type(self.policy).act_async is Policy.act_async:
            return await self._call_plain(self.policy.memories, agent)
        return self.policy.memories(agent)

    async def _call_plain(self, function: Callable[..., object], *arguments: object) -> object:
        if self.deadline is None:
            return function(*arguments)
        # Only another thread can time out on plain code that does not return.
        if self.worker is None:
            self.worker = Worker(self.policy.name)
        return await self.worker.call(function, *arguments)

    async def _ask_one(
        self,
        agent: AgentID,
        asking: Awaitable[object],
        tick: int,
        kind: type[T],
        count: int | None = None,
    ) -> tuple[list[T], list[FaultRow]]:
        """Return a list of `kind`, of `count` items if given; else none and the fault."""
        try:
            answer, faults = await self.guard(asking, (agent,), tick, patience=count or 1)
        except PolicyError as error:  # this ends an interview, not a run
            return [], self._make_faults((agent,), tick, "interview", describe_error(error))
        if faults:
            return [], [replace(fault, kind="interview") for fault in faults]
        if isinstance(answer, list | tuple) and count in (None, len(answer)):
            items = [item for item in answer if isinstance(item, kind) and _is_sound(item)]
            if len(items) == len(answer):
                return items, []
        wanted = "memories" if count is None else f"{count} answers to an interview"
        why = f"expected {wanted}, got {_describe_kind(answer)}"
        return [], self._make_faults((agent,), tick, "interview", why)

    def _check_actions(
        self, agents: tuple[AgentID, ...], tick: int, answer: object, reads: Reads
    ) -> Decisions:
        """Return what are actions of these agents, and the faults of the others."""
        if not isinstance(answer, Mapping):
            if inspect.iscoroutine(answer):
                answer.close()
            why = f"expected a dict of actions, got {type(answer).__name__}"
            return {}, self._make_faults(agents, tick, "nonsense", why)
        actions: dict[AgentID, object] = {}
        faults: list[FaultRow] = []
        for agent, action in answer.items():
            if agent not in agents:
                why = f"decided for {clean(str(agent), 60)!r}, who is not its agent"
                faults += self._make_faults(agents[:1], tick, "nonsense", why)
            elif reads(action):
                actions[agent] = action
            elif action is not None:
                is_short = isinstance(action, int) and abs(action) < _SHORT
                what = str(action) if is_short else type(action).__name__
                why = f"{what} is not an action"
                faults += self._make_faults((agent,), tick, "nonsense", why)
        return actions, faults

    def _make_faults(
        self, agents: Sequence[AgentID], tick: int, kind: FaultKind, text: str
    ) -> list[FaultRow]:
        """Return the same fault for each of `agents`."""
        return [FaultRow(tick, agent, self.policy.name, kind, text) for agent in agents]


def _make_note(note: MindNote, tick: int) -> NoteRow:
    call = note.call
    text = clean(note.text, _NOTE_LIMIT)
    row = NoteRow(tick, call.tick, call.agent, call.purpose, call.number, note.kind, text)
    check_note(row)
    return row


def _is_sound(item: object) -> bool:
    """Return True if an answer or a memory has text and ids of events."""
    if not isinstance(item, Answer | RecalledMemory):
        return False
    events = item.evidence if isinstance(item, Answer) else item.events
    return isinstance(item.text, str) and all(type(k) is int and k >= 0 for k in events)


def _describe_kind(answer: object) -> str:
    if isinstance(answer, list | tuple):
        return f"{len(answer)} of {sorted({type(item).__name__ for item in answer})}"
    return type(answer).__name__
