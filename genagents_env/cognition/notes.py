"""What minds note for the record: lines that their prompts lost, wishes that came to nothing."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from genagents_env.llm.calls import CallKey, JSONValue
from genagents_env.policy import MindNote, NoteKind


class NoteBuffer:
    """The notes of all minds of a policy until they are taken, tick by tick; no state of a mind."""

    def __init__(self) -> None:
        self._notes: list[MindNote] = []
        self._applied: dict[str, CallKey] = {}  # by agent, the call whose reply is being applied

    def add_cuts(self, call: CallKey, cuts: Mapping[str, int]) -> None:
        """Note how many lines of each section the prompt of `call` lost, where it lost any."""
        lost = {section: lines for section, lines in cuts.items() if lines}
        if lost:
            self._notes.append(MindNote(call, "cut", json.dumps(lost, sort_keys=True)))

    def add_wish(self, agent: str, tick: int, text: str) -> None:
        """Note what a reply to `agent` named and could not have; `tick` of the moment.

        It goes with the call whose reply is being applied, with a call of no purpose otherwise.
        """
        self._add(agent, tick, "wish", text)

    def add_turn(self, agent: str, tick: int, told: Mapping[str, JSONValue]) -> None:
        """Note what words of `agent` were read as: its `verdict`, and what else tells of it.

        It goes with a call as a wish does.
        """
        self._add(agent, tick, "turn", json.dumps(told, sort_keys=True, ensure_ascii=False))

    def _add(self, agent: str, tick: int, kind: NoteKind, text: str) -> None:
        call = self._applied.get(agent, CallKey(agent, tick, "", 0))
        self._notes.append(MindNote(call, kind, text))

    @contextmanager
    def apply(self, call: CallKey) -> Iterator[None]:
        """Let the wishes of the agent within be those of `call`."""
        self._applied[call.agent] = call
        try:
            yield
        finally:
            del self._applied[call.agent]

    def take(self) -> list[MindNote]:
        """Return the notes by call, those of one call as they came; none of them stays.

        So their order does not depend on which call was answered first.
        """
        taken, self._notes = self._notes, []
        return sorted(taken, key=lambda note: note.call)
