"""A policy and the agents it decides for, called so that its failures affect no others."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from genagents_env.errors import GenagentsError, PolicyError
from genagents_env.llm.redact import clean_from_environment
from genagents_env.policy import AgentID, Context, Infos, MindNote, Observations, Policy, Profile
from genagents_env.record.notes import check_note
from genagents_env.record.rows import JSON, FaultKind, FaultRow, NoteRow
from genagents_env.run.concurrency import Worker, raise_first
from genagents_env.scenario.past import Past
from genagents_env.text import clean

T = TypeVar("T")

_FAULT_LIMIT = 300
_NOTE_LIMIT = 2000  # characters, as of an answer


def describe_fault(fault: FaultRow) -> str:
    """Return in words whose policy failed, when and how."""
    return f"policy {fault.policy} failed for {fault.agent} at tick {fault.tick}: {fault.text}"


@dataclass
class PolicyGroup:
    """A policy and the agents it decides for; `deadline` in seconds of wall clock, None for none.

    `isolate`: an error in the policy becomes faults of its agents; otherwise it is raised.
    """

    policy: Policy
    agents: tuple[AgentID, ...]
    isolate: bool = True
    deadline: float | None = None
    worker: Worker | None = None

    async def act(self, observations: Observations, infos: Infos) -> object:
        """Return the answer of `Policy.act` or `act_async`, whatever it is."""
        policy = self.policy
        if type(policy).act_async is Policy.act_async:
            return await self._call_plain(policy.act, observations, infos)
        return await policy.act_async(observations, infos)

    async def interview(self, agent: AgentID, questions: Sequence[str], repeat: int = 0) -> object:
        """Return the answer of `Policy.interview` or `interview_async`, whatever it is."""
        policy = self.policy
        if type(policy).interview_async is Policy.interview_async:
            return await self._call_plain(policy.interview, agent, questions, repeat)
        return await policy.interview_async(agent, questions, repeat)

    async def memories(self, agent: AgentID) -> object:
        """Return what `Policy.memories` gives, whatever it is."""
        policy = self.policy
        if type(policy).memories is Policy.memories:
            return ()
        if type(policy).act_async is Policy.act_async:
            return await self._call_plain(policy.memories, agent)
        return policy.memories(agent)

    def take_notes(self, tick: int) -> list[NoteRow]:
        """Return what `Policy.take_notes` gives, as rows of `tick`.

        Raises:
            PolicyError: the policy failed to give it.
        """
        try:
            return [_make_note(note, tick) for note in self.policy.take_notes()]
        except (Exception, SystemExit) as error:  # as above
            raise PolicyError(
                f"policy {self.policy.name} cannot tell its notes ({_tell(error)}); correct its "
                "take_notes"
            ) from error

    def reset(self, profiles: Mapping[AgentID, Profile], seed: int, context: Context) -> None:
        """Begin an episode.

        Raises:
            PolicyError: the policy failed to, and this group isolates.
        """
        if not self.isolate:
            self.policy.reset(profiles, seed, context)
            return
        try:
            self.policy.reset(profiles, seed, context)
        except GenagentsError:
            raise
        # A policy is a user's code: whatever it raises, SystemExit included, is its own fault.
        except (Exception, SystemExit) as error:
            raise PolicyError(
                f"policy {self.policy.name} cannot begin an episode ({_tell(error)}); correct its "
                "reset"
            ) from error

    def load_state(self, state: JSON) -> None:
        """Let the policy resume from `state`.

        Raises:
            PolicyError: it fails to.
        """
        try:
            self.policy.load_state(state)
        except (Exception, SystemExit) as error:  # as above
            raise PolicyError(
                f"policy {self.policy.name} cannot go on from its saved state ({_tell(error)}); "
                "correct its load_state, or run it again where the state is at fault"
            ) from error

    def collect_past(self, agent: AgentID, source: str) -> Past:
        """Return what `agent` carries along into another run.

        Raises:
            PolicyError: the policy keeps none, or fails.
        """
        try:
            return self.policy.collect_past(agent, source)
        except GenagentsError:
            raise
        except (Exception, SystemExit) as error:  # as above
            raise PolicyError(
                f"policy {self.policy.name} cannot hand on the past of {agent} ({_tell(error)})"
            ) from error

    async def guard(
        self, asking: Awaitable[T], agents: Sequence[AgentID], tick: int, *, patience: int = 1
    ) -> tuple[T | None, list[FaultRow]]:
        """Return what `asking` gives, or the faults of `agents` where the policy fails.

        Args:
            asking: of this policy.
            agents: whom it is for.
            tick: of the faults.
            patience: how many deadlines to wait.

        Raises:
            GenagentsError: one meant for the run: an outage, the budget's end.
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
            return None, self.make_faults_of(agents, tick, several)
        # A policy is a user's code: whatever it raises, SystemExit included, is its own fault.
        except (Exception, SystemExit) as error:
            if isinstance(error, TimeoutError) and limit.expired():
                return None, self.make_faults(
                    agents, tick, "hung", f"no answer within {seconds:g} s"
                )
            return None, self.make_faults_of(agents, tick, error)

    def make_faults(
        self, agents: Sequence[AgentID], tick: int, kind: FaultKind, text: str
    ) -> list[FaultRow]:
        """Return the same fault for each of `agents`."""
        return [FaultRow(tick, agent, self.policy.name, kind, text) for agent in agents]

    def make_faults_of(
        self, agents: Sequence[AgentID], tick: int, error: BaseException
    ) -> list[FaultRow]:
        """Return the fault of `agents` whose policy raised `error`."""
        return self.make_faults(agents, tick, "raised", _tell(error))

    def close(self) -> None:
        """Close the policy and its thread; safe to call twice."""
        if self.worker is not None:
            self.worker.close()
        self.policy.close()

    async def _call_plain(self, function: Callable[..., object], *arguments: object) -> object:
        if self.deadline is None:
            return function(*arguments)
        # Nothing but another thread can give up on plain code that does not return.
        if self.worker is None:
            self.worker = Worker(self.policy.name)
        return await self.worker.call(function, *arguments)


def _make_note(note: MindNote, tick: int) -> NoteRow:
    call = note.call
    text = clean(note.text, _NOTE_LIMIT)
    row = NoteRow(tick, call.tick, call.agent, call.purpose, call.number, note.kind, text)
    check_note(row)
    return row


def _tell(error: BaseException) -> str:
    """Return what a policy raised, in words without keys."""
    return clean_from_environment(f"{type(error).__name__}: {error}", _FAULT_LIMIT)
